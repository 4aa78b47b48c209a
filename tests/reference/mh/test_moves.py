"""Tree moves leave the target invariant, by exact transition matrices of the code that runs; and
planted faults do not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from slp.engines.mcmc.proposals import Proposed
from slp.problem.ambiguity import derivations_are_trees
from slp.reference.mh.moves import TREE_MOVES, cgm, twig
from slp.reference.mh.moves.choosing import DrawnChoices
from slp.reference.mh.moves.proposal import TreeMove
from slp.reference.mh.moves.weighed_tree import WeighedTree
from slp.reference.tree_weights import TreeDerivations
from slp.runner.randomness import Randomness
from tests.reference.mh.matrices import TOLERANCE, Example, random_examples
from tests.reference.mh.zoo import from_program, pairs

BY_PLACE = pytest.mark.parametrize("made", range(30), indirect=True)
BY_NAME = pytest.mark.parametrize("name", list(TREE_MOVES))


@cache
def all_examples() -> list[Example]:
    return [made for _, made in random_examples(30, least=8, most=48)]


@pytest.fixture
def made(request: pytest.FixtureRequest) -> Example:
    return all_examples()[request.param]


def test_examples_are_varied() -> None:
    grammars = [made.target.process.grammar for made in all_examples()]
    assert {g.normalise for g in grammars} == {True, False}
    assert {g.failure for g in grammars} == {"restrict", "condition"}
    assert {derivations_are_trees(g) for g in grammars} == {True, False}
    assert {made.target.power for made in all_examples()} == {0.0, 0.5, 1.0}
    assert sum(len(made.proofs) >= 12 for made in all_examples()) >= 8


@pytest.mark.thinned(7)
@BY_NAME
@BY_PLACE
def test_random_grammars(made: Example, name: str) -> None:
    assert made.drift(TREE_MOVES[name]) < TOLERANCE


@pytest.mark.thinned(19)
@BY_NAME
@pytest.mark.parametrize(("prior", "constraint"), pairs())
def test_programs(prior: str, constraint: str, name: str) -> None:
    assert from_program(prior, constraint).drift(TREE_MOVES[name]) < TOLERANCE


@pytest.mark.slow
@BY_NAME
def test_moves_go_to_other_trees(name: str) -> None:
    moved = [
        float(made.probability @ (1 - np.diag(made.matrix(TREE_MOVES[name]))))
        for made in all_examples()
    ]
    assert sum(share > 0 for share in moved) >= 10
    assert sum(moved) / len(moved) > 0.02


# --- planted faults -----------------------------------------------------------------------------


def drifts(name: str) -> bool:
    """Whether the target of some example is not left invariant."""
    return any(made.drift(TREE_MOVES[name]) > 1e-3 for made in all_examples())


@pytest.mark.slow
@BY_NAME
def test_probability_of_the_move_back_left_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = TreeMove._log_probability

    def certain(self: TreeMove, *args: Any) -> float:
        return 0.0 if right(self, *args) > -math.inf else -math.inf

    monkeypatch.setattr(TreeMove, "_log_probability", certain)
    assert drifts(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cgm", "informed"])
def test_moves_that_cannot_be_taken_back(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A move back that leads to another tree is taken for one that restores the tree."""
    right = TreeMove._log_probability

    def anywhere(self: TreeMove, there: WeighedTree, choices: Any, wanted: Any) -> float:
        return max(right(self, there, choices, wanted), -5.0)

    monkeypatch.setattr(TreeMove, "_log_probability", anywhere)
    # Large enough for moves that lose the tests below a change.
    large = [made for _, made in random_examples(3, least=40, most=130)]
    assert max(made.drift(TREE_MOVES[name]) for made in large) > 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cgm", "wu", "perturb"])
def test_splits_drawn_uniformly(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = DrawnChoices.among

    def uniform(self: DrawnChoices, items: Sequence[Any], log_weights: Any = None) -> Any:
        item = right(self, items)
        if log_weights is not None:
            total = float(np.logaddexp.reduce(log_weights))
            self.log_probability += math.log(len(items))
            self.log_probability += log_weights[items.index(item)] - total
        return item

    monkeypatch.setattr(DrawnChoices, "among", uniform)
    assert drifts(name)


@pytest.mark.slow
def test_the_heaviest_derivation_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The weight of a tree is that of one derivation, where there are several."""

    def heaviest(self: TreeDerivations, start: Any) -> float:
        chosen = max(self._score(step) for step in self._steps[start]) if self._steps[start] else 0
        return float(chosen)

    right = TreeDerivations.__init__

    def init(self: TreeDerivations, process: Any, start: Any, steps: Any) -> None:
        right(self, process, start, steps)
        if self.log_weight > -math.inf:
            self.log_weight = heaviest(self, start)

    monkeypatch.setattr(TreeDerivations, "__init__", init)
    assert drifts("cgm")


@pytest.mark.slow
def test_the_first_derivation_of_the_new_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    right = TreeDerivations.derivation
    monkeypatch.setattr(
        TreeDerivations,
        "derivation",
        lambda self, choose: right(self, lambda s: next(i for i, w in enumerate(s) if w > -1e300)),
    )
    assert drifts("cgm")


def test_likelihood_without_the_power(monkeypatch: pytest.MonkeyPatch) -> None:
    right = TreeMove.propose

    def propose(self: TreeMove, random: Randomness, target: Any, old: Any, turn: int) -> Any:
        found = right(self, random, target, old, turn)
        if found is None or found.derivation is None:
            return found
        more = (1 - target.power) * (found.derivation.log_likelihood - old.log_likelihood)
        return Proposed(found.derivation, found.log_ratio + more)

    monkeypatch.setattr(TreeMove, "propose", propose)
    assert drifts("cgm")


@pytest.mark.slow
def test_grown_leaves_counted_as_if_all_could_split(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of leaves that can split, where it is the number of all leaves on one way."""
    right = cgm.grow

    def grow(choose: Any, here: WeighedTree, weigh: Any) -> Any:
        found = right(choose, here, weigh)
        if found is not None and isinstance(choose, DrawnChoices):
            able = sum(bool(here.splits(here.box_states(i)).cuts) for i in here.leaves)
            choose.log_probability += math.log(able / len(here.leaves))
        return found

    monkeypatch.setattr(cgm, "grow", grow)
    assert drifts("cgm")


@pytest.mark.slow
def test_nodes_that_a_twig_may_redraw_counted_before() -> None:
    """The number of nodes whose subtrees have at most two levels, before the move on both ways."""
    before: list[int] = []

    def move(choose: Any, here: WeighedTree) -> Any:
        n = sum(twig.levels(here, i) <= twig.LEVELS for i in range(len(here.cuts)))
        if isinstance(choose, DrawnChoices):
            before[:] = [n]
        else:
            choose.log_probability += math.log(n / before[0])
        return twig.move(choose, here)

    wrong = TreeMove("twig", move)
    large = [made for _, made in random_examples(3, least=40, most=130)]
    assert max(made.drift(wrong) for made in large) > 1e-4
