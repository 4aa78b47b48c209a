"""Missing values that take a side: trees in all forms, predictions, checks, and what is refused."""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import slp
from slp.columns import Below, Is, IsMissing
from slp.compile import compile_problem, read_text
from slp.ir.words import describe_prior
from slp.lower.explain import explain_program
from slp.reference.boxes import Geometry
from slp.reference.split_measures import SplitArrays, log_split_probabilities
from slp.source import SourceFile
from slp.trees import Leaf, Split, Tree

FRAME = pl.DataFrame(
    {
        "age": [1.0, 2.0, None, 4.0, 5.0, None, 3.0, 2.5],
        "colour": ["red", None, "blue", "red", None, "green", "blue", "red"],
        "stage": ["low", "high", None, "mid", "mid", "low", None, "high"],
        "y": ["a", "b", "a", "b", "a", "a", "b", "a"],
    }
)
DECLARED = (
    ":- feature(_, [missing(side), new(average)]).\n"
    ":- feature(stage, [ordinal([low, mid, high])]).\n"
)
PROGRAM = slp.parse(f":- use(growtree).\n{DECLARED}:- support(max_depth(2)).")
NEW = pl.DataFrame(
    {
        "age": [None, 2.2, None, 9.0],
        "colour": ["red", None, None, "new"],
        "stage": [None, "low", None, "high"],
    }
)
TREE = Tree(
    Split(
        "age",
        Below(2.5, "left"),
        Split("colour", Is("red", "right"), Leaf(), Leaf()),
        Split("stage", IsMissing(), Leaf(), Leaf()),
    )
)


@pytest.fixture(scope="module")
def posterior() -> slp.Posterior:
    return PROGRAM.posterior(FRAME, engine="exact", seed=1, draws=300)


def test_text_json_and_copies() -> None:
    assert TREE.to_text(ascii=True).splitlines() == [
        "age < 2.5 or missing",
        "|- yes: colour = red and not missing",
        "|  |- yes: leaf",
        "|  `- no: leaf",
        "`- no: stage = missing",
        "   |- yes: leaf",
        "   `- no: leaf",
    ]
    data = TREE.to_dict()
    assert data["missing"] == "left"
    assert (data["left"]["level"], data["left"]["missing"]) == ("red", "right")
    assert (data["right"]["level"], data["right"]["missing"]) == ("missing", "level")
    plain = Tree(Split("age", Below(2.5), TREE.root.left, TREE.root.right))
    for same in (Tree.from_dict(data), copy.deepcopy(TREE), pickle.loads(pickle.dumps(TREE))):
        assert same == TREE
        assert hash(same) == hash(TREE)
        assert same != plain
        assert same.root.missing == "left"
        assert same.root.left.missing == "right"
    with pytest.raises(slp.DataError, match=r"E602.*beside a threshold"):
        Tree.from_dict({**data, "missing": "level"})


def test_rows_go_where_the_tests_say() -> None:
    assert TREE.apply(FRAME).tolist() == [0, 1, 1, 3, 3, 1, 2, 3]
    with pytest.raises(slp.DataError, match=r"E607.*row 3"):
        Tree(Split("age", Below(2.5), Leaf(), Leaf())).apply(FRAME)


def test_exact_trees_in_all_forms(posterior: slp.Posterior) -> None:
    tests = set()
    for scored in posterior.k_best(60):
        tree = scored.tree
        assert all(r.holds for r in tree.check(PROGRAM, FRAME, "y"))
        assert tree.with_summaries(posterior.table) == tree
        again = Tree.from_dict(tree.to_dict())
        assert posterior.log_posterior(again) == pytest.approx(scored.log_posterior, abs=1e-9)
        tests |= {n.test for n in tree.nodes() if isinstance(n, Split)}
    assert {t.missing for t in tests} > {"left", "right"}
    assert IsMissing() in tests


def test_a_test_without_a_side_is_not_in_the_support(posterior: slp.Posterior) -> None:
    tree = Tree(Split("age", Below(2.25), Leaf(), Leaf()))
    assert posterior.log_posterior(tree) == -np.inf
    with pytest.raises(slp.DataError, match=r"E608.*does not say their side"):
        tree.with_summaries(posterior.table)


@pytest.mark.parametrize("engine", ["mh", "smc", "modal", "search"])
def test_draws_predict_as_their_trees_do(engine: str) -> None:
    with pytest.warns() if engine == "mh" else _nothing():
        found = PROGRAM.posterior(FRAME, engine=engine, seed=1, draws=20)
    whole = pl.DataFrame({"age": [None, 2.2], "colour": ["red", None], "stage": ["low", "mid"]})
    trees = found.sample(20, seed=1) if engine in ("mh", "smc") else [found.map_tree()]
    if any(t.features != () and _asks_without_side(t) for t in trees):
        found.predict_proba(whole)  # averages over both sides
        return
    leaf = found.table.leaf
    have = found.predict_proba(whole)
    assert have.shape == (2, len(leaf.classes))
    np.testing.assert_allclose(have.sum(axis=1), 1)


