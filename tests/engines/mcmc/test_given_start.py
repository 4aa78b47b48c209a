"""Chains that begin at a given tree."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.engines.mcmc.options import TreeChainOptions
from slp.engines.mcmc.sample import tree_sampler
from slp.engines.mcmc.tempering import Tempering
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.errors import DataError, UsageError
from slp.reference import prolog as in_prolog
from slp.reference.boxes import Geometry
from slp.reference.mh.chains import MetropolisHastings

TABLE = pl.DataFrame(
    {
        "age": [10.0, 20.0, 40.0, 70.0, 15.0, 33.0],
        "colour": ["red", "blue", "green", "red", "blue", "green"],
        "ill": ["no", "no", "yes", "yes", "no", "yes"],
    }
)
TREE = slp.Tree.from_dict(
    {
        "feature": "age",
        "threshold": 35,
        "left": {"feature": "colour", "level": "blue", "left": {}, "right": {}},
        "right": {"feature": "age", "threshold": 41, "left": {}, "right": {}},
    }
)
#: Two derivations of a tree, calls, and a test of the finished tree.
CALLS = (
    ":- start(t). 0.5 :: t --> split(_, _), t, u. 0.2 :: t --> leaf. "
    "0.3 :: t --> split(_, _), u, t. 1 :: u --> t. :- constraint(max_leaves(5))."
)


def first_tree(program: slp.Program, likelihood: bool = True, **options: Any) -> tuple[Any, Any]:
    """The chains, and the tree of their first state."""
    chains = tree_sampler(program.compile(TABLE), TreeChainOptions(**options), likelihood)
    state = chains.init(np.random.default_rng(1))
    return chains, chains.scored([chains.record(state)])[0].tree


def same_rows(one: slp.Tree, other: slp.Tree) -> bool:
    """Whether trees part the table alike, with the same features in the same places."""
    x = TABLE.drop("ill")
    mine, others = ([getattr(n, "feature", None) for n in t.nodes()] for t in (one, other))
    return mine == others and one.apply(x).tolist() == other.apply(x).tolist()


@pytest.mark.parametrize("text", [":- use(growtree).", CALLS])
@pytest.mark.parametrize("likelihood", [True, False])
def test_chains_of_the_core_begin_at_it(
    text: str, likelihood: bool, compiled_kernels: object
) -> None:
    chains, tree = first_tree(slp.parse(text), likelihood, start=TREE, rungs=1)
    assert isinstance(chains, CompiledMetropolisHastings) and same_rows(tree, TREE)


def test_ladders_begin_at_it(compiled_kernels: object) -> None:
    chains, tree = first_tree(slp.parse(":- use(growtree)."), start=TREE)
    assert isinstance(chains, Tempering) and same_rows(tree, TREE)


@pytest.mark.parametrize("text", [":- use(growtree).", CALLS])
def test_plain_chains_begin_at_it(text: str) -> None:
    problem = slp.parse(text).compile(TABLE)
    chains = MetropolisHastings(
        problem.grammar, Geometry(problem.grammar, problem.table), problem.program.constraints
    )
    chains.begin_at(TREE)
    assert same_rows(chains.tree(chains.init(np.random.default_rng(1)).derivation), TREE)


def test_chains_that_backtrack_begin_at_it() -> None:
    text = ":- use(growtree). :- failure(backtrack). :- constraint(max_leaves(4))."
    _, tree = first_tree(slp.parse(text), start=TREE)
    assert same_rows(tree, TREE)


def test_chains_in_prolog_begin_at_it(janus: ModuleType) -> None:
    program = slp.parse(":- use(growtree).")
    chains = in_prolog.sampler(program.compile(TABLE), TreeChainOptions(start=TREE), True, False)
    assert same_rows(chains.tree(chains.init(np.random.default_rng(1)).derivation), TREE)


def test_a_run_from_a_file_is_that_from_the_tree(tmp_path: Path) -> None:
    path, saved = tmp_path / "tree.json", tmp_path / "run.slpz"
    path.write_text(json.dumps(TREE.to_dict()))
    program = slp.parse(":- use(growtree).")
    options: dict[str, Any] = {"engine": "mh", "draws": 8, "warmup": 0, "thin": 1, "rungs": 1}
    by_file = program.posterior(TABLE, start=path, seed=1, **options)
    by_tree = program.posterior(TABLE, start=TREE, seed=1, **options)
    assert [d.tree for d in by_file.draws] == [d.tree for d in by_tree.draws]
    by_tree.save(saved)
    assert slp.load_posterior(saved).record.options["start"] == TREE.to_dict()


def test_a_file_may_have_the_tree_as_text(tmp_path: Path) -> None:
    path = tmp_path / "best.tree"
    program = slp.parse(":- use(growtree).")
    text = TREE.to_text()
    path.write_text("\n" + text.replace("35", "3.5e1") + "\n", "utf-8")
    _, tree = first_tree(program, start=path, rungs=1)
    assert same_rows(tree, TREE)
    path.write_text(text.replace("colour", "height"), "utf-8")
    with pytest.raises(DataError, match="E616") as caught:
        first_tree(program, start=path)
    assert f"{path}:2:9" in str(caught.value) and "^" in str(caught.value)


def test_another_first_tree_is_another_run(tmp_path: Path) -> None:
    program, run = slp.parse(":- use(growtree)."), tmp_path / "run.json"
    options: dict[str, Any] = {"engine": "mh", "draws": 8, "warmup": 0, "thin": 1, "rungs": 1}
    program.posterior(TABLE, start=TREE, seed=1, checkpoint=run, **options)
    with pytest.raises(UsageError, match="E515"):
        program.posterior(TABLE, seed=1, checkpoint=run, resume=True, **options)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        (":- use(growtree).", 3),
        (":- use(growtree).", "no such file.json"),
        (":- use(growtree). :- constraint(max_leaves(3)).", TREE),
        (":- use(growtree). :- constraint(max_features(1)).", TREE),
        (":- use(growtree). :- constraint(forbid(colour)).", TREE),
        (":- use(growtree). :- support(min_leaf(2)).", TREE),
    ],
)
def test_what_chains_cannot_begin_at(text: str, start: Any) -> None:
    with pytest.raises(UsageError, match="E549"):
        slp.parse(text).posterior(TABLE, engine="mh", start=start, draws=4)


def test_edits_begin_by_themselves() -> None:
    program = slp.load("edittree", tree=TREE)
    with pytest.raises(UsageError, match="E549"):
        program.posterior(TABLE, start=TREE, draws=4)


def test_a_file_without_a_tree(tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    path.write_text("[]")
    with pytest.raises(DataError, match="E60"):
        slp.parse(":- use(growtree).").posterior(TABLE, engine="mh", start=path, draws=4)
