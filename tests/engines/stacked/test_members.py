"""Members stacked by prediction: the rows set aside, the runs, and their weights."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.compile import compile_problem
from slp.data.row_part import part_of_table, set_aside
from slp.data.row_responses import RowResponses
from slp.engines import engine_named
from slp.engines.stacked import run as stacking
from slp.errors import SlpWarning, UnsupportedError
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.member_weights import stacking_weights
from slp.results.averages.stacked import log_densities_of_members
from tests.engines.stacked.stacks import (
    COUNTS,
    KINDS,
    QUICK,
    TEXT,
    classes,
    counts,
    of_kind,
    request,
    stack_of,
    trees_of,
)


def test_members_are_those_that_the_registry_gives_by_itself(stack: slp.Posterior) -> None:
    problem = compile_problem(slp.parse(TEXT).ir, classes())
    stay, _ = set_aside(problem.table, 3)
    part = replace(problem, table=part_of_table(problem.table, stay)).varied(problem.program)
    engine = engine_named("mh")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        alone = engine.run(
            part, request(3), engine.Options(chains=8, rungs=1, effort="quick")
        ).averages.drawn
    assert alone is not None
    have = trees_of(stack)
    assert list(have.trees.trees) == list(alone.trees.trees)
    assert all(map(np.array_equal, have.chains, alone.chains))


def test_members_never_see_the_rows_set_aside() -> None:
    """Other responses of these rows change the weights, and no tree; one of another row does."""
    data, program = counts(), slp.parse(COUNTS)
    stay, aside = set_aside(compile_problem(program.ir, data).table, 3)
    changed, seen = data["count"].to_numpy().copy(), data["count"].to_numpy().copy()
    changed[aside] = changed[aside] % 2 * 9
    seen[stay[0]] += 5
    first, second, third = (
        program.posterior(data.with_columns(count=pl.Series(own)), seed=3, **QUICK)
        for own in (data["count"].to_numpy(), changed, seen)
    )
    assert list(trees_of(first).trees.trees) == list(trees_of(second).trees.trees)
    assert first.stacked is not None and second.stacked is not None
    assert first.stacked.weights != second.stacked.weights
    assert list(trees_of(first).trees.trees) != list(trees_of(third).trees.trees)


@pytest.mark.parametrize("kind", KINDS)
def test_densities_of_rows_set_aside_are_those_of_each_member_alone(kind: str) -> None:
    """Beside `density` of a posterior with the draws of one member; by them the weights."""
    program, data = of_kind(kind)
    stacked = stack_of(kind)
    table = compile_problem(program.ir, data).table
    _, aside = set_aside(table, 2)
    trees = trees_of(stacked)
    numbers = stacking.table_as_numbers(table, table.row_of[aside])
    responses = stacking.responses_of(table, aside)
    have, told = log_densities_of_members(trees, trees.chains, numbers, responses)
    assert told.all() and have.shape == (8, len(aside))
    new, leaf = data[aside.tolist()], table.leaf
    rows = table.new_rows(new)
    for k in (0, 5):
        alone = DrawnTrees(trees.table, trees.trees, [trees.chains[k]])
        single = replace(responses, weights=None).statistics(leaf)
        for i, mixture in enumerate(alone.leaf_mixtures(rows)):
            S = mixture.statistics
            logs = leaf.log_marginal(S + single[i]) - leaf.log_marginal(S)
            want = np.log(mixture.probability @ np.exp(logs))
            assert have[k, i] == pytest.approx(want, abs=1e-9)
    weights = stacking_weights(have, responses.weights)
    assert stacked.stacked is not None
    assert stacked.stacked.weights == pytest.approx(weights.tolist(), abs=1e-12)


def test_predictions_are_the_weighted_mean_of_the_members(stack: slp.Posterior) -> None:
    new = classes(50, seed=9)
    trees = trees_of(stack)
    rows = stack.table.new_rows(new)
    each = [DrawnTrees(trees.table, trees.trees, [own]).predictions(rows) for own in trees.chains]
    assert stack.stacked is not None
    want = np.tensordot(np.array(stack.stacked.weights), np.array(each), axes=1)
    assert stack.predict_proba(new) == pytest.approx(want, abs=1e-12)
    assert (stack.predict(new) == np.array(["no", "yes"])[want.argmax(axis=1)]).all()


def test_the_seed_determines_the_answer_and_threads_do_not(stack: slp.Posterior) -> None:
    new = classes(50, seed=9)
    same, other = (
        slp.parse(TEXT).posterior(classes(), **{"seed": seed, "threads": threads, **QUICK})
        for seed, threads in ((3, 1), (4, 2))
    )
    assert np.array_equal(same.predict_proba(new), stack.predict_proba(new))
    assert not np.array_equal(other.predict_proba(new), stack.predict_proba(new))


def test_a_rowless_member_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A member that had no time for a draw is left out."""
    members = stacking._members

    def cut(*of: Any) -> Any:
        found = members(*of)
        trees = found.averages.drawn
        assert trees is not None
        chains = [trees.chains[0], trees.chains[1][:0], *trees.chains[2:]]
        return replace(found, averaged=DrawnTrees(trees.table, trees.trees, chains))

    monkeypatch.setattr(stacking, "_members", cut)
    found = slp.parse(TEXT).posterior(classes(), seed=3, **QUICK)
    assert found.stacked is not None and len(found.stacked.weights) == 7


