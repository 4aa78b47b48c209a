"""`cgm`: grow, prune, change and swap, each with probability 1/4.

With W(v, c) the weight of a split c at a node v (`weighed_tree`), W(v) its sum over the splits of
v, G(T) the number of leaves that can split, P(T) the number of nodes above two leaves that can
stop, I(T) the number of nodes that split and S(T) the number of those below the root,

    grow     a leaf v among the G(T), split by c in proportion to W(v, c)
             ratio = R  x  1/P(T')  x  G(T) W(v) / W(v, c)
    prune    a node v among the P(T) becomes a leaf; c is the split that it had
             ratio = R  x  W(v, c) / [G(T') W(v)]  x  P(T)
    change   a node v among the I(T) is split by c' in proportion to W(v, c'); the tests below stay
             ratio = R  x  W(v, c) / W(v, c')                  as I(T') = I(T)
    swap     a node among the S(T) and its parent exchange their tests; if the parent's other child
             makes the same test, that child gets the parent's too
             ratio = R                                         as S(T') = S(T)

    R = w(T') L(T')^power / [w(T) L(T)^power]

and the ratio is 0 where the move back does not restore T. A swap is its own move back.

Reference: Chipman, George & McCulloch (1998), Bayesian CART model search, JASA 93, section 5.1,
with W from the program in the place of their prior over splits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from slp.reference.mh.moves.choosing import Chooser
from slp.reference.mh.moves.cut_trees import LEAF
from slp.reference.mh.moves.proposal import Moved
from slp.reference.mh.moves.weighed_tree import BoxStates, WeighedSplits, WeighedTree

#: The splits of a node, with the log weights that they are drawn by.
Weigh: TypeAlias = Callable[[WeighedTree, BoxStates], WeighedSplits]


def move(choose: Chooser, here: WeighedTree) -> Moved | None:
    """One of the four."""
    kind = choose.among(("grow", "prune", "change", "swap"))
    if kind == "grow":
        return grow(choose, here, WeighedTree.splits)
    if kind == "prune":
        return prune(choose, here)
    return change(choose, here, WeighedTree.splits) if kind == "change" else swap(choose, here)


def grow(choose: Chooser, here: WeighedTree, weigh: Weigh) -> Moved | None:
    """Split a leaf."""
    growable = [i for i in here.leaves if here.splits(here.box_states(i)).cuts]
    if not growable:
        return None
    i = choose.among(growable)
    cut = choose.among(*weigh(here, here.box_states(i)))
    return Moved(here.with_subtree(i, (cut, LEAF, LEAF)), ("prune", i))


def prune(choose: Chooser, here: WeighedTree) -> Moved | None:
    """Make a leaf of a node above two leaves."""
    prunable = [
        i for i in here.internal if here.cuts[i + 1 : i + 3] == (LEAF, LEAF) and here.can_stop(i)
    ]
    if not prunable:
        return None
    i = choose.among(prunable)
    return Moved(here.with_subtree(i, (LEAF,)), ("grow", i, here.cuts[i]))


def change(choose: Chooser, here: WeighedTree, weigh: Weigh) -> Moved | None:
    """Split a node in another way."""
    if not here.internal:
        return None
    i = choose.among(here.internal)
    cut = choose.among(*weigh(here, here.box_states(i)))
    below = [here.subtree(here.child(i, side)) for side in (0, 1)]
    return Moved(here.placed(i, cut, below), ("change", i, here.cuts[i]))


def swap(choose: Chooser, here: WeighedTree) -> Moved | None:
    """Exchange the tests of a node and its parent."""
    if len(here.internal) < 2:
        return None
    i = choose.among(here.internal[1:])
    above = here.parents[i]
    below = []
    for side in (0, 1):
        child = here.child(above, side)
        tests = here.subtree(child)
        if child == i or _same_test(here, child, i):
            tests = (here.cuts[above], *tests[1:])
        below.append(tests)
    new = here.placed(above, here.cuts[i], below)
    return Moved(new, ("swap", i))


def _same_test(here: WeighedTree, one: int, other: int) -> bool:
    """Whether two nodes split by the same test."""
    if LEAF in (here.cuts[one], here.cuts[other]):
        return False
    a, b = here.geometry.cuts[here.cuts[one]], here.geometry.cuts[here.cuts[other]]
    return (a.feature, a.test) == (b.feature, b.test)
