"""Distinct splits of boxes, their canonical thresholds, gaps and order."""

from __future__ import annotations

import numpy as np

from slp.columns import Binned, Nominal, Numeric
from slp.data.feature_kind import Feature
from slp.reference.boxes import Geometry
from tests.engines.cases import denison, make_grammar, make_table, numeric
from tests.operands import operand


def described(
    geometry: Geometry, box: int
) -> list[tuple[int, float | str | None, float, int, int]]:
    out = []
    for number, left, right in geometry.splits(box):
        cut = geometry.cuts[number]
        out.append((cut.feature, operand(cut.test), cut.gap, left, right))
    return out


def test_thresholds_lie_between_the_values_of_the_box() -> None:
    table = make_table(
        [Feature("x", Numeric(np.array([0.0, 1.0, 5.0])))], [[0], [1], [2]], [0, 1, 0]
    )
    geometry = Geometry(denison(table, 2.0), table)
    assert described(geometry, 0b111) == [(0, 0.5, 1.0, 0b001, 0b110), (0, 3.0, 4.0, 0b011, 0b100)]
    assert described(geometry, 0b101) == [(0, 2.5, 5.0, 0b001, 0b100)]
    assert described(geometry, 0b010) == []


def test_bins_take_the_lower_middle_cut_and_count_cuts_as_gap() -> None:
    feature = Feature("x", Binned(np.array([1.0, 2.0, 4.0, 8.0])))
    table = make_table([feature], [[0], [4]], [0, 1])
    geometry = Geometry(denison(table, 2.0), table)
    assert described(geometry, 0b11) == [(0, 2.0, 4.0, 0b01, 0b10)]


def test_two_levels_are_one_split_and_three_are_three() -> None:
    table = make_table([Feature("c", Nominal(("p", "q", "r")))], [[0], [1], [2]], [0, 1, 0])
    geometry = Geometry(denison(table, 2.0), table)
    assert described(geometry, 0b111) == [
        (0, "p", 1.0, 0b001, 0b110),
        (0, "q", 1.0, 0b010, 0b101),
        (0, "r", 1.0, 0b100, 0b011),
    ]
    assert described(geometry, 0b110) == [(0, "q", 1.0, 0b010, 0b100)]


def test_min_leaf_counts_rows_with_repeats() -> None:
    table = make_table([numeric("x", 3)], [[0], [0], [1], [2]], [0, 0, 1, 1])
    geometry = Geometry(make_grammar(table, [[]], min_leaf=2), table)
    assert [geometry.count(b) for b in (0b001, 0b010, 0b111)] == [2, 1, 4]
    assert described(geometry, 0b111) == [(0, 0.5, 1.0, 0b001, 0b110)]


def test_statistics_add_up() -> None:
    table = make_table([numeric("x", 3)], [[0], [0], [1], [2]], [0, 1, 1, 0])
    geometry = Geometry(denison(table, 2.0), table)
    assert geometry.statistics([0b001, 0b110, 0b111]).tolist() == [[1, 1], [1, 1], [2, 2]]
