"""Features that formulas make of columns: where they have no value, in rows to predict, in exports,
in saved runs, and the faults of definitions."""

from __future__ import annotations

import json
import math
import random
import sqlite3
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.columns.formula import FUNCTIONS, Formula, wrong_part
from slp.errors import SlpError
from slp.syntax import parse_term

RULES = ":- use(growtree). :- response(y).\n"
RATIO = RULES + ":- define(ratio, a / b).\n"
LOST = RULES + (
    ":- define(ratio, log(a / b), [undefined(missing)]). "
    ":- feature(_, [missing(side), new(average)]).\n"
)


def a_table(seed: int = 1, n: int = 40, least: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(1, 9, n), rng.integers(least, 5, n)
    with np.errstate(divide="ignore"):
        y = np.where(a / b > 2, "high", "low")
    return pl.DataFrame({"a": a, "b": b, "y": y})


def code_of(text: str, table: Any = None) -> str:
    with pytest.raises(SlpError) as caught:
        slp.parse(text).posterior(a_table() if table is None else table, draws=0)
    return caught.value.diagnostics[0].code


@pytest.mark.parametrize(
    ("definition", "code"),
    [
        (":- define(r, a // b).", "E180"),
        (":- define(r, A / b).", "E180"),
        (":- define(r, 2).", "E180"),
        (f":- define(r, a + 1{'0' * 400}).", "E180"),
        (":- define(r, a / b, [undefined(zero)]).", "E180"),
        (":- define(r, a / b, missing).", "E180"),
        (
            ":- define(r, log(a), [undefined(missing)]). :- define(s, r, [undefined(error)]).",
            "E180",
        ),
        (":- define(r, s + 1). :- define(s, r + a).", "E181"),
        (":- define(r, r + a).", "E181"),
        (":- define(r, a). :- define(r, b).", "E103"),
        (":- define(r).", "E102"),
        (":- define(r, a / c).", "E491"),
        (":- define(r, a / y).", "E491"),
        (":- define(r, a / b). :- feature(b, [categorical]).", "E491"),
        (":- define(a, a0 / b).", "E490"),
        (":- define(y, a / b).", "E143"),
        (":- define(r, log(a - b)).", "E492"),
        (":- define(r, a / b). :- leaf(normal_linear([r])).", "E434"),
        (":- define(r, a / b). :- ignore(r).", "E143"),
        (":- define(r, a / b). :- define(s, r - 1). :- cost(r, 1).", "E183"),
        (":- ignore(a). :- define(r, a / b). :- feature_weight(a, 2).", "E143"),
    ],
)
def test_faults_of_definitions(definition: str, code: str) -> None:
    table = a_table()
    if "normal_linear" in definition:
        table = table.with_columns(y=pl.col("a") * 1.5)
    assert code_of(RULES + definition, table) == code


def test_a_chain_of_definitions_may_not_be_too_long() -> None:
    lines = [f"\n:- define(d{i}, d{i - 1} + d{i - 1})." for i in range(1, 60)]
    assert code_of(RULES + ":- define(d0, a + b)." + "".join(lines)) == "E180"


def test_monotone_is_refused_beside_what_shares_a_column() -> None:
    ordered = ":- use(growtree). :- response(y, [ordinal([low, high])]). :- define(ratio, a / b).\n"
    for feature in ("a", "ratio"):
        text = ordered + f":- constraint(monotone({feature}, up)). :- support(max_depth(1))."
        assert code_of(text) == "E182"
        fixed = text.replace("up)", "up, others_fixed)")
        assert slp.parse(fixed).posterior(a_table(), seed=1, draws=20).map_tree().n_leaves >= 1
    slp.parse(ordered + ":- ignore([a, b]). :- constraint(monotone(ratio, up)).")
    forbidden = ":- constraint(forbid(ratio)). :- constraint(monotone(a, up))."
    slp.parse(ordered + forbidden)
    slp.parse(ordered + ":- constraint(monotone(c, up)).")


def test_the_posterior_is_that_of_the_table_with_the_column() -> None:
    table = a_table()
    whole = table.select("a", "b", ratio=pl.col("a") / pl.col("b"), y="y")
    own = slp.parse(RATIO).posterior(table, seed=1, draws=30)
    same = slp.parse(RULES).posterior(whole, seed=1, draws=30)
    assert own.log_evidence == same.log_evidence
    assert [d.tree for d in own.draws] == [d.tree for d in same.draws]
    assert np.array_equal(own.predict_proba(table), same.predict_proba(whole))
    arrays = own.predict_proba(table.select("a", "b").to_numpy())
    assert np.array_equal(arrays, own.predict_proba(table))


def test_a_formula_may_take_columns_that_are_ignored() -> None:
    table = a_table()
    posterior = slp.parse(RATIO + ":- ignore([a, b]).").posterior(table, draws=0)
    assert posterior.table.feature_names == ("ratio",)
    assert list(posterior.predict(table)) == table["y"].to_list()
    with pytest.raises(SlpError, match="E440"):
        posterior.predict(table.select("a"))
    with pytest.raises(SlpError, match="E490"):
        posterior.predict(table.with_columns(ratio=pl.lit(1.0)))


def test_an_array_of_the_features_alone_lacks_what_is_ignored() -> None:
    table = a_table()
    rows, y = table.select("a", "b").to_numpy(), table["y"].to_list()
    program = slp.parse(":- use(growtree). :- define(ratio, x0 / x1). :- ignore(x0).")
    posterior = program.posterior(rows, y, draws=0)
    assert list(posterior.predict(rows)) == y
    with pytest.raises(SlpError, match="E441.*x0"):
        posterior.predict(rows[:, 1:])


def test_where_a_formula_has_no_value() -> None:
    table = a_table(least=0)
    with pytest.raises(SlpError) as caught:
        slp.parse(RATIO).posterior(table, draws=0)
    row = table["b"].to_list().index(0) + 1
    assert f"in row {row}, where `a` is" in str(caught.value)
    assert caught.value.diagnostics[0].span is not None
    posterior = slp.parse(RATIO).posterior(a_table(), draws=0)
    with pytest.raises(SlpError, match="E492"):
        posterior.predict(table)
    lost = slp.parse(LOST).posterior(table, draws=0)
    column = pl.when(table["b"] > 0).then((pl.col("a") / pl.col("b")).log())
    whole = table.select("a", "b", ratio=column, y="y")
    same = slp.parse(RULES + ":- feature(_, [missing(side), new(average)]).").posterior(
        whole, draws=0
    )
    assert lost.log_evidence == same.log_evidence
    assert np.array_equal(lost.predict_proba(table), same.predict_proba(whole))


def test_rows_of_weight_0_need_no_value() -> None:
    table = a_table(least=0).with_columns(w=pl.Series([0.0, 1.0] * 20))
    table = table.with_columns(b=pl.max_horizontal("b", 1) * pl.col("w"))
    posterior = slp.parse(RATIO + ":- row_weight(w).").posterior(table, draws=0)
    assert posterior.table.n_rows == 20


def test_missing_sources_make_missing_values() -> None:
    table = a_table().with_columns(a=pl.when(pl.col("a") == 3).then(None).otherwise(pl.col("a")))
    assert code_of(RATIO, table) == "E420"
    posterior = slp.parse(RATIO + ":- feature(_, [missing(side)]).").posterior(table, draws=0)
    (ratio,) = (f for f in posterior.table.features if f.name == "ratio")
    assert ratio.kind.missing_code is not None


# --- trees by themselves -------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [False, True])
def test_a_tree_says_the_same_in_each_language(lost: bool) -> None:
    table = a_table(least=0 if lost else 1)
    posterior = slp.parse(LOST if lost else RATIO).posterior(table, seed=3, draws=40)
    rows = a_table(seed=7, n=30, least=0 if lost else 1)
    cells = rows.select("a", "b").rows()
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE r (a INTEGER, b INTEGER)")  # a quotient of integers is no whole
    database.executemany("INSERT INTO r VALUES (?, ?)", cells)
    seen = set()
    for draw in posterior.draws:
        tree = slp.Tree.from_dict(json.loads(json.dumps(draw.tree.to_dict())))
        if "ratio" not in tree.features:
            continue
        assert tree == draw.tree and tree.to_dict() == draw.tree.to_dict()
        try:
            want = tree.predict(rows).tolist()
        except SlpError:  # a row misses a value where no row of the table did
            continue
        seen.add(tree)
        found = [x for (x,) in database.execute(f"SELECT {tree.to_sql()} FROM r")]
        assert found == want
        module: dict[str, Any] = {}
        exec(tree.to_python(), module)
        assert [module["predict"]({"a": a, "b": b}) for a, b in cells] == want
    assert len(seen) > 5


def test_an_undefined_row_is_refused_in_each_language() -> None:
    tree = slp.parse(RATIO).posterior(a_table(), draws=0).map_tree()
    assert tree.features == ("ratio",)
    database = sqlite3.connect(":memory:")
    assert database.execute(f"SELECT {tree.to_sql()} FROM (SELECT 1 AS a, 0 AS b)").fetchone() == (
        None,
    )
    module: dict[str, Any] = {}
    exec(tree.to_python(), module)
    with pytest.raises(ValueError, match="ratio"):
        module["predict"]({"a": 1, "b": 0})
    with pytest.raises(SlpError, match="E492"):
        tree.predict(pl.DataFrame({"a": [1], "b": [0]}))


@pytest.mark.parametrize(
    "more",
    [
        {"defined": "a // b"},
        {"defined": 3},
        {"defined": "A"},
        {"defined": "a)("},
        {"undefined": "missing"},
    ],
)
def test_faults_of_trees_in_json(more: dict[str, Any]) -> None:
    node = {"feature": "r", "threshold": 1, "left": {}, "right": {}, **more}
    with pytest.raises(SlpError, match=r"E60\d"):
        slp.Tree.from_dict(node)


def test_a_tree_of_another_definition_is_another_tree() -> None:
    posterior = slp.parse(RATIO).posterior(a_table(), draws=0)
    tree = posterior.map_tree()
    assert posterior.log_posterior(tree) > -math.inf
    other = slp.Tree.from_dict({**tree.to_dict(), "defined": "b / a"})
    assert posterior.log_posterior(other) == -math.inf
    forbids = slp.parse(RATIO + ":- constraint(forbid(a)).")
    assert not tree.check(forbids)[0].holds
    for program in (forbids, slp.parse(":- use(growtree). :- constraint(forbid(a)).")):
        for ask in (other.certificate, other.check):
            with pytest.raises(SlpError, match="E608"):
                ask(program)


def test_saved_runs_keep_formulas(tmp_path: Any) -> None:
    table = a_table(least=0)
    posterior = slp.parse(LOST).posterior(table, seed=1, draws=20)
    posterior.save(tmp_path / "run.slpr")
    again = slp.load_posterior(tmp_path / "run.slpr")
    assert np.array_equal(again.predict_proba(table), posterior.predict_proba(table))
    assert [d.tree.to_dict() for d in again.draws] == [d.tree.to_dict() for d in posterior.draws]


def test_estimators_take_definitions() -> None:
    table = a_table()
    made = slp.SLPTreeClassifier(":- use(growtree). :- define(ratio, a / b).", random_state=1)
    made.fit(table.select("a", "b").to_pandas(), table["y"].to_list())
    assert list(made.predict(table.select("a", "b").to_pandas())) == table["y"].to_list()
    assert list(made.feature_names_in_) == ["a", "b"] and made.n_features_in_ == 2
    used = {k: u.expected_splits for k, u in made.posterior_.split_probabilities().items()}
    want = np.array([used["a"], used["b"]]) + used["ratio"] / 2
    assert made.feature_importances_ == pytest.approx(want / want.sum())


def test_the_cost_of_a_tree_is_that_of_its_columns() -> None:
    text = RATIO + ":- cost(a, 2). :- cost(b, 3). :- constraint(max_cost(5))."
    posterior = slp.parse(text).posterior(a_table(), draws=0)
    assert posterior.cost_of_tree(posterior.map_tree()).by_leaf == (5.0, 5.0)
    with pytest.raises(SlpError, match="E565"):
        posterior.expected_cost()


def test_words_of_ignored_columns_and_of_costs() -> None:
    with pytest.raises(SlpError, match="`b` is ignored, and no feature of this table"):
        slp.parse(RATIO + ":- ignore(b). :- feature(b, [unit(kg)]).").posterior(a_table())
    said = slp.parse(RATIO + ":- cost(a, 2). :- constraint(max_cost(1)).").describe()
    assert "with what ratio is made of, cost at most 1 together" in " ".join(str(said).split())


# --- formulas ------------------------------------------------------------------------------------


def a_formula(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(("a", "b", "2", "0.5", "3"))
    name, arity = rng.choice(list(FUNCTIONS))
    args = [a_formula(rng, depth - 1) for _ in range(arity)]
    return (
        f"({args[0]} {name} {args[1]})"
        if not name.isalnum() and arity == 2
        else (f"{name}({', '.join(args)})")
    )


@pytest.mark.thinned(10)
@pytest.mark.parametrize("seed", range(300))
def test_formulas_agree_in_numpy_sql_and_python(seed: int) -> None:
    """Of random formulas at numbers where many have no value; 1e-9 apart for other roundings."""
    rng = random.Random(seed)
    formula = Formula(parse_term(f"a + 0 * b + {a_formula(rng, 3)}"), "missing")
    text = formula.text
    assert wrong_part(formula.term) is None
    points = [(a, b) for a in (-2.0, -0.5, 0.0, 1.0, 3.0) for b in (-1.0, 0.0, 2.0)]
    sources = {c: np.array([p["ab".index(c)] for p in points]) for c in formula.columns}
    values = formula.values(sources)
    node = {"feature": "r", "left": {"counts": {"n": 1}}, "right": {"counts": {"y": 1}}}
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE r (a, b)")
    database.executemany("INSERT INTO r VALUES (?, ?)", points)
    for end in (0.0, 1.0, float(np.nanmedian(values)) if np.isfinite(values).any() else 0.0):
        clear = np.isnan(values) | (np.abs(values - end) > 1e-9 * max(1.0, abs(end)))
        test = {"threshold": end, "missing": "left", **formula.to_plain()}
        tree = slp.Tree.from_dict({**node, **test})
        want = np.where(np.isnan(values) | (values < end), "n", "y")[clear].tolist()
        found = [x for (x,) in database.execute(f"SELECT {tree.to_sql()} FROM r")]
        assert np.array(found)[clear].tolist() == want, (text, end)
        module: dict[str, Any] = {}
        exec(tree.to_python(), module)
        told = [module["predict"]({"a": a, "b": b}) for a, b in points]
        assert np.array(told)[clear].tolist() == want, (text, end)


def test_a_defined_feature_is_known_where_the_table_has_faults() -> None:
    text = ":- leaf(dirichlet([1, 1, 1])). :- constraint(once(r)). :- define(r, a / b)."
    table = pl.DataFrame({"a": [1, 2], "b": [1, 3], "y": ["p", "q"]})
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(RULES + text).posterior(table, "y")
    assert [d.code for d in caught.value.diagnostics] == ["E431"]
