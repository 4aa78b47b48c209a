"""What members stacked by prediction tell, what they refuse, and their files and pages."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import slp
from slp.cli import slp_command
from slp.cli.sample import sample_command
from slp.compile import compile_problem
from slp.data.row_part import FEWEST_ROWS
from slp.engines import run
from slp.engines.stacked import run as stacking
from slp.engines.stacked.options import StackedOptions
from slp.errors import SlpError, SlpWarning, UnsupportedError, UsageError
from tests.engines.stacked.stacks import (
    KINDS,
    QUICK,
    TEXT,
    classes,
    of_kind,
    stack_of,
)


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
