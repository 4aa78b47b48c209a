"""Every proposal leaves the target invariant, by exact transition matrices of the code that runs;
and planted bugs do not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from slp.engines.mcmc import proposals
from slp.engines.mcmc.mixture import Mixture
from slp.engines.mcmc.proposals import (
    CutAtEach,
    CutAtRoot,
    CutSequenceAtEach,
    CutSequenceUniformly,
    CutUniformly,
    Proposal,
    Proposed,
)
from slp.reference.boxes import Geometry
from slp.reference.derivations import TreeProof
from slp.reference.enumeration.derivations import derivations
from slp.reference.local_process import BoxGoal, LocalProcess
from slp.reference.mh import exact_subtrees
from slp.reference.mh import target as targets
from slp.reference.mh.exact_subtrees import ExactSubtree, SubtreeCharts
from slp.reference.mh.proof import before_point, choice_points, cut, cut_sequence, goals_of
from slp.reference.mh.target import Target
from slp.reference.tree_tests import AtMostFeatures, MonotonePredictions
from slp.runner.randomness import Randomness, RandomNumbers
from tests.engines.cases import growtree, make_table, numeric
from tests.reference.mh.matrices import TOLERANCE, Example, example, random_examples

BY_PLACE = pytest.mark.parametrize("made", range(40), indirect=True)
PLAIN: list[Proposal[Target, TreeProof]] = [
    CutAtRoot(),
    CutUniformly(),
    CutAtEach(5),
    CutSequenceUniformly(),
    CutSequenceAtEach(5),
]


class SmallGoals(SubtreeCharts):
    """Goals fit if they have at most so many rows, and only in some states."""

    def __init__(self, process: LocalProcess, most: int) -> None:
        super().__init__(process, 2**30)
        self._most = most

    def fits(self, goal: BoxGoal) -> bool:
        return goal.box.bit_count() <= self._most + goal.state % 2


@cache
def all_examples() -> list[Example]:
    return [made for _, made in random_examples(40)]


@pytest.fixture
def made(request: pytest.FixtureRequest) -> Example:
    return all_examples()[request.param]


def worst_drift(examples: list[Example], proposal: Proposal[Target, TreeProof]) -> float:
    return max(made.drift(proposal, t) for made in examples for t in range(proposal.period))


# --- what the matrices are over -----------------------------------------------------------------


def test_examples_are_varied() -> None:
    targets = [made.target for made in all_examples()]
    grammars = [t.process.grammar for t in targets]
    kinds = {type(test).__name__ for t in targets for test in t.tests}
    assert kinds == {"AtMostLeaves", "AtMostFeatures", "MonotonePredictions"}
    assert {g.normalise for g in grammars} == {True, False}
    assert {g.failure for g in grammars} == {"restrict", "condition"}
    assert {t.power for t in targets} == {0.0, 0.5, 1.0}
    assert sum(len(made.proofs) >= 8 for made in all_examples()) >= 10


@BY_PLACE
def test_proofs_are_the_derivations(made: Example) -> None:
    process = made.target.process
    everything = example(process)
    assert everything is not None
    have = sorted(proof.log_weight for proof in everything.proofs)
    want = sorted(d.log_weight for d in derivations(process.grammar, process.geometry))
    np.testing.assert_allclose(have, want, rtol=1e-12, atol=1e-12)


# --- invariance ---------------------------------------------------------------------------------


@pytest.mark.thinned(3)
@BY_PLACE
@pytest.mark.parametrize("proposal", PLAIN, ids=lambda p: p.name)
def test_cuts(made: Example, proposal: Proposal[Target, TreeProof]) -> None:
    for turn in range(proposal.period):
        assert made.drift(proposal, turn) < TOLERANCE


@pytest.mark.thinned(3)
@BY_PLACE
@pytest.mark.parametrize("most", [0, 1, 2, 99])
def test_exact_subtrees(made: Example, most: int) -> None:
    charts = SmallGoals(made.target.process, most)
    assert made.drift(ExactSubtree(charts)) < TOLERANCE


@BY_PLACE
def test_a_mixture_and_a_cycle(made: Example) -> None:
    """Their matrices, from those of their parts: 0.8 q_uc + 0.2 q_ind; q_n(3) once around."""
    mixture = Mixture.of([(CutUniformly(), 4.0), (CutAtRoot(), 1.0)])
    assert mixture.cumulative(1.0) == (4.0, 5.0)
    shares = [0.8, 0.2]
    parts = [made.matrix(p) for p in mixture.proposals]
    cycle = np.linalg.multi_dot([made.matrix(CutAtEach(3), turn) for turn in range(3)])
    for matrix in (sum(s * m for s, m in zip(shares, parts, strict=True)), cycle):
        assert np.abs(made.probability @ matrix - made.probability).max() < TOLERANCE


@pytest.mark.thinned(2)
@BY_PLACE
def test_single_moves_are_reversible(made: Example) -> None:
    for proposal in PLAIN:
        for turn in range(proposal.period):
            flow = made.probability[:, None] * made.matrix(proposal, turn)
            np.testing.assert_allclose(flow, flow.T, atol=1e-14)


def test_exact_at_the_root_draws_independently() -> None:
    """Without tests on the finished tree every row of the matrix is the target itself."""
    tried = 0
    for made in all_examples():
        if not made.target.tests:
            matrix = made.matrix(ExactSubtree(SmallGoals(made.target.process, 99)))
            np.testing.assert_allclose(matrix, np.tile(made.probability, (len(matrix), 1)))
            tried += 1
    assert tried >= 5


def test_whether_a_goal_fits() -> None:
    """40 rows in order have 40 x 41 / 2 boxes, 3 of them at most 2^3."""
    table = make_table([numeric("x", 40)], [[i] for i in range(40)], [i % 2 for i in range(40)])
    grammar = growtree(table, 0.9, 0.5, 39)
    process = LocalProcess(grammar, Geometry(grammar, table))
    small = process.goal(0b111, 3)
    assert [SubtreeCharts(process, m).fits(process.root) for m in (819, 820)] == [False, True]
    assert [SubtreeCharts(process, m).fits(small) for m in (5, 6)] == [False, True]


def test_whether_a_goal_fits_does_not_depend_on_what_was_computed() -> None:
    table = make_table([numeric("x", 40)], [[i] for i in range(40)], [i % 2 for i in range(40)])
    grammar = growtree(table, 0.9, 0.5, 39)
    process = LocalProcess(grammar, Geometry(grammar, table))
    charts = SubtreeCharts(process, 10)
    want = [SubtreeCharts(process, 10).fits(process.goal(2**n - 1, 3)) for n in range(2, 9)]
    for n in (2, 3):
        charts.draw(RandomNumbers(np.random.default_rng(1)), process.goal(2**n - 1, 3), 1.0)
    assert [charts.fits(process.goal(2**n - 1, 3)) for n in range(2, 9)] == want
    assert want == [True, True, True, False, False, False, False]


def test_a_normalised_program_cancels() -> None:
    """Where nothing fails and labels sum to 1, the ratio is that of the likelihoods."""
    table = make_table([numeric("x", 5)], [[i] for i in range(5)], [0, 1, 0, 0, 1])
    grammar = growtree(table, 0.9, 0.5, 4)
    made = example(LocalProcess(grammar, Geometry(grammar, table)))
    assert made is not None
    for proof in made.proofs:
        assert abs(proof.log_excess) < 1e-14


# --- planted bugs -------------------------------------------------------------------------------


def drifts(proposal: Proposal[Target, TreeProof]) -> bool:
    """Whether the target of some example is not left invariant."""
    return any(worst_drift([made], proposal) > 1e-3 for made in all_examples())


def test_count_ratio_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "log_count_ratio", lambda new, old: 0.0)
    assert drifts(CutUniformly())


def test_count_ratio_upside_down(monkeypatch: pytest.MonkeyPatch) -> None:
    right = proposals.log_count_ratio
    monkeypatch.setattr(proposals, "log_count_ratio", lambda new, old: -right(new, old))
    assert drifts(CutUniformly())


def test_likelihood_ratio_capped_before_the_count_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Target.log_ratio
    monkeypatch.setattr(Target, "log_ratio", lambda self, new, old: min(0.0, right(self, new, old)))
    assert drifts(CutUniformly())


def test_failures_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """With q_uc: a point drawn anew after a failure is chosen with more than 1 / n. (With q_ind
    and q_n no harm is done: how often they fail depends on what they keep alone.)"""
    right = CutUniformly.propose

    def again(
        self: CutUniformly, randomness: Randomness, target: Target, old: TreeProof, turn: int
    ) -> Proposed[TreeProof] | None:
        proposed = right(self, randomness, target, old, turn)
        if proposed is None or (
            proposed.derivation is not None and target.holds(proposed.derivation)
        ):
            return proposed
        return right(self, randomness, target, old, turn)

    few = [made for made in all_examples() if len(made.proofs) <= 6][:12]
    assert worst_drift(few, CutUniformly()) < TOLERANCE
    monkeypatch.setattr(CutUniformly, "propose", again)
    assert worst_drift(few, CutUniformly()) > 1e-3


def test_count_ratio_of_sequences_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "log_count_ratio", lambda new, old: 0.0)
    assert drifts(CutSequenceUniformly())


def test_points_of_sequences_breadth_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept before a point in sequence does not tell its number in another order."""

    def by_breadth(
        process: LocalProcess, randomness: Randomness, proof: TreeProof, k: int
    ) -> TreeProof | None:
        goal = goals_of(proof)[choice_points(proof)[k].goal]
        at = next(
            i
            for i in range(proof.n_points)
            if len(before_point(proof, i).drawn) == list(proof.preorder()).index(goal)
        )
        return cut_sequence(process, randomness, proof, at)

    monkeypatch.setattr(targets, "cut_sequence", by_breadth)
    assert drifts(CutSequenceAtEach(5))


