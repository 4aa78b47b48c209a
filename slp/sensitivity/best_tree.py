"""How far a number may move until another tree is the most probable one.

From the value to each side, the farthest value looked at is near an end of the interval of valid
values, or e^8 away from it and e^8 times as far as the value; but no value is looked at at which a
step of a tree appears or disappears, as where a label is 0 by rounding. If the tree is not the best
there, bisection finds a value from which it is not. Then some values between the two ends are
checked. If it is not the best at one of them, the end moves in, by bisection from there. The check
is of these values alone: between them another tree may be the best.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from slp.budgets import check_time
from slp.learn.ascent import Interval
from slp.results.sensitivity import CHECKED, Stays
from slp.sensitivity.edges import Edges
from slp.sensitivity.numbers import Varied

#: How far the search goes in the coordinate of an interval (`slp.learn.ascent.Interval`).
_FAR = 8.0
#: Width in that coordinate at which bisection ends.
_CLOSE = 1e-7


def interval_of_best_tree(
    varied: Varied, edges: Edges, progress: Callable[[int, str], None] | None
) -> Stays:
    """The interval about the value in which the best tree stays the best.

    Raises
    ------
    TimeOverError
        E540: the time is over.
    """
    made = 0
    # A factor may end just above 1: its logarithm is the coordinate that goes far below.
    interval = Interval(0.0, math.inf) if varied.kind == "label" else varied.interval
    start = interval.to_free(varied.value)

    def lead(u: float) -> float | None:
        nonlocal made
        check_time("while the interval of the best tree was looked for")
        made += 1
        if progress is not None:
            progress(made, f"where the best tree changes, {varied.name}")
        value = interval.to_value(u)
        return _lead(varied, edges, value) if value < varied.interval.high else None

    def stays(u: float) -> bool:
        return lead(u) == 0

    far = min(start, 0.0) - _FAR, max(start, 0.0) + _FAR
    least, most = (_end(lambda u: lead(u) is not None, start, end) for end in far)
    low, high = _end(stays, start, least), _end(stays, start, most)
    while True:
        points = np.linspace(low, high, CHECKED + 2)[1:-1]
        wrong = [u for u in points.tolist() if not stays(u)]
        above = [u for u in wrong if u > start]
        below = [u for u in wrong if u < start]
        if not above and not below:
            break
        high = _end(stays, start, min(above)) if above else high
        low = _end(stays, start, max(below)) if below else low
    return Stays(
        interval.to_value(low),
        interval.to_value(high),
        changes_below=low > least,
        changes_above=high < most,
    )


def _end(stays: Callable[[float], bool], good: float, bad: float) -> float:
    """The last point from `good` to `bad` at which the tree stays, found by bisection; `bad` where
    it stays there."""
    if stays(bad):
        return bad
    while abs(bad - good) > _CLOSE:
        middle = (good + bad) / 2
        good, bad = (middle, bad) if stays(middle) else (good, middle)
    return good


def _lead(varied: Varied, edges: Edges, value: float) -> float | None:
    """How far the tree is behind the best one at a value; None where steps differ."""
    weight = varied.edges(value)
    if weight is None:
        return None
    adjoints = edges.adjoints
    if varied.likelihood is None:
        return float(adjoints.best_lead(weight + adjoints.log_likelihood))
    return float(adjoints.best_lead(weight + adjoints.at_leaves(varied.likelihood(value))))
