"""Which goals a step opens, in plain Python and in the core.

Every tree of `DEEP` on `GRID` has four leaves at depth 2, so goals 0 to 6 are opened. The part of a
split on the right has more rows of both classes, so its marginal likelihood is lower: under
`likelihood` goals 2, then 4, then 1 follow the root.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from slp.runner import Move, Phase
from tests.engines.smc.expectations import core_sampler_of, of_program, plain_filter, plan

DEEP = ":- start(t). 1 :: t --> split(F, V), u, u. 1 :: u --> split(F, V), v, v. 1 :: v --> leaf."
CORNERS = [(0, 0, "p"), (0, 1, "pq"), (1, 0, "pq"), (1, 1, "ppppqqqq")]
GRID = pl.DataFrame([{"a": a, "b": b, "y": y} for a, b, responses in CORNERS for y in responses])
#: Decisions of one particle in each step, and the first goals that it opens.
WANT = {
    "breadth": ([1] * 7, [0, 1, 2, 3, 4, 5, 6]),
    "likelihood": ([1] * 7, [0, 2, 4, 1]),
    "layer": ([1, 2, 4], [0, 1, 2, 3, 4, 5, 6]),
}


@pytest.mark.parametrize("order", WANT)
def test_plain(order: str) -> None:
    made = of_program(DEEP, GRID)
    stepper = plain_filter(made, plan(("prior", order, "systematic"), n=1))
    rng = np.random.default_rng(1)
    state, decided = stepper.init(rng), []
    while not stepper.done(state):
        state, info = stepper.advance(rng, state, 1, Phase(False, 1))
        decided.append(info.tally[Move("grow", "accepted")])
    want, goals = WANT[order]
    assert decided == want
    assert [number for number, _, _ in state[0].choices][: len(goals)] == goals


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("order", WANT)
def test_core(order: str) -> None:
    sampler = core_sampler_of(of_program(DEEP, GRID), plan(("prior", order, "systematic"), n=1))
    state, decided = sampler.start(), []
    while not state.done:
        state, counts = sampler.advance(state, np.arange(1, 5, dtype=np.uint64), 1)
        decided.append(counts[0])
    want, goals = WANT[order]
    assert decided == want
    assert state.dump()[0].reshape(-1, 6)[:, 1].tolist()[: len(goals)] == goals
