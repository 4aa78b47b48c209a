"""Regions: what the tests on a path imply for each feature, and relations of regions and boxes.

These are the definitions of docs/language.md themselves, on thresholds alone. Engines decide the
same by automata (`slp.lower`) and share no code with this module, so checks of trees are
independent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from slp.columns import Below, Test
from slp.columns.tests import MOST_TOLD
from slp.ir.boxes import Box
from slp.messages.numbers import number_text

Interval: TypeAlias = tuple[float, float]
_FREE: Interval = (-math.inf, math.inf)


@dataclass(frozen=True)
class Levels:
    """Knowledge about a categorical feature: it is `only` (unless None), and none of `out`."""

    only: str | None = None
    out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Region:
    """Points with `lo <= F < hi` for each feature of `intervals`, and with the levels of `levels`.

    A feature that no test on the path mentions is in neither mapping. `tests` has a test of each
    feature of `intervals`, for the words of its numbers.
    """

    intervals: Mapping[str, Interval] = field(default_factory=dict)
    levels: Mapping[str, Levels] = field(default_factory=dict)
    tests: Mapping[str, Below] = field(default_factory=dict, compare=False, repr=False)

    def interval(self, feature: str) -> Interval:
        """`(lo, hi)` of a numeric feature, `(-inf, inf)` if it is free."""
        return self.intervals.get(feature, _FREE)

    def parts(self, feature: str, test: Test) -> tuple[Region, Region]:
        """Left and right part under a test of a feature. Of a test by subsets they are what is not
        on the other side: a level that it does not name is in both."""
        if isinstance(test, Below):
            lo, hi = self.interval(feature)
            ends = (lo, min(hi, test.number)), (max(lo, test.number), hi)
            tests = {**self.tests, feature: test}
            below, above = (
                Region({**self.intervals, feature: both}, self.levels, tests) for both in ends
            )
            return below, above
        known = self.levels.get(feature, Levels())
        only: str | None
        lefts, rights = test.groups
        if test.concept is not None:
            only = known.only if known.only in lefts else test.concept
            lefts = (test.concept,)
            not_left: tuple[str, ...] = ()
        elif test.names_all:
            only, not_left = known.only, rights or ()
        else:  # on one level
            only, not_left = lefts[0], () if known.only in (None, lefts[0]) else lefts
        left = Levels(only, tuple(dict.fromkeys((*known.out, *not_left))))
        right = Levels(known.only, tuple(dict.fromkeys((*known.out, *lefts))))
        return (
            replace(self, levels={**self.levels, feature: left}),
            replace(self, levels={**self.levels, feature: right}),
        )

    def contains(self, box: Box) -> bool:
        """Whether all of the box lies in the region: `lo <= Min` and `hi >= Max` in every feature.

        A feature that the box does not bound runs from -inf to inf in it (or over all levels).
        """
        if self.levels:
            return False
        for feature in {*self.intervals, *box.bounds}:
            lo, hi = self.interval(feature)
            low, high = box.bounds.get(feature, _FREE)
            if not (lo <= low and hi >= high):
                return False
        return True

    def inside(self, box: Box) -> bool:
        """Whether `lo >= Min` and `hi <= Max` for every feature that the box bounds."""
        return all(
            self.interval(feature)[0] >= low and self.interval(feature)[1] <= high
            for feature, (low, high) in box.bounds.items()
        )

    def meets(self, box: Box) -> bool:
        """Whether `lo < Max` and `hi > Min` for every feature that the box bounds."""
        return all(
            self.interval(feature)[0] < high and self.interval(feature)[1] > low
            for feature, (low, high) in box.bounds.items()
        )

    def describe(self) -> str:
        """The region in words: `24 <= age, colour = red`; `everywhere` without any test."""
        parts = [self._interval_text(f) for f in self.intervals]
        for feature, known in self.levels.items():
            if known.only is not None:
                parts.append(f"{feature} = {known.only}")
            if len(known.out) > MOST_TOLD:
                first, n = ", ".join(known.out[:2]), len(known.out)
                parts.append(f"{feature} is none of {first}, ... ({n:,} levels)")
            else:
                parts += [f"{feature} is not {level}" for level in known.out]
        return ", ".join(parts) or "everywhere"

    def _interval_text(self, feature: str) -> str:
        lo, hi = self.intervals[feature]
        words = self.tests[feature].words if feature in self.tests else number_text
        below = "" if lo == -math.inf else f"{words(lo)} <= "
        above = "" if hi == math.inf else f" < {words(hi)}"
        return f"{below}{feature}{above}"


EVERYWHERE = Region()
