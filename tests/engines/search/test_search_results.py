"""What the engine search gives: the tree, the bound, the certificate, refusals, limits."""

from __future__ import annotations

import json
import math
import pickle
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import slp
from slp.cli import slp_command
from slp.engines.search import run as search_run
from slp.engines.search.compiled import CompiledSearch, FoundTree
from slp.engines.shared import weights
from slp.engines.shared.growth.plan import Ending
from slp.errors import SlpError, SlpWarning
from slp.problem.problem import Problem
from slp.reference.boxes import Geometry
from tests.results.filled import filler_of


def frame(n: int = 14, seed: int = 4) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    a, b, c = rng.integers(0, 9, n), rng.integers(0, 3, n), rng.normal(size=n).round(1)
    y = np.where((a + 3 * (b == 1) > 5) ^ (rng.random(n) < 0.1), "q", "p")
    return pl.DataFrame({"a": a, "b": b.astype(str), "c": c, "y": y})


def posterior(text: str, data: pl.DataFrame | None = None, **options: Any) -> slp.Posterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        given = {"engine": "search", "seed": 1, **options}
        return slp.parse(text).posterior(frame() if data is None else data, **given)


PROGRAMS = [
    ":- use(growtree).",
    ":- use(growtree_all, [beta = 0.5]). :- leaf(dirichlet(2.5)).",
    ":- use(growtree_gap). :- feature_weight(a, 3).",
    ":- use(gmt).",
    ":- use(denison, [phi = 3]).",
    ":- use(bcart_pcfg, [phi = 3]).",
    ":- use(pinball).",
    ":- use(growtree). :- constraint(max_leaves(3)).",
    ":- use(growtree). :- support([min_leaf(3), max_depth(3)]).",
    ":- use(growtree). :- constraint(constant(low)). box(low, a, 0, 4).",
    ":- use(growtree). :- constraint(once(a)). :- failure(condition).",
    ":- use(growtree). :- constraint(majority(low, p)). box(low, a, 0, 3).",
    ":- start(tree). 0.3 :: tree --> few. 0.7 :: tree --> many. 0.8 :: few --> leaf. "
    "0.2 :: few --> split(F, V), few, few. 0.4 :: many --> leaf. "
    "0.6 :: many --> split(F, V), many, many.",
]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("text", PROGRAMS)
def test_it_finds_the_map_of_exact_sums(text: str) -> None:
    found = posterior(text)
    have, want = found.map(), posterior(text, engine="exact").map()
    assert have.certified and have.upper_bound == have.ranked_log_joint
    assert have.log_joint is not None and want.log_joint is not None
    if found.derivations_are_trees:
        assert have.log_joint == pytest.approx(want.log_joint, rel=1e-9)
        assert posterior(text, engine="exact").log_posterior(have.tree) == pytest.approx(
            want.log_posterior, rel=1e-9
        )
    else:
        weight = found._result.log_weight(have.tree)
        assert have.log_joint == pytest.approx(weight + found.log_likelihood(have.tree))
        assert have.derivation_log_joint == pytest.approx(want.derivation_log_joint)
    assert all(found.holds for found in have.tree.check(slp.parse(text)))


@pytest.mark.parametrize(
    ("leaf", "response"),
    [
        ("gamma_poisson(1, 1)", lambda rng, x: rng.poisson(1 + 4 * (x > 0))),
        ("normal_inverse_gamma(0, 0.1, 2, 1)", lambda rng, x: x + rng.normal(size=len(x))),
    ],
)
def test_other_responses(leaf: str, response: Any) -> None:
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=12).round(1), rng.integers(0, 3, 12)
    data = pl.DataFrame({"x": x, "z": z, "y": response(rng, x).astype(float)})
    text = f":- use(growtree). :- leaf({leaf})."
    have, want = posterior(text, data).map(), posterior(text, data, engine="exact").map()
    assert have.certified
    assert have.log_joint == pytest.approx(want.log_joint, rel=1e-9)


def large() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    return X, np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=300) > 0, "p", "q")


def test_an_end_by_the_clock_gives_a_tree_and_a_bound() -> None:
    X, y = large()
    found = slp.parse(":- use(growtree).").posterior(X, y, engine="search", time=0.6)
    best = found.map()
    assert found.out_of_time and not best.certified
    assert best.upper_bound is not None and best.log_joint is not None
    assert best.log_joint < best.upper_bound < math.inf
    modal = slp.parse(":- use(growtree).").posterior(X, y, engine="modal", further=2).map()
    assert modal.log_joint is not None and best.log_joint >= modal.log_joint - 1e-9


def test_modal_trees_that_end_in_dead_ends_leave_the_time_to_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def in_vain(*given: Any, **options: Any) -> Any:
        asked.append(given)
        grown = grow(*given, **options)
        return replace(grown, ending=Ending.TOO_MANY_DEAD_ENDS)

    grow = search_run.grow_in_core
    monkeypatch.setattr(search_run, "grow_in_core", in_vain)
    text = ":- use(growtree). :- constraint(majority(low, p)). box(low, a, 0, 3)."
    best = posterior(text).map()
    assert len(asked) == 1
    assert best.certified and best.log_joint == pytest.approx(
        posterior(text, engine="exact").map().log_joint
    )


