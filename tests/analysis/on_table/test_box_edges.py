"""W153: where the table's split beside an end of a box is not what the constraint takes it for."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import slp
from slp.analysis import check_program_on_table
from slp.data import table_of
from slp.resolution import StateRules


def edges(program: slp.Program, frame: pl.DataFrame) -> list[str]:
    """The help of every W153."""
    table = table_of(program.ir, frame)
    found = check_program_on_table(program.ir, table, StateRules(program.ir, len(frame)))
    return [d.help or "" for d in found if d.code == "W153"]


def log_evidence(high: float) -> tuple[float, list[str]]:
    """Of ten infants of 23 months and less, all well, and ten older ones, all ill; and the codes of
    the warnings."""
    age = [*range(14, 24), *range(24, 34)]
    frame = pl.DataFrame({"age": age, "ill": ["no"] * 10 + ["yes"] * 10})
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        program = slp.parse(
            f":- use(growtree). box(infant, age, 0, {high}). :- constraint(constant(infant))."
        )
        posterior = program.posterior(frame, draws=0)
    assert posterior.log_evidence is not None
    return posterior.log_evidence, [w.message.diagnostic.code for w in found]


def test_a_true_statement_costs_evidence_and_a_run_says_so() -> None:
    missed, told = log_evidence(24)
    met, none_told = log_evidence(23.5)
    assert met - missed > 2
    assert (told, none_told) == (["W153"], [])


@pytest.mark.parametrize("seed", range(40))
def test_it_is_told_where_the_split_at_the_end_keeps_the_box_and_the_tables_own_does_not(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    x = np.unique(rng.integers(0, 30, 6) / 2)
    end = float(rng.integers(1, 58) / 4)
    if not x[0] < end <= x[-1]:
        return
    low, high = ("-inf", end) if seed % 2 else (end, "inf")
    constraint = ("constant(b)", "forbid(z, within(b))")[seed // 2 % 2]
    program = slp.parse(f":- use(growtree). box(b, x, {low}, {high}). :- constraint({constraint}).")
    frame = pl.DataFrame({"x": x, "z": x, "y": np.arange(len(x)) % 2})
    own = float(x[x < end][-1] + x[x >= end][0]) / 2

    def holds(threshold: float) -> bool | None:
        """Whether the constraint holds as its author means: no split at the end is forbidden, and
        none on `z` is allowed beside it."""
        z = {"feature": "z", "threshold": 5.0, "left": {}, "right": {}}
        sides = {"left": z if seed % 2 else {}, "right": {} if seed % 2 else z}
        if constraint == "constant(b)":
            sides = {"left": {}, "right": {}}
        tree = slp.Tree.from_dict({"feature": "x", "threshold": threshold, **sides})
        return tree.check(program)[0].holds

    assert bool(edges(program, frame)) == (holds(own) != holds(end))


def test_a_box_moved_as_told_is_not_told_of_again() -> None:
    frame = pl.DataFrame({"x": [0.1, 0.2, 0.3, 0.7], "z": [1, 2, 3, 4], "y": [0, 0, 1, 1]})
    text = ":- use(growtree). box(b, x, {}, {}). :- constraint(constant(b))."
    assert edges(slp.parse(text.format(0.11, 0.6)), frame) == [
        "write 0.15000000000000002 in place of 0.11: it parts the rows of this table alike",
        "write 0.5 in place of 0.6: it parts the rows of this table alike",
    ]
    assert edges(slp.parse(text.format(0.15000000000000002, 0.5)), frame) == []


def test_rows_of_one_bin_may_lie_on_either_side_of_an_end() -> None:
    frame = pl.DataFrame({"x": [5, 15, 25, 35], "z": [1, 2, 3, 4], "y": [0, 0, 1, 1]})
    text = ":- use(growtree). :- feature(x, [cuts([10, 20, 30])]). box(b, x, 0, {})."
    text += " :- constraint(constant(b))."
    assert edges(slp.parse(text.format(24)), frame) == []
    assert edges(slp.parse(text.format(20)), frame) == []
    gap = frame.filter(pl.col("x") != 15)
    assert edges(slp.parse(text.format(20)), gap) == [
        "write 10 in place of 20: it parts the rows of this table alike"
    ]
