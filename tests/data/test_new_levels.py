"""Levels of new rows that the box of a split does not have (docs/data.md, new levels)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.columns import Is

PRIOR = ":- use(growtree, [alpha = 0.9, beta = 0.5]).\n"
NEW = pl.DataFrame(
    [
        {"colour": colour, "sex": sex, "x": x}
        for colour in ("red", "blue", "green", "grey")
        for sex in ("f", "m", "unknown")
        for x in (0.0, 2.5, 6.0)
    ]
)
#: That is what the rules are for, so W440 says nothing new here.
pytestmark = pytest.mark.filterwarnings("ignore:warning.W440")


def table(seed: int, n: int = 14, missing: float = 0.0, weights: bool = False) -> pl.DataFrame:
    """Rows of a feature of three levels, one of two and one of numbers, with classes."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "blue", "green"], n).tolist()
    sex, x = rng.choice(["f", "m"], n).tolist(), rng.integers(0, 5, n).astype(np.float64)
    y = [
        "p" if (c == "red") ^ (s == "f") ^ (rng.random() < 0.2) else "q"
        for c, s in zip(colour, sex, strict=True)
    ]
    cells = [None if rng.random() < missing else c for c in colour]
    own = {"colour": cells, "sex": sex, "x": x, "y": y}
    return pl.DataFrame(own | ({"w": rng.integers(1, 4, n)} if weights else {}))


def spread(
    node: Mapping[str, Any], row: Mapping[str, Any]
) -> list[tuple[Mapping[str, Any], float]]:
    """The leaves of a tree in JSON that a row ends in, each with its share."""
    if "feature" not in node:
        return [(node, 1.0)]
    value = row[node["feature"]]
    if "threshold" in node:
        left = float(value < node["threshold"])
    elif value == node["level"] or node.get("other", value) == value:
        left = float(value == node["level"])
    else:
        left = rows_of(node["left"]) / rows_of(node)
    sides = (("left", left), ("right", 1 - left))
    return [(leaf, s * t) for key, s in sides if s > 0 for leaf, t in spread(node[key], row)]


def rows_of(node: Mapping[str, Any]) -> int:
    """The rows of the table in a node."""
    if "feature" in node:
        return rows_of(node["left"]) + rows_of(node["right"])
    return sum(node["counts"].values())


def probability(tree: slp.Tree, row: Mapping[str, Any]) -> float:
    """P(p) of a new row under `dirichlet(1)`."""
    parts = spread(tree.to_dict(), row)
    return sum(s * (leaf["counts"].get("p", 0) + 1) / (rows_of(leaf) + 2) for leaf, s in parts)


@pytest.mark.parametrize("name", ["f", "z"])
def test_the_order_of_names_decides_nothing(name: str) -> None:
    """P(leaf | data) 1/2 p + P(split | data) (0.5 8/10 + 0.5 2/10): one half either way."""
    frame = pl.DataFrame({"sex": [name] * 8 + ["m"] * 8, "ill": ["yes"] * 7 + ["no"] * 8 + ["yes"]})
    posterior = slp.load("growtree").posterior(frame, "ill", draws=0)
    have = posterior.predict_proba(pl.DataFrame({"sex": ["unknown"]}))
    np.testing.assert_allclose(have, [[0.5, 0.5]], rtol=1e-12)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("said", ["", "missing(side), new(average)", "missing(level)", "subsets"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=pytest.mark.slow) for s in (1, 2))])
def test_engines_agree(said: str, seed: int) -> None:
    side = "missing" in said
    n = 9 if side else 10
    declared = f":- feature(colour, [categorical, {said}]).\n" if said else ""
    program = slp.parse(PRIOR + declared + ":- support(max_depth(3)).")
    frame = table(seed, n, 0.2 if side else 0.0)
    new = pl.concat([NEW, NEW[:9].with_columns(colour=pl.lit(None, pl.String))]) if side else NEW
    have = {
        engine: program.posterior(frame, "y", engine=engine, draws=0).predict_proba(new)
        for engine in ("exact", "chart", "enumerate")
    }
    np.testing.assert_allclose(have["exact"], have["enumerate"], atol=1e-11)
    np.testing.assert_allclose(have["chart"], have["enumerate"], atol=1e-11)


