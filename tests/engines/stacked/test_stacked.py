"""Members stacked by prediction: which rows and members they are, what they tell, and what not."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import slp
from slp.budgets import Deadline
from slp.cli import slp_command
from slp.cli.sample import sample_command
from slp.compile import compile_problem
from slp.data.row_part import FEWEST_ROWS, part_of_table, set_aside
from slp.data.row_responses import RowResponses
from slp.engines import engine_named, run
from slp.engines.contract import Request
from slp.engines.stacked import run as stacking
from slp.engines.stacked.options import StackedOptions
from slp.errors import SlpError, SlpWarning, UnsupportedError, UsageError
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.member_weights import stacking_weights
from slp.results.averages.stacked import StackedTrees, log_densities_of_members
from slp.results.record.choice import EngineChoice
from slp.results.trust.doubts import doubt_of, stacking_is_offered
from slp.runner import Schedule
from slp.runner.effort import LEVELS

QUICK: dict[str, Any] = {"engine": "stacked", "members": 8, "draws": 40, "effort": "quick"}
TEXT = ":- use(growtree). :- support(max_depth(3)). :- response(y)."


def frame(n: int = 480, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3)).round(2)
    level = x[:, 0] + (x[:, 1] > 0) * x[:, 2]
    return pl.DataFrame(
        {
            **{f"x{i}": own for i, own in enumerate(x.T)},
            "y": np.where(level + rng.normal(size=n) > 0.3, "yes", "no"),
            "number": level + rng.normal(size=n) / 2,
            "count": rng.poisson(np.exp(level / 2)),
            "time": rng.exponential(np.exp(level)) + 0.01,
            "seen": rng.integers(0, 2, n),
            "w": rng.choice([0.5, 1.0, 2.0], n),
        }
    ).select("x0", "x1", "x2", "y", "number", "count", "time", "seen", "w")


def classes(n: int = 480, seed: int = 1) -> pl.DataFrame:
    return frame(n, seed).select("x0", "x1", "x2", "y")


@pytest.fixture(scope="module", autouse=True)
def few_steps() -> Iterator[None]:
    """Runs of effort quick make few steps: what is tested does not depend on their number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(LEVELS, "quick", replace(LEVELS["quick"], untempered=0.05))
        yield


@pytest.fixture(scope="module")
def stack(few_steps: None) -> slp.Posterior:
    return slp.parse(TEXT).posterior(classes(), seed=3, **QUICK)


def trees_of(posterior: slp.Posterior) -> DrawnTrees:
    averages = posterior._result.averages
    assert isinstance(averages, StackedTrees)
    return averages.trees


def request(seed: int) -> Request:
    return Request(
        choice=EngineChoice("mh", ""),
        likelihood=True,
        draws=40,
        seed=seed,
        memory=2**30,
        deadline=Deadline(),
        threads=1,
        progress=None,
        allow_code=False,
        advise=False,
    )


# --- rows, members, weights ----------------------------------------------------------------------


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


COUNTS = (
    ":- use(growtree). :- support(max_depth(3)). :- response(count). :- leaf(gamma_poisson(1, 1))."
)


def counts(n: int = 480) -> pl.DataFrame:
    return frame(n).select("x0", "x1", "x2", "count")


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


#: A program for each kind of response, and the columns of its table.
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "classes": (":- response(y).", ("y",)),
    "weights": (":- response(y). :- row_weight(w).", ("y", "w")),
    "numbers": (":- response(number).", ("number",)),
    "lines": (":- response(number). :- leaf(normal_linear([x0])).", ("number",)),
    "counts": (":- response(count). :- leaf(gamma_poisson(1, 1)).", ("count",)),
    "durations": (
        ":- response(time, event(seen)). :- leaf(gamma_exponential(1, 1)).",
        ("time", "seen"),
    ),
    "missing": (":- response(y). :- feature(x1, [missing(side)]).", ("y",)),
    "subsets": (":- response(y). :- feature(x2, [subsets]).", ("y",)),
}


def of_kind(kind: str, seed: int = 1) -> tuple[slp.Program, pl.DataFrame]:
    text, columns = KINDS[kind]
    data = frame(seed=seed).select("x0", "x1", "x2", *columns)
    if kind == "missing":
        data = data.with_columns(x1=pl.when(pl.col("x0") > 0.7).then(None).otherwise(pl.col("x1")))
    if kind == "subsets":
        data = data.with_columns(x2=pl.col("x2").round(0).cast(pl.Int64).cast(pl.String) + "level")
    return slp.parse(f":- use(growtree). :- support(max_depth(3)). {text}"), data


