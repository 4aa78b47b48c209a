"""Whether a finished tree's predictions are monotone: the definition, over all pairs of leaves.

A leaf's prediction is the posterior mean of its response or, for ordered classes, the probability
of every class or one before it. It follows from the leaf's summary and the program's leaf model: of
classes with prior a

    P(class c) = (n_c + a_c) / (n + sum of a)

where a is 1 if no model is declared; of numbers as the model's `means_of_summaries` has it. Nothing
here is shared with the engines.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from slp.ir.program import LeafDeclaration
from slp.leaves import OF_NUMBERS, Label, label_text, leaf_class, sorted_labels
from slp.trees.regions import Levels, Region
from slp.trees.tree import Leaf, Place, Split

#: Predictions that differ by less, relative to the larger, are equal but for rounding.
_SAME = 1e-12


class Fall(NamedTuple):
    """Why predictions are not monotone, at the leaf where the feature is larger.

    `unknown`: it cannot be decided. `place` is None if no leaf determines it.
    """

    why: str
    place: Place | None
    unknown: bool = False


def falls(
    feature: str,
    up: bool,
    places: Iterable[Place],
    model: LeafDeclaration | None,
    levels: Mapping[str, frozenset[str]] | None,
    order: Sequence[str] | None = None,
) -> Iterator[Fall]:
    """Every pair of leaves between which predictions fall (`up`) or rise (not `up`) as the feature
    grows.

    Two leaves are compared if they hold points that agree in all other features, and the feature is
    larger in one. `levels` are those of the table's categorical features; None if there is no
    table, and then of leaves that may meet only in a level which no test names it cannot be told.
    """
    places = list(places)
    if any(isinstance(p.node, Split) and p.node.test.names_all for p in places):
        yield Fall("tests by subsets leave levels without a side", None, unknown=True)
        return
    leaves = [p for p in places if isinstance(p.node, Leaf) and _is_open(p.region)]
    summaries = [p.node.summary for p in leaves if isinstance(p.node, Leaf)]
    rising = _rising(summaries, model, order)
    if rising is None and order is None and _have_names(summaries):
        yield Fall("the classes are names, and no order of them is declared", None, unknown=True)
        return
    if rising is None:
        yield Fall("the leaves do not say what they predict", None, unknown=True)
        return
    named = _levels_of_tests(leaves)
    for i, j in combinations(range(len(leaves)), 2):
        low, high = sorted((i, j), key=lambda k: leaves[k].region.interval(feature))
        meet = _meet(leaves[i].region, leaves[j].region, feature, named, levels)
        fall = None if meet is False else _fall(up, rising, low, high)
        if fall is not None:
            where = f"{leaves[low].path} ({leaves[low].region.describe()})"
            yield Fall(f"{fall} at {where}", leaves[high], unknown=meet is None)


def _fall(up: bool, rising: Sequence[Mapping[str, float]], low: int, high: int) -> str | None:
    """The fault between the leaves with the lower and the higher values, in words."""
    for what, below in rising[low].items():
        above = rising[high][what]
        falls = above < below if up else above > below
        if falls and not math.isclose(above, below, rel_tol=_SAME):
            return f"{what} is {abs(above):.10g}, and {abs(below):.10g}"
    return None


def _rising(
    summaries: Sequence[Mapping[str, Any]],
    model: LeafDeclaration | None,
    order: Sequence[str] | None,
) -> list[dict[str, float]] | None:
    """For each leaf, by name, the values that must not decrease as the feature grows; None if they
    are unknown.

    The probabilities of the classes up to one must not increase, so they are taken negative.
    """
    known = None if model is None else leaf_class(model)
    classes = known is not None and known.responses == "classes"
    if all("counts" in s for s in summaries) and (known is None or classes):
        if order is None and _have_names(summaries):
            return None
        prior = (1.0,) if model is None else model.listed or model.args
        return _class_probabilities([s["counts"] for s in summaries], prior, order)
    if all("mean" in s for s in summaries) and not classes:
        means = (known or OF_NUMBERS).means_of_summaries(summaries, model)
        return None if means is None else [{"the mean": mean} for mean in means]
    return None


def _have_names(summaries: Sequence[Mapping[str, Any]]) -> bool:
    """Whether some classes are names, which have no order of their own."""
    return any(isinstance(c, str) for s in summaries for c in s.get("counts", ()))


def _class_probabilities(
    counts: Sequence[Mapping[Label, int]], a: Sequence[float], order: Sequence[str] | None
) -> list[dict[str, float]] | None:
    classes = sorted_labels({c for leaf in counts for c in leaf})
    if order is not None:
        known = [c for c in classes if label_text(c) in order]
        classes = tuple(sorted(known, key=lambda c: order.index(label_text(c))))
    prior = list(a) * (len(classes) if len(a) == 1 else 1)
    if len(prior) != len(classes):  # an unknown class is in no leaf
        return None
    texts = list(map(label_text, classes))
    out = []
    for leaf in counts:
        total = sum(leaf.values()) + sum(prior)
        below, quantities = 0.0, {}
        for k, outcome in enumerate(classes[:-1]):
            below += (leaf.get(outcome, 0) + prior[k]) / total
            quantities[f"P({' or '.join(texts[: k + 1])})"] = -below
        out.append(quantities)
    return out


# --- regions -----------------------------------------------------------------------------------


def _is_open(region: Region) -> bool:
    """Whether any point lies in it."""
    return all(low < high for low, high in region.intervals.values())


def _levels_of_tests(leaves: Iterable[Place]) -> dict[str, frozenset[str]]:
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