@pytest.mark.parametrize("said", ["", ":- row_weight(w).\n", ":- support(min_leaf(2)).\n"])
@pytest.mark.parametrize("seed", range(4))
def test_sums_by_blocks_go_down_both_sides(said: str, seed: int) -> None:
    """Whether a box has two levels differs among the boxes of a block."""
    frame = table(seed, weights="weight" in said)
    program = slp.parse(PRIOR + said)
    have = program.posterior(frame, "y", engine="exact", draws=0).predict_proba(NEW)
    want = program.posterior(frame, "y", engine="chart", draws=0).predict_proba(NEW)
    np.testing.assert_allclose(have, want, atol=1e-11)


@pytest.mark.parametrize("engine", ["mh", "smc", "modal", "search"])
def test_trees_agree_with_averages_over_them(engine: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "mh": {"draws": 30, "warmup": 50, "rounds": 1},
        "smc": {"draws": 30},
    }.get(engine, {})
    frame = table(5, 24)
    posterior = slp.parse(PRIOR).posterior(frame, "y", engine=engine, seed=3, **options)
    drawn: Any = posterior._result.averages
    trees = [scored.tree for scored in drawn.trees]
    tests = [n.test for t in trees for n in t.nodes() if isinstance(n, slp.trees.Split)]
    pairs = [test for test in tests if isinstance(test, Is) and test.other is not None]
    assert {test.level for test in pairs if test.other == "m"} <= {"f"}
    want = [
        sum(p * probability(tree, row) for p, tree in zip(drawn.frequency, trees, strict=True))
        for row in NEW.iter_rows(named=True)
    ]
    np.testing.assert_allclose(posterior.predict_proba(NEW)[:, 0], want, atol=1e-12)
    posterior.save(tmp_path / "run.slpz")
    saved = slp.load_posterior(tmp_path / "run.slpz")
    np.testing.assert_allclose(saved.predict_proba(NEW)[:, 0], want, atol=1e-12)
    for tree in trees:
        assert slp.Tree.from_dict(tree.to_dict()) == tree
        most = [probability_of_most(tree, row) for row in NEW.iter_rows(named=True)]
        assert [
            None if m is None else p for p, m in zip(tree.predict(NEW), most, strict=True)
        ] == most


def probability_of_most(tree: slp.Tree, row: Mapping[str, Any]) -> str | None:
    """The class of most rows of a row's leaves, by their shares; None of a tie."""
    p = sum(s * x["counts"].get("p", 0) / rows_of(x) for x, s in spread(tree.to_dict(), row))
    return None if abs(p - 0.5) < 1e-9 else "p" if p > 0.5 else "q"


def test_saved_exact_runs_agree(tmp_path: Path) -> None:
    posterior = slp.parse(PRIOR).posterior(table(2), "y", engine="exact", draws=20)
    posterior.save(tmp_path / "run.slpz", table=True)
    saved = slp.load_posterior(tmp_path / "run.slpz")
    assert saved.map_tree() == posterior.map_tree()
    assert saved.sample(5, seed=1) == posterior.sample(5, seed=1)


def test_paths_average_to_predictions() -> None:
    row = {"colour": "grey", "sex": "unknown", "x": 2.5}
    posterior = slp.parse(PRIOR).posterior(table(1), "y", engine="exact", draws=0)
    (paths,) = posterior.sample_paths(pl.DataFrame([row]), 4000, seed=1)
    told = [(path.leaf.summary["counts"].get("p", 0) + 1) / (path.leaf.rows + 2) for path in paths]
    want = posterior.predict_proba(pl.DataFrame([row]))[0, 0]
    assert abs(np.mean(told) - want) < 4 * np.std(told) / 4000**0.5


def test_words_and_json() -> None:
    posterior = slp.load("growtree").posterior(table(3).select("sex", "y"), "y", draws=0)
    tree = posterior.map_tree()
    assert tree.to_text().startswith("sex = f, else m\n")
    assert 'label="sex = f, else m"' in tree.to_dot()
    data = tree.to_dict()
    assert {k: data[k] for k in ("level", "other", "absent")} == {
        "level": "f",
        "other": "m",
        "absent": "average",
    }
    one = {"feature": "c", "level": "a", "left": {}, "right": {}}
    assert slp.Tree.from_dict(one).to_dict() == one


