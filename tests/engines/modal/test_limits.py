"""The engine modal at its limits: tables that leave nothing to split, little memory, Ctrl-C; and
what it tells of rules."""

from __future__ import annotations

import math
import os
import signal
import time
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import slp
from slp.cli import slp_command
from slp.errors import SlpError

GROWTREE = ":- use(growtree)."


def modal(X: Any, y: Any, text: str = GROWTREE, **options: Any) -> slp.Posterior:
    return slp.parse(text).posterior(X, y, engine="modal", seed=1, **options)


def random_table(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n) > 0, "p", "q")


@pytest.mark.filterwarnings("ignore::slp.errors.SlpWarning")
@pytest.mark.parametrize(
    ("X", "classes", "log_joint"),
    [
        # A box that cannot split is a leaf with probability 1.
        (np.ones((6, 2)), ["a", "b"], math.lgamma(4) * 2 - math.lgamma(8)),
        (np.ones((6, 2)), ["a"], 0.0),
        (np.arange(12).reshape(6, 2), ["a"], math.log(0.05)),
    ],
)
def test_where_nothing_is_to_be_gained_the_tree_is_a_leaf(
    X: np.ndarray, classes: list[str], log_joint: float
) -> None:
    y = np.resize(np.array(classes), 6)
    found = modal(X, y, GROWTREE + " :- leaf(dirichlet(1)).", further=2)
    assert found.map().tree.n_leaves == 1
    assert found.map().log_joint == pytest.approx(log_joint, abs=1e-12)
    assert np.allclose(found.predict_proba(X), 1 / len(classes))


@pytest.mark.slow
def test_ten_thousand_binary_features() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (150, 10_000))
    found = modal(X, np.where(X[:, 4321] == 1, "p", "q"), memory="256MiB")
    assert found.map().tree.n_leaves == 2 and found.importances()["x4321"] > 50


def test_a_small_budget_is_enough_or_is_told() -> None:
    X, y = random_table(20_000, 6)
    small = modal(X, y, memory="64MiB", further=2)
    assert small.map().tree == modal(X, y, further=2).map().tree
    with pytest.raises(SlpError, match="E501"):
        modal(X, y, memory="4MiB")


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("options", [{"look_ahead": 2}, {"restarts": 50_000}])
def test_ctrl_c_ends_the_growth_and_keeps_what_was_grown(options: dict[str, int]) -> None:
    X, y = random_table(4000, 6)
    calls = count()

    def press(_done: int, _phase: str) -> None:
        if next(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    # A shell that starts a job in the background makes it ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        found = modal(X, y, progress=press, **options)
    finally:
        signal.signal(signal.SIGINT, before)
    assert next(calls) == 4 and found.interrupted
    assert math.isfinite(found.map().log_joint or math.nan)
    assert np.isfinite(found.predict_proba(X[:3])).all()


@pytest.mark.usefixtures("compiled_kernels")
def test_of_many_states_those_are_made_that_can_matter() -> None:
    """The root of a table of 800 rows reaches 320,000 states of `pinball`."""
    X, _ = random_table(800, 3)
    for threads in (1, 2):
        found = modal(X, np.where(X[:, 0] > 0, "p", "q"), ":- use(pinball).", threads=threads)
        assert found.map().tree.n_leaves == 2 and found.importances()["x0"] > 500


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("options", [{"look_ahead": 1}, {"restarts": 100}])
def test_the_time_ends_where_states_are_made(options: dict[str, int]) -> None:
    """Look-ahead takes all states, and restarts of a high temperature many."""
    X, y = random_table(400, 3)
    begun = time.monotonic()
    found = modal(X, y, ":- use(pinball).", time="2s", **options)
    assert found.out_of_time and time.monotonic() - begun < 20
    assert math.isfinite(found.map().log_joint or math.nan)


@pytest.mark.usefixtures("compiled_kernels")
def test_before_there_is_a_tree_ctrl_c_is_no_end_of_the_time() -> None:
    """The root must split, so nothing is left of a growth that was stopped there."""
    X, y = random_table(4000, 6)
    text = ":- start(t). 1 :: t --> split(F, V), s, s. "
    text += "0.5 :: s --> leaf. 0.5 :: s --> split(F, V), s, s."

    def press(_done: int, _phase: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            modal(X, y, text, progress=press, look_ahead=2)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
def test_a_look_ahead_that_is_cut_short_is_no_worse_than_none(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 8))
    y = np.where((X[:, 0] > 0) ^ (rng.random(3000) < 0.1), "p", "q")
    plain = modal(X, y)
    found = modal(X, y, look_ahead=3, time="4s")
    assert found.out_of_time and plain.map().tree.n_leaves > 1
    assert found.map().log_joint == pytest.approx(plain.map().log_joint)
    table = tmp_path / "t.csv"
    names = [f"x{i}" for i in range(8)]
    pl.DataFrame(X, names).with_columns(y=pl.Series(y)).write_csv(table)
    how = ["growtree", str(table), "--engine", "modal", "--look-ahead", "3", "--time", "6s"]
    for command in ("sample", "map"):
        told = CliRunner().invoke(slp_command, [command, *how])
        assert "cut short by the end of its time" in told.output


def test_rules_are_told_where_one_splits_and_one_stops() -> None:
    X, y = random_table(300, 2)
    found = modal(X, y, roots=2, further=3)
    shares = np.array([draw.weight for draw in found.draws]) / 2
    leaves = np.array([draw.tree.n_leaves for draw in found.draws])
    split, stop = found.rule_probabilities()
    assert min(leaves) > 1 and split.probability == stop.probability == 1
    assert stop.expected_uses == pytest.approx(float(shares @ leaves))
    assert split.expected_uses == pytest.approx(float(shares @ leaves) - 1)
    two = ":- start(t). 0.4 :: t --> leaf. 0.3 :: t --> split(F, V), t, t. "
    with pytest.raises(SlpError, match="E531"):
        modal(X, y, two + "0.3 :: t --> split(F, V, all), t, t.").rule_probabilities()
