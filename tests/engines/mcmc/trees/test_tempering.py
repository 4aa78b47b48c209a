"""Tempering: the transition on all rungs together leaves the product of their targets invariant."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from slp.engines.mcmc.mixture import MixtureState
from slp.engines.mcmc.trees import MetropolisHastings, Tempering, tempering
from slp.engines.mcmc.trees.tempering import TemperingState
from slp.errors import UsageError
from slp.ir.program import Constraint, Monotone
from slp.problem.boxes import Geometry
from slp.runner import Checkpoint, Phase, Schedule, run
from tests.engines.cases import denison, growtree, make_table, numeric
from tests.engines.mcmc.trees.every_outcome import EveryOutcome, outcomes
from tests.engines.mcmc.trees.matrices import TOLERANCE, all_proofs

UP = (Monotone("x", "up"),)


def chains(constraints: tuple[Constraint, ...], proposal: str, n: int = 3) -> MetropolisHastings:
    y = [0, 1, 1, 0, 1][:n]
    table = make_table([numeric("x", n)], [[i] for i in range(n)], y)
    grammar = growtree(table, 0.9, 0.6, n - 1) if n == 3 else denison(table, 2.0)
    return MetropolisHastings(grammar, Geometry(grammar, table), constraints, proposal=proposal)


def drift(engine: Tempering, spacing: tuple[float, ...]) -> float:
    """The largest change of a probability of the product of all rungs' targets in one step."""
    base = engine.base
    proofs = [proof for proof in all_proofs(base.process) if base.target.holds(proof)]
    number = {proof.key(): i for i, proof in enumerate(proofs)}
    turns = (0,) * len(base.mixture.proposals)
    start = TemperingState((), spacing)
    joint = np.ones(())
    for power in start.powers:
        target = replace(base.target, power=power)
        scores = np.array([target.log_score(proof) for proof in proofs])
        joint = np.multiply.outer(joint, np.exp(scores - np.logaddexp.reduce(scores)))
    after = np.zeros_like(joint)
    for places in product(range(len(proofs)), repeat=joint.ndim):
        rungs = tuple(MixtureState(proofs[i], turns) for i in places)

        def step(
            randomness: EveryOutcome, at: tuple[MixtureState[Any], ...] = rungs
        ) -> TemperingState:
            return engine.transition(randomness, TemperingState(at, spacing))[0]

        for probability, new in outcomes(step):
            to = tuple(number[rung.derivation.key()] for rung in new.rungs)
            after[to] += joint[places] * probability
    return float(np.abs(after - joint).max())


@pytest.mark.parametrize("constraints", [(), UP])
@pytest.mark.parametrize("proposal", ["q_uc", "q_uc:0.8,q_ind:0.2", "q_exact"])
def test_two_rungs(constraints: tuple[Constraint, ...], proposal: str) -> None:
    assert drift(Tempering(chains(constraints, proposal), 2), (0.3,)) < TOLERANCE


def test_three_rungs() -> None:
    assert drift(Tempering(chains((), "q_uc", 2), 3), (-0.3, 0.4)) < TOLERANCE


def test_a_swap_the_wrong_way_round(monkeypatch: pytest.MonkeyPatch) -> None:
    right = tempering.log_swap_ratio
    monkeypatch.setattr(tempering, "log_swap_ratio", lambda b, rungs, j: -right(b, rungs, j))
    assert drift(Tempering(chains((), "q_uc"), 2), (0.3,)) > 1e-3


def test_swaps_that_are_always_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempering, "log_swap_ratio", lambda b, rungs, j: 0.0)
    assert drift(Tempering(chains((), "q_uc"), 2), (0.3,)) > 1e-3


def test_the_ladder_begins_by_halves_and_is_tuned_in_warm_up_only() -> None:
    engine = Tempering(chains((), "q_uc", 5), 4)
    rng = np.random.default_rng(0)
    state = engine.init(rng)
    np.testing.assert_allclose(state.powers, [1, 1 / 2, 1 / 4, 1 / 8])
    stepped, tally = engine.step(rng, state, Phase(warm_up=False, step=1))
    assert stepped.spacing == state.spacing
    assert [move.name for move in tally] == [
        "q_uc",
        f"swap {stepped.tried}-{stepped.tried + 1}",
    ]
    j = stepped.tried
    apart = engine.tuned(replace(stepped, swapped=True), 1).powers
    together = engine.tuned(replace(stepped, swapped=False), 1).powers
    assert apart[j + 1] < state.powers[j + 1] < together[j + 1]
    assert apart[: j + 1] == together[: j + 1] == state.powers[: j + 1]


def test_rung_0_has_the_posterior() -> None:
    """Probability of a leaf alone, by batch means; chance of a false alarm about 1e-4."""
    base = chains((), "q_uc", 5)
    proofs = all_proofs(base.process)
    scores = np.array([base.target.log_score(proof) for proof in proofs])
    probability = np.exp(scores - np.logaddexp.reduce(scores))
    want = sum(p for p, proof in zip(probability, proofs, strict=True) if not proof.parts)
    result = run(Tempering(base, 3), Schedule(6000, chains=1, warm_up=300), seed=2)
    batches = np.array([len(draw) == 1 for draw in result.draws[0]]).reshape(25, -1).mean(axis=1)
    assert abs(batches.mean() - want) < 4.6 * batches.std(ddof=1) / math.sqrt(25)


def test_a_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    short, long = Schedule(50, chains=2, warm_up=80), Schedule(300, chains=2, warm_up=80)
    run(Tempering(chains((), "q_uc", 5), 3), short, seed=3, checkpoint=Checkpoint(file))
    again = Checkpoint(file, resume=True)
    have = run(Tempering(chains((), "q_uc", 5), 3), long, seed=3, checkpoint=again)
    assert have.draws == run(Tempering(chains((), "q_uc", 5), 3), long, seed=3).draws


def test_one_rung() -> None:
    with pytest.raises(UsageError) as caught:
        Tempering(chains((), "q_uc"), 1)
    assert str(caught.value) == (
        "error[E518]: tempering with 1 rungs\n"
        "  help: take 2 or more; one rung is a chain without tempering"
    )
