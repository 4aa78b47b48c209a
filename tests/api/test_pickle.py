"""Programs, posteriors, trees, results and errors are pickled and copied. The copies give the same
numbers to the bit."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import slp
from slp.columns import Below
from slp.errors import BudgetError, Diagnostic
from slp.trees import Leaf, Split, Tree

ROWS = [[i, (3 * i) % 7, i % 2] for i in range(14)]
NEW = np.array(ROWS)[:, :2] + 0.3
WAYS = [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy]
MH: dict[str, Any] = {"draws": 20, "chains": 2, "warmup": 10, "rounds": 1}
POSTERIORS: dict[str, dict[str, Any]] = {
    "exact": {"draws": 5},
    "chart": {"draws": 5},
    "enumerate": {"draws": 5},
    "mh": MH,
    "untempered": {"rungs": 1, **MH},
}

pytestmark = pytest.mark.filterwarnings("ignore")


def small(tree: slp.Tree) -> bool:
    return tree.n_leaves <= 4


def posterior(name: str) -> slp.Posterior:
    engine = "mh" if name == "untempered" else name
    rows = ROWS[:5] if name == "enumerate" else ROWS
    program = slp.load("growtree")
    return program.posterior(rows, engine=engine, seed=3, **POSTERIORS[name])


def numbers(found: slp.Posterior) -> list[Any]:
    """What can be asked of a posterior."""
    tree = found.map_tree()
    return [
        found.predict_proba(NEW).tolist(),
        found.predict(NEW).tolist(),
        found.predict_error(NEW).tolist(),
        list(found.draws),
        found.sample(4, seed=7),
        [(t.tree, t.log_joint) for t in found.k_best(3)],
        found.log_evidence,
        found.tree_count(),
        found.split_probabilities(),
        found.leaf_distribution().tolist(),
        found.log_prior(tree),
        found.log_likelihood(tree),
        found.seed,
        found.engine,
        str(found.table.leaf.classes),
    ]


@pytest.mark.thinned(12)
@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])
@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("name", POSTERIORS)
def test_posteriors(name: str, asked: bool, way: Callable[[Any], Any]) -> None:
    found = posterior(name)
    if asked:
        numbers(found)
    again = way(found)
    assert numbers(again) == numbers(found)
    assert numbers(again.prior()) == numbers(found.prior())


def test_a_posterior_over_edits() -> None:
    tree = Tree(Split("x0", Below(6.5), Leaf(), Leaf()))
    program = slp.parse(":- use(edittree).", tree=tree)
    found = program.posterior(ROWS, seed=3, **MH)
    again = pickle.loads(pickle.dumps(found))
    assert list(again.draws) == list(found.draws)
    assert again.edits.expected == found.edits.expected


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])
def test_predicates(way: Callable[[Any], Any], tmp_path, monkeypatch) -> None:
    """Functions that a caller brings go along by name; what a program names is imported again."""
    (tmp_path / "shape_of_trees.py").write_text("def small(tree):\n    return tree.n_leaves <= 4\n")
    path = tmp_path / "prior.slp"
    path.write_text(':- use(growtree).\n:- constraint(python("shape_of_trees:small")).\n')
    monkeypatch.setattr(sys, "path", list(sys.path))
    named = slp.load(path).posterior(ROWS, seed=3, allow_code=True, **MH)
    brought = slp.load("growtree").require(small).posterior(ROWS, seed=3, **MH)
    for found in (named, brought):
        again = way(found)
        assert list(again.draws) == list(found.draws)
        assert again.predicates[0].asked == found.predicates[0].asked > 0


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])
def test_trees(way: Callable[[Any], Any]) -> None:
    tree = posterior("exact").map_tree()
    again = way(tree)
    assert again == tree and str(again) == str(tree) and again.to_dict() == tree.to_dict()
    node: Leaf | Split = Leaf({"counts": {True: 1}})
    for i in range(20_000):
        node = Split("x", Below(float(i)), Leaf(), node)
    deep = Tree(node)
    assert way(deep) == deep


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])
def test_programs_and_results(way: Callable[[Any], Any]) -> None:
    program = slp.parse(":- param(p, 0.3).\np :: c(h).\n1-p :: c(t).")
    again = way(program)
    assert (again.ir, again.parameters) == (program.ir, program.parameters)
    assert way(program.query("c(X)")) == program.query("c(X)") == again.query("c(X)")
    assert list(way(program.draw("c(X)", 5, seed=1))) == list(program.draw("c(X)", 5, seed=1))
    proofs = program.sample_proofs("c(X)", draws=20, chains=2, seed=1)
    copied = way(proofs)
    assert list(copied.draws) == list(proofs.draws)
    assert (copied.answers, copied.k_best(2)) == (proofs.answers, proofs.k_best(2))
    learned = program.learn("c(h)", "c(t)", "c(t)")
    assert way(learned).program.parameters == learned.program.parameters
    tree = posterior("exact").map_tree()
    assert way(slp.check(tree, "first(x0)")) == slp.check(tree, "first(x0)")


@pytest.mark.parametrize("way", WAYS, ids=["pickle", "copy", "deepcopy"])
def test_errors(way: Callable[[Any], Any]) -> None:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse("0.5 :: p(X :- q.\n:- nonsense.")
    again = way(caught.value)
    assert (type(again), str(again)) == (type(caught.value), str(caught.value))
    assert again.diagnostics == caught.value.diagnostics
    budget = way(BudgetError(Diagnostic("E501", "no room"), (-3.0, -1.0)))
    assert budget.log_evidence_bounds == (-3.0, -1.0)
    warning = slp.SlpWarning(Diagnostic("W501", "large"))
    assert str(way(warning)) == str(warning)
