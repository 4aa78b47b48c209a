"""Class labels keep their own type: in predictions, trees, JSON, constraints and under Prolog."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import slp
from slp.errors import DataError
from slp.leaves import label_array, label_text, sorted_labels
from slp.swipl.predicates import node_term, tree_term
from slp.syntax.parse import parse_term
from slp.trees import Leaf

X = pd.DataFrame({"a": [1, 2, 3, 4, 5, 6, 7, 8], "b": [0, 1, 0, 1, 0, 1, 0, 1]})
PRIOR = slp.load("growtree")
EXACT: dict[str, Any] = {"draws": 0}
MH: dict[str, Any] = {"engine": "mh", "draws": 40, "chains": 1, "warmup": 20, "seed": 1, "rungs": 1}
#: Of each kind two labels in their order, and the dtype of predictions.
LABELS = [
    (2, 10, "int64"),
    (False, True, "bool"),
    ("no", "yes", "str"),
    ("2", "10", "str"),
    (-0.5, 0.25, "float64"),
]


def response(low: Any, high: Any) -> np.ndarray:
    return np.array([low] * 4 + [high] * 4)


def prior(y: np.ndarray, text: str = "") -> slp.Program:
    declared = ":- feature(y, [categorical])." if y.dtype.kind == "f" else ""
    return slp.parse(f":- use(growtree).\n{declared}\n{text}")


def posterior(y: np.ndarray, text: str = "", **options: Any) -> slp.Posterior:
    return prior(y, text).posterior(X, pd.Series(y, name="y"), **options)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("low", "high", "dtype"), LABELS)
@pytest.mark.parametrize("options", [EXACT, {"engine": "chart", "draws": 0}, MH])
def test_predictions_have_the_type_of_the_response(low, high, dtype, options) -> None:
    y = response(low, high)
    found = posterior(y, **options)
    assert found.table.leaf.classes == (low, high)
    assert [type(c) for c in found.table.leaf.classes] == [type(low)] * 2
    predicted = found.predict(X)
    assert (predicted == y).mean() == 1
    assert predicted.dtype.name.startswith(dtype)
    tree = found.map_tree()
    assert {type(c) for leaf in tree.leaves() for c in leaf.summary["counts"]} == {type(low)}
    assert tree.predict(X).dtype == predicted.dtype


@pytest.mark.parametrize(
    "y",
    [
        pl.Series("y", [True] * 4 + [False] * 4),
        pd.Series([1.0] * 4 + [0.0] * 4),
        pd.Series([1] * 4 + [0] * 4, dtype="Int64"),
        pd.Series([True] * 4 + [False] * 4, dtype="boolean"),
        pd.Series(pd.Categorical([7] * 4 + [5] * 4)),
        np.array([2**52] * 4 + [1] * 4, dtype=object),
        [1] * 4 + [0] * 4,
    ],
    ids=lambda y: str(getattr(y, "dtype", type(y).__name__)),
)
def test_responses_of_all_kinds_are_predicted(y) -> None:
    assert (PRIOR.posterior(X, y, draws=0).predict(X) == np.asarray(y)).mean() == 1


def test_a_table_without_polars_and_one_with_it_have_the_same_classes(tmp_path: Path) -> None:
    for name, cells, want in [("i", "1 0", (0, 1)), ("b", "true false", (False, True))]:
        path = tmp_path / f"{name}.csv"
        path.write_text("a,y\n" + "".join(f"{i},{c}\n" for i, c in enumerate(cells.split())))
        for table in (slp.data.read_columns(path), slp.data.read_frame(path)):
            assert PRIOR.compile(table).table.leaf.classes == want


@pytest.mark.parametrize(("low", "high", "_dtype"), LABELS)
def test_trees_go_to_json_and_back(low, high, _dtype) -> None:
    tree = posterior(response(low, high), draws=0).map_tree()
    data = json.loads(json.dumps(tree.to_dict()))
    assert data["left"] == {"counts": {label_text(low): 4}}
    assert data.get("classes") == (None if isinstance(low, str) else [low, high])
    back = slp.Tree.from_dict(data)
    assert back == tree and back.to_dict() == tree.to_dict()
    assert [type(c) for leaf in back.leaves() for c in leaf.summary["counts"]] == [type(low)] * 2
    assert back.predict(X).tolist() == response(low, high).tolist()


def test_labels_of_numpy_go_to_json() -> None:
    tree = slp.Tree(Leaf({"counts": {np.int64(3): 1, np.True_: 2}}))
    assert tree.to_dict() == {"counts": {"3": 1, "true": 2}, "classes": [True, 3]}


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ("01", "`classes` is no list of numbers, truth values or strings"),
        ([None], "`classes` is no list of numbers, truth values or strings"),
        ([0], "`counts` has the class `1`, `classes` has not"),
    ],
)
def test_faults_of_classes(classes, message) -> None:
    with pytest.raises(DataError) as caught:
        slp.Tree.from_dict({"counts": {"1": 3}, "classes": classes})
    assert caught.value.diagnostics[0].code == "E605"
    assert message in caught.value.diagnostics[0].message


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("low", "high", "_dtype"), LABELS)
@pytest.mark.parametrize("options", [EXACT, {"engine": "chart", "draws": 0}, MH])
def test_majority_names_classes_of_any_type(low, high, _dtype, options) -> None:
    """No leaf has more rows of the other class, as the best tree has without the constraint."""
    text = label_text(low)
    constraint = f"box(all, a, -inf, inf).\n:- constraint(majority(all, {text}))."
    found = posterior(response(low, high), constraint, **options)
    counts = [leaf.summary["counts"] for leaf in found.map_tree().leaves()]
    assert all(of.get(low, 0) >= of.get(high, 0) for of in counts)
    program = prior(response(low, high), constraint)
    (said,) = found.map_tree().check(program)
    assert said.holds
    apart = posterior(response(low, high), draws=0).map_tree()
    (said,) = apart.check(program)
    assert said.holds is False and f"4 rows of {label_text(high)}, 0 of {text}" in str(said)
    (said,) = apart.check(program, X, pd.Series(response(low, high), name="y"))
    assert said.holds is False


def test_a_class_that_is_none_is_told() -> None:
    with pytest.raises(DataError, match="no class `maybe`"):
        posterior(
            response(False, True),
            "box(all, a, 0, 9).\n:- constraint(majority(all, maybe)).",
            draws=0,
        )


def test_order_and_arrays() -> None:
    assert sorted_labels([True, False]) == (False, True)
    assert sorted_labels([10, 9, -1]) == (-1, 9, 10)
    assert sorted_labels(["10", "9"]) == ("9", "10")
    assert sorted_labels(["10", "9", "a"]) == ("10", "9", "a")
    assert label_array((1, 2**63)).tolist() == [1, 2**63]
    assert label_array((False, True)).dtype == np.bool_


def test_terms_of_prolog() -> None:
    leaf = slp.Tree(Leaf({"counts": {0: 1, 1: 2}}))
    assert tree_term(leaf) == parse_term("leaf([counts-[0-1, 1-2]])")
    node = slp.TreeNode(0, 3, {"counts": {False: 1, True: 2}}, None)
    assert node_term(node) == parse_term("node(0, 3, [counts-[false-1, true-2]], leaf)")
    assert str(node) == "depth 0, 3 rows (false 1, true 2), a leaf"
