"""Ordinal features, units and ranges, from a table to text, JSON, files and other rows."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import slp
from slp.columns import Below, Ordinal, level_numbers
from slp.trees import Split

ORDER = ("low", "mid", "high", "top")
DECLARED = (
    ":- use(growtree).\n"
    ":- feature(stage, [ordinal([low, mid, high, top])]).\n"
    ":- feature(dose, [unit('mg/l'), range(0, 30)]).\n"
)
FRAME = pl.DataFrame(
    {
        "stage": ["mid", "low", "top", "high", "low", "top", "mid", "high"] * 2,
        "dose": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] * 2,
        "y": ["a", "a", "b", "b", "a", "b", "a", "b"] * 2,
    }
)


@pytest.fixture(scope="module")
def posterior() -> slp.Posterior:
    return slp.parse(DECLARED).posterior(FRAME, "y", seed=1, draws=20)


def codes(text: str, engine: str = "modal") -> list[str]:
    """What is wrong with a program and a table."""
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(text).posterior(FRAME, "y", engine=engine)
    return [f"[{d.code}] {d.message} ({d.help})" for d in caught.value.diagnostics]


# --- numbers with names ------------------------------------------------------------------------


def test_numbers_of_levels() -> None:
    assert level_numbers(ORDER) == (0, 1, 2, 3)
    assert level_numbers(("1", "2.5", "10")) == (1, 2.5, 10)
    assert level_numbers(("1", "x")) == (0, 1)


def test_thresholds_are_plain_numbers_with_words_beside_them() -> None:
    level, dose = Below(2.0, order=ORDER), Below(7.25, unit="mg")
    assert (level, dose) == (Below(2.0), Below(7.25))
    assert (level.text, dose.text, Below(1.5, order=ORDER).text) == ("high", "7.25 mg", "1.5")
    for other in (pickle.loads(pickle.dumps(level)), copy.deepcopy(level)):
        assert (other.number, other.order) == (2.0, ORDER)


def test_thresholds_of_an_ordinal_feature() -> None:
    """The middle level of those that part two codes, the lower of two."""
    feature = Ordinal(ORDER)
    found = [feature.test(a, b).threshold for a, b in [(0, 1), (0, 2), (0, 3), (2, 3)]]
    assert found == ["mid", "mid", "high", "top"]
    assert feature.gap(0, 3) == 3


# --- trees -------------------------------------------------------------------------------------


def test_trees_name_levels_and_units(posterior: slp.Posterior) -> None:
    tree = posterior.map_tree()
    assert tree.to_text().splitlines()[0] == "stage < high"
    assert '"stage < high"' in tree.to_dot()
    shown = "\n".join(map(str, posterior.sample(300, seed=3)))
    assert "dose < 5.5 mg/l" in shown and "stage < mid" in shown


def test_trees_as_json(posterior: slp.Posterior) -> None:
    tree = posterior.map_tree()
    data = json.loads(json.dumps(tree.to_dict()))
    assert (data["threshold"], data["order"]) == ("high", list(ORDER))
    again = slp.Tree.from_dict(data)
    assert again == tree
    assert again.to_text() == slp.Tree.from_dict(tree.to_dict()).to_text()
    assert posterior.log_posterior(again) == posterior.log_posterior(tree)
    dose = slp.Tree.from_dict(
        {"feature": "dose", "threshold": 5.5, "unit": "mg/l", "left": {}, "right": {}}
    )
    assert str(dose).startswith("dose < 5.5 mg/l")
    assert dose.to_dict()["unit"] == "mg/l"


@pytest.mark.parametrize(
    "test",
    [
        {"threshold": "high"},
        {"threshold": "none", "order": ["low", "high"]},
        {"threshold": "low", "order": ["low", "high"]},
        {"threshold": "b", "order": ["a", "b", "b"]},
        {"threshold": "b", "order": "ab"},
        {"threshold": 1.0, "unit": 3},
    ],
)
def test_malformed_tests(test: dict[str, object]) -> None:
    with pytest.raises(slp.DataError) as caught:
        slp.Tree.from_dict({"feature": "f", **test, "left": {}, "right": {}})
    assert {d.code for d in caught.value.diagnostics} <= {"E603", "E604"}


def test_rows_of_levels(posterior: slp.Posterior) -> None:
    """A tree alone sends rows of text where the posterior sends them."""
    tree = posterior.map_tree()
    assert tree.apply(FRAME).tolist() == [int(s in ("high", "top")) for s in FRAME["stage"]]
    assert (tree.predict(FRAME) == posterior.predict(FRAME)).all()
    with pytest.raises(slp.DataError, match=r"E438.*`other` in row 2.*low < mid < high < top"):
        tree.apply(pl.DataFrame({"stage": ["low", "other"]}))
    assert all(r.holds for r in tree.check(slp.parse(DECLARED), FRAME, "y"))


def test_scikit_learn_takes_places(posterior: slp.Posterior) -> None:
    pytest.importorskip("sklearn")
    fitted = posterior.map_tree().to_sklearn(["stage"])
    places = pl.DataFrame({"stage": [float(ORDER.index(s)) for s in FRAME["stage"]]})
    assert (fitted.predict(places) == posterior.predict(FRAME)).all()


def test_saved_runs(posterior: slp.Posterior, tmp_path: Path) -> None:
    """Levels, units and ranges survive, with and without the table."""
    for table in (True, False):
        posterior.save(tmp_path / "run.slpz", table=table)
        loaded = slp.load_posterior(tmp_path / "run.slpz")
        assert str(loaded.map_tree()) == str(posterior.map_tree())
        assert (loaded.predict(FRAME) == posterior.predict(FRAME)).all()
        for have, want in zip(loaded.table.features, posterior.table.features, strict=True):
            assert (have.kind.names, have.kind.unit, have.kind.range) == (
                want.kind.names,
                want.kind.unit,
                want.kind.range,
            )


# --- programs ----------------------------------------------------------------------------------


def test_guards_name_levels() -> None:
    """`V > mid` leaves the thresholds high and top; a fixed split is at its level."""
    rules = ":- start(t).\n0.9 :: t --> split(F, V), {{ {} }}, t, t.\n0.1 :: t --> leaf."
    declared = DECLARED.split("\n", 1)[1]
    text = declared + rules.format("F = stage, V > mid")
    found = slp.parse(text).posterior(FRAME, "y", seed=1, draws=0).sample(200, seed=1)
    tests = {str(n.threshold) for tree in found for n in tree.nodes() if isinstance(n, Split)}
    assert tests == {"high", "top"}
    fixed = declared + ":- start(t).\n1 :: t --> split(stage, top), leaf, leaf."
    assert str(slp.parse(fixed).posterior(FRAME, "y").map_tree()).startswith("stage < top")


def test_boxes_bounded_by_levels() -> None:
    """The box of the two lowest levels is not cut: no threshold at `mid`."""
    text = DECLARED + "box(early, stage, low, high).\n:- constraint(constant(early)).\n"
    program = slp.parse(text)
    assert dict(program.ir.boxes["early"].bounds) == {"stage": (0.0, 2.0)}
    assert "early (low <= stage < high)" in program.describe()
    for tree in program.posterior(FRAME, "y", seed=1, draws=0).sample(200, seed=2):
        thresholds = {str(n.threshold) for n in tree.nodes() if isinstance(n, Split)}
        root = tree.root
        assert not isinstance(root, Split) or str(root.threshold) != "mid", thresholds
    bad = DECLARED + "box(early, stage, low, later).\n:- constraint(constant(early)).\n"
    assert "its levels are low, mid, high, top" in codes(bad)[0]


def test_a_gap_counts_levels() -> None:
    """Under `gap`, the share of a split counts the levels between its two sides."""
    frame = FRAME.filter(pl.col("stage") != "mid").select("stage", "y")
    text = ":- feature(stage, [ordinal([low, mid, high, top])]).\n:- start(t).\n" + (
        "1 :: t --> split(F, V, gap), leaf, leaf."
    )
    prior = slp.parse(text).posterior(frame, "y")
    found = {str(s.tree.root.threshold): s.tree for s in prior.k_best(2)}  # type: ignore[union-attr]
    assert {k: round(np.exp(prior.log_prior(t)), 9) for k, t in found.items()} == {
        "mid": round(2 / 3, 9),
        "top": round(1 / 3, 9),
    }


# --- tables ------------------------------------------------------------------------------------


def test_levels_that_are_not_declared() -> None:
    text = ":- use(growtree).\n:- feature(stage, [ordinal([low, mid, high])])."
    assert codes(text)[0].startswith(
        "[E438] column `stage` holds `top` in row 3, and 3 more rows: not one of its "
        "levels, low < mid < high"
    )


def test_values_out_of_range() -> None:
    text = ":- use(growtree).\n:- feature(dose, [unit(mg), range(0, 7.5)])."
    assert codes(text)[0].startswith(
        "[E439] column `dose` is 8 mg in row 8, and 1 more row: outside its declared range, "
        "0 mg to 7.5 mg"
    )


def test_rows_to_predict_out_of_range(posterior: slp.Posterior) -> None:
    rows = pl.DataFrame({"stage": ["low"], "dose": [31.0]})
    with pytest.warns(slp.SlpWarning, match=r"W441.*`dose` is 31 mg/l in row 1"):
        posterior.predict(rows)


def test_a_response_with_a_unit_and_a_range() -> None:
    text = ":- use(growtree).\n:- feature(dose, [unit(mg), range(0, 9)])."
    found = slp.parse(text).posterior(FRAME.drop("y"), "dose", engine="modal")
    assert any("unit of `dose`: mg" in note for note in found.table.notes)
    with pytest.raises(slp.DataError, match="E439"):
        slp.parse(text.replace("9", "3")).posterior(FRAME.drop("y"), "dose", engine="modal")


@pytest.mark.parametrize(
    "column", [[1, 2, 3, 1] * 4, [1.0, 2.0, 3.0, 1.0] * 4, ["1", "2", "3", "1"] * 4]
)
def test_levels_that_are_numbers(column: list[object]) -> None:
    frame = pl.DataFrame({"grade": column, "y": ["a", "a", "b", "a"] * 4})
    text = ":- use(growtree).\n:- feature(grade, [ordinal([1, 2, 3])])."
    found = slp.parse(text).posterior(frame, "y")
    assert str(found.map_tree()).startswith("grade < 3")


def test_truth_values_with_an_order() -> None:
    frame = pl.DataFrame({"f": [True, False] * 8, "y": ["a", "b"] * 8})
    found = slp.parse(":- use(growtree). :- feature(f, [ordinal([false, true])]).")
    assert str(found.posterior(frame, "y").map_tree()).startswith("f < true")


def test_soft_trees_and_prolog_say_that_they_take_no_levels() -> None:
    text = DECLARED.replace("growtree", "rjhmc")
    assert any("`stage` is ordinal" in found for found in codes(text, "rjhmc"))
    rules = ":- start(t).\n0.9 :: t --> split(F, V), { F = stage, V > mid }, t, t.\n"
    program = slp.parse(DECLARED.split("\n", 1)[1] + rules + "0.1 :: t --> leaf.")
    with pytest.raises(slp.UnsupportedError, match=r"(?s)E163.*`prolog` know the order of levels"):
        program.expand(FRAME, "y")
