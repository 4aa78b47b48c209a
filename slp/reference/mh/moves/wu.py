"""`wu`: the radical restructure. Other splits with the same leaves.

A node v that splits is drawn uniformly, among I(T). Its subtree is built again from the top, so
that each leaf keeps its rows. At each box with the rows of several leaves, a split c is drawn in
proportion to W(c) (`weighed_tree`) from A, the splits that part no leaf's rows. If A is empty, the
move fails. With R as in `cgm`, and products over the nodes that split in each subtree,

    ratio = R  x  product over the old splits of W(c) / sum of W over A
               /  product over the new splits of W(c) / sum of W over A

Here L(T') = L(T), and I(T') = I(T), because the number of leaves stays the same. The reverse move
can always draw the old subtree.

Reference: Wu, Tjelmeland & West (2007), Bayesian CART: prior specification and posterior
simulation, JCGS 16, section 4.3; there v is the root.
"""

from __future__ import annotations

from slp.reference.mh.moves.choosing import Chooser
from slp.reference.mh.moves.cut_trees import LEAF, CutTree
from slp.reference.mh.moves.proposal import Moved
from slp.reference.mh.moves.weighed_tree import BoxStates, WeighedTree


def move(choose: Chooser, here: WeighedTree) -> Moved | None:
    """The move."""
    if not here.internal:
        return None
    i = choose.among(here.internal)
    leaves = {here.boxes[j] for j in range(i, here.ends[i]) if here.cuts[j] == LEAF}
    new = _built(choose, here, here.box_states(i), leaves)
    old = here.subtree(i)
    back = (i, *(cut for cut in old if cut != LEAF))
    return Moved(None if new is None else here.with_subtree(i, new), back)


def _built(
    choose: Chooser, here: WeighedTree, box_states: BoxStates, leaves: set[int]
) -> CutTree | None:
    """A subtree with these leaves, in preorder; None if the splits drawn lead to no such tree."""
    out: list[int] = []
    stack = [box_states]
    while stack:
        at = stack.pop()
        if at.box in leaves:
            out.append(LEAF)
            continue
        splits = here.splits(at)
        kept = splits.only(c for c in splits.cuts if _keeps(here.sides(at, c)[0].box, leaves))
        if not kept.cuts:
            return None
        cut = choose.among(*kept)
        out.append(cut)
        stack += reversed(here.sides(at, cut))
    return tuple(out)


def _keeps(left: int, leaves: set[int]) -> bool:
    """Whether a split with these rows on its left parts no leaf."""
    return all(leaf & left in (0, leaf) for leaf in leaves)