@pytest.mark.parametrize("wrong", [{"other": 3}, {"other": "a"}, {"other": "b", "absent": "left"}])
def test_malformed_json(wrong: dict[str, Any]) -> None:
    with pytest.raises(slp.DataError, match="E60[23]"):
        slp.Tree.from_dict({"feature": "c", "level": "a", "left": {}, "right": {}} | wrong)


@pytest.mark.parametrize("engine", ["exact", "chart", "enumerate", "mh"])
@pytest.mark.parametrize(
    "said", [":- feature(sex, [categorical, new(error)]).\n", ":- feature(_, [new(error)]).\n"]
)
def test_errors_by_choice(engine: str, said: str) -> None:
    program = slp.parse(PRIOR + said + ":- support(max_depth(2)).")
    how: dict[str, Any] = {"draws": 100, "warmup": 500, "thin": 20}
    options = how if engine == "mh" else {"draws": 0}
    posterior = program.posterior(table(5, 10), "y", engine=engine, seed=1, **options)
    with pytest.raises(slp.DataError, match=r"E445.*`sex`"):
        posterior.predict(NEW.filter((pl.col("sex") == "unknown") & (pl.col("colour") == "red")))
    frame = table(5, 10)
    assert len(posterior.predict(frame)) == len(frame)  # each box on their way has their levels


def test_single_trees_refuse_what_they_cannot_tell() -> None:
    split = {"feature": "c", "level": "a", "other": "b", "absent": "average"}
    sides = {"left": {"counts": {"p": 3, "q": 1}}, "right": {"counts": {"q": 4}}}
    tree = slp.Tree.from_dict(split | sides)
    frame = pl.DataFrame({"c": ["a", "b", "z"]})
    assert tree.predict(frame).tolist() == ["p", "q", "q"]
    with pytest.raises(slp.DataError, match=r"E607.*`z`.*`c = a, else b`"):
        tree.apply(frame)
    for refusing in (split | {"absent": "error"} | sides, split | {"left": {}, "right": {}}):
        with pytest.raises(slp.DataError, match=r"E607"):
            slp.Tree.from_dict(refusing).apply(frame)


def test_single_trees_of_numbers_and_durations() -> None:
    split = {"feature": "c", "level": "a", "other": "b"}
    numbers = split | {"left": {"n": 3, "mean": 2.0}, "right": {"n": 1, "mean": 6.0}}
    frame = pl.DataFrame({"c": ["z"]})
    assert slp.Tree.from_dict(numbers).predict(frame).tolist() == [3.0]
    sides = [{"n": 2, "events": 2, "mean": mean} for mean in (1.0, 3.0)]
    (found,) = slp.Tree.from_dict(split | dict(zip(("left", "right"), sides, strict=True))).predict(
        frame
    )
    assert (np.exp(-found) + np.exp(-found / 3)) / 2 == pytest.approx(0.5, rel=1e-12)


def test_a_warning_only_without_a_declaration() -> None:
    for said, told in ((":- feature(sex, [categorical, new(average)]).", False), ("", True)):
        posterior = slp.parse(PRIOR + said).posterior(table(3).select("sex", "y"), "y", draws=0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            posterior.predict(pl.DataFrame({"sex": ["unknown"]}))
        assert any("W440" in str(w.message) for w in caught) == told


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_trees_come_back_from_json_as_they_were(missing: float) -> None:
    """Tests of one level and of two, where new levels are an error."""
    own = ", missing(level)" if missing else ""
    program = slp.parse(f"{PRIOR}:- feature(colour, [categorical, new(error){own}]).\n")
    posterior = program.posterior(table(3, missing=missing), "y", seed=1, draws=50)
    for tree in posterior.sample(50, seed=2):
        again = slp.Tree.from_dict(tree.to_dict())
        assert again == tree
        assert again.edits_from(tree) == []
