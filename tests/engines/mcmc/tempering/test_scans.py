"""A scan leaves the product of the targets of all rungs invariant, by exact transition matrices;
the core makes the same scans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from slp.constraints import MaxLeaves
from slp.engines.mcmc.tempering.scans import NEITHER, POSTERIOR, PRIOR
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.ir.constraints import Constraint
from slp.kernels.compiled import compiled_core
from slp.reference.derivations import TreeProof
from slp.reference.mh import scans as plain
from slp.reference.mh.chains import MetropolisHastings
from slp.reference.mh.scans import PlainScans, Rungs
from slp.runner import Phase
from tests.engines.mcmc.tempering.ladders import UP, Row, chains, drift, joint_of, plain_row
from tests.reference.mh.core_matrices import choices_of, every_script
from tests.reference.mh.edits.examples import all_examples
from tests.reference.mh.edits.matrices import Capped
from tests.reference.mh.edits.test_chains import engine
from tests.reference.mh.matrices import TOLERANCE, all_proofs

#: Constraints, proposal, rows, whether the program can be run forward, powers, parity of the scan.
CASES: list[tuple[tuple[Constraint, ...], str, int, bool, tuple[float, ...], int]] = [
    ((), "q_uc", 3, True, (0.0, 1.0), 0),
    (UP, "q_uc:0.8,q_ind:0.2", 3, True, (0.0, 1.0), 0),
    (UP, "q_exact", 3, True, (0.0, 1.0), 0),
    ((), "q_uc", 2, True, (0.0, 0.4, 1.0), 1),
    ((), "q_uc", 2, False, (0.0, 0.3, 1.0), 0),
    ((), "q_uc", 2, False, (0.0, 0.3, 1.0), 1),
    ((), "q_uc", 2, True, (0.0, 1.0, 1.0), 1),
]
each_case = pytest.mark.parametrize(
    ("constraints", "proposal", "n", "forward", "powers", "parity"), CASES
)


def proofs_of(base: MetropolisHastings) -> list[TreeProof]:
    return [proof for proof in all_proofs(base.process) if base.target.holds(proof)]


def drift_of(scans: PlainScans, powers: tuple[float, ...], parity: int = 0) -> float:
    proofs = proofs_of(scans.base)
    row = plain_row(scans, proofs, TreeProof.key, powers, parity)
    return drift(row, joint_of(scans.base, proofs, powers))


@each_case
def test_invariance(
    constraints: tuple[Constraint, ...],
    proposal: str,
    n: int,
    forward: bool,
    powers: tuple[float, ...],
    parity: int,
) -> None:
    scans = PlainScans(chains(constraints, proposal, n, forward), n_steps=1, tries=1)
    assert scans.fresh == forward
    assert drift_of(scans, powers, parity) < TOLERANCE


def test_faults_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    scans, powers = PlainScans(chains(), n_steps=1, tries=1), (0.0, 1.0)
    right = plain.log_swap_ratio
    for wrong in (lambda *of: -right(*of), lambda *of: 0.0):
        with monkeypatch.context() as patch:
            patch.setattr(plain, "log_swap_ratio", wrong)
            assert drift_of(scans, powers) > 1e-3
    # Draws that are no draws of the prior: those of a program whose weights do not sum to 1.
    other = PlainScans(chains(normalised=False), n_steps=1)
    other.tries = 1
    assert drift_of(other, powers) > 1e-3


@each_case
def test_the_core_makes_the_same_scans(
    constraints: tuple[Constraint, ...],
    proposal: str,
    n: int,
    forward: bool,
    powers: tuple[float, ...],
    parity: int,
) -> None:
    """From every state of all rungs to every state, by going through every outcome of the core's
    own code."""
    base = chains(constraints, proposal, n, forward)
    process, core = base.process, compiled_core()
    assert core is not None
    made = CompiledMetropolisHastings(
        process.grammar, process.geometry.table, constraints, proposal=proposal
    )
    proofs = proofs_of(base)
    choices = [choices_of(base.geometry, proof) for proof in proofs]
    number = {tuple(c): i for i, c in enumerate(choices)}
    states = [made.derivation_from_data(c) for c in choices]
    scans = PlainScans(base, n_steps=1, tries=1)
    want_of = plain_row(scans, proofs, TreeProof.key, powers, parity)

    def have_of(places: tuple[int, ...]) -> Iterator[tuple[float, tuple[int, ...]]]:
        ladder = core.MHLadder([states[i] for i in places], [0] * len(places), parity)

        def scripted(script: list[int]) -> Any:
            of = (ladder, np.array(powers), script, 1, scans.tries)
            return made.sampler.scripted_scan(*of)

        for probability, new in every_script(scripted):
            rungs = (new.state(j).choices().tolist() for j in range(new.n))
            yield probability, tuple(number[tuple(c)] for c in rungs)

    for places in product(range(len(proofs)), repeat=len(powers)):
        have, want = _summed(have_of, places), _summed(want_of, places)
        for to in have.keys() | want.keys():
            assert have[to] == pytest.approx(want[to], abs=TOLERANCE)


def _summed(row: Row, places: tuple[int, ...]) -> Counter[tuple[int, ...]]:
    out: Counter[tuple[int, ...]] = Counter()
    for probability, to in row(places):
        out[to] += probability  # type: ignore[assignment]
    return out


def test_a_round_trip_is_from_the_posterior_back_to_the_prior() -> None:
    """Two equal rungs swap in every scan with an even number, and none in between."""
    scans = PlainScans(chains(n=2, normalised=False), n_steps=0)
    start = scans.base.init(np.random.default_rng(1))
    rungs = Rungs((start, start), (NEITHER, NEITHER))
    trips = []
    for _ in range(5):
        rungs, sums, _ = scans.advance(
            np.random.default_rng(1), rungs, np.array([0.0, 1.0]), np.zeros(1), 1, Phase(True, 1)
        )
        trips.append(sums.round_trips)
    assert trips == [0, 0, 0, 0, 1] and rungs.ends == (PRIOR, POSTERIOR)


def test_edits_of_a_given_tree() -> None:
    """Sequences of at most two edits, of which a test on the last tree excludes some."""
    made = all_examples()["from a leaf"]
    table = made.table
    base = engine(made.given, (MaxLeaves(2),), table=table, p=made.process.p)
    capped = Capped(made, 1, tests=base.target.tests)
    base.__dict__["process"] = capped.target.process
    base.__dict__["target"] = capped.target
    sequences = [edits for _, edits in capped.drawn]
    scans, powers = PlainScans(base, n_steps=1, tries=1), (0.0, 1.0)
    row = plain_row(scans, sequences, lambda e: e.edits, powers, 0)
    assert drift(row, joint_of(base, sequences, powers)) < TOLERANCE