@cache
def stack_of(kind: str) -> slp.Posterior:
    program, data = of_kind(kind)
    return program.posterior(data, seed=2, **QUICK)


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


# --- what it tells -------------------------------------------------------------------------------


def test_it_says_that_it_is_no_posterior(stack: slp.Posterior) -> None:
    told = stack.stacked
    assert told is not None and told.is_sound
    assert told.words() == "not a posterior: an average of 8 members stacked by prediction"
    assert (told.rows_of_members, told.rows_of_weights) == (480 - 60, 60)
    assert told.log_predictive >= max(told.log_predictive_equal, told.log_predictive_best) - 1e-5
    assert 1 <= told.effective <= 8
    assert stack.table.n_rows == told.rows_of_members
    assert stack.trust.kind == "stacked" and repr(stack) == f"<{told.words()}, of y>"
    assert stack.log_evidence is None and stack.log_evidence_kind is None
    assert stack.no_evidence == told.words()
    assert stack.diagnostics is None and stack.schedule is None


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_work_for_every_kind(kind: str) -> None:
    stacked = stack_of(kind)
    new = of_kind(kind, seed=8)[1][:20]
    ends = stacked.predict_interval(new)
    assert np.isfinite(ends).all() and (ends[..., 0] <= ends[..., 1]).all()
    assert np.isnan(stacked.predict_error(new)).all()
    assert len(stacked.predict(new)) == 20
    if stacked.table.leaf.classes:
        assert stacked.predict_proba(new).sum(axis=1) == pytest.approx(1)
        decided = stacked.decide(new)
        assert (decided.decision == stacked.predict(new)).all() and np.isnan(decided.error).all()
        return
    middle = stacked.quantile(new, [0.05, 0.95])
    assert middle == pytest.approx(ends, rel=1e-6)
    assert (stacked.density(new, 1.0) > 0).all()
    assert ((stacked.cdf(new, 1.0) > 0) & (stacked.cdf(new, 1.0) < 1)).all()
    if kind == "durations":
        assert ((stacked.survival(new, [1.0]) > 0) & (stacked.survival(new, [1.0]) < 1)).all()
        assert (stacked.restricted_mean(new, 2.0) < 2).all()


#: Questions to a posterior, which are refused.
REFUSED: dict[str, Callable[[slp.Posterior, pl.DataFrame], Any]] = {
    "sample": lambda p, new: p.sample(3),
    "sample_paths": lambda p, new: p.sample_paths(new),
    "draws": lambda p, new: p.draws,
    "map": lambda p, new: p.map(),
    "map_tree": lambda p, new: p.map_tree(),
    "k_best": lambda p, new: p.k_best(2),
    "rashomon_set": lambda p, new: p.rashomon_set(),
    "representative_tree": lambda p, new: p.representative_tree(),
    "average": lambda p, new: p.average(5),
    "tree_count": lambda p, new: p.tree_count(),
    "derivations_are_trees": lambda p, new: p.derivations_are_trees,
    "log_prior": lambda p, new: p.log_prior("leaf"),
    "log_likelihood": lambda p, new: p.log_likelihood("leaf"),
    "log_posterior": lambda p, new: p.log_posterior("leaf"),
    "prior": lambda p, new: p.prior(),
    "split_probabilities": lambda p, new: p.split_probabilities(),
    "root_probabilities": lambda p, new: p.root_probabilities(),
    "expected_leaves": lambda p, new: p.expected_leaves(),
    "expected_depth": lambda p, new: p.expected_depth(),
    "leaf_distribution": lambda p, new: p.leaf_distribution(),
    "depth_distribution": lambda p, new: p.depth_distribution(),
    "rule_probabilities": lambda p, new: p.rule_probabilities(),
    "mixture": lambda p, new: p.mixture(),
    "probability": lambda p, new: p.probability("tree(T), uses(T, x0)"),
    "query": lambda p, new: p.query("tree(T), leaves(T, N)"),
    "predict_draws": lambda p, new: p.predict_draws(new),
    "quantity": lambda p, new: p.quantity(new),
    "contrast": lambda p, new: p.contrast(new, new[::-1]),
    "proximity": lambda p, new: p.proximity(new),
    "loo": lambda p, new: p.loo(),
    "to_arviz": lambda p, new: p.to_arviz(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_questions_to_a_posterior_are_refused(name: str, stack: slp.Posterior) -> None:
    with pytest.raises(SlpError) as error:
        REFUSED[name](stack, classes(12, seed=9))
    (found,) = error.value.diagnostics
    assert found.code == "E559" and found.help is not None
    assert "members stacked by prediction" in found.message


def test_what_only_a_posterior_tells_is_refused_before_members_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: Any) -> None:
        raise AssertionError("members ran")

    monkeypatch.setattr(stacking, "_members", run)
    program = slp.parse(TEXT)
    with pytest.raises(UsageError, match="E559"):
        slp.compare([program], classes(), folds=2, **QUICK)
    for by in ("evidence", "cv"):
        with pytest.raises(UsageError, match="E559"):
            slp.tune(slp.load("growtree"), classes(), "y", grid={"alpha": [0.5]}, by=by, **QUICK)
    data = tmp_path / "data.csv"
    classes().write_csv(data)
    said = CliRunner().invoke(slp_command, ["map", "growtree", str(data), "--engine", "stacked"])
    assert isinstance(said.exception, UsageError) or "E559" in said.output


# --- what it refuses -----------------------------------------------------------------------------


def test_what_it_does_not_take() -> None:
    few = f"E568(.|\\n)*{FEWEST_ROWS - 1} rows(.|\\n)*it takes {FEWEST_ROWS}"
    with pytest.raises(UnsupportedError, match=few):
        slp.parse(TEXT).posterior(classes(FEWEST_ROWS - 1), **QUICK)
    given = slp.Tree.from_dict({"feature": "x0", "threshold": 0.1, "left": {}, "right": {}})
    with pytest.raises(UnsupportedError, match=r"E568(.|\n)*edits"):
        slp.load("edittree", tree=given).posterior(classes(), **QUICK)
    backtracks = f"{TEXT} :- constraint(max_leaves(2)). :- failure(backtrack)."
    with pytest.raises(UnsupportedError, match="E548"):
        slp.parse(backtracks).posterior(classes(), **QUICK)


def test_a_prior_and_few_members_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="E568"):
        slp.parse(TEXT).prior(classes(), **QUICK)
    with pytest.raises(UsageError, match="E505"):
        slp.parse(TEXT).posterior(classes(), **{**QUICK, "members": 7})


