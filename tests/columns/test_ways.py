"""The side of a row, against what each test says in words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from slp.columns import (
    LEFT,
    RIGHT,
    UNTOLD,
    Below,
    Binned,
    ColumnKind,
    In,
    Is,
    IsMissing,
    Nominal,
    Numeric,
    Ordinal,
    Sided,
    Subsets,
    Test,
    ways,
)

LEVELS = ("a", "b", "c", "d")
WITH_MISSING = (*LEVELS, "missing")

#: A kind, a test, the numbers of new rows, and what they do.
CASES: list[tuple[ColumnKind, Test, list[float], list[int]]] = [
    (Numeric(np.array([1.0, 2.0, 4.0])), Below(2.0), [1.9, 2.0, 9.0], [LEFT, RIGHT, RIGHT]),
    (Numeric(np.array([1.0, 2.0])), IsMissing(), [1.0, 2.0], [RIGHT, RIGHT]),
    (Sided(Numeric(None)), Below(2.0), [1.0, 2.0, math.nan], [LEFT, RIGHT, UNTOLD]),
    (Sided(Numeric(None)), Below(2.0, "left"), [1.0, 2.0, math.nan], [LEFT, RIGHT, LEFT]),
    (Sided(Numeric(None)), IsMissing(), [1.0, 2.0, math.nan], [RIGHT, RIGHT, LEFT]),
    (Ordinal(LEVELS), Below(2.0), [0.0, 1.0, 2.0, 3.0], [LEFT, LEFT, RIGHT, RIGHT]),
    (Nominal(LEVELS), Is("b"), [0, 1, 2, -1], [RIGHT, LEFT, RIGHT, RIGHT]),
    (Nominal(LEVELS), Is("b", other="c"), [0, 1, 2, -1], [UNTOLD, LEFT, RIGHT, UNTOLD]),
    (Nominal(LEVELS), Is("of another table"), [0, 1, -1], [RIGHT, RIGHT, RIGHT]),
    (Nominal(("a", "missing")), IsMissing(), [0, 1], [RIGHT, RIGHT]),
    (Nominal(WITH_MISSING, None, "level"), IsMissing(), [0, 4, -1], [RIGHT, LEFT, RIGHT]),
    (Sided(Nominal(LEVELS)), Is("b", "right"), [0, 1, math.nan], [RIGHT, LEFT, RIGHT]),
    (Sided(Nominal(LEVELS)), IsMissing(), [0, -1, math.nan], [RIGHT, RIGHT, LEFT]),
    (
        Subsets(LEVELS),
        In(("a", "d"), ("b",)),
        [0, 1, 2, 3, -1],
        [LEFT, RIGHT, UNTOLD, LEFT, UNTOLD],
    ),
    (Subsets(LEVELS), Is("b"), [0, 1, -1], [RIGHT, LEFT, RIGHT]),
]


@pytest.mark.parametrize(("kind", "test", "numbers", "want"), CASES)
def test_new_rows(kind: ColumnKind, test: Test, numbers: list[float], want: list[int]) -> None:
    assert kind.ways(test, np.array(numbers, np.float64)).tolist() == want


def test_codes() -> None:
    """Codes take the side of their numbers; a bin with a threshold inside says none."""
    left, untold = Binned(np.array([1.0, 2.0])).sides(Below(2.0))
    assert (left.tolist(), untold.tolist()) == ([True, True, False], [False, False, False])
    left, untold = Binned(np.array([1.0, 2.0])).sides(Below(1.5))
    assert (left.tolist(), untold.tolist()) == ([True, False, False], [False, True, False])
    left, untold = Sided(Nominal(LEVELS), True).sides(Is("b", "left", other="c"))
    assert left.tolist() == [False, True, False, False, True]
    assert untold.tolist() == [True, False, False, True, False]
    left, untold = Sided(Numeric(np.array([1.0, 2.0])), True).sides(Below(1.5))
    assert (left.tolist(), untold.tolist()) == ([True, False, False], [False, False, True])


def test_levels_as_text() -> None:
    values, missing = np.array(["a", "b", "missing"]), np.array([False, False, True])
    assert ways(Is("a", "left"), values, missing).tolist() == [LEFT, RIGHT, LEFT]
    assert ways(In(("a",), ("b",)), values, missing & False).tolist() == [LEFT, RIGHT, UNTOLD]
    assert ways(IsMissing(), values, missing & False).tolist() == [RIGHT, RIGHT, LEFT]


@pytest.mark.parametrize(
    ("number", "beside"), [(0.5, (0, 0)), (2.0, (1, 1)), (3.0, (2, 2)), (4.0, (2, 2))]
)
def test_codes_beside_a_number(number: float, beside: tuple[int, int]) -> None:
    """A value is at or above itself."""
    assert Numeric(np.array([1.0, 2.0, 4.0])).codes_beside(number) == beside


@pytest.mark.parametrize(
    ("number", "beside"), [(0.5, (0, 1)), (1.0, (1, 1)), (1.5, (1, 2)), (2.0, (2, 2))]
)
def test_bins_beside_a_number(number: float, beside: tuple[int, int]) -> None:
    """A number inside a bin has values of the bin on both sides."""
    assert Binned(np.array([1.0, 2.0])).codes_beside(number) == beside
