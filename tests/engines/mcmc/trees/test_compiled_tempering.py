"""The core's tempering against the plain one, its specification."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from slp.engines.mcmc.mixture import MixtureState
from slp.engines.mcmc.trees import (
    CompiledMetropolisHastings,
    CompiledTempering,
    MetropolisHastings,
    Tempering,
)
from slp.engines.mcmc.trees.proof import Proof
from slp.engines.mcmc.trees.tempering import TemperingState
from slp.errors import UsageError
from slp.ir.program import Constraint
from slp.runner import Checkpoint, Move, Phase, Schedule, run
from tests.engines.mcmc.trees.core_matrices import choices_of, every_script
from tests.engines.mcmc.trees.every_outcome import EveryOutcome, outcomes
from tests.engines.mcmc.trees.matrices import TOLERANCE, all_proofs
from tests.engines.mcmc.trees.test_tempering import UP, chains

AFTER_WARM_UP = Phase(warm_up=False, step=1)


def compiled(plain: MetropolisHastings, proposal: str) -> CompiledMetropolisHastings:
    """On the same grammar and table."""
    process, tests = plain.process, plain.target.tests
    constraints: tuple[Constraint, ...] = UP if tests else ()
    return CompiledMetropolisHastings(
        process.grammar, process.geometry, constraints, proposal=proposal
    )


@pytest.mark.parametrize(
    ("constraints", "proposal", "n", "spacing"),
    [
        ((), "q_uc", 3, (0.3,)),
        (UP, "q_uc:0.8,q_ind:0.2", 3, (0.3,)),
        (UP, "q_exact", 3, (-0.5,)),
        ((), "q_uc", 2, (-0.3, 0.4)),
    ],
)
def test_transitions(
    constraints: tuple[Constraint, ...], proposal: str, n: int, spacing: tuple[float, ...]
) -> None:
    """From every state of all rungs, to every state, the probability of the core's own code is that
    of the plain code, which leaves the product of the targets invariant (`test_tempering`)."""
    plain = chains(constraints, proposal, n)
    core = compiled(plain, proposal)
    proofs = [proof for proof in all_proofs(plain.process) if plain.target.holds(proof)]
    choices = [choices_of(plain.geometry, proof) for proof in proofs]
    number = {tuple(c): i for i, c in enumerate(choices)}
    states = [core.derivation_from_data(c) for c in choices]
    for places in product(range(len(proofs)), repeat=len(spacing) + 1):
        want = _plain_row(Tempering(plain, len(places)), proofs, spacing, places)

        def scripted(script: list[int], at: tuple[int, ...] = places) -> Any:
            rungs = [states[i] for i in at]
            return core.sampler.scripted_tempered(rungs, list(spacing), script, 1.0)

        have: dict[tuple[int, ...], float] = {}
        for probability, new in every_script(scripted):
            to = tuple(number[tuple(rung.choices().tolist())] for rung in new)
            have[to] = have.get(to, 0.0) + probability
        for to in have.keys() | want.keys():
            assert have.get(to, 0.0) == pytest.approx(want.get(to, 0.0), abs=TOLERANCE)


def _plain_row(
    engine: Tempering, proofs: list[Proof], spacing: tuple[float, ...], places: tuple[int, ...]
) -> dict[tuple[int, ...], float]:
    number = {proof.key(): i for i, proof in enumerate(proofs)}
    turns = (0,) * len(engine.base.mixture.proposals)
    rungs = tuple(MixtureState(proofs[i], turns) for i in places)

    def step(randomness: EveryOutcome) -> TemperingState:
        return engine.transition(randomness, TemperingState(rungs, spacing))[0]

    out: dict[tuple[int, ...], float] = {}
    for probability, new in outcomes(step):
        to = tuple(number[rung.derivation.key()] for rung in new.rungs)
        out[to] = out.get(to, 0.0) + probability
    return out


def test_powers_are_tuned_in_warm_up_only() -> None:
    """A swap tried at step t moves r by t^-0.6 (accepted - 0.234)."""
    engine = CompiledTempering(compiled(chains((), "q_uc", 5), "q_uc"), 3)
    rng = np.random.default_rng(0)
    state = engine.init(rng)
    same, _ = engine.advance(rng, state, 50, AFTER_WARM_UP)
    assert same.spacing == state.spacing
    tuned, info = engine.advance(rng, state, 1, Phase(warm_up=True, step=7))
    ((name, outcome),) = [key for key in info.tally if key[0].startswith("swap")]
    j = int(name[5])
    gain = 7**-0.6 * ((outcome == "accepted") - 0.234)
    assert tuned.spacing[j] == pytest.approx(state.spacing[j] + gain, rel=1e-14)
    assert tuned.spacing[1 - j] == state.spacing[1 - j]


def test_turns_belong_to_the_rungs() -> None:
    """Proofs are swapped, and each rung goes on with its own next turn."""
    engine = CompiledTempering(compiled(chains((), "q_uc", 5), "q_n(5)"), 2)
    rng = np.random.default_rng(3)
    (cold, hot), spacing = engine.dump(engine.init(rng))
    state = engine.load([[{**cold, "turns": [0]}, {**hot, "turns": [3]}], spacing])
    state, info = engine.advance(rng, state, 1, AFTER_WARM_UP)
    assert info.tally[Move("swap 0-1", "accepted")] == 1
    assert [list(rung.turns) for rung in state.states] == [[1], [4]]


def test_a_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    def engine() -> CompiledTempering:
        return CompiledTempering(compiled(chains((), "q_uc", 5), "q_uc"), 3)

    file = tmp_path / "run.json"
    fewer, more = (Schedule(draws=n, chains=2, warm_up=60, thin=5) for n in (20, 50))
    run(engine(), fewer, seed=4, checkpoint=Checkpoint(file))
    have = run(engine(), more, seed=4, checkpoint=Checkpoint(file, resume=True))
    want = run(engine(), more, seed=4, threads=2)
    assert (have.draws, have.tallies) == (want.draws, want.tallies)
    assert {name for name, _ in have.tallies[0]} == {"q_uc", "swap 0-1", "swap 1-2"}
    assert sum(have.tallies[0].values()) == 2 * 25 * 5


def test_fewer_than_two_rungs() -> None:
    with pytest.raises(UsageError) as caught:
        CompiledTempering(compiled(chains((), "q_uc", 5), "q_uc"), 1)
    assert str(caught.value) == (
        "error[E518]: tempering with 1 rungs\n"
        "  help: take 2 or more; one rung is a chain without tempering"
    )
