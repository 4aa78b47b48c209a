"""The time or Ctrl-C ends the iterations, and the last one is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.budgets.seconds import Deadline
from slp.errors import BudgetError
from tests.clock import Clock

COIN = slp.parse("0.5 :: coin(h). 0.5 :: coin(t). p(X) :- coin(X), coin(Y), X @=< Y.")
SEEN = ("3 :: p(h)", "p(t)")
_RNG = np.random.default_rng(0)
TABLE = pl.DataFrame({"x": _RNG.random(14), "y": _RNG.integers(0, 2, 14)})

LEARNERS: dict[str, tuple[slp.Program, tuple[Any, ...]]] = {
    "labels": (COIN, SEEN),
    "trees": (slp.parse(":- use(growtree, [alpha = 0.3])."), (TABLE,)),
}


def at(steps: int, act: Callable[[], None]) -> Callable[[int, str], None]:
    def progress(done: int, _: str) -> None:
        if done == steps:
            act()

    return progress


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_the_time_ends_the_iterations(name: str) -> None:
    program, data = LEARNERS[name]
    whole = program.learn(*data)
    clock = Clock()

    def late() -> None:
        clock.seconds = 6

    found = program.learn(*data, time=Deadline(5, clock), progress=at(3, late))
    n = len(found.log_likelihoods)
    assert 1 <= n < len(whole.log_likelihoods)
    assert found.log_likelihoods == whole.log_likelihoods[:n]
    assert not found.converged and not found.interrupted
    assert any("the time of 5 s is over" in note for note in found.notes)
    again = program.learn(*data, iterations=n - 1)
    assert found.text == again.text


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
def test_ctrl_c_ends_the_iterations(name: str) -> None:
    program, data = LEARNERS[name]

    def press() -> None:
        raise KeyboardInterrupt

    found = program.learn(*data, progress=at(3, press))
    assert found.interrupted and not found.converged
    assert "interrupted: the numbers are those of the last iteration" in found.notes


@pytest.mark.parametrize("name", LEARNERS)
def test_without_an_iteration_there_is_no_result(name: str) -> None:
    program, data = LEARNERS[name]
    clock = Clock()
    deadline = Deadline(5, clock)
    clock.seconds = 6
    with pytest.raises(BudgetError, match="E540"):
        program.learn(*data, time=deadline)
