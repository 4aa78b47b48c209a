"""Splits by concepts of levels, as users see them."""

from __future__ import annotations

import json
import sqlite3
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import slp
from slp.cli import slp_command
from slp.columns import Concepts, Is, kind_of_plain
from slp.columns.concepts import SplitsByConcepts
from slp.errors import DataError, SlpError, SlpWarning
from slp.ir.hierarchies import Hierarchy, IsA

FRUIT = """
is_a(granny, apple). is_a(fuji, apple). is_a(braeburn, apple).
is_a(conference, pear). is_a(bosc, pear). is_a(apple, fruit). is_a(pear, fruit).
"""
SHOP = pl.DataFrame(
    {
        "kind": ["granny", "fuji", "conference", "bosc", "kale", "leek", "granny", "fuji", "kale"],
        "x": [0, 1, 2, 0, 1, 2, 1, 2, 0],
        "sold": ["yes", "yes", "no", "no", "no", "no", "yes", "yes", "no"],
    }
)
PROGRAM = slp.parse(f":- use(growtree). {FRUIT}")


def posterior(**options: Any) -> Any:
    return PROGRAM.posterior(SHOP, **{"draws": 0, **options})


def kind_of(levels: list[str], above: dict[str, str]) -> Concepts:
    facts = [IsA(None, low, high) for low, high in above.items()]
    return SplitsByConcepts(Hierarchy.of(facts)).kind(tuple(levels), None, None)


def test_levels_under_a_concept_follow_each_other() -> None:
    kind = kind_of(["a", "b", "c", "d"], {"a": "x", "d": "x", "new": "x", "b": "y", "x": "z"})
    assert kind.levels == ("a", "d", "new", "b", "c")
    # `z` has the levels of `x`, which is lower; `y` has one level
    assert kind.spans == (("x", 0, 2),)
    assert kind.left_sides() == ("a", "d", "new", "b", "c", "x")


def test_of_concepts_that_part_alike_the_most_special_one_is_the_cut() -> None:
    kind = kind_of(["a", "b", "c", "d"], {"a": "x", "b": "x", "c": "y", "d": "y"})

    def tests(codes: list[int]) -> list[str]:
        present = [(code, 1 << i) for i, code in enumerate(codes)]
        cuts = kind.cuts(present, lambda rows: np.zeros(len(rows)))
        return [kind.test(low, high, np.array(codes)).condition("f") for low, high, _ in cuts]

    # `x` and `y` part alike, and so do all but one level and that level
    assert tests([0, 1, 2, 3]) == ["f = a", "f = b", "f = c", "f = d", "f = x"]
    assert tests([0, 1, 2]) == ["f = a", "f = b", "f = c"]
    assert tests([0, 2]) == ["f = a, else c"]
    assert tests([1]) == []


