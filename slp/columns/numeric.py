"""Columns of numbers: each distinct value has a code, or each bin between declared cuts.

Numeric: `code = i` says that the value is `values[i]`, float64, strictly increasing. Binned: `cuts`
are float64, strictly increasing, and `code = number of cuts <= value`, so that code i says
`cuts[i-1] <= value < cuts[i]`.

A cut is a pair of codes that are neighbours in a box. Rows with `value < threshold` go left.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from slp.columns.formula import Formula
from slp.columns.kind import ColumnKind, Scores, Sides
from slp.columns.names import name_text
from slp.columns.quantities import quantity_text
from slp.columns.tests import Below, Side, Test
from slp.columns.thresholds import threshold_of_bound
from slp.columns.words import BoxRows, TestWords
from slp.ir.tree_grammar import cell_of
from slp.messages.numbers import interval_text, number_text
from slp.messages.tree_texts import NO_LEVEL_OF_NUMBERS, NO_NUMBER_BEHIND, OTHER_UNIT
from slp.source import visible

#: With more values than this, only equal values count as alike: there would be too many thresholds
#: to compare with.
_MOST_VALUES = 512
#: Of cuts, how many a report shows.
_SHOWN = 8


class ThresholdKind(ColumnKind):
    """What columns have whose tests are by threshold."""

    def cuts(
        self, present: Sequence[tuple[int, int]], scores: Scores
    ) -> Iterator[tuple[int, int, int]]:
        """See `ColumnKind`: one between each two codes, ascending."""
        left = low = 0
        for code, rows in present:
            if left:
                yield low, code, left
            left, low = left | rows, code

    def cut_between(self, left: NDArray[Any], right: NDArray[Any]) -> tuple[int, int]:
        """See `ColumnKind`."""
        low = int(left.max()) if len(left) else -1
        return low, int(right.min()) if len(right) else -1

    def n_cells(self, n_breakpoints: int) -> int:
        """See `ColumnKind`: the points and the intervals between them."""
        return 2 * n_breakpoints + 1

    def cell(self, low: int, high: int, breakpoints: NDArray[np.float64]) -> int:
        """See `ColumnKind`."""
        return cell_of(breakpoints, self.threshold(low, high))

    @abstractmethod
    def threshold(self, low: int, high: int) -> float:
        """Canonical threshold between codes `low < high`, neighbours in some box (docs/data.md)."""

    @abstractmethod
    def codes_beside(self, number: float) -> tuple[int, int]:
        """See `ColumnKind`."""

    def test(self, low: int, high: int, codes: NDArray[Any] | None = None) -> Test:
        """See `ColumnKind`."""
        return self.below(self.threshold(low, high))

    def below(self, number: float, side: Side | None = None) -> Below:
        """The test of a threshold, with the words for it."""
        return Below(number, side)

    def goes_left(self, codes: NDArray[Any], low: int, high: int) -> NDArray[np.bool_]:
        """See `ColumnKind`."""
        return np.asarray(codes <= low)

    def operands(self, test: Test) -> tuple[float, float]:
        """See `ColumnKind`."""
        return (float(test.number) if isinstance(test, Below) else -math.inf), math.nan

    def most_parts(self, codes: Sequence[int]) -> float:
        """See `ColumnKind`: intervals."""
        return len(codes) * (len(codes) + 1) / 2

    def test_of_words(self, words: TestWords, box: BoxRows) -> Test:
        """See `ColumnKind`."""
        words.check_no_side()
        if words.sign not in ("<", "<="):
            words.fail("sign", NO_LEVEL_OF_NUMBERS, form=f"{name_text(words.feature)} < 24")
        read = words.number
        if read is None:
            words.fail("operand", NO_NUMBER_BEHIND)
        number, unit = read
        if unit is not None and unit != self.unit:
            own = "it has none" if self.unit is None else f"it is {name_text(self.unit)}"
            words.fail("operand", OTHER_UNIT, unit=own)
        return self.below(number if words.sign == "<" else threshold_of_bound(number))

    def test_to_number(self, test: Test) -> float:
        """See `ColumnKind`: the threshold."""
        assert isinstance(test, Below)
        return float(test.number)

    def test_of_number(self, number: float, side: Side | None) -> Test:
        """See `ColumnKind`."""
        return self.below(number, side)


@dataclass(frozen=True, eq=False)
class _Numbers(ThresholdKind):
    """`numbers` are None in a saved run without its table; `unit` and `range` are the declared
    ones; `formula` is what made the column of others."""

    numbers: NDArray[np.float64] | None = None
    unit: str | None = None
    range: tuple[float, float] | None = None
    formula: Formula | None = None
    plain_name: ClassVar[str]  # of the JSON data

    def below(self, number: float, side: Side | None = None) -> Below:
        """See `ThresholdKind`: with the unit and the formula."""
        return Below(number, side, self.unit, formula=self.formula)

    def words(self, number: float) -> str:
        """See `ColumnKind`: with its unit."""
        return quantity_text(number, self.unit)

    @property
    def _known(self) -> NDArray[np.float64]:
        assert self.numbers is not None
        return self.numbers

    @property
    def _words(self) -> str:
        words = "numbers" if self.unit is None else f"numbers in {visible(self.unit)}"
        words = words if self.formula is None else f"{words}, {self.formula.text}"
        return words if self.range is None else f"{words}, {interval_text(*self.range)} declared"

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """See `ColumnKind`: the declared unit and range, `0 to 30 mg`."""
        if self.range is None:
            return () if self.unit is None else (("units and ranges", self.unit),)
        low, high = self.range
        return (("units and ranges", f"{number_text(low)} to {self.words(high)}"),)

    def with_numbers(self, numbers: NDArray[np.float64]) -> ColumnKind:
        """See `ColumnKind`: strictly increasing ones."""
        if not (np.diff(numbers) > 0).all():
            raise ValueError("numbers do not increase")
        return replace(self, numbers=numbers)

    def to_plain(self) -> dict[str, Any]:
        """See `ColumnKind`."""
        said = {"unit": self.unit, "range": self.range}
        made = {} if self.formula is None else self.formula.to_plain()
        own = {key: v for key, v in said.items() if v}
        return {"kind": self.plain_name, "levels": None, **own, **made}


@dataclass(frozen=True, eq=False)
class Numeric(_Numbers):
    """Numbers, each distinct one with a code."""

    word: ClassVar[str] = "numeric"
    plain_name: ClassVar[str] = "numbers"
    core: ClassVar[int] = 0

    @property
    def n_values(self) -> int:
        """See `ColumnKind`."""
        return len(self._known)

    @property
    def values(self) -> NDArray[np.float64] | None:
        """See `ColumnKind`."""
        return self.numbers

    @property
    def shown(self) -> NDArray[np.object_]:
        """See `ColumnKind`: the values."""
        return self._known.astype(np.object_)

    def numbers_of_codes(self) -> NDArray[np.float64]:
        """See `ColumnKind`: the values."""
        return self._known

    def alike(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `ColumnKind`."""
        if self.numbers is None or len(self.numbers) > _MOST_VALUES:
            return values
        return np.searchsorted(_thresholds(self._known), values, side="right").astype(np.float64)

    def threshold(self, low: int, high: int) -> float:
        """See `ThresholdKind`: the midpoint of the two values, or the larger value if the midpoint
        is not above the smaller one."""
        a, b = float(self._known[low]), float(self._known[high])
        middle = a + (b - a) / 2 if (b - a) < np.inf else a / 2 + b / 2
        return middle if middle > a else b

    def codes_beside(self, number: float) -> tuple[int, int]:
        """See `ThresholdKind`."""
        place = int(np.searchsorted(self._known, number))
        return place, place

    def gap(self, low: int, high: int) -> float:
        """See `ColumnKind`.

        The unit is a power of two: 1 where all distances of neighbours and the range lie well
        inside the doubles. Else it brings the range to about 2^1021, so that neither half of a
        distance nor a sum of them leaves the doubles.
        """
        return _distance(float(self._known[low]), float(self._known[high]), self._unit)

    @property
    def mean_gap(self) -> float:
        """See `ColumnKind`."""
        last = len(self._known) - 1
        return self.gap(0, last) / last if last > 0 else 1.0

    def log_length(self, low: int, high: int) -> float:
        """See `ColumnKind`."""
        return math.log(self.gap(low, high)) - math.log(self.gap(0, len(self._known) - 1))

    @cached_property
    def _unit(self) -> float:
        """The factor of distances of values; see `gap`."""
        if len(self._known) < 2:
            return 1.0
        with np.errstate(over="ignore"):
            least = float(np.diff(self._known).min())
        span = float(self._known[-1]) - float(self._known[0])
        if least >= 2.0**-960 and span <= 2.0**1000:
            return 1.0
        exponent = math.frexp(span)[1] - 1 if math.isfinite(span) else 1024
        return 2.0 ** min(max(1021 - exponent, -1022), 1022)

    @property
    def description(self) -> tuple[str, str]:
        """See `ColumnKind`."""
        if self.numbers is None:
            return self._words, "not saved"
        low, high = self.numbers[0], self.numbers[-1]
        return self._words, f"{interval_text(low, high)}, {len(self.numbers)} different values"


