"""Missing values: an error that names the ways out, or one more level."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import slp
from slp.cli import slp_command
from slp.cli.common import run
from slp.columns import IsMissing
from slp.ir.words import describe_prior

FRAME = pl.DataFrame(
    {
        "colour": ["red", None, "blue", None, "red", "blue", None, "red"],
        "size": [1, 2, 3, 4, 5, 6, 7, 8],
        "y": ["a", "b", "a", "b", "a", "a", "b", "a"],
    }
)
PROGRAM = slp.parse(":- use(growtree).\n:- feature(colour, [missing(level)]).")


@pytest.fixture(scope="module")
def posterior() -> slp.Posterior:
    return PROGRAM.posterior(FRAME, engine="exact", seed=1, draws=20)


def test_the_error_names_the_ways_out() -> None:
    with pytest.raises(slp.DataError, match=r"E420.*`colour` misses 3 values") as caught:
        slp.load("growtree").posterior(FRAME)
    assert "[missing(level)]" in str(caught.value)
    for said in ("missing(error)", "categorical, missing(error)"):
        with pytest.raises(slp.DataError, match="E420"):
            slp.parse(f":- use(growtree).\n:- feature(colour, [{said}]).").posterior(FRAME)


def test_numbers_have_no_level_for_missing_values() -> None:
    frame = FRAME.with_columns(size=pl.when(pl.col("size") > 1).then("size"))
    program = slp.parse(":- use(growtree).\n:- feature(_, [missing(level)]).")
    with pytest.raises(slp.DataError, match=r"E420.*this column has numbers") as caught:
        program.posterior(frame)
    assert len(caught.value.diagnostics) == 1  # `colour` has levels
    of_own = slp.parse(
        ":- use(growtree).\n:- feature(_, [missing(level)]).\n"
        ":- feature(size, [categorical]).\n:- feature(colour, [categorical])."
    )
    levels = of_own.posterior(frame).table.features[1].kind.names
    assert levels == ("2", "3", "4", "5", "6", "7", "8", "missing")


def test_programs_say_it_in_words() -> None:
    text = (
        ":- use(growtree).\n:- feature(_, [missing(level), bins(width, 3)]).\n"
        ":- feature(colour, [categorical, missing(error)]).\n"
    )
    told = describe_prior(slp.parse(text).ir)
    for sentence in (
        "colour is categorical.",
        "A missing value of colour is an error.",
        "Every other numeric feature is cut into 3 bins of equal width.",
        "A missing value of every other feature is one more level.",
    ):
        assert sentence in told


@pytest.mark.parametrize(
    "said",
    ["numeric, missing(level)", "ordinal([a, b]), missing(level)", "cuts([1]), missing(level)"],
)
def test_a_level_goes_with_levels_alone(said: str) -> None:
    with pytest.raises(slp.ProgramError, match=r"E102.*has numbers or an order"):
        slp.parse(f":- use(growtree).\n:- feature(size, [{said}]).")


def test_malformed_declarations() -> None:
    with pytest.raises(slp.ProgramError, match=r"E102.*an `error`, a `level` or takes a `side`"):
        slp.parse(":- use(growtree).\n:- feature(colour, [missing(left)]).")
    with pytest.raises(slp.ProgramError, match=r"E102.*says twice"):
        slp.parse(":- use(growtree).\n:- feature(colour, [missing(level), missing(error)]).")


def test_the_name_of_missing_values_is_no_level() -> None:
    frame = FRAME.with_columns(colour=pl.col("colour").str.replace("blue", "missing"))
    with pytest.raises(slp.DataError, match=r"E420.*`missing` is a value of column `colour`"):
        PROGRAM.posterior(frame)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["exact", "chart", "enumerate", "modal", "search", "mh", "smc"])
def test_every_engine_splits_on_missing(engine: str, posterior: slp.Posterior) -> None:
    options = {"draws": 10} if engine in ("mh", "smc") else {}
    found = PROGRAM.posterior(FRAME, engine=engine, seed=1, threads=1, **options)
    tree = found.map_tree()
    assert tree == posterior.map_tree()
    assert tree.to_text().startswith("colour = missing\n")
    assert found.log_likelihood(tree) == pytest.approx(posterior.log_likelihood(tree), abs=1e-9)


def test_the_level_is_as_a_level_that_is_filled_in(posterior: slp.Posterior) -> None:
    filled = FRAME.with_columns(pl.col("colour").fill_null("zz"))
    other = slp.load("growtree").posterior(filled, engine="exact")
    assert other.log_evidence == pytest.approx(posterior.log_evidence, abs=1e-12)
    np.testing.assert_allclose(other.predict_proba(filled), posterior.predict_proba(FRAME))


def test_rows_to_predict_may_miss_values(posterior: slp.Posterior) -> None:
    new = pd.DataFrame({"colour": [None, "red", ""], "size": [1, 1, 1]})
    probabilities = posterior.predict_proba(new)
    assert probabilities[0].tolist() == probabilities[2].tolist()
    assert probabilities[0, 1] > 0.5 > probabilities[1, 1]
    tree = posterior.map_tree()
    assert tree.predict(new).tolist() == ["b", "a", "b"]
    with pytest.raises(slp.DataError, match="E420"):
        posterior.predict(pd.DataFrame({"colour": ["red"], "size": [None]}))


def test_a_table_without_missing_values_has_no_such_level() -> None:
    whole = FRAME.filter(pl.col("colour").is_not_null())
    found = PROGRAM.posterior(whole)
    assert found.table.features[0].kind.names == ("blue", "red")
    with pytest.warns(slp.SlpWarning, match=r"W440.*`missing`"):
        have = found.predict_proba(pl.DataFrame({"colour": [None], "size": [9]}))
    assert have.shape == (1, 1)


def test_trees_know_that_missing_is_a_level(posterior: slp.Posterior) -> None:
    tree = posterior.map_tree()
    data = tree.to_dict()
    assert data["level"] == "missing"
    assert data["missing"] == "level"
    again = slp.Tree.from_dict(data)
    assert again == tree
    for same in (again, copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        assert isinstance(same.root.test, IsMissing)
        assert same.predict(FRAME).tolist() == tree.predict(FRAME).tolist()
    unmarked = slp.Tree.from_dict({key: data[key] for key in data if key != "missing"})
    assert unmarked != tree
    with pytest.raises(slp.DataError, match="E607"):
        unmarked.predict(FRAME)
    with pytest.raises(slp.DataError, match=r"E602.*`missing`"):
        slp.Tree.from_dict({**data, "missing": "both"})
    assert all(result.holds for result in tree.check(PROGRAM, FRAME, "y"))


def test_a_row_to_predict_may_spell_the_level(posterior: slp.Posterior) -> None:
    new = FRAME.drop("y").with_columns(pl.lit("missing").alias("colour"))
    blank = new.with_columns(pl.lit(None, pl.String).alias("colour"))
    tree = posterior.map_tree()
    assert tree.predict(new).tolist() == tree.predict(blank).tolist()
    np.testing.assert_array_equal(posterior.predict_proba(new), posterior.predict_proba(blank))


def test_scikit_learn_has_an_indicator_of_the_level(posterior: slp.Posterior) -> None:
    pytest.importorskip("sklearn")
    fitted = posterior.map_tree().to_sklearn()
    assert list(fitted.feature_names_in_) == ["colour=missing"]


def test_saved_runs_know_the_level(posterior: slp.Posterior, tmp_path: Path) -> None:
    posterior.save(tmp_path / "run.slpz")
    loaded = slp.load_posterior(tmp_path / "run.slpz")
    tree = loaded.map_tree()
    assert isinstance(tree.root.test, IsMissing)
    assert tree.predict(FRAME).tolist() == posterior.map_tree().predict(FRAME).tolist()
    np.testing.assert_array_equal(loaded.predict_proba(FRAME), posterior.predict_proba(FRAME))


def test_guards_name_the_level() -> None:
    rules = (
        ":- start(t).\n:- feature(colour, [missing(level)]).\n0.5 :: t --> leaf.\n"
        "0.5 :: t --> split(F, V), { V = missing }, t, t.\n"
    )
    found = slp.parse(rules).posterior(FRAME, engine="exact")
    assert found.tree_count() == 2


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    FRAME.write_csv(tmp_path / "data.csv")
    (tmp_path / "prior.slp").write_text(
        ":- use(growtree).\n:- feature(colour, [missing(level)]).\n"
    )
    names = [str(tmp_path / name) for name in ("prior.slp", "data.csv")]
    assert run(slp_command, ["map", *names]) == 0
    assert "colour = missing" in capsys.readouterr().out
    assert run(slp_command, ["predict", *names, str(tmp_path / "data.csv")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(FRAME) + 1