def test_more_time_is_kept_for_rows_that_kernels_cannot_send_down_trees() -> None:
    """By a limit of 15 s it took 35 s on 19,000 rows with missing values."""
    seconds = {}
    for holes in (False, True):
        rows = classes()
        if holes:
            rows = rows.with_columns(x0=pl.when(pl.col("x0") > 0).then(pl.col("x0")))
        text = f"{TEXT} :- feature(x0, [missing(side), new(average)])."
        problem = compile_problem(slp.parse(text).ir, rows)
        seconds[holes] = stacking._seconds_of_row(problem, set_aside(problem.table, 1)[1])
    assert seconds[True] == 8 * seconds[False]


def test_classes_of_few_rows_are_set_aside_from_too() -> None:
    rows = classes().with_columns(pl.Series("y", [f"c{i % 120:03}" for i in range(480)]))
    found = slp.parse(TEXT).posterior(rows, seed=3, **QUICK)
    assert found.stacked is not None and found.stacked.rows_of_weights == 60


def test_a_row_that_is_an_error_chooses_no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rare level that no row of some box has is one (`new(error)`), and each row is told."""
    monkeypatch.setattr(stacking, "FEWEST_ASIDE", 1)
    rng = np.random.default_rng(5)
    levels = rng.choice(list("abcdef"), 480, p=[0.32, 0.32, 0.3, 0.02, 0.02, 0.02])
    odd = (classes()["x0"].to_numpy() > 0) ^ np.isin(levels, ["b", "d"])
    rows = classes().with_columns(x2=levels, y=np.where(odd, "yes", "no"))
    known = {}
    for new in ("error", "average"):
        declared = f":- feature(x2, [subsets, new({new})])."
        program = slp.parse(f":- use(growtree). :- response(y). {declared}")
        trees = trees_of(program.posterior(rows, seed=3, **QUICK))
        table = compile_problem(program.ir, rows).table
        _, aside = set_aside(table, 3)
        numbers = stacking.table_as_numbers(table, table.row_of[aside])
        responses = stacking.responses_of(table, aside)
        have, known[new] = log_densities_of_members(trees, trees.chains, numbers, responses)
        for i, row in enumerate(numbers):
            one = RowResponses(responses.outcomes[[i]])
            alone, told = log_densities_of_members(trees, trees.chains, row[None], one)
            assert told.tolist() == [known[new][i]]
            if told[0]:
                assert alone[:, 0] == pytest.approx(have[:, i])
    assert known["average"].all() and 0 < known["error"].sum() < 60


def test_rows_that_are_errors_leave_too_few_to_weight_by(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where trees split on subsets of many levels: weights by no rows are none."""

    def of_few(trees: DrawnTrees, members: Any, numbers: Any, responses: Any) -> Any:
        found, told = log_densities_of_members(trees, members, numbers, responses)
        return found, told & (np.arange(len(told)) < 49)

    monkeypatch.setattr(stacking, "log_densities_of_members", of_few)
    with pytest.raises(UnsupportedError, match=r"E568(.|\n)* 49 of the 60(.|\n)*new\(average\)"):
        slp.parse(TEXT).posterior(classes(), seed=3, **QUICK)