@pytest.mark.slow
def test_more_trees_are_drawn_where_the_search_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    further = []

    def noted(engine: Any, table: Any, plan: Any, **options: Any) -> Any:
        further.append(plan.further)
        return grow(engine, table, plan, **options)

    grow = search_run.grow_in_core
    monkeypatch.setattr(search_run, "grow_in_core", noted)
    monkeypatch.setattr(search_run, "_SEARCHED", 1e5)
    X, y = large()
    program = slp.parse(":- use(growtree).")
    found = program.posterior(X, y, engine="search", time=4)
    assert 6 in further and found.out_of_time
    modal = program.posterior(X, y, engine="modal", further=6, restarts=10, seed=100).map()
    assert modal.log_joint is not None and found.map().log_joint >= modal.log_joint - 1e-9
    further.clear()
    assert posterior(":- use(growtree).").map().certified
    assert further and 6 not in further


def test_trees_without_proof_are_listed_best_first_whenever_they_are_asked_for() -> None:
    X, y = large()
    text = ":- use(growtree). :- leaf(normal_inverse_gamma(0, 0.1, 2, 1))."
    found = slp.parse(text).posterior(X, X[:, 0] + (y == "p"), engine="search", time=0.4)
    few = found.k_best(3)
    time.sleep(0.3)  # longer than the list may take
    more = found.k_best(50)
    assert more[:3] == few and len(more) > 3
    values = [candidate.log_joint for candidate in more if candidate.log_joint is not None]
    assert len(values) == len(more) and values == sorted(values, reverse=True)


def test_the_best_is_the_best_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listing what a search met may find a better tree than the search had."""
    found_at = CompiledSearch.found

    def worse(search: CompiledSearch) -> FoundTree:
        """One leaf, as if the search had not put together what it met."""
        leaf = np.array([[-1, 0, 0]], np.int32)
        return replace(found_at(search), cuts=leaf, low=-200.0)

    monkeypatch.setattr(CompiledSearch, "found", worse)
    monkeypatch.setattr(search_run, "_FURTHER", ())
    monkeypatch.setattr(search_run, "_MOST_DRAWN", 0)
    X, y = large()
    found = slp.parse(":- use(growtree).").posterior(X, y, engine="search", time=0.4)
    best, listed = found.map(), found.k_best(5)
    assert not best.certified and best == listed[0] and best.tree.n_leaves > 1
    joints = [candidate.log_joint for candidate in listed]
    assert None not in joints and max(joint for joint in joints if joint) == best.log_joint


def test_a_copy_has_the_limit_of_time() -> None:
    found = posterior(":- use(growtree).", time=20)
    again = pickle.loads(pickle.dumps(found))
    assert filler_of(again).seconds == 20
    assert [c.log_joint for c in again.k_best(4)] == [c.log_joint for c in found.k_best(4)]


def test_numbers_have_no_bound_until_all_is_seen() -> None:
    X, y = large()
    text = ":- use(growtree). :- leaf(normal_inverse_gamma(0, 0.1, 2, 1))."
    found = slp.parse(text).posterior(X, X[:, 0] + (y == "p"), engine="search", time=0.4)
    assert found.map().upper_bound == math.inf and not found.map().certified


@pytest.mark.usefixtures("compiled_kernels")
def test_control_c_gives_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the n-th report, from the trees to begin with to the search itself."""
    X, y = large()
    for n in (1, 2, 4, 9):
        told: list[int] = []

        def hit(done: int, phase: str, n: int = n, told: list[int] = told) -> None:
            told.append(done)
            if len(told) == n:
                raise KeyboardInterrupt

        found = slp.parse(":- use(growtree).").posterior(X, y, engine="search", progress=hit)
        best = found.map()
        assert found.interrupted and not found.out_of_time and not best.certified
        assert best.upper_bound is not None and best.log_joint is not None


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
def test_little_memory_still_gives_a_tree_and_a_bound() -> None:
    X, y = large()
    program = slp.parse(":- use(growtree).")
    found = program.posterior(X, y, engine="search", memory="4MiB", time=3)
    assert math.isfinite(found.map().upper_bound or math.inf)
    assert filler_of(found).found.peak_bytes < 2**22
    # No room to open the root: the modal tree, with the bound of the root as a whole.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4000, 8))
    memory = 6 * 2**20
    found = program.posterior(X, X[:, 0] > 0, engine="search", memory=memory, time=5)
    assert found.out_of_memory
    best, modal = found.map(), program.posterior(X, X[:, 0] > 0, engine="modal").map()
    assert best.upper_bound is not None and not best.certified
    assert best.log_joint < best.upper_bound < math.inf
    assert best.log_joint == pytest.approx(modal.log_joint)
    with pytest.raises(SlpError, match="E501"):
        program.posterior(X, X[:, 0] > 0, engine="search", memory="1MiB")


