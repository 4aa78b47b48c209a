"""Some rows of a coded table are coded as they would be alone, and rows set aside."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.compile import compile_problem
from slp.data.row_part import part_of_table, set_aside
from slp.data.table import Table


def frame(n: int = 90) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    x = rng.integers(0, 5, n).astype(float)
    hole = [None if i % 7 == 0 else float(v) for i, v in enumerate(rng.integers(0, 4, n))]
    return pl.DataFrame(
        {
            "x": x,
            "hole": hole,
            "colour": rng.choice(["red", "green", "blue"], n),
            "w": rng.choice([0.5, 1.0, 2.5], n),
            "y": rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1]),
            "number": rng.poisson(2.0, n),
        }
    )


def table(directives: str, rows: pl.DataFrame) -> Table:
    text = f":- use(growtree). :- feature(hole, [missing(side)]). {directives}"
    return compile_problem(slp.parse(text).ir, rows).table


def content(of: Table) -> list[Any]:
    """The distinct rows in words, with what stands for each, in an order of their own."""
    units = of.counts if of.weights is None else of.weights.units / of.weights.scale
    told = []
    for i, codes in enumerate(of.codes.tolist()):
        words = [
            str(f.kind.numbers_of_codes()[c]) if c < f.kind.n_values else "none"
            for f, c in zip(of.features, codes, strict=True)
        ]
        told.append((words, int(of.counts[i]), float(units[i]), of.statistics[i].tolist()))
    return sorted(told)


@pytest.mark.parametrize(
    "directives",
    [
        ":- response(y). :- ignore(w). :- ignore(number).",
        ":- response(y). :- row_weight(w). :- ignore(number).",
        ":- response(number). :- ignore(w). :- ignore(y). :- leaf(gamma_poisson(1, 1)).",
    ],
)
def test_a_part_is_the_table_of_its_rows(directives: str) -> None:
    rows = np.arange(0, 90, 2)
    whole = table(directives, frame())
    have, want = part_of_table(whole, rows), table(directives, frame()[rows.tolist()])
    assert have.features == whole.features and have.n_rows == 45
    assert content(have) == content(want)
    assert np.array_equal(have.outcomes(), whole.outcomes()[rows])
    assert have.statistics_of_rows() == pytest.approx(whole.statistics_of_rows()[rows])


def test_an_eighth_of_each_class_is_set_aside_by_the_seed() -> None:
    of = table(":- response(y). :- ignore(w). :- ignore(number).", frame())
    stay, aside = set_aside(of, 3)
    assert sorted([*stay, *aside]) == list(range(90))
    y = of.outcomes()
    exact = np.bincount(y) / 8
    assert len(aside) == 90 // 8
    assert (np.abs(np.bincount(y[aside], minlength=3) - exact) < 1).all()
    assert np.array_equal(set_aside(of, 3)[1], aside)
    assert not np.array_equal(set_aside(of, 4)[1], aside)
    numbers = table(
        ":- response(number). :- ignore(w). :- ignore(y). :- leaf(gamma_poisson(1, 1)).",
        frame(),
    )
    assert len(set_aside(numbers, 3)[1]) == 90 // 8


def test_of_small_classes_too_an_eighth_of_the_rows_is_set_aside() -> None:
    """Of none of these classes there are eight rows."""
    y = [f"c{i % 30:02}" for i in range(90)]
    rows = frame().with_columns(pl.Series("y", y))
    of = table(":- response(y). :- ignore(w). :- ignore(number).", rows)
    assert len(set_aside(of, 3)[1]) == 90 // 8