def _asks_without_side(tree: Tree) -> bool:
    return any(isinstance(n, Split) and n.missing is None for n in tree.nodes())


def _nothing() -> object:
    import contextlib

    return contextlib.nullcontext()


@pytest.mark.slow
def test_predictions_of_draws_approach_the_exact_ones(posterior: slp.Posterior) -> None:
    from slp.results.averages.drawn_trees import DrawnTrees
    from slp.results.averages.over_trees import ScoredTree, ScoredTrees

    trees = posterior.sample(4000, seed=3)
    drawn = DrawnTrees(
        posterior.table,
        ScoredTrees.of(posterior.table, [ScoredTree(t, np.nan, np.nan) for t in trees]),
        [np.arange(len(trees))],
    )
    rows = posterior.table.new_rows(NEW)
    want, have = posterior._result.averages.distribution.predictions(rows), drawn.predictions(rows)
    np.testing.assert_allclose(have, want, atol=0.03)
    by_tree = np.concatenate(list(drawn.predictions_by_tree(rows)), axis=1)
    np.testing.assert_allclose(by_tree.mean(axis=0), have, atol=1e-12)
    mixed = np.array(
        [
            m.probability @ posterior.table.leaf.predict_proba(m.statistics)
            for m in drawn.leaf_mixtures(rows)
        ]
    )
    np.testing.assert_allclose(mixed, have, atol=1e-12)


@pytest.mark.parametrize("rows", [True, False])
def test_saved_runs(posterior: slp.Posterior, tmp_path: Path, rows: bool) -> None:
    path = tmp_path / "run.slpz"
    posterior.save(path, table=rows)
    again = slp.load_posterior(path)
    assert again.map_tree() == posterior.map_tree()
    new = NEW[:3]
    np.testing.assert_allclose(again.predict_proba(new), posterior.predict_proba(new), atol=0.1)
    assert again.table.features[0].kind.new == "average"


def test_scikit_learn_sends_rows_to_the_same_leaves() -> None:
    pytest.importorskip("sklearn")
    numbers = FRAME.select("age", "y").with_columns(size=pl.Series([3, None, 1, 2, 5, 4, None, 6]))
    program = slp.parse(":- use(growtree). :- feature(_, [missing(side)]).")
    found = program.posterior(numbers, "y", engine="exact", seed=1, draws=30)
    X = numbers.select("age", "size").to_numpy().astype(np.float64)
    for tree in found.sample(30, seed=2):
        if any(isinstance(n, Split) and n.level is not None for n in tree.nodes()):
            continue
        if tree.n_leaves > 1:
            fitted = tree.to_sklearn(["age", "size"])
            leaves = fitted.apply(X)
            order = {leaf: i for i, leaf in enumerate(sorted(set(leaves)))}
            assert [order[leaf] for leaf in leaves] == tree.apply(numbers).tolist()


def test_split_probabilities_sum_to_1() -> None:
    program, *_ = read_text(SourceFile("p.slp", f":- use(growtree).\n{DECLARED}"))
    problem = compile_problem(program, FRAME, "y")
    geometry = Geometry(problem.grammar, problem.table)
    boxes = [geometry.root, *(s.left for s in geometry.splits(geometry.root))]
    assert any(c.test == IsMissing() for c in geometry.cuts)
    for box in boxes:
        splits = geometry.splits(box)
        if not splits:
            continue
        arrays = SplitArrays.of_box(geometry, splits, np.array([1.0, 2.0, 0.5]))
        valid = np.ones(len(splits), np.bool_)
        for measure in ("feature_then_cut", "all", "gap"):
            found = np.exp(log_split_probabilities(measure, arrays, valid))
            assert found.sum() == pytest.approx(1, abs=1e-12)
            valid[0] = len(splits) == 1  # without the first
            assert np.exp(log_split_probabilities(measure, arrays, valid)).sum() == pytest.approx(
                1, abs=1e-12
            )
            valid[0] = True


def test_words_and_choice(posterior: slp.Posterior) -> None:
    told = describe_prior(PROGRAM.ir)
    assert any("takes the side that the split says, or both sides" in line for line in told)
    assert "missing values take a side of: age, colour, stage" in posterior.table.notes
    assert "NumPy" not in posterior.reason


@pytest.mark.parametrize(
    "said",
    ["new(average)", "numeric, new(error)", "missing(side), new(left)"],
)
def test_malformed_declarations(said: str) -> None:
    with pytest.raises(slp.ProgramError, match="E102"):
        slp.parse(f":- use(growtree).\n:- feature(colour, [{said}]).")


