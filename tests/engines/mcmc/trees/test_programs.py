"""From a program's text to draws: they agree with the exact engine where that can run, and every
tree satisfies what the program says, by the checker that shares nothing with engines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

import slp
from slp.constraints import Monotone
from slp.data import table_of
from slp.engines.chart import Chart, build_forest
from slp.engines.mcmc.trees import MetropolisHastings
from slp.lower import program_to_tree_grammar
from slp.problem.boxes import Geometry
from slp.runner import Schedule, run
from slp.trees.check import check_tree

BATCHES = 20


def chains(text: str, proposal: str) -> MetropolisHastings:
    program = slp.parse(text).ir
    rng = np.random.default_rng(8)
    X = np.round(rng.normal(size=(12, 3)), 1)
    y = (X[:, 0] + 0.5 * rng.normal(size=12) > 0).astype(int)
    table = table_of(program, X, y)
    schema = table.schema(program.support.min_leaf)
    grammar = program_to_tree_grammar(program, schema, tests_on_trees=True)
    return MetropolisHastings(
        grammar, Geometry(grammar, table), program.constraints, proposal=proposal
    )


LOCAL = [
    (":- use(growtree, [beta = 2]). :- support(max_depth(2)).", "q_uc"),
    (":- use(gmt). :- support(max_depth(2)).", "q_exact"),
    (":- use(bcart_pcfg). :- support(max_depth(2)). :- support(min_leaf(2)).", "q_ind,q_uc:3"),
    (
        ":- use(growtree_gap). :- support(max_depth(2)). :- failure(condition).\n"
        ":- constraint(first(x0)). :- constraint(once(x1)).",
        "q_uc:0.7,q_n(4):0.3",
    ),
    (":- use(denison). :- support(max_depth(2)). :- constraint(max_leaves(3)).", "q_uc"),
    (":- use(growtree). :- support(max_depth(2)). :- constraint(once(x0)).", "q_seq:2,q_seq(4)"),
]
#: Each run compares 2 numbers; that any of them fails by chance has probability 0.001.
LIMIT = float(student.ppf(1 - 0.001 / (2 * len(LOCAL)) / 2, BATCHES - 1))


@pytest.mark.slow
@pytest.mark.parametrize(("text", "proposal"), LOCAL)
def test_draws_agree_with_the_exact_engine(text: str, proposal: str) -> None:
    """Expected number of leaves, and probability that there are two, by batch means."""
    engine = chains(text, proposal)
    grammar, geometry = engine.process.grammar, engine.process.geometry
    exact = Chart(build_forest(grammar, geometry, 2**30), likelihood=True).leaf_distribution()
    want = [exact @ np.arange(len(exact)), exact[2]]

    result = run(engine, Schedule(8000, chains=1, warm_up=300), seed=5)
    leaves = np.array([engine.derivation_from_data(draw).n_leaves for draw in result.draws[0]])
    have = np.stack([leaves, leaves == 2], axis=1).reshape(BATCHES, -1, 2).mean(axis=1)
    error = have.std(axis=0, ddof=1) / np.sqrt(BATCHES)
    assert (np.abs(have.mean(axis=0) - want) < LIMIT * error).all()
    assert (error < 0.1).all()


@pytest.mark.parametrize(
    "constraints",
    [
        ":- constraint(max_features(1)).",
        ":- constraint(max_features(2)). :- constraint(forbid(x2)). :- constraint(max_leaves(4)).",
        ":- constraint(monotone(x0, up)). :- constraint(max_features(2)).",
    ],
)
def test_every_tree_satisfies_the_program(constraints: str) -> None:
    text = f":- use(growtree). :- support(max_depth(4)). {constraints}"
    engine = chains(text, "q_uc:0.8,q_ind:0.2")
    program = slp.parse(text).ir
    without_predictions = tuple(c for c in program.constraints if not isinstance(c, Monotone))
    program = replace(program, constraints=without_predictions)
    result = run(engine, Schedule(300, chains=2, warm_up=50, thin=2), seed=5)
    trees = {engine.tree(engine.derivation_from_data(draw)) for c in result.draws for draw in c}
    assert len(trees) > 5
    for tree in trees:
        assert all(found.holds for found in check_tree(tree, program))