# --- files, commands, time -----------------------------------------------------------------------


def test_a_saved_stack_answers_alike(stack: slp.Posterior, tmp_path: Path) -> None:
    new = classes(30, seed=9)
    stack.save(tmp_path / "run.slpz")
    loaded = slp.load_posterior(tmp_path / "run.slpz")
    assert np.array_equal(loaded.predict_proba(new), stack.predict_proba(new))
    assert np.array_equal(loaded.predict_interval(new), stack.predict_interval(new))
    assert loaded.stacked == stack.stacked and loaded.trust == stack.trust
    for question in REFUSED.values():
        with pytest.raises(SlpError, match="E559|E562"):  # some need rows first
            question(loaded, new[:12])
    loaded.save(tmp_path / "again.slpz")
    again = slp.load_posterior(tmp_path / "again.slpz")
    assert np.array_equal(again.predict_proba(new), stack.predict_proba(new))


def test_the_page_json_and_report(tmp_path: Path) -> None:
    data, new = tmp_path / "data.csv", tmp_path / "new.csv"
    classes().write_csv(data)
    classes(5, seed=9).write_csv(new)
    saved = tmp_path / "run.slpz"
    prior = tmp_path / "prior.slp"
    prior.write_text(TEXT)
    flags = "--engine stacked --members 8 -n 40 --effort quick --seed 3".split()
    said = CliRunner().invoke(
        sample_command, [str(prior), str(data), *flags, "--save", str(saved), "--save-table"]
    )
    assert said.exit_code == 0, said.output
    first, second, *rest = said.stdout.splitlines()
    assert first == ("trust     not a posterior: an average of 8 members stacked by prediction")
    assert second.endswith(
        "the members saw 420 rows; 60 others, set aside before, chose the weights"
    )
    assert not any(line.startswith(("evidence", "best tree", "features", "draws")) for line in rest)
    shown = CliRunner().invoke(slp_command, ["show", str(saved)])
    assert shown.stdout.splitlines()[0] == first
    assert "rows of members with the digest" in shown.stdout  # of the whole table it is another
    found = CliRunner().invoke(sample_command, [str(prior), str(data), *flags, "--json"])
    told = json.loads(found.stdout)
    assert told["stacked"]["members"] == 8 and told["stacked"]["rows_of_weights"] == 60
    assert told["notes"][0] == first[10:]
    nulls = ("log_evidence", "map", "features", "mean_leaves", "tree_count", "diagnostics")
    assert all(told[name] is None for name in nulls)
    predicted = CliRunner().invoke(slp_command, ["predict", str(saved), str(new)])
    assert predicted.stdout.splitlines()[0] == "y,P(no),P(yes)"
    refused = CliRunner().invoke(sample_command, [str(prior), str(data), *flags, "-o", "x.jsonl"])
    assert refused.exit_code == 2 and "no draws" in refused.output
    slp.load_posterior(saved).report(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text("utf-8")
    assert first[10:] in page and "60 others" in page and "NOT CONVERGED" not in page
    assert "SHA-256 of the rows that members saw" in page


@pytest.mark.slow
def test_a_time_that_is_over_ends_with_what_there_is() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SlpWarning)
        found = slp.parse(":- use(growtree). :- response(y).").posterior(
            classes(1500), engine="stacked", seed=1, time=12, draws=10**5
        )
    assert found.out_of_time and found.trust.by_clock
    codes = {w.message.diagnostic.code for w in caught if isinstance(w.message, SlpWarning)}
    assert codes and not codes & {"W530", "W547"}
    assert found.predict_proba(classes(3)).shape == (3, 2)


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


