"""Whether a finished tree's predictions are monotone: the definition, over all pairs of leaves.

`slp.trees.formulas` says what a leaf predicts. Nothing here is shared with the engines.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

from slp.ir.leaves import BoxLeaf, LeafDeclaration
from slp.trees.formulas import classes_outside, formula_of, have_names, rising_of
from slp.trees.leaf_priors import applies
from slp.trees.parts import Leaf, Node, Place
from slp.trees.regions import Levels, Region

#: The value of each feature: a number, or a level.
Point: TypeAlias = Mapping[str, float | str]

#: Predictions that differ by less, relative to the larger, are equal but for rounding.
_SAME = 1e-12


class Fall(NamedTuple):
    """Why predictions are not monotone, at the leaf where the feature is larger.

    `unknown`: it cannot be decided. `place` is None if no leaf determines it. `points` are two that
    agree in all features but one, of which the second has more, and where the prediction falls:
    the values of those features that the tests above their leaves ask for.
    """

    why: str
    place: Place | None
    unknown: bool = False
    points: tuple[Point, Point] | None = None


def falls(
    feature: str,
    up: bool,
    places: Iterable[Place],
    model: LeafDeclaration | None,
    levels: Mapping[str, frozenset[str]] | None,
    order: Sequence[str] | None = None,
    boxes: Sequence[BoxLeaf] = (),
) -> Iterator[Fall]:
    """Every pair of leaves between which predictions fall (`up`) or rise (not `up`) as the feature
    grows.

    Two leaves are compared if they hold points that agree in all other features, and the feature is
    larger in one. `levels` are those of the table's categorical features; None if there is no
    table, and then of leaves that may meet only in a level which no test names it cannot be told.
    `boxes` are those whose leaves have priors of their own.
    """
    places = list(places)
    untold = _untold(feature, (p.node for p in places))
    if untold is not None:
        yield Fall(untold, None, unknown=True)
        return
    leaves, summaries = open_leaves(places)
    for place, summary in zip(leaves, summaries, strict=True):
        if "prior" not in summary and any(applies(own, place.region) for own in boxes):
            why = "a leaf in a box with a prior of its own does not say what it predicts"
            yield Fall(f"{why}: give the table", place, unknown=True)
            return
    formula = formula_of(summaries, model, order)
    rising = None if formula is None else rising_of(formula, summaries)
    strange = classes_outside(summaries, order)
    if strange:
        why = f"the declared order lacks {', '.join(strange)}"
        yield Fall(why, None, unknown=True)
        return
    if rising is None and order is None and have_names(summaries):
        yield Fall("the classes are names, and no order of them is declared", None, unknown=True)
        return
    if rising is None:
        yield Fall("the leaves do not say what they predict", None, unknown=True)
        return
    named = levels_of_tests(leaves)
    known = {**named, **(levels or {})}
    for i, j in combinations(range(len(leaves)), 2):
        low, high = sorted((i, j), key=lambda k: leaves[k].region.interval(feature))
        meet = _meet(leaves[i].region, leaves[j].region, feature, named, levels)
        fall = None if meet is False else _fall(up, rising, low, high)
        if fall is not None:
            where = f"{leaves[low].path} ({leaves[low].region.describe()})"
            pair = leaves[low].region, leaves[high].region
            points = None if meet is None else _points(*pair, feature, known)
            yield Fall(f"{fall} at {where}", leaves[high], meet is None, points)


def open_leaves(places: Iterable[Place]) -> tuple[list[Place], list[Mapping[str, Any]]]:
    """The leaves whose region has a point, and their summaries."""
    leaves = [p for p in places if isinstance(p.node, Leaf) and _is_open(p.region)]
    return leaves, [p.node.summary for p in leaves if isinstance(p.node, Leaf)]


def _untold(feature: str, nodes: Iterable[Node]) -> str | None:
    """Why it is not known what a leaf predicts, or regions do not tell the leaf of every point;
    None if all is known."""
    kinds: dict[str, set[bool]] = {}
    for split in nodes:
        if isinstance(split, Leaf):
            if split.predictive is not None and split.predictive.concentrations() is not None:
                return "leaves have priors of their own, which the program does not say"
            continue
        test = split.test
        if split.feature == feature and test.by_level:
            return f"the levels of {feature} have no order"
        if test.concept is not None:
            return "tests by concepts name several levels"
        if test.names_all:
            return "tests by subsets leave levels without a side"
        kinds.setdefault(split.feature, set()).add(test.by_level)
        if (test.missing is not None and not test.missing_level) or len(kinds[split.feature]) > 1:
            return "missing values take a side, which regions do not tell"
    return None


def _fall(up: bool, rising: Sequence[Mapping[str, float]], low: int, high: int) -> str | None:
    """The fault between the leaves with the lower and the higher values, in words."""
    for what, below in rising[low].items():
        above = rising[high][what]
        falls = above < below if up else above > below
        if falls and not math.isclose(above, below, rel_tol=_SAME):
            return f"{what} is {abs(above):.10g}, and {abs(below):.10g}"
    return None


# --- regions -----------------------------------------------------------------------------------


def _is_open(region: Region) -> bool:
    """Whether any point lies in it."""
    return all(low < high for low, high in region.intervals.values())


def levels_of_tests(leaves: Iterable[Place]) -> dict[str, frozenset[str]]:
    """The levels that the tests above leaves name, by feature."""
    found: dict[str, set[str]] = {}
    for place in leaves:
        for feature, known in place.region.levels.items():
            here = {*known.out} if known.only is None else {known.only, *known.out}
            found.setdefault(feature, set()).update(here)
    return {feature: frozenset(levels) for feature, levels in found.items()}


def _meet(
    a: Region,
    b: Region,
    without: str,
    named: Mapping[str, frozenset[str]],
    levels: Mapping[str, frozenset[str]] | None,
) -> bool | None:
    """Whether two regions have a point in common, one feature disregarded; None if they have one
    only where a level is that no test names, and that there may not be."""
    for feature in {*a.intervals, *b.intervals} - {without}:
        (low, high), (lo, hi) = a.interval(feature), b.interval(feature)
        if not (low < hi and lo < high):
            return False
    certain = True
    for feature in {*a.levels, *b.levels}:
        known = [r.levels.get(feature, Levels()) for r in (a, b)]
        of_table = None if levels is None else levels.get(feature, frozenset())
        if not _left(known, named[feature] if of_table is None else of_table):
            if of_table is not None or any(k.only is not None for k in known):
                return False
            certain = False
    return True if certain else None


def _left(known: Sequence[Levels], levels: frozenset[str]) -> set[str]:
    """The levels that satisfy all that is known."""
    return {
        level
        for level in levels
        if all(level not in k.out and k.only in (None, level) for k in known)
    }


# --- points ------------------------------------------------------------------------------------


def _points(
    low: Region, high: Region, feature: str, levels: Mapping[str, frozenset[str]]
) -> tuple[Point, Point]:
    """A point of each region: they agree in all other features, and the feature is larger in the
    second."""
    same: dict[str, float | str] = {}
    for f in sorted({*low.intervals, *high.intervals} - {feature}):
        (a, b), (c, d) = low.interval(f), high.interval(f)
        same[f] = _number_in(max(a, c), min(b, d))
    for f in sorted({*low.levels, *high.levels}):
        known = [r.levels.get(f, Levels()) for r in (low, high)]
        same[f] = min(_left(known, levels[f]))
    lower, upper = (_number_in(*region.interval(feature)) for region in (low, high))
    return {**same, feature: lower}, {**same, feature: upper}


def _number_in(low: float, high: float) -> float:
    """A number with low <= number < high."""
    if low > -math.inf:
        return low
    if high == math.inf:
        return 0.0
    return min(high - 1, math.nextafter(high, -math.inf))
