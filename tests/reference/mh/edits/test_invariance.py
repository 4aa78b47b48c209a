"""Every proposal leaves the target over sequences of edits invariant, by exact transition matrices
of the code that runs; and planted bugs do not."""

from __future__ import annotations

import math

import pytest

from slp.engines.mcmc import proposals
from slp.engines.mcmc.proposals import CutAtEach, CutAtRoot, CutUniformly, Proposal, Proposed
from slp.reference.mh.edits.process import STOP, EditPoint, EditProcess, Edits
from slp.reference.mh.edits.target import EditTarget
from slp.reference.tree_tests import AtMostFeatures, AtMostLeaves
from slp.runner.randomness import Randomness
from tests.reference.mh.edits.examples import example, levels, stump, two_features
from tests.reference.mh.edits.matrices import Capped

TOLERANCE = 1e-12
SMALL = example(two_features(), stump("z", 0.5), max_depth=2, p=0.7)
LEVELS = example(levels(), stump("x", 0.5), measure="all", max_depth=2)
CAPPED = {
    "posterior": Capped(SMALL, 2),
    "prior": Capped(SMALL, 2, power=0.0),
    "tempered": Capped(LEVELS, 2, power=0.5),
    "at most 2 leaves": Capped(SMALL, 2, tests=[AtMostLeaves(2)]),
    "at most 1 feature": Capped(SMALL, 2, tests=[AtMostFeatures(1, SMALL.geometry)]),
}
BY_NAME = pytest.mark.parametrize("made", CAPPED.values(), ids=CAPPED)
PLAIN: list[Proposal[EditTarget, Edits]] = [CutAtRoot(), CutUniformly(), CutAtEach(8)]


@BY_NAME
def test_sequences_have_the_probability_that_they_are_drawn_with(made: Capped) -> None:
    assert 20 < len(made.drawn) < 200
    for probability, edits in made.drawn:
        assert math.exp(edits.log_draw) == pytest.approx(probability, rel=1e-12)


@pytest.mark.thinned(3)
@BY_NAME
@pytest.mark.parametrize("proposal", PLAIN, ids=lambda p: p.name)
def test_invariance(made: Capped, proposal: Proposal[EditTarget, Edits]) -> None:
    assert made.drift(proposal) < TOLERANCE


@BY_NAME
def test_sequences_come_back_to_the_last_bit(made: Capped) -> None:
    for _, edits in made.drawn:
        again = made.target.process.sequence_of(edits.edits)
        assert again.tree is edits.tree
        assert (again.log_draw, again.points) == (edits.log_draw, edits.points)


def worst_drift(proposal: Proposal[EditTarget, Edits]) -> float:
    few = [CAPPED["tempered"], CAPPED["at most 2 leaves"]]
    return max(made.drift(proposal) for made in few)


def test_count_ratio_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "log_count_ratio", lambda new, old: 0.0)
    assert worst_drift(CutUniformly()) > 1e-3


def test_likelihood_ratio_capped_before_the_count_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    right = EditTarget.log_ratio
    monkeypatch.setattr(EditTarget, "log_ratio", lambda s, new, old: min(0.0, right(s, new, old)))
    assert worst_drift(CutUniformly()) > 1e-3


def test_likelihood_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EditTarget, "log_ratio", lambda self, new, old: 0.0)
    assert worst_drift(CutAtRoot()) > 1e-3


def test_points_counted_from_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    right = EditProcess.cut

    def from_the_end(self: EditProcess, randomness: Randomness, old: Edits, k: int) -> Edits:
        return right(self, randomness, old, old.n_points - 1 - k)

    monkeypatch.setattr(EditProcess, "cut", from_the_end)
    assert worst_drift(CutAtEach(3)) > 1e-3


def test_a_cut_at_a_kind_that_redraws_the_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    right = EditProcess.draw

    def from_the_stop(
        self: EditProcess,
        randomness: Randomness,
        edits: object = (),
        trees: object = (),
        point: object = None,
    ) -> Edits:
        if isinstance(point, EditPoint):
            point = EditPoint(point.after, STOP)
        return right(self, randomness, edits, trees, point)  # type: ignore[arg-type]

    monkeypatch.setattr(EditProcess, "draw", from_the_stop)
    few = [CAPPED["prior"], CAPPED["tempered"]]
    assert max(made.drift(CutAtEach(3)) for made in few) > 1e-3


def test_failures_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A point drawn anew after a failure is chosen with more than 1 / n."""
    right = CutUniformly.propose
    made = Capped(SMALL, 1, tests=[AtMostLeaves(2)])
    assert made.drift(CutUniformly()) < TOLERANCE

    def again(
        self: CutUniformly, randomness: Randomness, target: EditTarget, old: Edits, turn: int
    ) -> Proposed[Edits] | None:
        proposed = right(self, randomness, target, old, turn)
        new = None if proposed is None else proposed.derivation
        if new is None or target.holds(new):
            return proposed
        return right(self, randomness, target, old, turn)

    monkeypatch.setattr(CutUniformly, "propose", again)
    assert made.drift(CutUniformly()) > 1e-3
