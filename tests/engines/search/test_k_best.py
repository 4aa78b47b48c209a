"""The k best derivations of a search against those of the chart, on random grammars and tables; and
what users get.

Many more cases: `python -m tests.engines.search.test_k_best 10000`; docs/design/search.md has their
result.
"""

from __future__ import annotations

import json
import math
import pickle
import sys
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import slp
from slp.cli import slp_command
from slp.engines.search.compiled import CompiledSearch, Ranking
from slp.problem.problem import Problem
from slp.problem.tree_on_table import tree_of_nodes
from slp.reference.boxes import Geometry
from slp.reference.chart import Chart, build_forest
from slp.reference.local_process import LocalProcess
from slp.reference.search import PlainRanking, PlainSearch
from slp.results.averages.over_trees import ScoredTree
from slp.trees import Leaf, Tree
from tests.engines.search.test_against_exact import case
from tests.engines.search.test_search_results import PROGRAMS, frame, large, posterior
from tests.results.filled import filler_of

_ROOM, _MOST = 2**24, 40

#: A tree without its leaves' counts, and the log joint of a derivation.
_Valued: TypeAlias = tuple[str, float]


def without_counts(tree: Tree) -> str:
    return json.dumps(_tests_of(tree.to_dict()))


def _tests_of(node: dict[str, object]) -> object:
    if "left" not in node:
        return None
    own = {key: node[key] for key in ("feature", "threshold", "level") if key in node}
    return [own, _tests_of(node["left"]), _tests_of(node["right"])]  # type: ignore[arg-type]


def of_chart(problem: Problem, likelihood: bool) -> list[_Valued]:
    forest = build_forest(problem.grammar, Geometry(problem.grammar, problem.table), 2**30, None)
    chart = Chart(forest, likelihood)

    def value(found: ScoredTree) -> float:
        return found.log_weight + likelihood * found.log_likelihood

    return [(without_counts(t.tree), value(t)) for t in islice(chart.best(), _MOST + 1)]


def of_ranking(problem: Problem, ranking: Ranking | PlainRanking) -> list[_Valued]:
    out: list[_Valued] = []
    table = problem.table
    leaf = Leaf.of(table.leaf, table.statistics.sum(axis=0))
    while len(out) <= _MOST:
        ended, found = ranking.next()
        assert ended
        if found is None:
            break
        leaves = [leaf] * int((found.cuts[:, 0] < 0).sum())
        tree = tree_of_nodes(table, found.cuts.tolist(), leaves)
        out.append((without_counts(tree), found.value))
    return out


def agree(have: list[_Valued], want: list[_Valued]) -> None:
    """The same values, and the same trees at each value; of the last value some may be missing."""
    assert [v for _, v in have] == pytest.approx([v for _, v in want], rel=1e-8, abs=1e-8)
    least = want[-1][1] + 1e-7 * (1 + abs(want[-1][1])) if len(want) > _MOST else -math.inf
    assert sorted(t for t, v in have if v > least) == sorted(t for t, v in want if v > least)


def check(seed: int) -> int:
    """One case; how many derivations were compared."""
    return compare_lists(*case(seed), seed)


def compare_lists(problem: Problem, likelihood: bool, rng: np.random.Generator, seed: int) -> int:
    """The list of a problem after a search, without one, and stopped at random, against that of the
    chart; how many derivations were compared."""
    want = of_chart(problem, likelihood)
    search = CompiledSearch(problem.core, problem.table, likelihood=likelihood, room=_ROOM)
    if rng.integers(2):  # else the search has proven nothing
        search.run()
    agree(of_ranking(problem, search.ranking(known=False)), want)
    if not want:
        return 0
    # Stopped at random, the bound holds; and those that are known are derivations.
    search = CompiledSearch(
        problem.core, problem.table, likelihood=likelihood, room=_ROOM, most_steps=40
    )
    search.run()
    ranking = search.ranking(known=False, most_steps=int(rng.integers(1, 30)))
    given = 0
    while given < _MOST and ranking.next()[1] is not None:
        given += 1
    next_value = want[given][1] if given < len(want) else -math.inf
    assert ranking.bound >= next_value - 1e-8 * (1 + abs(next_value)), seed
    known = of_ranking(problem, search.ranking(known=True))
    best = want[0][1]
    assert known and max(v for _, v in known) <= best + 1e-8 * (1 + abs(best)), seed
    return len(want)


@pytest.mark.usefixtures("compiled_kernels")
def test_the_core_lists_the_best_derivations_in_order() -> None:
    assert sum(check(seed) for seed in (*range(120), 500)) > 2000


def test_the_specification_lists_the_best_derivations_in_order() -> None:
    for seed in range(0, 60, 2):
        problem, likelihood, _ = case(seed)
        search = PlainSearch(
            LocalProcess(problem.grammar, Geometry(problem.grammar, problem.table)), likelihood
        )
        search.run()
        agree(of_ranking(problem, search.ranking(known=False)), of_chart(problem, likelihood))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("text", PROGRAMS)
