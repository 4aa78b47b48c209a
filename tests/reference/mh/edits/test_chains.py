"""The engine in the loop: long runs against exact sums, constraints, starts, checkpoints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import t as student

import slp
from slp.constraints import MaxFeatures, MaxLeaves, Monotone
from slp.data.table import Table
from slp.engines.mcmc.compiled_edits import CompiledEditMetropolisHastings
from slp.errors import SlpError, UsageError
from slp.ir.constraints import Constraint, Support
from slp.ir.program import EditPrior
from slp.ir.tree_grammar import FORBIDDEN, SplitRule
from slp.problem.tree_on_table import log_likelihood_of_tree
from slp.reference.boxes import Geometry
from slp.reference.mh.edits.chains import EditMetropolisHastings
from slp.runner import Checkpoint, Schedule, run
from slp.trees import Leaf, Tree
from tests.engines.cases import denison
from tests.reference.mh.edits.brute_force import Definition, exact_prior
from tests.reference.mh.edits.examples import levels, stump, two_features

#: Each run makes as many comparisons as there are summaries (3); that any of them fails by chance
#: has probability 0.001.
BATCHES = 20
LIMIT = float(student.ppf(1 - 0.001 / 6, BATCHES - 1))


def engine(
    given: Tree,
    constraints: tuple[Constraint, ...] = (),
    *,
    table: Table | None = None,
    p: float = 0.6,
    support: Support | None = None,
    forbid_left_z: bool = False,
    make: type[EditMetropolisHastings] | type[CompiledEditMetropolisHastings] | None = None,
    **options: object,
) -> Any:
    """Chains on a table; `forbid_left_z` forbids splits on z below a left side."""
    table = table or two_features()
    support = support or Support()
    most = min((c.count for c in constraints if isinstance(c, MaxLeaves)), default=None)
    grammar = replace(denison(table, 2.0), min_leaf=support.min_leaf, max_leaves=most)
    if forbid_left_z:
        leaf, split = grammar.states[0].rules
        assert isinstance(split, SplitRule)
        x, z = split.transitions
        free = replace(split, transitions=(x * 0 + np.array([1, 0], np.int32), z * 0 + [1, 0]))  # type: ignore[arg-type]
        bound = replace(split, transitions=(x * 0 + 1, z * 0 + FORBIDDEN))  # type: ignore[arg-type]
        states = (replace(grammar.states[0], rules=(leaf, free)),)
        states += (replace(grammar.states[0], rules=(leaf, bound)),)
        grammar = replace(grammar, states=states)
    prior = EditPrior(given, p)
    if make is CompiledEditMetropolisHastings:
        return make(grammar, table, prior, support, constraints, **options)  # type: ignore[arg-type]
    geometry = Geometry(grammar, table)
    return EditMetropolisHastings(grammar, geometry, prior, support, constraints, **options)  # type: ignore[arg-type]


def bare(tree: Tree) -> Tree:
    return tree.with_leaves([Leaf()] * tree.n_leaves)


def summaries(chains: Any, tree: Tree) -> list[float]:
    likelihood = log_likelihood_of_tree(chains.table, tree)
    return [tree.n_leaves, likelihood, float("z" in tree.features)]


def left_z(tree: Tree) -> bool:
    """Whether a split on z stands somewhere below a left side."""
    return any(
        place.path.split(".").count("left") and getattr(place.node, "feature", "") == "z"
        for place in tree.places()
    )


@pytest.mark.thinned(8)
@pytest.mark.parametrize("proposal", ["q_uc", "q_ind", "q_n(12)"])
@pytest.mark.parametrize("kind", ["posterior", "prior", "max_leaves", "max_features", "left z"])
@pytest.mark.parametrize(
    "make", [EditMetropolisHastings, CompiledEditMetropolisHastings], ids=["plain", "compiled"]
)
@pytest.mark.usefixtures("compiled_kernels")
def test_long_runs(make: type[EditMetropolisHastings], kind: str, proposal: str) -> None:
    """By batch means, against prior x likelihood over all trees that satisfy the constraint."""
    given = stump("x", 1.5)
    constraints: tuple[Constraint, ...] = ()
    if kind == "max_leaves":
        constraints = (MaxLeaves(3),)
    elif kind in ("max_features", "left z"):
        constraints = (MaxFeatures(1 if kind == "max_features" else 2),)
    chains = engine(
        given,
        constraints,
        proposal=proposal,
        likelihood=kind != "prior",
        forbid_left_z=kind == "left z",
        make=make,
    )
    table = chains.table
    prior = exact_prior(Definition.of(table), given, 0.6)
    trees = [
        tree
        for tree in prior
        if (kind != "max_leaves" or tree.n_leaves <= 3)
        and (kind != "max_features" or len(tree.features) <= 1)
        and (kind != "left z" or not left_z(tree))
    ]
    assert len(trees) < len(prior) or kind in ("posterior", "prior")
    numbers = {tree: summaries(chains, tree) for tree in trees}
    weight = np.array([prior[t] * (1 if kind == "prior" else np.exp(numbers[t][1])) for t in trees])
    want = weight / weight.sum() @ np.array(list(numbers.values()))

    result = run(chains, Schedule(3000, chains=1, warm_up=100), seed=7)
    have = np.array([numbers[bare(s.tree)] for s in chains.scored(result.draws[0])])
    batches = have.reshape(BATCHES, -1, 3).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / np.sqrt(BATCHES)
    assert (np.abs(batches.mean(axis=0) - want) < LIMIT * error + 1e-12).all()
    assert (error < 0.15).all()


def test_support_holds_on_the_way() -> None:
    """With `max_depth(1)` and `min_leaf(2)` no tree of a sequence breaks them."""
    chains = engine(stump("x", 1.5), support=Support(2, 1), p=0.9)
    result = run(chains, Schedule(200, chains=1, warm_up=0), seed=1)
    met = set()
    for draw in result.draws[0]:
        for node in chains.derivation_from_data(draw).trees:
            met.add((node.split, *(part.split for part in node.parts)))
            assert all(chains.process.nodes.geometry.count(p.box) >= 2 for p in node.parts)
            assert all(part.split is None for part in node.parts)
    assert len(met) >= 3


def test_constraints_are_for_the_last_tree_only() -> None:
    """From three leaves on x, trees without x are reached by way of trees with it."""
    chains = engine(stump("x", 1.5), (MaxLeaves(2), MaxFeatures(1)))
    result = run(chains, Schedule(300, chains=1, warm_up=0), seed=1)
    draws = [chains.derivation_from_data(draw) for draw in result.draws[0]]
    assert all(edits.tree.n_leaves <= 2 for edits in draws)
    assert any(tree.n_leaves > 2 for edits in draws for tree in edits.trees)
    assert result.tallies[0]["q_uc", "failed"] > 30


def test_a_given_tree_that_breaks_the_constraints() -> None:
    """The start is found by pruning, where p is so small that draws hardly edit."""
    table = levels()
    deep = Tree.from_dict(
        {
            "feature": "colour",
            "level": "red",
            "left": {"feature": "x", "threshold": 0.5, "left": {}, "right": {}},
            "right": {"feature": "colour", "level": "green", "left": {}, "right": {}},
        }
    )
    chains = engine(deep, (MaxLeaves(2),), table=table, p=1e-9)
    state = chains.init(np.random.default_rng(0))
    assert [edit.kind for edit in state.derivation.edits] == [1, 1]
    assert state.derivation.tree.n_leaves == 2


def test_no_start() -> None:
    chains = engine(stump("x", 1.5), (MaxLeaves(0),))
    with pytest.raises(SlpError) as caught:
        chains.init(np.random.default_rng(0))
    assert str(caught.value) == (
        "error[E519]: no edits of the given tree were found that lead to a tree which satisfies "
        "the constraints\n  help: loosen the constraints, or give a tree that satisfies them or is "
        "near one that does"
    )


def refused(proposal: str) -> str:
    program = slp.load("edittree", tree=stump("x", 1.5))
    rows = pl.DataFrame({"x": [1.0, 2.0], "y": ["no", "yes"]})
    with pytest.raises(UsageError) as caught:
        program.posterior(rows, engine="mh", proposal=proposal)
    return str(caught.value)


def test_every_cut_is_one_of_the_sequence() -> None:
    assert "take q_uc in place of q_seq" in refused("q_seq")


@pytest.mark.parametrize("name", ["q_exact", "q_pg"])
def test_proposals_by_a_tree_grammar_are_refused(name: str) -> None:
    assert refused(f"q_uc, {name}") == (
        f"error[E516]: {name} draws trees by a tree grammar, and edits of a tree have none\n"
        "  help: take q_uc, q_ind or q_n(20)"
    )


@pytest.mark.parametrize("name", ["cgm", "wu", "rotate", "perturb", "informed", "twig"])
def test_moves_from_tree_to_tree_are_refused(name: str) -> None:
    assert refused(f"q_uc, {name}") == (
        f"error[E516]: {name} goes from tree to tree, and under `edittree` chains go from one "
        "sequence of edits to another\n  help: take q_uc, q_ind or q_n(20)"
    )


def test_same_seed_same_draws_whatever_threads() -> None:
    want = run(engine(stump("x", 1.5)), Schedule(300, chains=3, warm_up=20), seed=3)
    other = engine(stump("x", 1.5))
    run(other, Schedule(100, chains=2, warm_up=20), seed=8)
    have = run(other, Schedule(300, chains=3, warm_up=20), seed=3, threads=3)
    assert have.draws == want.draws


def test_a_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    given, monotone = stump("x", 1.5), (Monotone("x", "up"),)
    want = run(engine(given, monotone), Schedule(400, chains=2, warm_up=20), seed=3)
    short = Schedule(150, chains=2, warm_up=20)
    run(engine(given, monotone), short, seed=3, checkpoint=Checkpoint(file))
    again = Checkpoint(file, resume=True)
    whole = Schedule(400, chains=2, warm_up=20)
    have = run(engine(given, monotone), whole, seed=3, checkpoint=again)
    assert (have.draws, have.tallies) == (want.draws, want.tallies)
    with pytest.raises(UsageError, match="was made with another program"):
        run(engine(given, monotone, p=0.61), whole, seed=3, checkpoint=again)
