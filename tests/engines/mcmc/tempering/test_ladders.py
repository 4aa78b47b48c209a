"""Ladders in the loop: what is adapted and when, checkpoints, threads, the log evidence."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.engines.mcmc.tempering import CompiledScans, Tempering
from slp.engines.mcmc.tempering.ladders import Ladder, end_of_round
from slp.engines.mcmc.tempering.powers import first_powers, respaced, rungs_for
from slp.engines.mcmc.tempering.sums import Batches, ScanSums
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.reference.mh.scans import PlainScans
from slp.runner import Checkpoint, Phase, Schedule, run
from slp.runner.chain import length_of
from tests.engines.mcmc.tempering.ladders import chains


def core_ladders(n: int = 5, normalised: bool = True, **options: Any) -> Tempering[Any]:
    process = chains(n=n, normalised=normalised).process
    base = CompiledMetropolisHastings(process.grammar, process.geometry.table)
    return Tempering(CompiledScans(base, n_steps=3), **options)


def plain_ladders(n: int = 5, **options: Any) -> Tempering[Any]:
    return Tempering(PlainScans(chains(n=n), n_steps=2), **options)


# --- powers -----------------------------------------------------------------------------------


def test_powers_with_equal_rejections_stay() -> None:
    powers = first_powers(7)
    assert powers[0] == 0 and powers[-1] == 1 and (np.diff(powers[:-1]) > 0).all()
    assert len(powers) == 8 and powers[-2] == 1  # two chains at power 1, whose swaps always happen
    rejections = np.array([0.3] * 6 + [0.0])
    np.testing.assert_allclose(respaced(powers, rejections, 7), powers, atol=1e-12)


def test_powers_move_to_where_swaps_are_rejected() -> None:
    """The barrier is 0.1 up to 1/2, and 0.5 in all: a rung for each 0.1."""
    found = respaced(np.array([0.0, 0.5, 1.0, 1.0]), np.array([0.1, 0.4, 0.0]), 6)
    np.testing.assert_allclose(found, [0, 0.5, 0.625, 0.75, 0.875, 1, 1], atol=2e-3)


def test_powers_where_nothing_is_rejected() -> None:
    powers = first_powers(5)
    np.testing.assert_allclose(respaced(powers, np.zeros(5), 5), powers)
    found = respaced(powers, np.array([0.0, 0.9, 0.0, 0.0, 0.0]), 9)
    assert (np.diff(found[:-1]) > 0).all()


def test_about_twice_the_barrier() -> None:
    assert [rungs_for(b, 20) for b in (0.0, 1.8, 5.1, 30.0)] == [6, 6, 12, 20]


def test_rounds_of_warm_up_double() -> None:
    assert [end_of_round(scan) for scan in (1, 4, 5, 12, 13, 28, 252, 253)] == [
        *(4, 4, 12, 12, 28, 28, 252, 508)
    ]


# --- adaptation -------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [plain_ladders, core_ladders])
def test_it_adapts_at_ends_of_rounds_of_warm_up_only(make: Any) -> None:
    rng = np.random.default_rng(1)
    ladders = make()
    state = ladders.init(rng)
    first = state.powers
    state, _ = ladders.advance(rng, state, 3, Phase(True, 1))
    assert state.powers is first and state.round.scans == 3
    state, _ = ladders.advance(rng, state, 4, Phase(True, 4))
    assert len(state.powers) == 7 and state.round.scans == 3  # after the round of 4, 3 of the next
    assert state.batches.sums == ()
    powers = state.powers
    state, _ = ladders.advance(rng, state, 30, Phase(False, 8))
    assert state.powers is powers and state.round is None
    assert sum(s.scans for s in state.batches.sums) == 30


def test_a_given_number_of_rungs_stays() -> None:
    rng = np.random.default_rng(1)
    ladders = core_ladders(rungs=3)
    state, _ = ladders.advance(rng, ladders.init(rng), 60, Phase(True, 1))
    assert len(state.powers) == 4 and state.powers[2] == 1


# --- the loop ---------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [plain_ladders, core_ladders])
def test_a_run_goes_on_bit_for_bit(make: Any, tmp_path: Path) -> None:
    """From within warm-up, and with more rounds."""
    file = tmp_path / "run.json"
    whole = Schedule(12, chains=2, warm_up=20, thin=2, rounds=3)
    run(make(), replace(whole, rounds=1), seed=3, checkpoint=Checkpoint(file))
    again = Checkpoint(file, resume=True)
    have = run(make(), whole, seed=3, checkpoint=again)
    want = run(make(), whole, seed=3)
    assert have.draws == want.draws and have.rounds == want.rounds == 3
    assert [len(draws) for draws in have.draws] == [6, 6]
    ladders = make()
    told = [ladders.tempering(found.states, 0.5) for found in (have, want)]
    assert told[0] == told[1]


def test_a_state_in_the_middle_of_a_round_is_kept() -> None:
    rng = np.random.default_rng(1)
    ladders = core_ladders()
    state, _ = ladders.advance(rng, ladders.init(rng), 7, Phase(True, 1))
    again = ladders.load(ladders.dump(state))
    after: list[Ladder[Any]] = []
    for start in (state, again):
        rng = np.random.default_rng(2)
        after.append(ladders.advance(rng, start, 20, Phase(True, 8))[0])
    assert ladders.dump(after[0]) == ladders.dump(after[1])


def test_no_draw_depends_on_the_number_of_threads() -> None:
    ladders, dumps = core_ladders(n=5), []
    for threads in (1, 3):
        rng = np.random.default_rng(4)
        state = ladders.init(rng)
        for step in range(1, 60, 20):
            state, _ = ladders.advance(rng, state, 20, Phase(step < 40, step, threads))
        dumps.append(ladders.dump(state))
    assert dumps[0] == dumps[1]


def test_rounds_end_when_there_is_enough() -> None:
    asked = []

    def enough(found: Any) -> bool:
        asked.append((found.rounds, found.share, [len(d) for d in found.draws]))
        return len(asked) == 3

    schedule = Schedule(10, chains=2, warm_up=4, thin=1, rounds=9)
    found = run(core_ladders(), schedule, seed=1, enough=enough)
    assert asked == [(1, 1.0, [5, 5]), (2, 0.5, [5, 5]), (3, 2 / 3, [5, 5])]
    assert found.rounds == 3
    assert [sum(s.scans for s in state.batches.sums) for state in found.states] == [15, 15]


def test_rounds_add_a_third_or_a_half() -> None:
    assert [length_of(r) for r in range(1, 10)] == [1, 2, 3, 4, 6, 8, 12, 16, 24]
    schedule = Schedule(10, chains=2, warm_up=4, thin=3, rounds=7)
    assert schedule.most_steps_of(0) == 4 + 12 * 15


@pytest.mark.parametrize(
    "rounds, late",
    [
        (2, slice(5, 10)),
        (3, slice(6, 15, 2)),
        (4, slice(7, 20, 3)),
        (5, slice(9, 30, 5)),
        (7, slice(18, 60, 10)),
        (8, slice(22, 80, 14)),
    ],
)
def test_the_draws_are_spread_over_the_last_scans(rounds: int, late: slice) -> None:
    """5, 10, 15, 20, 30, ... scans: the last half of two rounds, 2/3 of three, 3/4 of four, 5/6 of
    five and seven, 7/8 of eight."""
    schedule = Schedule(5, chains=1, warm_up=4, thin=1, rounds=rounds)
    every = run(core_ladders(), Schedule(80, chains=1, warm_up=4, thin=1), seed=1).draws[0]
    assert run(core_ladders(), schedule, seed=1).draws[0] == every[late]


# --- batches and evidence ---------------------------------------------------------------------


def test_batches_are_merged_and_nothing_is_lost() -> None:
    batches = Batches()
    for i in range(1000):
        batches = batches.and_then(ScanSums(1, np.full((2, 7), float(i))))
    assert sum(s.scans for s in batches.sums) == 1000
    assert sum(s.pairs[0, 0] for s in batches.sums) == 999 * 500
    assert 24 <= len(batches.last(0.5)) <= 48
    assert 500 <= sum(s.scans for s in batches.last(0.5)) <= 500 + batches.length


FRAME = pl.DataFrame({"a": [0, 1, 2, 3, 4, 5, 6, 7] * 2, "b": [0, 1] * 8, "y": [*"nnynyyyy"] * 2})
#: Weights that sum to 1; that do not; dead ends; derivations that are no trees; tests at the end.
PROGRAMS = {
    "growtree": ":- use(growtree).",
    "denison": ":- use(denison, [phi = 3]).",
    "bcart_pcfg": ":- use(bcart_pcfg). :- support(max_depth(2)).",
    "gmt": ":- use(gmt).",
    "pinball": ":- use(pinball).",
    "max_leaves": ":- use(growtree, [alpha = 0.99]). :- constraint(max_leaves(3)).",
    "condition": ":- use(growtree). :- failure(condition). :- constraint(forbid(a, below(1))).",
}


@pytest.mark.thinned(5)
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_log_evidence_is_that_of_the_exact_engine(name: str, plain: bool) -> None:
    """Within 4.5 of its errors, so that 14 comparisons fail by chance with probability 1e-4; and
    the stepping stones within ten."""
    program = slp.parse(PROGRAMS[name])
    if plain:
        program = program.require(lambda node: True, local=True)
    size: dict[str, Any] = {"draws": 60, "warmup": 28} if plain else {"draws": 2000, "warmup": 124}
    asked = program.posterior(FRAME, "y", engine="mh", seed=1, rungs=4, thin=1, **size)
    exact = slp.parse(PROGRAMS[name]).posterior(FRAME, "y", engine="exact").log_evidence
    assert exact is not None and asked.log_evidence is not None
    error = asked.log_evidence_error
    assert error is not None and 0 < error < (0.5 if plain else 0.1)
    assert abs(asked.log_evidence - exact) < 4.5 * error
    assert asked.diagnostics is not None and asked.diagnostics.tempering is not None
    figures = asked.diagnostics.tempering
    for ladder in figures.ladders:
        assert abs(ladder.log_evidence_up - exact) < 10 * error * math.sqrt(4)
        assert abs(ladder.log_evidence_down - exact) < 10 * error * math.sqrt(4)
        assert (ladder.fresh is None) == (name in ("denison", "bcart_pcfg", "pinball"))
    assert figures.round_trips > 0