def test_trees_and_certificates_are_those_of_exact_sums(text: str) -> None:
    found, exact = posterior(text), posterior(text, engine="exact")
    have = found.k_best(15)
    assert all(t.certified and t.upper_bound == t.ranked_log_joint for t in have)
    want = [t.ranked_log_joint for t in exact.k_best(15)]
    assert [t.ranked_log_joint for t in have] == pytest.approx(want, rel=1e-9)
    if found.derivations_are_trees:
        assert len({without_counts(t.tree) for t in have}) == len(have)
    for factor in (1.0, 0.2, 0.01):
        near, sums = found.rashomon_set(factor, most=5), exact.rashomon_set(factor, most=5)
        assert (near.count, near.complete) == (sums.count, True)
        assert near.probability is None and len(near.trees) == len(sums.trees)
    assert [t.tree for t in found.k_best(3)] == [t.tree for t in have[:3]]


def test_all_trees_are_listed_and_then_no_more() -> None:
    data = frame(4)
    found = posterior(":- use(growtree).", data)
    count = posterior(":- use(growtree).", data, engine="exact").tree_count()
    assert len(found.k_best(10**6)) == count == found.rashomon_set(1e-300, most=0).count


@pytest.mark.slow
def test_a_search_out_of_time_lists_what_it_met_with_its_bound() -> None:
    X, y = large()
    found = slp.parse(":- use(growtree).").posterior(X, y, engine="search", time=4)
    trees = found.k_best(20)
    joints = [t.log_joint or 0.0 for t in trees]
    assert len({without_counts(t.tree) for t in trees}) == 20 and joints[0] == max(joints)
    assert not any(t.certified for t in trees)
    assert [t.upper_bound for t in trees] == pytest.approx([trees[0].upper_bound] * 20)
    for tree in trees:
        weight = found._result.log_weight(tree.tree) + found.log_likelihood(tree.tree)
        assert tree.log_joint == pytest.approx(weight)
    near = found.rashomon_set(0.1, most=3)
    assert not near.complete and near.upper_bound == pytest.approx(trees[0].upper_bound)
    assert near.count >= 1 and len(near.trees) == min(3, near.count)


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("ends", ["time", "memory", "keyboard"])
def test_the_end_of_a_list(ends: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trees before it are certified, and those after it are not."""
    want = posterior(":- use(growtree).", engine="exact").k_best(12)
    found = posterior(":- use(growtree).", time=60)
    listing = filler_of(found).listing
    have = found.k_best(4)
    if ends == "memory":
        listing._room = 0
    elif ends == "time":
        monkeypatch.setattr(listing._deadline, "over", lambda: True)
    else:
        monkeypatch.setattr(Ranking, "next", _once(Ranking.next))
    trees = found.k_best(12)
    assert all(t.certified for t in trees[:4]) and trees[:4] == have
    assert len(trees) == 12 and not trees[-1].certified
    assert found.out_of_time == (ends == "time")
    assert found.interrupted == (ends != "memory")
    for tree, best in zip(trees, want, strict=True):
        assert (tree.upper_bound or 0.0) >= (best.log_joint or 0.0) - 1e-9
    assert not found.rashomon_set(1e-6, most=0).complete


def _once(step: Any) -> Any:
    """Ctrl-C in the first call."""
    calls: list[None] = []

    def with_control_c(*given: Any) -> Any:
        calls.append(None)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return step(*given)

    return with_control_c


def test_a_pickled_result_searches_again_for_the_next_trees() -> None:
    found = posterior(":- use(growtree).")
    again = pickle.loads(pickle.dumps(found))
    assert [t.log_joint for t in again.k_best(6)] == [t.log_joint for t in found.k_best(6)]


def test_numbers_are_listed_with_certificates_on_small_tables() -> None:
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=9).round(1), rng.integers(0, 3, 9)
    data = pl.DataFrame({"x": x, "z": z, "y": x + rng.normal(size=9)})
    text = ":- use(growtree). :- leaf(normal_inverse_gamma(0, 0.1, 2, 1))."
    have = posterior(text, data).k_best(10)
    want = posterior(text, data, engine="exact").k_best(10)
    assert all(t.certified for t in have)
    assert [t.log_joint for t in have] == pytest.approx([t.log_joint for t in want])


@pytest.mark.slow
def test_the_command_lists_them(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    frame().write_csv(path)
    args = ["map", "growtree", str(path), "--best", "5", "--within", "0.3"]
    run = CliRunner().invoke
    exact = json.loads(run(slp_command, [*args, "--json"]).output)
    found = json.loads(run(slp_command, [*args, "--json", "--engine", "search"]).output)
    joints = [tree["log_joint"] for tree in found["best"]]
    assert joints == pytest.approx([tree["log_joint"] for tree in exact["best"]])
    assert found["certified"] and all(tree["certified"] for tree in found["best"])
    assert found["within"]["count"] == exact["within"]["count"]
    assert found["within"]["complete"] and found["within"]["probability"] is None
    told = run(slp_command, [*args, "--engine", "search"]).output
    assert "times as probable as the best\n" in told and "5. certified: no later one" in told
    X, y = large()
    pl.DataFrame({**{f"x{i}": X[:, i] for i in range(6)}, "y": y}).write_csv(path)
    told = run(slp_command, [*args, "--engine", "search", "--time", "2s"]).output
    assert "found; there may be more, none with log joint above" in told


if __name__ == "__main__":
    cases = int(sys.argv[1])
    compared = sum(check(seed) for seed in range(cases))
    print(f"{cases} cases agree; derivations compared: {compared}")