def test_choice_points_counted_from_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    right = targets.choice_points
    monkeypatch.setattr(targets, "choice_points", lambda proof: right(proof)[::-1])
    assert drifts(CutAtEach(3))


def test_sums_of_the_choices_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def likelihood_alone(self: Target, new: TreeProof, old: TreeProof) -> float:
        return self.power * (new.log_likelihood - old.log_likelihood)

    monkeypatch.setattr(Target, "log_ratio", likelihood_alone)
    assert drifts(CutAtRoot())


def test_a_split_point_that_redraws_its_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    def from_the_rule(
        process: LocalProcess, randomness: Randomness, proof: TreeProof, point: object
    ) -> object:
        return cut(process, randomness, proof, point._replace(of_split=False))  # type: ignore[attr-defined]

    monkeypatch.setattr(targets, "cut", from_the_rule)
    assert drifts(CutUniformly())


@pytest.mark.slow
def test_charts_of_another_power(monkeypatch: pytest.MonkeyPatch) -> None:
    right = exact_subtrees.PowerChart
    monkeypatch.setattr(
        exact_subtrees, "PowerChart", lambda forest, power: right(forest, power / 2)
    )
    drifts = [m.drift(ExactSubtree(SmallGoals(m.target.process, 99))) for m in all_examples()]
    assert max(drifts) > 1e-3


def test_tests_not_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proposal outside the support would be taken: the matrix has no place for it."""
    monkeypatch.setattr(Target, "passes", lambda self, proof: True)
    constrained = [
        made
        for made in all_examples()
        if any(isinstance(t, AtMostFeatures | MonotonePredictions) for t in made.target.tests)
    ]
    found = 0
    for made in constrained:
        try:
            made.drift(CutAtRoot())
        except KeyError:
            found += 1
    assert found > 0