@dataclass(frozen=True, eq=False)
class Binned(_Numbers):
    """Numbers between declared cuts."""

    word: ClassVar[str] = "cut or binned"
    plain_name: ClassVar[str] = "cuts"
    core: ClassVar[int] = 1

    @property
    def n_values(self) -> int:
        """See `ColumnKind`."""
        return len(self._known) + 1

    @property
    def edges(self) -> NDArray[np.float64] | None:
        """See `ColumnKind`: the cuts, and an end for the first and the last bin, which have none:
        half of the usual width of a bin away."""
        if self.numbers is None:
            return None
        cuts = self.numbers
        room = float(np.median(np.diff(cuts))) / 2 if len(cuts) > 1 else 1.0
        return np.concatenate([[cuts[0] - room], cuts, [cuts[-1] + room]])

    @property
    def shown(self) -> NDArray[np.object_]:
        """See `ColumnKind`."""
        edges = self.edges
        assert edges is not None
        return np.asarray(((edges[:-1] + edges[1:]) / 2).astype(np.object_))

    def numbers_of_codes(self) -> NDArray[np.float64]:
        """See `ColumnKind`: the least value of each bin."""
        return np.concatenate([[-np.inf], self._known])

    def alike(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `ColumnKind`: the bins."""
        if self.numbers is None:
            return values
        return np.searchsorted(self._known, values, side="right").astype(np.float64)

    def threshold(self, low: int, high: int) -> float:
        """See `ThresholdKind`: the middle one of the cuts between the two bins (the lower of
        two)."""
        return float(self._known[low + (high - low - 1) // 2])

    def codes_beside(self, number: float) -> tuple[int, int]:
        """See `ThresholdKind`: a bin that has values on both sides is between them."""
        below = int(np.searchsorted(self._known, number, side="right"))
        return below, int(np.searchsorted(self._known, number)) + 1

    def sides(self, test: Test) -> Sides:
        """See `ColumnKind`: a bin with a threshold inside determines none."""
        left, untold = super().sides(test)
        if isinstance(test, Below):
            below, above = self.codes_beside(test.number)
            left[below:above], untold[below:above] = False, True
        return left, untold

    def on_a_cut(self, test: Test) -> Test | None:
        """See `ColumnKind`."""
        if not isinstance(test, Below):
            return test
        if not len(self._known):
            return None
        nearest = float(self._known[np.abs(self._known - test.number).argmin()])
        return test if nearest == test.number else self.below(nearest)

    def gap(self, low: int, high: int) -> float:
        """See `ColumnKind`."""
        return float(high - low)

    @property
    def description(self) -> tuple[str, str]:
        """See `ColumnKind`."""
        if self.numbers is None:
            return self._words, "not saved"
        shown = ", ".join(map(number_text, self.numbers[:_SHOWN]))
        more = len(self.numbers) - _SHOWN
        return self._words, f"cut at {shown}" + (f" and {more} more" if more > 0 else "")

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """See `ColumnKind`."""
        return ("features coded to bins (how many)", str(self.n_codes)), *super().notes


def _distance(a: float, b: float, unit: float) -> float:
    """(b - a) unit, where b - a may be beyond the doubles."""
    return (b - a) * unit if math.isfinite(b - a) else b * unit - a * unit


def _thresholds(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """All canonical thresholds between two values (`Numeric.threshold`), ascending."""
    below, above = np.triu_indices(len(values), 1)
    a, b = values[below], values[above]
    with np.errstate(over="ignore", invalid="ignore"):
        middle = np.where(b - a < np.inf, a + (b - a) / 2, a / 2 + b / 2)
    return np.unique(np.where(middle > a, middle, b))
