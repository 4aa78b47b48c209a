"""Formulas over what is asked of a tree, and their probability by sums.

A formula is decided by events (`slp.constraints.avoids`), each of which a tree has or avoids, by
the number of leaves and by the depth. With m(S) the probability that a tree avoids all events of S,
the probability of a formula f is the sum over S of c(S) m(S), where

    c(S) = sum over T, a subset of S, of (-1)^|S - T| f(T)

and f(T) is 1 where the formula holds of a tree that avoids T and has all other events (inclusion
and exclusion). So it is for each number of leaves and each range of depths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.constraints.avoids import (
    DeeperThan,
    Event,
    RootOn,
    SplitAbove,
    ThresholdIn,
    UsesFeature,
)

_ONE = np.ones(1, np.int64)

#: The most events of a formula, depths aside.
MOST_EVENTS = 8


@dataclass(frozen=True)
class LeafCount:
    """The tree has `count` leaves."""

    count: int


@dataclass(frozen=True)
class RowsTogether:
    """Two distinct rows of the table end in one leaf: decided alone, and with nothing else."""

    row: int
    other: int


@dataclass(frozen=True)
class Junction:
    """All (`every`) of some formulas, or at least one."""

    every: bool
    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Negation:
    """Not a formula."""

    part: Formula


Formula: TypeAlias = bool | Event | LeafCount | RowsTogether | Junction | Negation

#: Events that a tree avoids, those that others imply left out.
Avoided: TypeAlias = frozenset[Event]
#: The probability of trees that avoid events: of k leaves at index k, and of all at index 0.
Masses: TypeAlias = Callable[[Avoided, bool], NDArray[np.float64]]


class NoSumsError(Exception):
    """A formula has more events than sums are made for, or what no sum of this kind tells."""


def negated(formula: Formula) -> Formula:
    """The formula that holds where this one does not."""
    return not formula if isinstance(formula, bool) else Negation(formula)


def joined(every: bool, parts: Iterator[Formula] | tuple[Formula, ...]) -> Formula:
    """All of some formulas, or at least one, without those that say nothing."""
    kept: dict[Formula, None] = {}
    for part in parts:
        if isinstance(part, bool):
            if part != every:
                return part
        else:
            kept[part] = None
    if len(kept) == 1:
        return next(iter(kept))
    return Junction(every, tuple(kept)) if kept else every


def atoms(formula: Formula) -> Iterator[Event | LeafCount | RowsTogether]:
    """What decides a formula, with repeats."""
    match formula:
        case bool():
            return
        case Junction(_, parts):
            for part in parts:
                yield from atoms(part)
        case Negation(part):
            yield from atoms(part)
        case _:
            yield formula


class FormulaSums:
    """The sums that the probability of a formula needs: those over trees that avoid events, with
    whole numbers in front of them."""

    def __init__(self, formula: Formula) -> None:
        """Raises NoSumsError."""
        found = set(atoms(formula))
        if any(isinstance(e, RowsTogether) for e in found):
            raise NoSumsError
        depths = sorted(e.depth for e in found if isinstance(e, DeeperThan))
        self._counts = sorted(e.count for e in found if isinstance(e, LeafCount))
        events = [e for e in found if not isinstance(e, LeafCount | DeeperThan | RowsTogether)]
        events.sort(key=repr)
        #: By avoided events: what stands before the mass of each number of leaves that the formula
        #: names, and, at the end, before that of all others.
        self._terms: dict[Avoided, NDArray[np.int64]] = {}
        if isinstance(formula, Junction) and not formula.every and set(events) == {*formula.parts}:
            # At least one of any number of events: all trees but those that avoid all of them.
            self._terms = {frozenset(): _ONE, _without_implied(frozenset(events)): -_ONE}
            return
        if len(events) > MOST_EVENTS:
            raise NoSumsError
        for j, depth in enumerate([*depths, None]):
            had = {DeeperThan(d) for d in depths[:j]}
            values = {s: self._values(formula, had | (set(events) - s)) for s in _subsets(events)}
            for s in values:
                signed = ((-1) ** len(s - t) * values[t] for t in _subsets(sorted(s, key=repr)))
                factor = np.sum([*signed], axis=0)
                self._add(s, depth, factor)
                if j > 0:  # the trees that are not as deep as the range
                    self._add(s, depths[j - 1], -factor)
        self._terms = {s: c for s, c in self._terms.items() if c.any()}

    def _add(self, avoided: frozenset[Event], depth: int | None, factor: NDArray[np.int64]) -> None:
        own = avoided if depth is None else avoided | {DeeperThan(depth)}
        key = _without_implied(own)
        self._terms[key] = self._terms.get(key, 0) + factor

    def _values(self, formula: Formula, had: set[Event]) -> NDArray[np.int64]:
        """Whether the formula holds, for each named number of leaves and for another."""
        return np.array([_holds(formula, had, n) for n in (*self._counts, None)], np.int64)

    @property
    def weight(self) -> int:
        """The sum of the whole numbers, each the largest of its sum: how much may be lost."""
        return int(sum(np.abs(c).max() for c in self._terms.values()))

    @property
    def avoided(self) -> Mapping[Avoided, bool]:
        """The events of each sum, and whether numbers of leaves are told apart in it."""
        return {s: bool((c != c[-1]).any()) for s, c in self._terms.items()}

    def value(self, masses: Masses) -> float:
        """The probability, by the masses of trees that avoid events."""
        total = 0.0
        for avoided, apart in self.avoided.items():
            factor, mass = self._terms[avoided], masses(avoided, apart)
            total += float(factor[-1]) * float(mass[0])
            for count, own in zip(self._counts, factor[:-1].tolist(), strict=True):
                if apart and 0 < count < len(mass):
                    total += (own - float(factor[-1])) * float(mass[count])
        return min(1.0, max(0.0, total))


def _holds(formula: Formula, had: set[Event], leaves: int | None) -> bool:
    match formula:
        case bool():
            return formula
        case Junction(every, parts):
            values = (_holds(part, had, leaves) for part in parts)
            return all(values) if every else any(values)
        case Negation(part):
            return not _holds(part, had, leaves)
        case LeafCount(count):
            return count == leaves
        case _:
            return formula in had


def _subsets(events: Sequence[Event]) -> list[frozenset[Event]]:
    sizes = range(len(events) + 1)
    return [frozenset(some) for n in sizes for some in combinations(events, n)]


def _without_implied(avoided: frozenset[Event]) -> Avoided:
    """Events to avoid, without those that a tree then avoids anyway."""
    unused = {e.feature for e in avoided if isinstance(e, UsesFeature)}
    least = min((e.depth for e in avoided if isinstance(e, DeeperThan)), default=None)

    def is_implied(event: Event) -> bool:
        match event:
            case DeeperThan(depth):
                return depth != least
            case RootOn(feature):
                return feature in unused
            case SplitAbove(feature, below):
                return feature in unused or below in unused or (least is not None and least < 2)
            case ThresholdIn(feature):
                return feature in unused
            case _:
                return False

    if least == 0:  # a leaf
        return frozenset({DeeperThan(0)})
    return frozenset(e for e in avoided if not is_implied(e))
