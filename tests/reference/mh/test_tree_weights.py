"""Weights of finished trees, worked out in the core, against the plain sum over proofs."""

from __future__ import annotations

import time

import numpy as np
import pytest

import slp
from slp.columns import Below, Is
from slp.engines.shared.tree_scorer import TreeScorer
from slp.ir.tree_grammar import TreeGrammar
from slp.kernels.compiled import compiled_core
from slp.lower import lowering
from slp.lower.expansion import Expansion
from slp.problem.core import core_problem
from slp.problem.tree_on_table import canonical_nodes, place_tree
from slp.reference import derivations
from slp.reference.boxes import Geometry
from slp.reference.local_process import LocalProcess
from slp.reference.mh.chains import MetropolisHastings
from slp.reference.mh.proof import grow
from slp.reference.tree_weights import weight_of_tree
from slp.runner.randomness import RandomNumbers
from slp.trees import Leaf, Split, Tree
from tests.engines.cases import random_grammar, random_table

PINBALL = ":- use(pinball, [lambda = 2])."


def scorer_of(grammar: TreeGrammar, geometry: Geometry) -> TreeScorer:
    core = compiled_core()
    problem = core_problem(core, grammar, geometry.table, count_leaves=False)
    return TreeScorer(core, core.ExactEngine(problem), geometry.table, False)


@pytest.mark.parametrize("seed", range(80))
def test_weights_are_those_of_the_plain_engine(seed: int) -> None:
    """Of trees that it draws, and of some that the program may not derive."""
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    grammar = random_grammar(rng, table)
    geometry = Geometry(grammar, table)
    process = LocalProcess(grammar, geometry)
    chains = MetropolisHastings(grammar, geometry)
    drawn = [grow(process, RandomNumbers(rng), process.root) for _ in range(30)]
    trees = {chains.tree(proof) for proof in drawn if proof is not None}
    trees.add(Tree(Leaf()))
    for feature in table.features:
        test = Is(feature.kind.names[0]) if feature.kind.categorical else Below(0.5)
        trees.add(Tree(Split(feature.name, test, Leaf(), Leaf())))
    scorer = scorer_of(grammar, geometry)
    want = {tree: weight_of_tree(process, tree).log_weight for tree in trees}
    for tree in trees:
        assert scorer.log_weight(tree) == pytest.approx(want[tree], rel=1e-9, abs=1e-9)
    placed = [place_tree(table, tree) for tree in trees]
    nodes = [None if found is None else canonical_nodes(found) for found in placed]
    known = [(n, want[t]) for n, t in zip(nodes, trees, strict=True) if n is not None]
    for threads in (1, 3):
        have = scorer.log_weights([n for n, _ in known], threads=threads)
        np.testing.assert_allclose(have, [w for _, w in known], rtol=1e-9, atol=1e-9)


def rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] > 0, "b", "a")


@pytest.mark.filterwarnings("ignore::slp.errors.SlpWarning")
def test_draws_of_many_derivations_are_scored_by_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("scored in Python")

    monkeypatch.setattr(derivations, "weight_of_tree", refused)
    X, y = rows(40)
    posterior = slp.parse(PINBALL).posterior(
        X, y, engine="mh", draws=60, seed=1, warmup=100, rounds=1
    )
    assert len(posterior.draws) == 60
    assert all(np.isfinite(draw.log_weight) for draw in posterior.draws)


def test_scoring_stops_when_it_is_told_to() -> None:
    """With more trees than are weighed between two questions, the last are left, as NaN."""
    X, y = rows(40)
    model = slp.parse(PINBALL).compile(X, y)
    scorer = scorer_of(model.grammar, Geometry(model.grammar, model.table))
    thresholds = np.sort(X[:, 0])[1:]
    trees = [Tree(Split("x0", Below(float(t)), Leaf(), Leaf())) for t in thresholds]
    nodes = [canonical_nodes(place_tree(model.table, tree)) for tree in trees]
    found = scorer.log_weights(nodes * 1000, stop=lambda: True, threads=2)
    assert np.isfinite(found[0]) and np.isnan(found).any()


@pytest.mark.slow
def test_scoring_stops_within_a_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree may need many states that are still to be made: only some are."""
    monkeypatch.setattr(lowering, "FIRST_STATES", 2)
    made: list[int] = []
    make = Expansion.make

    def slowly(self: Expansion, state: int) -> object:
        made.append(state)
        time.sleep(0.03)  # longer than between two questions
        return make(self, state)

    monkeypatch.setattr(Expansion, "make", slowly)
    X, y = rows(40)
    model = slp.parse(
        """:- start(t(0)). 1/2 :: t(_) --> leaf.
        1/1200 :: t(A) --> { between(1, 600, K) }, split(F, V), t(600*A + K), t(0)."""
    ).compile(X, y)
    scorer = scorer_of(model.grammar, Geometry(model.grammar, model.table))
    tree = Tree(Split("x0", Below(0.0), Leaf(), Leaf()))
    nodes = canonical_nodes(place_tree(model.table, tree))
    asked: list[int] = []

    def stop() -> bool:
        asked.append(len(made))
        return len(asked) == 2

    made.clear()
    for threads in (1, 2):
        asked.clear()
        assert np.isnan(scorer.log_weights([nodes], stop=stop, threads=threads)).all()
    assert 0 < len(made) < 20