def test_text_json_and_new_levels() -> None:
    best = posterior().map_tree()
    assert best.to_text().startswith("kind = apple\n")
    assert best.root.test == Is("apple", under=("fuji", "granny", "braeburn"))
    data = best.to_dict()
    assert data["level"] == "apple" and sorted(data["under"]) == ["braeburn", "fuji", "granny"]
    assert slp.Tree.from_dict(json.loads(json.dumps(data))) == best
    new = pl.DataFrame({"kind": ["braeburn", "bosc", "plum"], "x": [0, 0, 0]})
    with pytest.warns(SlpWarning, match="W440.*`plum`"):
        assert list(posterior().predict(new)) == ["yes", "no", "no"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlpWarning)
        posterior().predict(new[:2])
    assert list(best.predict(new)) == ["yes", "no", "no"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"under": []}, "E602.*list of levels"),
        ({"under": ["a", "a"]}, "E602.*list of levels"),
        ({"under": "a"}, "E603"),
        ({"under": ["a"], "other": "b"}, "E602"),
    ],
)
def test_malformed_json(more: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        slp.Tree.from_dict({"feature": "f", "level": "x", **more, "left": {}, "right": {}})


def test_sql_says_the_concept() -> None:
    sql = posterior().map_tree().to_sql()
    assert "/* apple */" in sql
    base = sqlite3.connect(":memory:")
    base.execute("create table t (kind text, x integer)")
    rows = [("granny", 0), ("braeburn", 0), ("leek", 1), ("plum", 1)]
    base.executemany("insert into t values (?, ?)", rows)
    found = [row[0] for row in base.execute(f"select {sql} from t")]
    assert found == ["yes", "yes", "no", "no"]


def test_a_name_cannot_end_a_comment() -> None:
    tree = slp.Tree.from_dict(
        {
            "feature": "f",
            "level": "a */ drop\n/* b",
            "under": ["p", "q"],
            "left": {"counts": {"n": 1}},
            "right": {"counts": {"y": 1}},
        }
    )
    assert "/* a drop b */" in tree.to_sql()
    scope: dict[str, Any] = {}
    exec(tree.to_python(), scope)
    assert scope["predict"]({"f": "q"}) == "n" and scope["predict"]({"f": "r"}) == "y"


@pytest.mark.parametrize("engine", ["exact", "mh", "smc", "modal", "search"])
def test_engines_and_saved_runs(engine: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        few = {"draws": 200, "chains": 2, "warmup": 100, "thin": 2} if engine == "mh" else {}
        found = PROGRAM.posterior(SHOP, engine=engine, seed=3, **few)
        found.save(tmp_path / "run.slpz")
        again = slp.load_posterior(tmp_path / "run.slpz")
        new = pl.DataFrame({"kind": ["braeburn", "bosc", "leek"], "x": [0, 1, 2]})
        np.testing.assert_allclose(again.predict_proba(new), found.predict_proba(new))
    if found.log_evidence is not None and found.log_evidence_error is not None:
        want = posterior(engine="exact").log_evidence
        assert abs(found.log_evidence - want) <= 5 * found.log_evidence_error + 1e-9


def test_the_search_finds_the_best_tree() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        kinds = rng.choice(SHOP["kind"].to_list(), 12)
        frame = pl.DataFrame(
            {"kind": kinds, "x": rng.integers(3, size=12), "sold": rng.choice(["yes", "no"], 12)}
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SlpWarning)  # of concepts without a level
            exact = PROGRAM.posterior(frame, "sold", engine="exact", draws=0)
            best = PROGRAM.posterior(frame, "sold", engine="search", draws=0)
        assert best.map().log_joint == pytest.approx(exact.map().log_joint)


def test_many_levels() -> None:
    """More than a set of 32 digits has."""
    names = [f"l{i:03}" for i in range(90)]
    facts = " ".join(f"is_a({name}, c{i // 6})." for i, name in enumerate(names))
    facts += " " + " ".join(f"is_a(c{i}, d{i // 5})." for i in range(15))
    frame = pl.DataFrame({"f": names * 2, "y": [i // 30 % 2 == 1 for i in range(90)] * 2})
    program = slp.parse(f":- use(growtree, [alpha = 0.5]). {facts}")
    best = program.posterior(frame, "y", engine="search", draws=0, time=5).map_tree()
    assert best.to_text().startswith("f = d1\n")


def test_the_archive_holds_what_a_column_is() -> None:
    kind = kind_of(["a", "b", "c"], {"a": "x", "b": "x"})
    again = kind_of_plain(json.loads(json.dumps(kind.to_plain())))
    assert isinstance(again, Concepts)
    assert (again.levels, again.spans) == (kind.levels, kind.spans)
    for number in range(kind.n_cells(0)):
        test = kind.test(number, number)
        assert kind.test_of_number(kind.test_to_number(test), None) == test
    for wrong in ([["x", 0, 3]], [["x", 1, 1]], [["x", 0]], "x", None):
        with pytest.raises(ValueError, match="no column"):
            kind_of_plain({**kind.to_plain(), "spans": wrong})
    for number in (-1.0, 0.5, 100.0):
        with pytest.raises(ValueError, match=r"no (number|code)"):
            kind.test_of_number(number, None)


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (":- feature(kind, [subsets]).", "E175"),
        (":- feature(kind, [subsets(ordered)]).", "E175"),
        (":- feature(kind, [categorical, missing(side)]).", "E175"),
        (":- constraint(monotone(x, up)). :- response(sold, [ordinal([no, yes])]).", "E155"),
        ("is_a(kind, apple, granny).", "E174"),
        ("is_a(kind, granny, pear).", "E174"),
    ],
)
def test_what_does_not_go_with_concepts(more: str, code: str) -> None:
    with pytest.raises(SlpError, match=code):
        slp.parse(f":- use(growtree). {FRUIT} {more}").posterior(SHOP, "sold", draws=0)
    with pytest.raises(SlpError, match="E163"):
        PROGRAM.expand(SHOP)


def test_a_concept_without_a_level_is_a_warning() -> None:
    """Not an error: some rows of a table, as those of a fold, may lack its levels."""
    some = SHOP.filter(~pl.col("kind").is_in(["conference", "bosc"]))
    with pytest.warns(SlpWarning, match="W411.*`pear`"):
        found = PROGRAM.posterior(some, "sold", draws=0)
    assert found.map_tree().to_text().startswith("kind = apple")
    with pytest.warns(SlpWarning, match="W411.*`beer`"):
        slp.parse(":- use(growtree). is_a(ale, beer).").posterior(SHOP, "sold", draws=0)


def test_folds() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        programs = {"concepts": PROGRAM, "plain": slp.load("growtree")}
        found = slp.compare(programs, SHOP, "sold", folds=3, seed=1)
    assert np.isfinite(found["concepts"].held_out.by_row).all()


def test_missing_values_are_one_more_level() -> None:
    holes = SHOP.with_columns(
        kind=pl.when(pl.col("kind") == "leek").then(None).otherwise(pl.col("kind"))
    )
    found = slp.parse(f":- use(growtree). {FRUIT} :- feature(kind, [missing(level)]).").posterior(
        holes, "sold", draws=0
    )
    assert found.map_tree().to_text().startswith("kind = apple\n")
    new = pl.DataFrame({"kind": [None, "braeburn"], "x": [0, 0]})
    assert list(found.predict(new)) == ["no", "yes"]
    assert list(found.map_tree().predict(new)) == ["no", "yes"]


def test_rules_name_concepts() -> None:
    program = slp.parse(
        f":- start(t). 0.9 :: t --> split(kind, fruit), u, leaf. 0.1 :: t --> leaf. "
        f"1 :: u --> split(kind, V), {{ is_a(V, fruit) }}, leaf, leaf. {FRUIT}"
    )
    trees = [str(draw.tree) for draw in program.prior(SHOP, "sold", draws=50, seed=2).draws]
    assert any(text.startswith("kind = fruit") for text in trees)
    assert all("kind = pear" in text or "kind = fruit" not in text for text in trees)


def test_commands(tmp_path: Path) -> None:
    program, table = tmp_path / "p.slp", tmp_path / "t.csv"
    program.write_text(f":- use(growtree).\n{FRUIT}", "utf-8")
    SHOP.write_csv(table)
    for command in (["check"], ["explain"], ["map"]):
        told = CliRunner().invoke(slp_command, [*command, str(program), str(table)])
        assert told.exit_code == 0, told.output
    assert "kind = apple" in told.output
    told = CliRunner().invoke(slp_command, ["explain", str(program)])
    assert "apple is granny, fuji or braeburn" in " ".join(told.output.split())
