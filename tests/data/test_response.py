"""The response: classes or numbers, its leaf model, and its messages."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from slp.data import response as response_module
from slp.data import table_of
from slp.errors import DataError
from slp.ir.leaves import LeafDeclaration
from slp.ir.program import FeatureDeclaration
from slp.leaves import rounded_text

DIRICHLET = LeafDeclaration("dirichlet", (1.0,))
NORMAL = LeafDeclaration("normal_inverse_gamma", (0.0, 1.0, 1.0, 1.0))
POISSON = LeafDeclaration("gamma_poisson", (1.0, 1.0))
EXPONENTIAL = LeafDeclaration("gamma_exponential", (1.0, 1.0))


def bound(program, cells, **declarations):
    frame = pd.DataFrame({"a": range(len(cells)), "y": cells})
    return table_of(program(**declarations), frame)


# --- classes or numbers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "classes"),
    [
        (["b", "a", "b"], ("a", "b")),
        ([True, False, True], (False, True)),
        ([10, 9, -1], (-1, 9, 10)),
        ([10.0, 9.0, 9.0], (9, 10)),
        (pd.Categorical([10, 9, 10]), (9, 10)),
        (["10", "9", "9"], ("9", "10")),
        (list(range(20)), tuple(range(20))),
        ([f"c{i}" for i in range(300)], tuple(sorted(f"c{i}" for i in range(300)))),
    ],
)
def test_default_classes(program, cells, classes):
    table = bound(program, cells)
    assert table.leaf.classes == classes
    assert {type(c) for c in table.leaf.classes} == {type(classes[0])}
    assert table.leaf.describe() == "dirichlet(1)"
    assert table.notes[-1] == (
        f"response `y`: {len(classes)} classes, dirichlet(1) (no leaf model is declared)"
    )
    rows = table.statistics[table.row_of]
    assert [table.leaf.classes[c] for c in rows.argmax(axis=1)] == list(cells)


@pytest.mark.parametrize("cells", [list(range(21)), [0.5, 1, 2], [1e-9, 0, 0]])
def test_default_numbers(program, cells):
    table = bound(program, cells)
    mean, variance = np.mean(cells), np.var(cells)
    share = 0.1 + 2.9 / (1 + (len(cells) / 50) ** 3)
    assert table.leaf.hyperparameters == pytest.approx((mean, 0.1, 3.0, share * variance))
    assert table.notes[-1] == (
        f"response `y`: numbers, {rounded_text(table.leaf.describe())}; no leaf model is "
        "declared, so its mean and scale were taken from the response"
    )


def test_the_default_leaf_is_shown_with_six_digits() -> None:
    model = "normal_inverse_gamma(10.495357142857143, 0.1, 3, 1.0e-05)"
    assert rounded_text(model) == "about normal_inverse_gamma(10.4954, 0.1, 3, 1e-05)"
    assert rounded_text("dirichlet([1, 2.5])") == "dirichlet([1, 2.5])"


def test_declared_models_decide(program):
    assert len(bound(program, list(range(30)), leaf=DIRICHLET).leaf.classes) == 30
    assert bound(program, [1, 2, 1], leaf=POISSON).leaf.classes == ()
    assert bound(program, ["1", "2.5", "1"], leaf=NORMAL).leaf.classes == ()
    assert bound(program, [1, 2, 1], leaf=NORMAL).notes[-1] == (
        "response `y`: numbers, normal_inverse_gamma(0, 1, 1, 1)"
    )
    assert bound(program, [1, 2, 1], leaf=DIRICHLET).notes[-1] == (
        "response `y`: 2 classes, dirichlet(1)"
    )


def test_the_kind_of_the_response_can_be_declared(program):
    numeric = FeatureDeclaration("y", "numeric", None)
    assert bound(program, [1, 2, 1], features=(numeric,)).leaf.name == "normal_inverse_gamma"
    categorical = FeatureDeclaration("y", "categorical", None)
    table = bound(program, [0.5, 2, 0.25], features=(categorical,))
    assert table.leaf.classes == (0.25, 0.5, 2.0)


def test_statistics_of_equal_rows_add(program):
    table = table_of(program(leaf=POISSON), [[1, 2], [1, 3], [2, 0]])
    assert table.counts.tolist() == [2, 1]
    np.testing.assert_allclose(table.statistics, [[2, 5, math.log(12)], [1, 0, 0]])


def test_durations_with_events(program):
    frame = pl.DataFrame({"time": [1.5, 2.0, 4.0], "a": [1, 1, 2], "seen": [True, False, True]})
    declared = program(response="time", event="seen", leaf=EXPONENTIAL)
    for seen in (frame["seen"], pl.Series([1, 0, 1]), pl.Series(["1", "false", "true"])):
        table = table_of(declared, frame.with_columns(seen.alias("seen")))
        assert table.feature_names == ("a",)
        assert table.statistics.tolist() == [[2.0, 1.0, 3.5], [1.0, 1.0, 4.0]]
    table = table_of(program(response="time", ignored=("seen",), leaf=EXPONENTIAL), frame)
    assert table.statistics[:, 1].tolist() == [2.0, 1.0]


def test_a_large_offset_of_the_response_is_kept_out_of_the_statistics(program):
    y = 1e9 + np.array([0.25, 0.5, 1.0])
    table = table_of(program(), np.array([[1.0], [1.0], [2.0]]), y)
    assert np.abs(table.statistics).max() < 3
    assert table.leaf.mean(table.statistics).tolist() == pytest.approx(
        [1e9 + 0.375, 1e9 + 1.0], abs=0.1
    )


# --- faults and warnings -------------------------------------------------------------------------

FAULTS = [
    (
        [1.5, 2.0, 0.25],
        {"leaf": DIRICHLET},
        "error[E430]: `dirichlet` needs classes, but the response `y` holds the number 1.5 in row "
        "1\n  help: for numbers leave the leaf directive out, or declare normal_inverse_gamma",
    ),
    (
        [1.0, 2.0, math.inf],
        {"leaf": DIRICHLET},
        "error[E430]: `dirichlet` needs classes, but the response `y` holds the number inf in row "
        "3\n  help: for numbers leave the leaf directive out, or declare normal_inverse_gamma",
    ),
    (
        ["a", "b", "b"],
        {"leaf": LeafDeclaration("dirichlet", (), listed=(1.0, 2.0, 3.0))},
        "error[E431]: `dirichlet` has 3 numbers, but the response has 2 classes: a, b\n"
        "  help: give one number for each class, in this order",
    ),
    (
        ["1", "b", "b"],
        {"leaf": NORMAL},
        "error[E430]: `normal_inverse_gamma` needs numbers, but the response `y` holds `b` in row "
        "2\n  help: for classes write :- leaf(dirichlet(1)).",
    ),
    (
        ["1", "nan", "2"],
        {"leaf": NORMAL},
        "error[E430]: `normal_inverse_gamma` needs numbers, but the response `y` holds `nan` in "
        "row 2\n  help: for classes write :- leaf(dirichlet(1)).",
    ),
    (
        ["a", "b", "b"],
        {"features": (FeatureDeclaration("y", "numeric", None),)},
        "error[E430]: a numeric response needs numbers, but the response `y` holds `a` in row 1\n"
        "  help: for classes write :- leaf(dirichlet(1)).",
    ),
    (
        [True, False, True],
        {"leaf": POISSON},
        "error[E430]: `gamma_poisson` needs numbers, but the response `y` holds truth values\n"
        "  help: for classes write :- leaf(dirichlet(1)).",
    ),
    (
        [1, 2.5, 3],
        {"leaf": POISSON},
        "error[E432]: `gamma_poisson` needs counts (whole numbers from 0 to 1e12), but the "
        "response `y` is 2.5 in row 2\n"
        "  help: correct the cell, or declare normal_inverse_gamma",
    ),
    (
        [1, 2, -3],
        {"leaf": POISSON},
        "error[E432]: `gamma_poisson` needs counts (whole numbers from 0 to 1e12), but the "
        "response `y` is -3 in row 3\n"
        "  help: correct the cell, or declare normal_inverse_gamma",
    ),
    (
        [1.0, -1.0, 3],
        {"leaf": EXPONENTIAL},
        "error[E432]: `gamma_exponential` needs durations from 0 up, but the response `y` is -1 in "
        "row 2\n  help: correct the cell, or leave the row out",
    ),
    (
        [1.5, math.inf, 3],
        {},
        "error[E433]: the response `y` is inf in row 2\n"
        "  help: responses must be finite and at most 1e150 in size: correct it or change the unit",
    ),
    (
        [1.5, 2.0, -1e200],
        {"leaf": NORMAL},
        "error[E433]: the response `y` is -1.0e200 in row 3\n"
        "  help: responses must be finite and at most 1e150 in size: correct it or change the unit",
    ),
    (
        [1, 2, 1],
        {"response": "y", "event": "a"},
        "error[E427]: the event column `a` needs a leaf model of durations\n"
        "  help: add :- leaf(gamma_exponential(1, 1)). or take event(...) out of :- response(...).",
    ),
    (
        [1, 2, 1],
        {"response": "y", "exposure": "a"},
        "error[E427]: the column of exposure `a` needs the leaf model gamma_poisson\n"
        "  help: add :- leaf(gamma_poisson(1, 1)). or take exposure(...) out of :- response(...).",
    ),
    (
        [1, 2, 1],
        {"response": "y", "exposure": "a", "leaf": POISSON},
        "error[E427]: `y` is 1 in row 1, where the exposure `a` is 0: its probability is 0\n"
        "  help: correct the count or the exposure, or leave the row out",
    ),
]


@pytest.mark.parametrize("cells", [[1.0, 2.0, -1.0], ["1", "2", "x"], [1, 2, np.inf], [1, 2, 1e10]])
def test_exposures_are_numbers_above_0(program, cells):
    frame = pd.DataFrame({"a": [0, 1, 2], "e": cells, "y": [1, 0, 2]})
    with pytest.raises(DataError, match=r"E427.*: the column of exposure `e` holds .* in row 3"):
        table_of(program(response="y", exposure="e", leaf=POISSON), frame)


@pytest.mark.parametrize(("cells", "declarations", "message"), FAULTS)
def test_faults(program, cells, declarations, message):
    frame = pd.DataFrame({"a": [0, 1, 2], "b": [0, 1, 2], "y": cells})
    with pytest.raises(DataError) as e:
        table_of(program(**declarations), frame)
    assert str(e.value) == message


def test_faults_of_the_event_column(program):
    declared = program(response="y", event="a", leaf=EXPONENTIAL)
    with pytest.raises(DataError) as e:
        table_of(declared, pd.DataFrame({"a": [1, 0, 2], "b": [1, 2, 3], "y": [1.0, 2.0, 3.0]}))
    assert str(e.value) == (
        "error[E427]: the event column `a` holds `2` in row 3\n"
        "  help: write 1 or true where the event was seen, 0 or false where it was not; or name "
        "the code of seen events, as in event(a, 2)"
    )
    with pytest.raises(DataError) as e:
        table_of(declared, pd.DataFrame({"a": [1, None, 0], "b": [1, 2, 3], "y": [1.0, 2.0, 3.0]}))
    assert str(e.value) == (
        "error[E420]: column `a` misses 1 value, in row 2\n"
        "  help: leave those rows out: without it a duration means nothing"
    )


def test_too_many_classes_for_memory(program, monkeypatch):
    monkeypatch.setattr(response_module, "_MOST_STATISTICS", 15)
    with pytest.raises(DataError) as e:
        bound(program, ["a", "b", "c", "d"])
    assert str(e.value) == (
        "error[E435]: the response `y` has 4 classes in 4 rows\n"
        "  help: is it a name or a number stored as text? Name the response: :- response(Column)."
    )
    assert len(bound(program, ["a", "b", "c"]).leaf.classes) == 3


def test_one_class_only(program):
    table = bound(program, ["a", "a", "a"])
    assert [str(DataError(w)) for w in table.warnings] == [
        "warning[W402]: the response `y` has one class only, `a`, so every tree explains it alike\n"
        "  help: check the table and the response; as it is, the posterior is the prior"
    ]
    assert table.leaf.log_marginal(table.statistics).tolist() == [0.0, 0.0, 0.0]


def test_one_number_only(program):
    table = bound(program, [2.5, 2.5, 2.5])
    assert [str(DataError(w)) for w in table.warnings] == [
        "warning[W404]: the response `y` is 2.5 in every row, so its scale was set to 1\n"
        "  help: declare one with :- leaf(normal_inverse_gamma(Mu, Kappa, Alpha, Beta))."
    ]
    assert table.leaf.describe().startswith("normal_inverse_gamma(2.5, 0.1, 3, 2.99")


@pytest.mark.parametrize("y", [[1e-200, 2e-200, 3e-200], [5e-324, 1e-323, 0.0]])
def test_different_numbers_whose_squares_are_zero(program, y: list[float]):
    table = bound(program, y)
    width = f"{max(y) - min(y):.3g}"
    assert [str(DataError(w)) for w in table.warnings] == [
        f"warning[W404]: the values of the response `y` differ by at most {width}, and squares of "
        "this are 0 in floating point, so its scale was set to 1, and trees do not tell the values "
        "apart\n"
        "  help: change the unit, so that the values differ by 1e-150 or more: multiply them by "
        "1e200, say"
    ]


def test_one_row(program):
    table = bound(program, ["a"])
    assert (table.n_rows, table.counts.tolist(), table.codes.tolist()) == (1, [1], [[0]])
    assert [w.code for w in table.warnings] == ["W401", "W402"]
    assert table.schema().most_leaves == 1


# --- declared order of classes -----------------------------------------------------------------


def test_classes_stand_in_their_declared_order(program) -> None:
    cells = ["mid", "low", "high", "low"]
    table = bound(program, cells, response="y", class_order=("low", "mid", "high", "top"))
    assert table.leaf.classes == ("low", "mid", "high")
    assert table.statistics[table.row_of].argmax(axis=1).tolist() == [1, 0, 2, 0]
    assert "in the order low < mid < high" in table.notes[1]


def test_numbers_can_be_put_in_another_order(program) -> None:
    table = bound(program, [1, 2, 3, 1], response="y", class_order=("3", "1", "2"))
    assert table.leaf.classes == (3, 1, 2)


def test_a_class_that_the_declared_order_lacks_is_a_fault(program) -> None:
    with pytest.raises(DataError) as caught:
        bound(program, ["low", "odd"], response="y", class_order=("low", "high"))
    assert [d.code for d in caught.value.diagnostics] == ["E436"]
