"""`perturb`: another threshold on the same feature, within the bounds of the tests below.

A node v that splits is drawn uniformly, among I(T). Let its split be c on the feature f. Its bounds
are the largest threshold on f among the tests of its left subtree, and the smallest among those of
its right subtree. The new split c' is drawn from N(T), the splits of v on f with a threshold
between these, in proportion to W(v, c') (`weighed_tree`). The tests below stay. With R as in `cgm`,

    ratio = R  x  W(v, c) / W(v, c')

and 0 where the move back does not restore T. N(T) is that of the move back too: rows that change
sides have values of f beyond those at the tests on f below, so these thresholds stay. The bounds
from above v are those of its box. Of a test on a level N(T) are all levels of f, of the test for
missing values of numbers that test alone.

Reference: Pratola (2016), Efficient Metropolis-Hastings proposal mechanisms for Bayesian regression
tree models, Bayesian Analysis 11, section 3; there the new threshold is uniform.
"""

from __future__ import annotations

import math

from slp.columns import Test
from slp.reference.mh.moves.cgm import Weigh
from slp.reference.mh.moves.choosing import Chooser
from slp.reference.mh.moves.cut_trees import LEAF
from slp.reference.mh.moves.proposal import Moved
from slp.reference.mh.moves.weighed_tree import WeighedTree


def move(choose: Chooser, here: WeighedTree) -> Moved | None:
    """The move."""
    return perturb(choose, here, WeighedTree.splits)


def perturb(
    choose: Chooser, here: WeighedTree, weigh: Weigh, back: tuple[str, ...] = ()
) -> Moved | None:
    """The move, with the splits weighted by `weigh`. `back` are the choices of the reverse move
    that precede it."""
    if not here.internal:
        return None
    i = choose.among(here.internal)
    within = weigh(here, here.box_states(i)).only(_within_bounds(here, i))
    cut = choose.among(*within)
    below = [here.subtree(here.child(i, side)) for side in (0, 1)]
    return Moved(here.placed(i, cut, below), (*back, i, here.cuts[i]))


def _within_bounds(here: WeighedTree, i: int) -> list[int]:
    """The cuts on the feature of a node that are within its bounds."""
    cuts = here.geometry.cuts
    own = cuts[here.cuts[i]]
    low = max(_thresholds(here, here.child(i, 0), own.feature), default=-math.inf)
    high = min(_thresholds(here, here.child(i, 1), own.feature), default=math.inf)
    return [
        cut
        for cut in here.splits(here.box_states(i)).cuts
        if cuts[cut].feature == own.feature and _is_between(cuts[cut].test, low, high, own.test)
    ]


def _is_between(test: Test, low: float, high: float, own: Test) -> bool:
    """Whether a test is by a threshold within bounds; in place of one on a level, or for missing
    values, whether it is one too."""
    if own.number is None or test.number is None:
        return own.number is test.number
    return low < test.number < high


def _thresholds(here: WeighedTree, i: int, feature: int) -> list[float]:
    """The thresholds on a feature in the subtree of a node."""
    tests = [here.geometry.cuts[cut] for cut in here.subtree(i) if cut != LEAF]
    numbers = (t.test.number for t in tests if t.feature == feature)
    return [number for number in numbers if number is not None]
