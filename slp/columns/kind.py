"""What every kind of column answers: codes, cuts, sides, words.

Coding. A column is coded to whole numbers from 0. A *cut* is a pair of codes `low, high`, which
says what goes left: each kind has its own. New rows are numbers: values, numbers of ordinal levels,
or codes of levels, -1 of a level that is not in the table; NaN where a missing value takes a side
(`slp.problem.new_rows`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.columns.formula import Formula
from slp.columns.tests import LEFT, UNTOLD, Absent, Side, Test, ways
from slp.columns.words import BoxRows, TestWords
from slp.messages.entry import Wording
from slp.messages.numbers import number_text

#: For each code, whether its rows pass a test, and whether the code does not determine this.
Sides = tuple[NDArray[np.bool_], NDArray[np.bool_]]

#: For sets of rows the numbers that put them in the order of their responses
#: (`slp.leaves.LeafModel.scores`).
Scores: TypeAlias = Callable[[Sequence[int]], NDArray[np.float64]]


class ColumnKind(ABC):
    """A kind of column, with what the table says of it.

    Codes, cuts and cells below are those of one feature; N is its number of codes.
    """

    @property
    @abstractmethod
    def word(self) -> str:
        """What messages call it."""

    @property
    @abstractmethod
    def core(self) -> int:
        """Its number in the core's `FeatureKind` (`columns/feature.hpp`)."""

    @property
    def categorical(self) -> bool:
        """Whether tests are by level and not by threshold."""
        return False

    @property
    def missing(self) -> Literal["level", "side"] | None:
        """Where missing values are no error: a level, or a side of each split."""
        return None

    @property
    def numbered_by_core(self) -> bool:
        """Whether the core numbers its cuts as it meets them (`slp.problem.numbered_cuts`)."""
        return False

    @property
    def looks_at_response(self) -> str | None:
        """The declaration that makes the cuts of a box depend on its responses; None if they do
        not."""
        return None

    @property
    def new(self) -> Absent | None:
        """What the program declares of new rows whose side a split does not say."""
        return None

    @property
    def unit(self) -> str | None:
        """The declared unit."""
        return None

    @property
    def range(self) -> tuple[float, float] | None:
        """The declared least and largest value."""
        return None

    @property
    def formula(self) -> Formula | None:
        """What makes the column of others; None of a column of the table."""
        return None

    # --- codes -----------------------------------------------------------------------------

    @property
    @abstractmethod
    def n_values(self) -> int:
        """Number of codes of values."""

    @property
    def n_codes(self) -> int:
        """N: number of codes that may occur, that of missing values included."""
        return self.n_values

    @property
    def missing_code(self) -> int | None:
        """The code of missing values that take a side, None where there is none."""
        return None

    @property
    def names(self) -> tuple[str, ...]:
        """The levels by their code, () of numbers."""
        return ()

    @property
    def numbers(self) -> NDArray[np.float64] | None:
        """The values, or the cuts between bins or ordered levels; None of levels without an order,
        and of a run that was saved without its table."""
        return None

    @property
    def core_numbers(self) -> NDArray[np.float64]:
        """The numbers that the core has of it (`columns/feature.hpp`)."""
        return np.empty(0) if self.numbers is None else self.numbers

    @property
    def values(self) -> NDArray[np.float64] | None:
        """The values of a column of numbers by their code; None of others."""
        return None

    @property
    def shown(self) -> NDArray[np.object_]:
        """A value for each code of a value, for pictures, shape (n_values,); of a bin its
        middle."""
        return np.array(self.names, np.object_)

    @property
    def edges(self) -> NDArray[np.float64] | None:
        """Where each bin ends and the next begins, shape (n_values + 1,); None of a column without
        bins, and of a run that was saved without its table."""
        return None

    @property
    def numbers_by_name(self) -> Mapping[str, float] | None:
        """The number of each level; None of a column of numbers."""
        return None

    @abstractmethod
    def numbers_of_codes(self) -> NDArray[np.float64]:
        """For each code of a value a number on the same side of every cut, shape (n_values,)."""

    def alike(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers that are equal for values on the same side of every cut, shape as `values`, which
        are numbers of new rows (`slp.problem.new_rows`)."""
        return values

    def marks(self) -> tuple[str, ...]:
        """What the digest of a table says of it beside names and numbers."""
        return ()

    # --- cuts ------------------------------------------------------------------------------

    @abstractmethod
    def cuts(
        self, present: Sequence[tuple[int, int]], scores: Scores
    ) -> Iterator[tuple[int, int, int]]:
        """The cuts of a box in canonical order, each with the rows on its left side. `present` are
        the codes that occur in the box, ascending, with their rows; sets of rows are integers."""

    @abstractmethod
    def cut_between(self, left: NDArray[Any], right: NDArray[Any]) -> tuple[int, int]:
        """The cut that parts rows of these codes; below 0 where a side has none that tells."""

    def other_way(self, left: NDArray[Any], right: NDArray[Any]) -> tuple[int, int] | None:
        """The canonical cut that sends rows of the codes `left` right and those of `right` left,
        none empty; None where the canonical cut sends them as they are given."""
        return None

    def without_side(self, low: int, high: int) -> tuple[int, int, Side | None]:
        """A cut without the side of missing values, and that side."""
        return low, high, None

    @abstractmethod
    def n_cells(self, n_breakpoints: int) -> int:
        """Number of cells of its cuts (`slp.ir.tree_grammar`)."""

    @abstractmethod
    def cell(self, low: int, high: int, breakpoints: NDArray[np.float64]) -> int:
        """The cell of a cut."""

    def left_sides(self) -> tuple[str | tuple[str, ...], ...] | None:
        """For each cell of a categorical column, the level or the levels on the left side of its
        cut; None of other columns."""
        return None

    def gap(self, low: int, high: int) -> float:
        """Weight of a cut under the measure `gap`: distance of the two values in the column's
        unit; number of declared cuts between two bins; 1 for a categorical test. Of the test for
        missing values the mean distance of neighbouring values in the table; 1 where there is
        none."""
        return 1.0

    @property
    def mean_gap(self) -> float:
        """The mean distance of neighbouring values of the table, 1 where there are none."""
        return 1.0

    def log_length(self, low: int, high: int) -> float:
        """Log of the weight of a cut under the measure `range`: distance of the two values, as a
        share of the distance of the largest value and the smallest. NaN where tests are not on
        values."""
        return float("nan")

    def log_share(self, low: int, high: int) -> float | None:
        """Log of the share of a cut in the weight of its feature, where that is no matter of the
        other cuts in the box; else None."""
        return None

    @property
    def leaves_weight_out(self) -> bool:
        """Whether the shares of all cuts of a box may sum to less than 1 (`log_share`)."""
        return False

    def most_parts(self, codes: Sequence[int]) -> float:
        """A bound on the sets of these codes, which occur in a box, that boxes inside it have."""
        return 2.0 ** min(len(codes), 1000)

    # --- what takes it ---

    @property
    def compiled(self) -> bool:
        """Whether the compiled ensemble of trees takes its tests (`operands`)."""
        return True

    @property
    def not_with(self) -> Wording | None:
        """What is found beside a part of a program that needs a side for every point, where splits
        leave points without; None where they do not."""
        return None

    @property
    def not_by_level(self) -> Wording | None:
        """What is found beside a rule that names the level of a split, where splits are on other
        things than one level."""
        return None

    @property
    def instead_of_concepts(self) -> str | None:
        """What is declared of a column of levels that cannot have concepts too; None of others."""
        return None

    @property
    def not_named(self) -> Wording | None:
        """What is found beside a rule that needs all tests before the rows of the box are known: by
        the measure `all`, or as it uses what its split asks; None where they are."""
        return None

    @property
    def not_expanded(self) -> Wording | None:
        """Why a program cannot be expanded on a table with the column; None if it can."""
        return None

    # --- tests -----------------------------------------------------------------------------

    @abstractmethod
    def test(self, low: int, high: int, codes: NDArray[Any] | None = None) -> Test:
        """The canonical test of a cut, in a box whose rows have these codes; without them, a test
        on one of three levels or more does not tell whether the box has two."""

    @property
    def test_depends_on_box(self) -> bool:
        """Whether `test` needs the codes of the box."""
        return False

    def codes_beside(self, number: float) -> tuple[int, int] | None:
        """Codes below the first one have values below a number alone, those from the second one on
        values at it or above; None of a column whose tests are by level."""
        return None

    def asks(self, test: Test) -> bool:
        """Whether a test is of this kind."""
        return not test.by_level and self.takes(test.formula)

    def takes(self, formula: Formula | None) -> bool:
        """Whether a test of a feature that this formula makes is one of this column; a test that
        tells no formula may be of any."""
        return formula is None or formula == self.formula

    def ways(self, test: Test, numbers: NDArray[np.float64]) -> NDArray[np.uint8]:
        """What rows with these numbers (m,) do at a test of this kind, shape (m,): see
        `slp.columns.tests.ways`."""
        return ways(test, numbers, np.isnan(numbers), self.code_of)

    def code_of(self, level: str) -> float:
        """The code of a level, NaN of one that the column does not have."""
        return math.nan

    def sides(self, test: Test) -> Sides:
        """For each code, whether its rows pass a test of this kind, and whether the code does not
        determine this (a threshold inside a bin; a missing value where the test says no side; a
        level that is neither of the two that a test has); both of shape (N,)."""
        told = self.ways(test, self.numbers_of_codes())
        return told == LEFT, told == UNTOLD

    @abstractmethod
    def operands(self, test: Test) -> tuple[float, float]:
        """What the compiled ensemble of trees compares: the threshold, or the code of the level
        that goes left and that of the second of two levels. The second number is NaN where a test
        has none; the first is less than all that occur where no value passes."""

    def left_of_cut(self, low: int, high: int) -> NDArray[np.bool_]:
        """For each code, whether its rows are on the left side of a cut, shape (N,)."""
        return self.sides(self.test(low, high))[0]

    def goes_left(self, codes: NDArray[Any], low: int, high: int) -> NDArray[np.bool_]:
        """Whether rows with these codes (n,) are on the left side of a cut of their box, shape
        (n,)."""
        return np.asarray(self.left_of_cut(low, high)[codes])

    def way_of_untold(self, *, missing: bool) -> Absent:
        """What becomes of a new row whose side a split does not say: it misses the value where no
        row of the box does (`missing`), or has a level that the box does not have."""
        return self.new or ("error" if missing else "average")

    @abstractmethod
    def test_to_number(self, test: Test) -> float:
        """A test as a number of an archive, without the side of missing values."""

    @property
    def tests_have_sides(self) -> bool:
        """Whether an archive holds a test as the sides of all levels, as no number can."""
        return False

    def test_to_sides(self, test: Test) -> NDArray[np.uint8]:
        """For each level 1 on the left side, 2 on the right, 0 on none; shape (n_values,). Raises
        ValueError unless `tests_have_sides`."""
        raise ValueError("a test of this kind is one number")

    def test_of_sides(self, sides: NDArray[np.uint8]) -> Test:
        """The test of such numbers. Raises ValueError if they stand for none, and unless
        `tests_have_sides`."""
        raise ValueError("a test of this kind is one number")

    @abstractmethod
    def test_of_number(self, number: float, side: Side | None) -> Test:
        """The test of a number of an archive, and its side of missing values. Raises ValueError
        for a number that stands for none."""

    def on_a_cut(self, test: Test) -> Test | None:
        """The test with its threshold at the nearest declared cut: itself where none is declared.
        None if there is no cut."""
        return test

    def is_on_missing(self, test: Test) -> bool:
        """Whether a test parts values that are missing from all others, which are no level."""
        return False

    def side_to_number(self, test: Test) -> int:
        """The side of missing values as a number of an archive."""
        return 0

    def test_of_numbers(self, number: float, side: int) -> Test:
        """The test of both its numbers of an archive. Raises ValueError as `test_of_number`."""
        if side:
            raise ValueError("no side of missing values")
        return self.test_of_number(number, None)

    # --- words -----------------------------------------------------------------------------

    @abstractmethod
    def test_of_words(self, words: TestWords, box: BoxRows) -> Test:
        """The test that a text has, in a box with these rows. Raises UnreadWords if the text asks
        what cannot be asked of the column."""

    def words(self, number: float) -> str:
        """A number of the column as text: its level, or the number with its unit."""
        return number_text(number)

    @property
    @abstractmethod
    def description(self) -> tuple[str, str]:
        """What the column holds, and which values, for a report."""

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """What is noted on reading the column: headings, and what stands behind the name."""
        return ()

    # --- archive ---------------------------------------------------------------------------

    @abstractmethod
    def to_plain(self) -> dict[str, Any]:
        """As JSON data of a saved run, without `numbers`."""

    def with_numbers(self, numbers: NDArray[np.float64]) -> ColumnKind:
        """The kind with the numbers of its column. Raises ValueError if it cannot have them."""
        if len(numbers):
            raise ValueError("levels have no numbers")
        return self