@pytest.mark.parametrize(
    "data",
    [
        pl.DataFrame({"a": [1, 2, 3, 4], "y": list("pppp")}),
        pl.DataFrame({"a": [1, 1, 1, 1], "y": list("ppqp")}),
        pl.DataFrame({"a": [1], "y": ["p"]}),
    ],
    ids=["one class", "equal rows", "one row"],
)
def test_tables_with_nothing_to_decide(data: pl.DataFrame) -> None:
    text = ":- use(growtree). :- leaf(dirichlet(1))."
    have = posterior(text, data).map()
    want = posterior(text, data, engine="exact").map()
    assert have.certified and have.log_joint == pytest.approx(want.log_joint)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
def test_ten_thousand_binary_features_in_64_mib() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 10_000))
    y = np.where(X[:, 7], "p", "q")
    program = slp.parse(":- use(growtree). :- leaf(dirichlet(0.1)).")
    found = program.posterior(X, y, engine="search", memory="64MiB", progress=_StopAt(3000))
    best = found.map()
    assert best.tree.n_leaves == 2 and math.isfinite(best.upper_bound or math.inf)
    assert filler_of(found).found.peak_bytes < 2**26


class _StopAt:
    """Ctrl-C once so many items were opened."""

    def __init__(self, items: int) -> None:
        self.items = items

    def __call__(self, done: int, phase: str) -> None:
        if phase == "searching" and done >= self.items:
            raise KeyboardInterrupt


def test_the_plain_search_is_taken_without_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    want = posterior(":- use(growtree).", frame(8)).map()
    monkeypatch.setattr("slp.engines.search.run.why_not_of_one_prior", lambda _: "is not asked")
    monkeypatch.setattr(weights, "scorer_of", lambda problem, likelihood: _Plain(problem))
    have = posterior(":- use(growtree).", frame(8)).map()
    assert have.certified and have.log_joint == pytest.approx(want.log_joint)
    assert have.tree.to_text() == want.tree.to_text()
    best = posterior(":- use(growtree).", frame(5)).k_best(4)
    assert all(tree.certified for tree in best) and len(best) == 4


class _Plain:
    """Weighs trees without the core."""

    def __init__(self, problem: Problem) -> None:
        from slp.reference.mh.chains import MetropolisHastings

        of = (
            problem.grammar,
            Geometry(problem.grammar, problem.table),
            problem.program.constraints,
        )
        self.log_weight = MetropolisHastings(*of).log_weight


def test_it_refuses_what_is_decided_at_the_finished_tree() -> None:
    with pytest.raises(SlpError, match="E301"):
        posterior(":- use(growtree). :- constraint(max_features(1)).")


def test_no_tree_is_told() -> None:
    text = (
        ":- start(tree). 0.5 :: tree --> {rows(N), N >= 100}, leaf. "
        "0.5 :: tree --> split(F, V), tree, tree."
    )
    with pytest.raises(SlpError, match="E504"):
        posterior(text)


def test_a_result_is_pickled_and_has_a_prior() -> None:
    found = posterior(":- use(growtree).")
    again = pickle.loads(pickle.dumps(found))
    assert again.map().log_joint == found.map().log_joint
    prior = found.prior().map()
    assert prior.certified and prior.log_joint == pytest.approx(math.log(0.05))
    assert found.sample(3) == [found.map_tree()] * 3


@pytest.mark.slow
def test_commands_tell_the_bound(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    X, y = large()
    pl.DataFrame({**{f"x{i}": X[:, i] for i in range(6)}, "y": y}).write_csv(path)
    run = CliRunner().invoke
    args = ["growtree", str(path), "--engine", "search", "--time", "3s"]
    told = run(slp_command, ["sample", *args])
    assert "one tree, found by search: all averages are over it alone" in told.output
    assert "found by search, " in told.output
    assert "times as probable" in told.output or "the bound on these is loose" in told.output
    best = json.loads(run(slp_command, ["sample", *args, "--json"]).output)["map"]
    assert best["log_joint"] < best["upper_bound"] and not best["certified"]
    frame().write_csv(path)
    args = ["map", "growtree", str(path), "--json"]
    exact = json.loads(run(slp_command, args).output)
    found = json.loads(run(slp_command, [*args, "--engine", "search"]).output)
    assert exact["engine"] == "exact" and found["engine"] == "search"
    assert exact["certified"] and found["certified"]
    assert found["best"][0]["upper_bound"] == found["best"][0]["log_joint"]
    assert found["best"][0]["log_joint"] == pytest.approx(exact["best"][0]["log_joint"])
    text = run(slp_command, ["map", "growtree", str(path), "--engine", "search"])
    assert "1. certified: none is better; log joint" in text.output


@pytest.mark.slow
def test_map_searches_where_exact_sums_do_not_fit(tmp_path: Path) -> None:
    X, y = large()
    program = slp.parse(":- use(growtree).")
    found = program.posterior(X, y, engine="best", memory="40MiB", time=2)
    assert found.engine == "search" and "so the best tree is searched for" in found.reason
    assert program.posterior(frame(), engine="best").engine == "exact"
    text = ":- use(growtree). :- constraint(max_features(1))."
    assert posterior(text, engine="best", draws=20, chains=2).engine == "mh"
