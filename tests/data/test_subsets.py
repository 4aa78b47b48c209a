"""Splits by subsets of levels: trees in all forms, predictions, and what is refused."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import slp
from slp.columns import In, Is
from slp.ir.words import describe_prior
from slp.trees import Leaf, Split, Tree

FRAME = pl.DataFrame(
    {
        "colour": ["red", "blue", "green", "white", "red", "blue", "green", "red", "white"],
        "size": [1, 2, 1, 2, 2, 1, 2, 1, 1],
        "y": ["a", "b", "a", "b", "a", "b", "a", "a", "b"],
    }
)
TREE = Tree(
    Split(
        "colour",
        In(("blue", "white"), ("green", "red"), "larger"),
        Leaf({"n": 4, "mean": 1.0}),
        Leaf({"n": 5, "mean": 2.0}),
    )
)


def program(said: str = "subsets", more: str = "") -> slp.Program:
    return slp.parse(f":- use(growtree).\n:- feature(colour, [{said}]).\n{more}")


def test_text_json_and_copies() -> None:
    assert TREE.to_text(ascii=True).splitlines()[0] == "colour in {blue, white}"
    data = TREE.to_dict()
    assert (data["levels"], data["others"]) == (["blue", "white"], ["green", "red"])
    assert data["absent"] == "larger"
    other = Tree(Split("colour", In(("blue",), ("red",)), *TREE.leaves()))
    for same in (Tree.from_dict(data), copy.deepcopy(TREE), pickle.loads(pickle.dumps(TREE))):
        assert same == TREE != other
        assert hash(same) == hash(TREE)
    turned = In(("white", "blue"), ("red", "green"), "larger")
    assert Tree(Split("colour", turned, *TREE.leaves())) == TREE


@pytest.mark.parametrize(
    "wrong",
    [
        {"levels": []},
        {"others": ["blue"]},
        {"levels": "blue"},
        {"others": None},
        {"absent": "lost"},
        {"levels": [1]},
    ],
)
def test_tests_that_are_none(wrong: dict[str, object]) -> None:
    with pytest.raises(slp.DataError, match="E60"):
        Tree.from_dict({**TREE.to_dict(), **wrong})


def test_rows_go_where_the_test_says() -> None:
    assert TREE.apply(FRAME).tolist() == [1, 0, 1, 0, 1, 0, 1, 1, 0]
    new = pl.DataFrame({"colour": ["pink", "blue"]})
    assert TREE.predict(new).tolist() == [2.0, 1.0]  # the larger side
    for absent in ("error", "average"):
        test = replace(TREE.root.test, absent=absent)
        with pytest.raises(slp.DataError, match=r"E607.*row 1 has the level `pink`"):
            Tree(Split("colour", test, *TREE.leaves())).apply(new)
    with pytest.raises(slp.DataError, match="E607"):  # no leaf knows its rows
        TREE.with_leaves([Leaf(), Leaf()]).apply(new)


@pytest.mark.slow
def test_exact_trees_in_all_forms(tmp_path: Path) -> None:
    posterior = program().posterior(FRAME, engine="exact", seed=1, draws=200)
    assert "NumPy" not in posterior.reason
    assert posterior.map_tree().to_text().startswith("colour in {blue, white}")
    tests = set()
    for scored in posterior.k_best(60):
        tree = scored.tree
        assert all(r.holds for r in tree.check(program(), FRAME, "y"))
        assert tree.with_summaries(posterior.table) == tree
        again = Tree.from_dict(tree.to_dict())
        assert posterior.log_posterior(again) == pytest.approx(scored.log_posterior, abs=1e-9)
        tests |= {n.level for n in tree.nodes() if isinstance(n, Split) and n.level is not None}
    assert len(tests) > 7
    posterior.save(tmp_path / "run.slpz")
    again = slp.load_posterior(tmp_path / "run.slpz")
    have, want = (p.predict_proba(FRAME.drop("y")) for p in (again, posterior))
    np.testing.assert_allclose(have, want, rtol=1e-12)
    assert again.map_tree() == posterior.map_tree()


def test_one_level_against_the_rest_is_a_test_too() -> None:
    """Its sides may be exchanged: the canonical test has the first level on the left."""
    posterior = program().posterior(FRAME, engine="exact", seed=1, draws=0)
    plain, canonical = (
        Tree(Split("colour", test, Leaf(), Leaf()))
        for test in (Is("red"), In(("blue", "green", "white"), ("red",)))
    )
    have, want = map(posterior.log_posterior, (plain, canonical))
    assert have == pytest.approx(want, abs=1e-12) and want > -np.inf
    rest = Tree(Split("colour", In(("blue",), ("green",)), Leaf(), Leaf()))
    assert posterior.log_posterior(rest) == -np.inf  # red and white have no side
    with pytest.raises(slp.DataError, match="E608"):
        rest.with_summaries(posterior.table)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["exact", "enumerate", "mh", "smc", "modal", "search"])
def test_new_levels(engine: str) -> None:
    """Under `error` no row goes down a split with them, otherwise its class probabilities lie
    between those of the leaves."""
    options = {"draws": 20, "seed": 1, "engine": engine}
    new = pl.DataFrame({"colour": ["pink", "red"], "size": [1, 1]})
    table = FRAME[:6]
    with pytest.warns() if engine == "mh" else _nothing():
        found = [
            program(f"subsets, new({way})").posterior(table, **options)
            for way in ("average", "larger", "error")
        ]
    average, larger = (p.predict_proba(new) for p in found[:2])
    np.testing.assert_allclose(average[1], larger[1], rtol=1e-9)
    assert (average > 0).all() and (larger > 0).all()
    with pytest.raises(slp.DataError, match="E445"):
        found[2].predict_proba(new)


def test_guards_see_the_list_of_levels() -> None:
    """V is the list of levels on the left, in the table's order."""
    said = """
    0.5 :: t --> split(colour, V), { member(white, V) }, t, t.
    0.5 :: t --> leaf.
    :- start(t).
    member(X, [X|_]).
    member(X, [_|T]) :- member(X, T).
    :- feature(colour, [subsets]).
    """
    posterior = slp.parse(said).prior(FRAME, engine="exact", draws=0)
    for scored in posterior.k_best(100):
        for node in scored.tree.nodes():
            assert not isinstance(node, Split) or "white" in node.level


