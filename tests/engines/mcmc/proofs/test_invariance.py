"""The transition of each proposal leaves the distribution over proofs invariant, by enumeration.
The tests fail if a factor of the ratio is left out."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest

import slp
from slp.engines.mcmc import proposals
from slp.engines.mcmc.proofs import start
from slp.engines.mcmc.proposals import CutAtEach, CutAtRoot, CutUniformly, Proposed
from slp.resolution.proofs.derivations import ProofSpace, SLDDerivation
from slp.runner.randomness import Randomness
from tests.engines.mcmc.proofs.tiny import CASES, Case, space_of

TOLERANCE = 1e-12
PROPOSALS = (
    *((CutUniformly(), 0), (CutAtRoot(), 0)),
    *((CutAtEach(4), turn) for turn in range(4)),
)

every_case = pytest.mark.parametrize("case", CASES, ids=str)


@every_case
def test_every_proposal_leaves_the_target_invariant(case: Case) -> None:
    for proposal, turn in PROPOSALS:
        assert space_of(case).drift(proposal, turn) < TOLERANCE


@every_case
def test_chains_come_everywhere(case: Case) -> None:
    for proposal in (CutUniformly(), CutAtRoot()):
        matrix = space_of(case).matrix(proposal, 0)
        assert (np.linalg.matrix_power(matrix, 64) > 0).all()


@every_case
def test_the_target_is_what_a_query_says_times_the_likelihood(case: Case) -> None:
    """The query's search adds up masses by other code."""
    space = space_of(case)
    have: defaultdict[str, float] = defaultdict(float)
    for proof, probability in zip(space.proofs, space.probability, strict=True):
        have[space.answer(proof)] += probability
    found = slp.parse(case.text).query(case.goal, given=case.given).answers
    mass = {" ".join(map(str, a.values())): a.mass for a in found}
    weight = {answer: m * math.exp(case.fits(answer)) for answer, m in mass.items()}
    total = math.fsum(weight.values())
    want = {answer: w / total for answer, w in weight.items() if w > 0}
    assert have.keys() == want.keys()
    assert all(math.isclose(have[a], want[a], rel_tol=1e-12) for a in want)


@every_case
def test_what_a_derivation_says_of_itself(case: Case) -> None:
    """The probability of drawing it is that of its outcomes; its choices make it again."""
    space = space_of(case)
    for probability, derivation in space.derived:
        log_draw = derivation.log_weight - derivation.log_excess
        assert math.isclose(math.exp(log_draw), probability, rel_tol=1e-12)
        again = space.target.derivation_of(derivation.choices)
        assert again.answer == derivation.answer and again.log_weight == derivation.log_weight
        assert [s.taken for s in again.steps] == [s.taken for s in derivation.steps]


def worst_drift(*with_proposals: tuple[object, int]) -> float:
    drifts = (space_of(c).drift(p, turn) for c in CASES for p, turn in with_proposals)  # type: ignore[arg-type]
    return max(drifts)


def test_numbers_of_choice_points_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "log_count_ratio", lambda new, old: 0.0)
    assert worst_drift((CutUniformly(), 0)) > 1e-3


def test_sums_of_the_runs_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def likelihood_alone(self: ProofSpace, new: SLDDerivation, old: SLDDerivation) -> float:
        return new.log_likelihood - old.log_likelihood

    monkeypatch.setattr(ProofSpace, "log_ratio", likelihood_alone)
    assert worst_drift((CutAtRoot(), 0)) > 1e-3


def test_labels_counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    right = ProofSpace.log_ratio

    def with_labels(self: ProofSpace, new: SLDDerivation, old: SLDDerivation) -> float:
        return right(self, new, old) + new.log_weight - old.log_weight

    monkeypatch.setattr(ProofSpace, "log_ratio", with_labels)
    assert worst_drift((CutAtRoot(), 0)) > 1e-3


def test_failures_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A point drawn anew after a failure is chosen with more than 1 / n."""
    right = CutUniformly.propose

    def again(
        self: CutUniformly,
        randomness: Randomness,
        target: ProofSpace,
        old: SLDDerivation,
        turn: int,
    ) -> Proposed[SLDDerivation] | None:
        proposed = right(self, randomness, target, old, turn)
        if proposed is None or proposed.derivation is not None:
            return proposed
        return right(self, randomness, target, old, turn)

    monkeypatch.setattr(CutUniformly, "propose", again)
    assert worst_drift((CutUniformly(), 0)) > 1e-3


def test_a_dead_end_that_is_backed_out_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """To draw again at the last choice makes other proofs likely than the ratio knows."""

    def backtracked(
        self: ProofSpace, randomness: Randomness, old: SLDDerivation
    ) -> SLDDerivation | None:
        return start.backtracked(self, randomness)

    monkeypatch.setattr(ProofSpace, "redrawn", backtracked)
    assert worst_drift((CutAtRoot(), 0)) > 1e-3


def test_a_cut_one_choice_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(
        self: ProofSpace, randomness: Randomness, old: SLDDerivation, k: int
    ) -> SLDDerivation | None:
        return self.grow(randomness, old.steps[: old.points[k] + 1])

    monkeypatch.setattr(ProofSpace, "cut", late)
    stuck = np.linalg.matrix_power(space_of(CASES[1]).matrix(CutUniformly(), 0), 64)
    assert (stuck == 0).any()


def test_support_not_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof of likelihood 0 would be gone to: the matrix has no place for it."""
    monkeypatch.setattr(ProofSpace, "passes", lambda self, derivation: True)
    right = proposals.acceptance_probability
    monkeypatch.setattr(proposals, "acceptance_probability", lambda log: right(max(log, -1.0)))
    with pytest.raises(KeyError):
        worst_drift((CutAtRoot(), 0))