def test_the_name_of_the_test_is_no_level() -> None:
    frame = FRAME.with_columns(colour=pl.lit("missing"))
    with pytest.raises(slp.DataError, match=r"E420.*name of the test"):
        PROGRAM.posterior(frame)
    gone = FRAME.with_columns(age=pl.lit(None))
    with pytest.raises(slp.DataError, match=r"E420.*in every row"):
        PROGRAM.posterior(gone)


def test_what_is_refused() -> None:
    monotone = slp.parse(f":- use(growtree).\n{DECLARED}:- constraint(monotone(age, up)).")
    with pytest.raises(slp.SlpError, match="E155"):
        monotone.posterior(FRAME.with_columns(y=pl.Series(range(8))), "y")
    edits = slp.load("edittree", tree=Tree.from_dict({}))
    with pytest.raises(slp.SlpError, match="E420"):
        edits.posterior(FRAME)
    soft = slp.parse(f":- use(rjhmc).\n{DECLARED}")
    with pytest.raises(slp.SlpError, match="E155|E154"):
        soft.posterior(FRAME.with_columns(y=pl.Series(np.arange(8.0))), "y", engine="rjhmc")


def test_explanations_and_the_choice_of_auto() -> None:
    program, *_ = read_text(SourceFile("p.slp", f":- use(growtree).\n{DECLARED}"))
    problem = compile_problem(program, FRAME, "y")
    told = explain_program(program, problem.table.schema())
    assert "exact sums go box by box" in told.replace("\n", " ")
    rng = np.random.default_rng(1)
    large = pl.DataFrame({name: rng.normal(size=100) for name in ("a", "b", "c")})
    large = large.with_columns(a=pl.when(pl.col("a") < 1).then("a"), y=pl.Series(["x", "y"] * 50))
    found = slp.parse(":- use(growtree). :- feature(_, [missing(side)]).")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)  # of so few draws
        drawn = found.posterior(large, "y", seed=1, draws=5, engine="auto", warmup=5, thin=1)
    assert drawn.engine == "mh"
    assert "NumPy" not in drawn.reason


@pytest.mark.slow
@pytest.mark.parametrize("values", [9, 2])
@pytest.mark.parametrize("more", ["", ":- support(max_depth(2)).", ":- constraint(max_leaves(4))."])
def test_only_new_rows_miss_values(values: int, more: str) -> None:
    """Exact sums go by blocks, which hold no missing values; new rows with them go item by item."""
    rng = np.random.default_rng(values)
    table = pl.DataFrame({name: rng.integers(0, values, 24) for name in "abc"})
    table = table.with_columns(y=pl.Series(rng.choice(["n", "p"], 24)))
    rows = pl.DataFrame({name: rng.integers(0, 2 * values, 40) / 2 for name in "abc"})
    holes = rng.random((40, 3)) < 0.2
    rows = rows.with_columns(
        pl.when(pl.Series(holes[:, i])).then(None).otherwise(pl.col(name)).alias(name)
        for i, name in enumerate("abc")
    )
    program = slp.parse(":- use(growtree). :- feature(_, [missing(side), new(average)]). " + more)
    found, by_chart = (
        program.posterior(table, "y", engine=engine, seed=1) for engine in ("exact", "chart")
    )
    have, want = found.predict_proba(rows), by_chart.predict_proba(rows)
    np.testing.assert_allclose(have, want, atol=1e-9)
    whole = ~holes.any(axis=1)
    plain = slp.parse(f":- use(growtree). {more}").posterior(table, "y", engine="exact", seed=1)
    np.testing.assert_allclose(plain.predict_proba(rows.filter(whole)), have[whole], atol=1e-9)
    refuses = slp.parse(f":- use(growtree). :- feature(_, [missing(side)]). {more}")
    strict = refuses.posterior(table, "y", engine="exact", seed=1)
    np.testing.assert_allclose(strict.predict_proba(rows.filter(whole)), have[whole], atol=1e-9)
    with pytest.raises(slp.DataError, match="E442"):
        strict.predict_proba(rows)


@pytest.mark.parametrize("name", ["age", "colour", "stage"])
def test_each_cut_is_read_as_it_was_made(name: str) -> None:
    """Of all values: each cut first with missing values on the right, then on the left."""
    program, *_ = read_text(SourceFile("p.slp", f":- use(growtree).\n{DECLARED}"))
    problem = compile_problem(program, FRAME, "y")
    (kind,) = (f.kind for f in problem.table.features if f.name == name)
    present = [(code, 1 << code) for code in range(kind.n_codes)]
    *sided, last = kind.cuts(present, len)  # no kind here asks for scores
    plain = [(low, high) for low, high, _ in kind.inner.cuts(present[:-1], len)]
    have = [kind.without_side(low, high) for low, high, _ in sided]
    assert have == [(*cut, side) for cut in plain for side in ("right", "left")]
    assert [kind.test(low, high).missing for low, high, _ in sided] == ["right", "left"] * len(
        plain
    )
    assert kind.test(*last[:2]) == IsMissing()