def test_to_sklearn_asks_a_column_of_0_and_1() -> None:
    posterior = program().posterior(FRAME, engine="exact", seed=1, draws=0)
    tree = posterior.map_tree()
    made = tree.to_sklearn()
    assert list(made.feature_names_in_) == ["colour in {blue, white}"]
    rows = FRAME["colour"].is_in(["blue", "white"]).cast(pl.Int64).to_numpy()[:, None]
    assert made.predict(rows).tolist() == tree.predict(FRAME).tolist()


def test_missing_values_are_one_more_level() -> None:
    frame = FRAME.with_columns(colour=pl.when(pl.col("colour") != "white").then("colour"))
    with_level = program("subsets, missing(level)").posterior(frame, engine="exact", draws=0)
    assert with_level.log_evidence == pytest.approx(
        program().posterior(FRAME, engine="exact", draws=0).log_evidence, abs=1e-12
    )
    tree = with_level.map_tree()
    assert tree.to_text().startswith("colour in {blue, missing}")
    assert tree.predict(frame).tolist() == FRAME["y"].to_list()


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("subsets(13)", "E102.*levels from 2 to 12"),
        ("subsets(1)", "E1"),
        ("subsets, subsets", "E102.*`subsets` twice"),
        ("subsets, numeric", "E102.*numbers and orders"),
        ("subsets, cuts([1])", "E102.*numbers and orders"),
        ("subsets, missing(side)", "E102.*take a side"),
        ("missing(side), new(larger)", "E102.*goes with `subsets`"),
        ("new(larger)", "E102.*neither that it is categorical"),
        ("subsets, new(none)", "E102.*`larger`"),
    ],
)
def test_wrong_declarations(said: str, message: str) -> None:
    with pytest.raises(slp.ProgramError, match=message):
        program(said)


def test_too_many_levels() -> None:
    frame = pl.DataFrame({"colour": [f"c{i}" for i in range(9)], "y": [0, 1, 0] * 3})
    with pytest.raises(slp.DataError, match=r"E446.*9 levels.*at most 8"):
        program().posterior(frame)
    assert program("subsets(9)").posterior(frame[:3], draws=0).log_evidence is not None


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (":- constraint(monotone(size, up)). :- response(y, [ordinal([a, b])]).", "E155"),
        (":- constraint(first(colour)).", None),
    ],
)
def test_what_goes_with_it(more: str, code: str | None) -> None:
    if code is None:
        assert program(more=more).posterior(FRAME, draws=0).log_evidence is not None
        return
    with pytest.raises(slp.SlpError, match=code):
        program(more=more).posterior(FRAME)
    (result, *_) = TREE.check(program(more=more))
    assert result.holds is None


def test_a_split_on_one_level_is_none_of_its_splits() -> None:
    text = ":- start(t). 1 :: t --> split(colour, red), leaf, leaf. :- feature(colour, [subsets])."
    with pytest.raises(slp.SlpError, match=r"E155.*`split\(colour, red\)`"):
        slp.parse(text).posterior(FRAME)


def test_declarations_for_all_features() -> None:
    """What `_` says of new rows is of levels too; and missing values cannot take a side."""
    for_all = ":- feature(_, [missing(side), new(error)])."
    with pytest.raises(slp.ProgramError, match="E102.*take a side"):
        program(more=for_all)
    posterior = program("subsets, missing(error)", for_all).posterior(FRAME[:6], draws=0)
    with pytest.raises(slp.DataError, match="E445"):
        posterior.predict(pl.DataFrame({"colour": ["pink"], "size": [1]}))


def test_edits_and_expansions_are_refused() -> None:
    edits = slp.parse(":- use(edittree). :- feature(colour, [subsets]).", tree=Tree(Leaf()))
    with pytest.raises(slp.SlpError, match="E155"):
        edits.posterior(FRAME)


def test_words() -> None:
    have = describe_prior(program("subsets(6), new(larger)").ir)
    assert (
        "colour is split by subsets of its levels, 6 at most. A new level at a split takes the "
        "side with more rows." in have
    )


def test_shares_of_splits_are_uniform() -> None:
    """Of four levels there are seven partitions; with the other feature's split they are drawn
    with probability 1/2 times 1/7."""
    text = """
    0.5 :: t --> split(F, V), l, l.
    0.5 :: t --> leaf.
    1 :: l --> leaf.
    :- start(t).
    :- feature(colour, [subsets]).
    """
    posterior = slp.parse(text).prior(FRAME, engine="exact", draws=0)
    scored = posterior.k_best(20)
    shares = sorted(np.exp([s.log_posterior for s in scored]))
    assert len(shares) == 9
    np.testing.assert_allclose(shares, [*[0.5 / 14] * 7, 0.25, 0.5], rtol=1e-12)
    assert all(a <= b for a, b in pairwise(shares))


def _nothing() -> object:
    from contextlib import nullcontext

    return nullcontext()