def test_what_is_told_of_an_interrupted_run() -> None:
    def hit_control_c(done: int, phase: str) -> None:
        if done > 5000:  # behind warm-up
            raise KeyboardInterrupt

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SlpWarning)
        found = slp.parse(TEXT).posterior(
            classes(), seed=3, progress=hit_control_c, **{**QUICK, "draws": 10**6}
        )
    codes = [w.message.diagnostic.code for w in caught if isinstance(w.message, SlpWarning)]
    assert found.interrupted and not found.out_of_time and codes == ["W510"]
    assert found.predict_proba(classes(3)).shape == (3, 2)


def test_the_registry_runs_it_through_infer() -> None:
    """Nothing of a prior stands beside it, so nothing is computed for that."""
    assert StackedOptions().members == 32
    problem = compile_problem(slp.parse(TEXT).ir, classes())
    found = run.infer(
        problem,
        engine="stacked",
        seed=1,
        draws=40,
        options={"members": 8, "effort": "quick"},
    )
    assert (
        found.failing_mass is None
        and found.prior_uses_note == "not known: no posterior stands beside it"
    )


# --- where it is offered -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trips", "barrier", "rows", "standing", "told", "offered"),
    [
        (0, 25.0, 5000, "not converged", "leaves", True),
        (0, 25.0, FEWEST_ROWS - 1, "not converged", "leaves", False),
        (1, 25.0, 5000, "not converged", "leaves", False),
        (0, 5.0, 5000, "not converged", "leaves", False),
        (0, 25.0, 5000, "converged", "leaves", False),
        (0, 25.0, 5000, "not converged", "edits", False),
    ],
)
def test_it_is_offered_where_ladders_make_no_round_trip(
    trips: int, barrier: float, rows: int, standing: str, told: str, offered: bool
) -> None:
    found: Any = SimpleNamespace(
        standing=standing,
        converged=standing == "converged",
        tempering=SimpleNamespace(fewest_round_trips=trips, barrier=barrier),
        out_of_time=False,
        nearly_agrees=False,
        source="chains",
        moves={},
        warnings=("the chains disagree",),
        convergence={told: None},
    )
    assert stacking_is_offered(found, rows) == offered
    assert not stacking_is_offered(None, rows)
    doubt = doubt_of(found, Schedule(2000, rounds=2), 2000, {}, rows)
    assert ("engine='stacked'" in str(doubt)) == offered


def test_the_page_offers_it_by_name_with_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slp.results, "stacking_is_offered", lambda *_: True, raising=False)
    classes().write_csv(tmp_path / "data.csv")
    flags = "--engine mh --rungs 1 --warmup 5 --thin 1 -n 40 --seed 3 --memory 1GiB".split()
    data = str(tmp_path / "data.csv")
    said = CliRunner().invoke(sample_command, ["growtree", data, *flags]).stdout
    lines = [line.strip() for line in said.splitlines()]
    (at,) = [i for i, line in enumerate(lines) if "--engine stacked" in line]
    assert lines[at].startswith(f"sample growtree {data}")
    assert all(f"--{word}" in lines[at] for word in ("draws 40", "memory 1GiB", "seed 3"))
    assert "--rungs" not in lines[at] and "--warmup" not in lines[at]
    assert lines[at + 1].endswith("it takes about 51 s on two cores)")
    said = CliRunner().invoke(sample_command, ["growtree", data, *flags, "--time", "20s"]).stdout
    assert "it takes about 20 s on two cores)" in said
