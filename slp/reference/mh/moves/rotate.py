"""`rotate`: the test of a node moves above its parent's test, or the reverse.

Write p[X, Y] for a node with the test p and its sides. X|g and X|not g are a subtree X restricted
to the rows that pass a test g, and to the others; tests that part no rows there are removed. Both
directions also exist with the sides of p exchanged. Each direction has probability 1/2.

    up     a node g with the parent p is drawn uniformly, among the S(T) nodes that split below the
           root:
               p[g[A, B], C]  ->  g[p[A, C|g], p[B, C|not g]]
           If a side of p has no rows, the side and the test are removed. So for two tests on one
           feature this is the rotation of a search tree.
    down   a node g that splits is drawn uniformly, among I(T); then a side of p; then one of D(T)
           subtrees of the left form from which `up` leads to the present one. D(T) counts some of
           the trees C that restrict to C|g and C|not g: those that make the tests of the two parts
           in common wherever possible, and those that make the test g first.

With R as in `cgm`,

    ratio of up = R x S(T) / [2 I(T') D(T')]         ratio of down = R x 2 I(T) D(T) / S(T')

and 0 if the reverse move does not restore T. A and B keep their rows.

References: Pratola (2016), Efficient Metropolis-Hastings proposal mechanisms for Bayesian
regression tree models, Bayesian Analysis 11, section 2, where C is drawn from more trees; Gramacy &
Lee (2008), Bayesian treed Gaussian process models, JASA 103, for two tests on one feature.
"""

from __future__ import annotations

from collections.abc import Iterator

from slp.reference.boxes import BoxSplit
from slp.reference.mh.moves.choosing import Chooser
from slp.reference.mh.moves.cut_trees import (
    LEAF,
    CutTree,
    passing,
    restricted,
    same_split,
    split_with,
)
from slp.reference.mh.moves.proposal import Moved
from slp.reference.mh.moves.weighed_tree import WeighedTree


def move(choose: Chooser, here: WeighedTree) -> Moved | None:
    """Up or down."""
    if choose.among(("up", "down")) == "up":
        return _up(choose, here)
    return _down(choose, here)


def _up(choose: Chooser, here: WeighedTree) -> Moved | None:
    if len(here.internal) < 2:
        return None
    i = choose.among(here.internal[1:])
    above = here.parents[i]
    side = int(i != above + 1)
    new = _raised(here, i, side)
    tree = None if new is None else here.with_subtree(above, new)
    return Moved(tree, ("down", above, side, here.subtree(above)))


def _raised(here: WeighedTree, i: int, side: int) -> CutTree | None:
    """The subtree with the test of node i at the top. `side` is the side of i's parent on which i
    is."""
    above = here.parents[i]
    top = same_split(here.geometry, here.boxes[above], here.cuts[i])
    if top is None:
        return None
    other = here.child(above, 1 - side)
    out: tuple[int, ...] = (top.cut,)
    for j, box in ((here.child(i, 0), top.left), (here.child(i, 1), top.right)):
        half = _half(here, above, box, (j, other), side)
        if half is None:
            return None
        out += half
    return out


def _half(
    here: WeighedTree, above: int, box: int, parts: tuple[int, int], side: int
) -> CutTree | None:
    """The test of node `above` in a box. Its side `side` has the first of the parts, which keeps
    its rows. The other side has the rest of the second part."""
    kept = here.subtree(parts[0])
    rest = here.boxes[parts[1]] & box
    if not rest:
        return kept
    split = same_split(here.geometry, box, here.cuts[above])
    left_out = restricted(here.geometry, rest, here, parts[1])
    if split is None or left_out is None:
        return None
    return (split.cut, *_ordered(kept, left_out, side))


def _ordered(one: CutTree, other: CutTree, side: int) -> CutTree:
    """Two trees below a node, the first of them on a side."""
    return other + one if side else one + other


# --- down -------------------------------------------------------------------------------------


def _down(choose: Chooser, here: WeighedTree) -> Moved | None:
    if not here.internal:
        return None
    i = choose.among(here.internal)
    side = choose.among((0, 1))
    lowered = list(dict.fromkeys(_lowered(here, i, side)))
    if not lowered:
        return None
    new = choose.among(lowered)
    place = i + 1 + (_length(new, 1) if side else 0)
    return Moved(here.with_subtree(i, new), ("up", place))


