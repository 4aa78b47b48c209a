"""Trees as arrays: the same trees however they are given, and no nodes before they are needed."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.problem.tree_arrays import TreeArrays, arrays_of_cuts, arrays_of_trees
from slp.problem.tree_on_table import canonical_nodes, place_tree, tree_of_nodes
from slp.results import trees_of
from slp.trees.later import TreeLater

N = 40
#: Of every kind of column that runs draw from: numbers, bins, levels, two levels, ordered levels,
#: subsets, and a column that misses values.
PROGRAM = """:- use(growtree).
    :- feature(b, [bins(quantile, 4)]). :- feature(e, [ordinal([i, ii, iii])]).
    :- feature(m, [missing(side), new(average)])."""


def frame(seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    missing = [None if rng.random() < 0.2 else round(float(x), 1) for x in rng.normal(size=N)]
    return pl.DataFrame(
        {
            "a": rng.normal(size=N).round(1),
            "b": rng.normal(size=N),
            "c": rng.choice(["p", "q", "r", "s"], N),
            "d": rng.choice(["n", "y"], N),
            "e": rng.choice(["i", "ii", "iii"], N),
            "m": missing,
            "y": rng.choice(["no", "maybe", "yes"], N),
        }
    )


def posterior(program: str = PROGRAM, **options: Any) -> slp.Posterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        how = {"engine": "smc", "draws": 80, "particles": 30, "islands": 4, "seed": 1, **options}
        return slp.parse(program).posterior(frame(), "y", **how)


@pytest.fixture(scope="module")
def drawn() -> slp.Posterior:
    return posterior()


def arrays(found: slp.Posterior) -> TreeArrays:
    return trees_of(found).arrays


def test_cuts_and_trees_are_the_same_arrays(drawn: slp.Posterior) -> None:
    table, trees = drawn.table, list(arrays(drawn))
    assert {table.features[f].name for f, _ in arrays(drawn).tests} == set("abcdem")
    nodes, statistics = [], []
    for tree in trees:
        placed = place_tree(table, tree)
        assert placed is not None
        own = canonical_nodes(placed)
        assert own is not None
        nodes.append(own)
        leaves = [leaf.predictive.statistics for leaf in tree.leaves() if leaf.predictive]
        statistics.append(np.concatenate(leaves))
    plain = [
        tree_of_nodes(table, n.tolist(), t.leaves()) for n, t in zip(nodes, trees, strict=True)
    ]
    assert plain == trees
    of_c = [test for f, test in arrays(drawn).tests if table.features[f].name == "c"]
    assert {getattr(test, "other", None) is None for test in of_c} == {True, False}
    for have in (
        arrays_of_cuts(table, nodes, statistics),
        arrays_of_cuts(table, [own.astype(object) for own in nodes], statistics),
        arrays_of_trees(table, trees),
        arrays_of_trees(table, [tree.without_outcomes() for tree in trees]),
        pickle.loads(pickle.dumps(arrays(drawn))),
    ):
        assert list(have) == trees
        assert [t.leaves() for t in have] == [t.leaves() for t in trees]


def test_some_of_them(drawn: slp.Posterior) -> None:
    every, trees = arrays(drawn), list(arrays(drawn))
    which = np.array([5, 0, 5, 3])
    have = every.take(which)
    assert list(have) == [trees[u] for u in which]
    assert have.first_alike().tolist() == [0, 1, 0, 3]
    assert every.first_alike().tolist() == list(range(len(trees)))
    assert [every.find(t.without_outcomes()) for t in trees] == list(range(len(trees)))
    assert (
        every.find(slp.Tree.from_dict({"feature": "z", "threshold": 1, "left": {}, "right": {}}))
        is None
    )
    assert len(every.take(np.empty(0, np.int64))) == 0


def test_a_tree_later_is_a_tree(drawn: slp.Posterior) -> None:
    later = arrays(drawn)[1]
    assert isinstance(later, TreeLater) and later is arrays(drawn)[1]
    plain = slp.Tree(later.root)
    assert later == plain and plain == later and len({later, plain}) == 1
    for again in (copy.copy(later), copy.deepcopy(later), pickle.loads(pickle.dumps(later))):
        assert type(again) is slp.Tree and again == later
    assert later.without_outcomes() == plain.without_outcomes()
    assert later.without_outcomes() is later.without_outcomes()


def test_nothing_but_a_look_at_trees_makes_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs, summaries, predictions and saved runs look at arrays, and the best tree alone is
    made."""
    made: Counter[int] = Counter()
    root = TreeArrays.root

    def counted(self: TreeArrays, u: int) -> Any:
        made[u] += 1
        return root(self, u)

    monkeypatch.setattr(TreeArrays, "root", counted)
    for found in (posterior(), posterior(engine="mh", warmup=10, thin=5, rungs=1)):
        found.save(tmp_path / "run.slpz")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", slp.SlpWarning)
            again = slp.load_posterior(tmp_path / "run.slpz")
            for run in (found, again):
                assert run.predict_proba(frame(1)).shape == (N, 3)
                assert run.predict_error(frame(1)) is not None
                run.predict_interval(frame(1), 0.8)
                run.split_probabilities(), run.root_probabilities(), run.leaf_distribution()
                run.expected_depth(), run.expected_leaves_error(), run.rule_probabilities()
                assert sum(draw.weight for draw in run.draws) == pytest.approx(80)
                assert run.map().log_joint is not None and len(run.k_best(20)) == 20
            again.save(tmp_path / "again.slpz")
        assert not made
        best = found.map_tree().to_text()
        assert best == again.map_tree().to_text() and made.total() == 2
        made.clear()
