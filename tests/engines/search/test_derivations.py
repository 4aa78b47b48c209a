"""Where a tree may have several derivations: the best ones, as users get them from each engine."""

from __future__ import annotations

import json
import math
import pickle
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import slp
from slp.cli import slp_command
from slp.results import Candidate
from tests.engines.search.test_k_best import without_counts
from tests.engines.search.test_search_results import posterior

TWO_MEASURES = """
    0.4 :: t --> leaf.
    0.3 :: t --> split(F, V), u, u.
    0.3 :: t --> split(F, V, all), u, u.
    1 :: u --> leaf.
    :- start(t)."""
#: Its best tree with two derivations is better than the tree of its best derivation.
TWICE = pl.DataFrame({"f": [1, 1, 0, 0], "y": list("pqqp")})
PROGRAMS = [
    TWO_MEASURES,
    """
    0.3 :: t(_) --> leaf.
    0.5 :: t(D) --> split(F, V, feature_then_cut), t(D + 1), u.
    0.2 :: t(D) --> split(F, V), u, t(D + 1).
    0.6 :: u --> leaf.
    0.4 :: u --> split(F, V, feature_then_cut), u, u.
    :- start(t(0)). :- support(max_depth(3)).""",
    """
    0.3 :: t --> few. 0.7 :: t --> many.
    0.8 :: few --> leaf. 0.2 :: few --> split(F, V), few, few.
    0.4 :: many --> leaf. 0.6 :: many --> split(F, V), many, many.
    :- start(t). :- support(max_depth(2)).""",
]
ENGINES = ["exact", "chart", "enumerate", "search"]


def tables() -> list[pl.DataFrame]:
    rng = np.random.default_rng(2)
    drawn = [
        pl.DataFrame(
            {
                "f": rng.integers(0, 2, n),
                "g": rng.integers(0, 3, n),
                "y": rng.choice(["p", "q"], n),
            }
        )
        for n in (4, 6, 6)
    ]
    return [TWICE, *drawn]


def listed(trees: list[Candidate] | tuple[Candidate, ...]) -> list[tuple[str, float]]:
    """Trees and log joints of derivations, in the order of both."""
    found = ((without_counts(t.tree), round(t.ranked_log_joint or 0.0, 6)) for t in trees)
    return sorted(found, key=lambda x: (-x[1], x[0]))


@pytest.mark.thinned(5)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", PROGRAMS)
def test_each_derivation_is_listed_and_bounded(text: str, engine: str) -> None:
    for data in tables():
        have = posterior(text, data, engine=engine)
        every = posterior(text, data, engine="enumerate").k_best(10**4)
        sums: dict[str, float] = {}
        for t in every:
            tree, own = without_counts(t.tree), t.ranked_log_joint or 0.0
            sums[tree] = float(np.logaddexp(sums.get(tree, -math.inf), own))
        found = have.k_best(10**4)
        assert listed(found) == listed(every) and len(sums) < len(every)
        own = [t.derivation_log_joint or 0.0 for t in found]
        assert all(later <= before + 1e-9 for before, later in pairwise(own))
        for t in found:
            assert t.certified and t.upper_bound == t.derivation_log_joint
            assert t.log_joint == pytest.approx(sums[without_counts(t.tree)])
        for factor in (1.0, 0.3, 0.01):
            near = have.rashomon_set(factor, most=1000)
            least = own[0] + math.log(factor) - 1e-6
            assert near.complete and near.count == sum(value >= least for value in own)
            assert listed(near.trees) == listed(found[: near.count])


def test_a_pickled_search_lists_each_derivation_once_more() -> None:
    found = posterior(PROGRAMS[1], tables()[1])
    again = pickle.loads(pickle.dumps(found))
    assert listed(again.k_best(100)) == listed(found.k_best(100))


@pytest.mark.parametrize("engine", ["exact", "search"])
def test_commands_say_what_is_of_derivations(engine: str, tmp_path: Path) -> None:
    program, table = tmp_path / "prior.slp", tmp_path / "data.csv"
    program.write_text(TWO_MEASURES)
    TWICE.write_csv(table)
    args = ["map", str(program), str(table), "--engine", engine]

    def run(*args: str) -> str:
        return CliRunner().invoke(slp_command, args).output

    best = json.loads(run(*args, "--best", "3", "--json"))["best"]
    assert [t["derivation_log_joint"] for t in best] == pytest.approx(
        [-4.317, -4.787, -4.787], abs=1e-3
    )
    assert [t["log_joint"] for t in best] == pytest.approx([-4.317, -4.094, -4.094], abs=1e-3)
    assert all(t["certified"] and t["upper_bound"] == t["derivation_log_joint"] for t in best)
    told = run(*args, "--best", "3", "--within", "0.3")
    assert "3 derivations are at least 0.3 times" in told and "\n3. " in told
    assert "a tree may have several derivations" in told
    assert "log joint -4.094345, of this derivation -4.787492" in told
    assert ("no later derivation is better" in told) == (engine == "search")
    sample = ["sample", str(program), str(table), "--engine", engine]
    assert "a tree may have several derivations" in run(*sample)
    found = json.loads(run(*sample, "--json"))
    assert any("several derivations" in note for note in found["notes"])
    assert found["map"]["derivation_log_joint"] == found["map"]["upper_bound"]
    (one,) = json.loads(run("map", "growtree", str(table), "--engine", engine, "--json"))["best"]
    assert "derivation_log_joint" not in one


def test_a_report_says_what_is_of_derivations(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    slp.parse(TWO_MEASURES).posterior(TWICE).report(page)
    told = page.read_text()
    assert "Tree of the most probable derivation" in told and "several derivations" in told
    assert "ost probable tree" not in told