def _length(tree: CutTree, begin: int) -> int:
    """The number of nodes of the subtree that begins there."""
    open_nodes, at = 1, begin
    while open_nodes:
        open_nodes += -1 if tree[at] == LEAF else 1
        at += 1
    return at - begin


def _lowered(here: WeighedTree, i: int, side: int) -> Iterator[CutTree]:
    """The trees p[g[A, B], C] for a node g[X, Y], with g on a side of p."""
    halves = here.child(i, 0), here.child(i, 1)
    for test, with_test in _tests_in_common(here, i, side):
        a, b = (here.child(h, side) if w else h for h, w in zip(halves, with_test, strict=True))
        rest = [here.child(h, 1 - side) for h, w in zip(halves, with_test, strict=True) if w]
        inner = test.right if side else test.left
        lower = same_split(here.geometry, inner, here.cuts[i])
        if lower is None:
            continue
        low = (lower.cut, *here.subtree(a), *here.subtree(b))
        for other in _in_common(here, i, rest):
            yield (test.cut, *_ordered(low, other, side))


def _tests_in_common(
    here: WeighedTree, i: int, side: int
) -> Iterator[tuple[BoxSplit, tuple[bool, bool]]]:
    """The splits of a node's box that can be the test p, and which of its children make it. The
    rows of the other child are all on the side."""
    x, y = here.child(i, 0), here.child(i, 1)
    for split, one, two in _joint_splits(here, x, y, here.boxes[i]):
        away = split.left if side else split.right
        others = [here.boxes[j] for j, makes in ((x, one), (y, two)) if not makes]
        if not any(box & away for box in others):
            yield split, (one, two)


def _joint_splits(
    here: WeighedTree, x: int, y: int, box: int
) -> Iterator[tuple[BoxSplit, bool, bool]]:
    """The splits of the rows of two nodes that part both as the nodes' tests do, or part one and
    leave the other whole; and which of the two they part."""
    for one, two in ((True, True), (True, False), (False, True)):
        cuts = [here.cuts[j] for j, makes in ((x, one), (y, two)) if makes]
        features = {here.geometry.cuts[cut].feature for cut in cuts if cut != LEAF}
        if LEAF in cuts or len(features) > 1:
            continue
        left = passing(here.geometry, here.boxes[x], here.cuts[x]) if one else 0
        left |= passing(here.geometry, here.boxes[y], here.cuts[y]) if two else 0
        whole = here.boxes[y] if not two else here.boxes[x] if not one else 0
        for rows in dict.fromkeys((left | whole, left)):
            split = split_with(here.geometry, box, min(features), rows)
            if split is not None:
                yield split, one, two


def _in_common(here: WeighedTree, i: int, rest: list[int]) -> Iterator[CutTree]:
    """Trees whose restrictions to the two sides of node i's test are the subtrees at `rest`."""
    if len(rest) == 1:
        yield here.subtree(rest[0])
        return
    zipped = _zipped(here, rest[0], rest[1])
    if zipped is not None:
        yield zipped
    top = same_split(here.geometry, here.boxes[rest[0]] | here.boxes[rest[1]], here.cuts[i])
    if top is not None:
        yield (top.cut, *here.subtree(rest[0]), *here.subtree(rest[1]))


def _zipped(here: WeighedTree, one: int, two: int) -> CutTree | None:
    """The tree that makes the tests of two subtrees in common wherever possible."""
    out: list[int] = []
    stack: list[tuple[int, ...]] = [(one, two)]
    while stack:
        nodes = stack.pop()
        if len(nodes) == 1:
            out += here.subtree(nodes[0])
            continue
        x, y = nodes
        if here.cuts[x] == here.cuts[y] == LEAF:
            out.append(LEAF)
            continue
        box = here.boxes[x] | here.boxes[y]
        found = next(_joint_splits(here, x, y, box), None)
        if found is None:
            return None
        split, by_x, by_y = found
        out.append(split.cut)
        for side, rows in ((1, split.right), (0, split.left)):
            parts = [
                here.child(j, side) if makes else j
                for j, makes in ((x, by_x), (y, by_y))
                if makes or here.boxes[j] & rows
            ]
            stack.append(tuple(parts))
    return tuple(out)
