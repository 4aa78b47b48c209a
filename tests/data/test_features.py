"""Kinds, cuts and codes of single features, and their messages."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from slp.data import table_of
from slp.data.features import quantile_cuts, width_cuts
from slp.errors import DataError
from slp.ir.program import Bins, Cuts, FeatureDeclaration


def declare(name, kind=None, coding=None):
    return FeatureDeclaration(name, kind, coding)


def feature(program, cells, *declarations):
    """The first feature of a table with these cells, and its codes for each row of the data."""
    frame = pd.DataFrame({"a": cells, "y": [i % 2 for i in range(len(cells))]})
    table = table_of(program(features=declarations), frame)
    return table.features[0], table.codes[table.row_of, 0].tolist(), table.warnings


# --- kinds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "declaration", "levels", "codes"),
    [
        (["b", "a", "b"], None, ("a", "b"), [1, 0, 1]),
        ([True, False, True], None, ("false", "true"), [1, 0, 1]),
        ([True, True, True], None, ("true",), [0, 0, 0]),
        ([10, 9, 10], "categorical", ("9", "10"), [1, 0, 1]),
        ([10.0, 9.0, -1.0], "categorical", ("-1", "9", "10"), [2, 1, 0]),
        ([10.5, 9.0, 1e300], "categorical", ("9", "10.5", "1e+300"), [1, 0, 2]),
        (["10", "9", "-1"], "categorical", ("-1", "9", "10"), [2, 1, 0]),
        (["10", "9", "x"], "categorical", ("10", "9", "x"), [0, 1, 2]),
    ],
)
def test_levels(program, cells, declaration, levels, codes):
    declarations = [declare("a", declaration)] if declaration else []
    have, have_codes, warnings = feature(program, cells, *declarations)
    assert (have.kind.names, have_codes) == (levels, codes)
    assert [w.code for w in warnings] == (["W401"] if len(levels) == 1 else [])


@pytest.mark.parametrize("cells", [["3", " 10", "1e1"], [3, 10, 10.0], [3, 10, 10]])
def test_declared_numbers(program, cells):
    have, codes, _ = feature(program, cells, declare("a", "numeric"))
    assert (have.kind.values.tolist(), codes) == ([3.0, 10.0], [0, 1, 1])


def test_truth_values_declared_numeric(program):
    have, codes, _ = feature(program, [True, False, True], declare("a", "numeric"))
    assert (have.kind.values.tolist(), codes) == ([0.0, 1.0], [1, 0, 1])


def test_digits_of_other_scripts_are_text(program):
    have, _, warnings = feature(program, ["\u0663", "\u0664", "\u0663"])
    assert (have.kind.names, warnings) == (("\u0663", "\u0664"), ())


def test_minus_zero_is_zero(program):
    have, codes, _ = feature(program, [0.0, -0.0, 1.0])
    assert (have.kind.values.tolist(), codes) == ([0.0, 1.0], [0, 0, 1])
    assert not np.signbit(have.kind.values[0])


# --- cuts and bins -------------------------------------------------------------------------------


def test_declared_cuts(program):
    have, codes, _ = feature(program, [1.0, 18.0, 70.0], declare("a", None, Cuts((18, 40, 65))))
    assert have.kind.values is None
    assert (have.kind.numbers.tolist(), have.kind.n_codes, codes) == (
        [18.0, 40.0, 65.0],
        4,
        [0, 1, 3],
    )


def test_infinite_values_are_sound_between_declared_cuts(program):
    cells = [-math.inf, 20.0, math.inf]
    _, codes, _ = feature(program, cells, declare("a", None, Cuts((18, 40))))
    assert codes == [0, 1, 2]


def test_bins_for_every_numeric_feature_not_named_elsewhere(program):
    frame = pd.DataFrame(
        {
            "a": range(8),
            "b": range(8),
            "c": list("ababcdcd"),
            "d": range(8),
            "flag": [True, False] * 4,
            "y": [0, 1] * 4,
        }
    )
    everything = declare(None, None, Bins("quantile", 4))
    declarations = (everything, declare("b", "numeric"), declare("d", None, Bins("width", 2)))
    table = table_of(program(features=declarations), frame)
    a, b, c, d, flag = table.features
    assert a.kind.numbers.tolist() == [1.75, 3.5, 5.25]
    assert b.kind.values.tolist() == list(range(8))
    assert c.kind.names == ("a", "b", "c", "d")
    assert d.kind.numbers.tolist() == [3.5]
    assert flag.kind.names == ("false", "true")
    assert table.notes[1] == "features coded to bins (how many): a (4), d (2)"


@pytest.mark.parametrize(
    ("x", "count", "cuts"),
    [
        ([0, 1, 2, 3, 4], 4, [1, 2, 3]),
        ([0, 1], 4, [0.5]),
        ([0, 0, 0, 0, 1], 2, [0.5]),  # the median is the least value
        ([0, 1, 1, 1, 1], 4, [0.5]),
        ([3, 1, 2, 2, 2, 2], 3, [1.5, 2.5]),
        ([5e-324, 0], 2, [5e-324]),  # the midpoint is not above the smaller
        ([0, 0, 0, 0, 0, 1, 2], 2, []),  # more values than bins, and the median is the least
        ([0, 1, 1, 1, 1, 2], 2, [1]),
        ([0, 1, 1, 1, 1, 1, 2, 3, 4], 4, [1, 2]),  # one cut twice
        ([5, 5], 3, []),
        ([5], 3, []),
        ([0, 1, 2], 1, []),
        ([-1e308, 1e308], 2, [0]),  # their distance is beyond the largest float
    ],
)
def test_quantile_cuts(x, count, cuts):
    assert quantile_cuts(np.array(x, dtype=float), count).tolist() == cuts


@pytest.mark.parametrize(
    ("x", "count", "cuts"),
    [
        ([0, 10, 1], 5, [2, 4, 6, 8]),
        ([5, 5], 3, []),
        ([0, 5e-324], 4, [5e-324]),
        ([-1e308, 1e308], 2, [0]),
    ],
)
def test_width_cuts(x, count, cuts):
    assert width_cuts(np.array(x, dtype=float), count).tolist() == pytest.approx(cuts)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=12),
    st.integers(1, 12),
)
@settings(max_examples=60, deadline=None)
@example([-1.7e308, 1.7e308, 0.0], 12)
def test_cuts_of_bins_part_the_rows(x, count):
    x = np.array(x)
    for cuts in (quantile_cuts(x, count), width_cuts(x, count)):
        assert np.isfinite(cuts).all()
        assert (np.diff(cuts) > 0).all()
        assert len(cuts) < count
        assert ((x.min() < cuts) & (cuts <= x.max())).all()


def test_bins_merge_rows_and_a_bin_of_everything_cannot_split(program):
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 1, 1, 9], "y": [0, 1, 0, 1]})
    declarations = (declare("a", None, Cuts((2.5,))), declare("b", None, Cuts((100.0,))))
    table = table_of(program(features=declarations), frame)
    assert table.codes.tolist() == [[0, 0], [1, 0]]
    assert table.statistics.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert [str(DataError(w)) for w in table.warnings] == [
        "warning[W401]: no tree can split on `b`: cuts or bins put all rows into one bin, though "
        "values differ\n  help: declare other cuts; or none: :- feature(b, [numeric])."
    ]


def test_bins_keep_the_cuts_of_a_column_of_few_values(program):
    frame = pd.DataFrame({"rare": [0] * 9 + [1], "skew": [0] * 7 + [1, 2, 3], "y": [0, 1] * 5})
    table = table_of(program(features=[declare(None, None, Bins("quantile", 2))]), frame)
    rare, skew = table.features
    assert (rare.kind.numbers.tolist(), skew.kind.numbers.tolist()) == ([0.5], [])
    assert [w.message for w in table.warnings] == [
        "no tree can split on `skew`: cuts or bins put all rows into one bin, though values differ"
    ]


# --- the contract of codes and thresholds --------------------------------------------------------

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def neighbours(draw):
    """A few floats, some of them adjacent."""
    base = draw(st.lists(FLOATS, min_size=1, max_size=6))
    steps = draw(st.lists(st.sampled_from(base), max_size=4))
    return base + [v for s in steps if math.isfinite(v := math.nextafter(s, math.inf))]


@given(neighbours())
@settings(max_examples=150, deadline=None)
@example([1.0, math.nextafter(1.0, 2.0), -0.0, 0.0, 5e-324, -5e-324])
@example([1.7e308, -1.7e308, math.nextafter(1.7e308, 0.0), 1.7976931348623157e308])
@example([1e-320, 2e-320, -1e300])
def test_rows_go_left_of_a_threshold_as_their_codes_say(x):
    from slp.ir.program import CheckedProgram

    table = table_of(CheckedProgram("test", None, ()), [[v, i % 2] for i, v in enumerate(x)])
    (feature,) = table.features
    codes = table.codes[table.row_of, 0]
    np.testing.assert_array_equal(feature.kind.values[codes], x)
    for low in range(feature.kind.n_codes):
        for high in range(low + 1, feature.kind.n_codes):
            threshold = feature.kind.threshold(low, high)
            assert feature.kind.values[low] < threshold <= feature.kind.values[high]
            for value, code in zip(x, codes, strict=True):
                if code in (low, high):
                    assert (value < threshold) == (code <= low)


@given(st.lists(FLOATS, min_size=1, max_size=8), st.lists(FLOATS, min_size=1, max_size=5))
@settings(max_examples=80, deadline=None)
def test_rows_go_left_of_a_cut_as_their_codes_say(x, cuts):
    from slp.ir.program import CheckedProgram

    cuts = tuple(sorted({c + 0.0 for c in cuts}))
    declared = CheckedProgram("test", None, (), features=(declare("x0", None, Cuts(cuts)),))
    table = table_of(declared, [[v, 0] for v in x])
    (feature,) = table.features
    codes = table.codes[table.row_of, 0]
    for low in range(feature.kind.n_codes):
        for high in range(low + 1, feature.kind.n_codes):
            threshold = feature.kind.threshold(low, high)
            assert threshold in cuts
            for value, code in zip(x, codes, strict=True):
                if code <= low or code >= high:
                    assert (value < threshold) == (code <= low)


# --- faults and warnings -------------------------------------------------------------------------

FAULTS = [
    (
        ["3", "4", "x4"],
        declare("a", "numeric"),
        "error[E421]: column `a` is declared numeric, but row 3 holds `x4`\n"
        "  help: correct the cell, or write :- feature(a, [categorical]).",
    ),
    (
        ["x", "4", "?"],
        declare("a", None, Cuts((1.0,))),
        "error[E421]: column `a` has declared cuts or bins, but row 1 holds `x`\n"
        "  help: correct the cell, or write :- feature(a, [categorical]).",
    ),
    (
        ["3", "nan", "4"],
        declare("a", "numeric"),
        "error[E420]: column `a` misses 1 value, in row 2\n"
        "  help: fill them in, or leave those rows out",
    ),
    (
        [1.0, math.inf, -math.inf],
        declare("a"),
        "error[E422]: column `a` is infinite in 2 rows, the first is row 2\n"
        "  help: no threshold lies halfway to infinity: put a number there, "
        "or declare cuts: :- feature(a, [cuts([0, 1])]).",
    ),
    (
        [1.0, 2.0, math.inf],
        declare("a", None, Bins("quantile", 2)),
        "error[E422]: column `a` is infinite in 1 row, the first is row 3\n"
        "  help: no threshold lies halfway to infinity: put a number there, "
        "or declare cuts: :- feature(a, [cuts([0, 1])]).",
    ),
    (
        [2**53, 2**53 + 1, 1],
        declare("a"),
        "error[E423]: column `a` holds whole numbers beyond 2^53, and 1 of them cannot be told "
        "from others as floating point numbers\n"
        "  help: subtract a constant; if they are names, write :- feature(a, [categorical]).",
    ),
    (
        [10**400, 1, 2],
        declare("a"),
        "error[E422]: column `a` is infinite in 1 row, the first is row 1\n"
        "  help: no threshold lies halfway to infinity: put a number there, "
        "or declare cuts: :- feature(a, [cuts([0, 1])]).",
    ),
    (
        [1, 2, 3],
        declare("a", None, Bins("width", 10**9)),
        "error[E429]: feature `a` has 1000000000 bins, more than 100000\n"
        "  help: without bins every distinct value has its own cut",
    ),
]


@pytest.mark.parametrize(("cells", "declaration", "message"), FAULTS)
def test_faults(program, cells, declaration, message):
    with pytest.raises(DataError) as e:
        feature(program, cells, declaration)
    assert str(e.value) == message


def test_large_whole_numbers_that_stay_apart_are_sound(program):
    have, codes, _ = feature(program, [2**60, 2**61, 0])
    assert (have.kind.values.tolist(), codes) == ([0.0, 2.0**60, 2.0**61], [1, 2, 0])
    have, _, _ = feature(program, [2**53, 2**53 + 1, 1], declare("a", "categorical"))
    assert have.kind.names == ("1", "9007199254740992", "9007199254740993")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            ["1", "?", "3", "4"],
            "warning[W403]: column `a` is categorical because row 2 holds `?`, though 3 of 4 "
            "cells are numbers\n  help: correct such cells, or leave those rows out; "
            "if categories are meant, write :- feature(a, [categorical]).",
        ),
        (
            ["1", "2"],
            "warning[W403]: column `a` is categorical, as text, though all its cells are numbers\n"
            "  help: say which is meant: :- feature(a, [numeric]). or [categorical]",
        ),
        (
            ["x", "x"],
            "warning[W401]: no tree can split on `a`: the same value in every row\n"
            "  help: leave such features out, by `:- ignore(Column).` or of the table",
        ),
    ],
)
def test_warnings(program, cells, message):
    _, _, warnings = feature(program, cells)
    assert [str(DataError(w)) for w in warnings] == [message]


DATES = (
    "turn them into numbers, such as days since 1970: in pandas frame['{0}'] = "
    "(pandas.to_datetime(frame['{0}'], utc=True) - pandas.Timestamp(0, tz='UTC')) / "
    "pandas.Timedelta(days=1), in polars frame = frame.with_columns(polars.col('{0}')"
    ".str.to_datetime(time_zone='UTC').dt.epoch('us') / 86_400_000_000)"
)
COMMAS = (
    "write numbers with a point and without separators of thousands (1.5, 1500); if the comma is a "
    "decimal sign, :- feature({0}, [decimal(comma)]). reads it"
)


@pytest.mark.parametrize(
    ("cells", "code", "shown"),
    [
        (["2024-01-31", "2024-02-01", "unknown"], "W405", "2024-01-31"),
        (["31.01.2024", "1.2.24", "x"], "W405", "31.01.2024"),
        (["x", "1/31/2024", "12/1/2024"], "W405", "1/31/2024"),
        (["2024-01-31T12:30:01.5Z", "2024-01-31 12:30"], "W405", "2024-01-31T12:30:01.5Z"),
        (["3 Feb 2024", "Feb 3, 2024", "03-feb-24"], "W405", "3 Feb 2024"),
        (["2024-01", "2024/02"], "W405", "2024-01"),
        (["7:30", "12:30:05", "7:30 pm"], "W405", "7:30"),
        (["1,5", "2,25", "-0,1"], "W406", "1,5"),
        (["3", "2,25", "x", "1,5"], "W406", "2,25"),
        (["1.234,5", "1 234,5", "12,0"], "W406", "1.234,5"),
        (["1,234", "1,234,567", "1,234.5"], "W406", "1,234"),
    ],
)
def test_text_that_seems_to_be_dates_or_numbers_with_commas(program, cells, code, shown):
    what, does = ("dates or times", DATES) if code == "W405" else ("numbers with a comma", COMMAS)
    help = f"{does}; if categories are meant, write :- feature({{0}}, [categorical])."
    message = f"column `{{}}` is categorical, and seems to hold {what}, such as `{shown}`"
    _, _, warnings = feature(program, cells)
    assert [(w.code, w.message, w.help) for w in warnings] == [
        (code, message.format("a"), help.format("a"))
    ]
    assert feature(program, cells, declare("a", "categorical"))[2] == ()
    of_response = table_of(program(), pd.DataFrame({"a": range(len(cells)), "y": cells})).warnings
    assert [(w.code, w.message, w.help) for w in of_response] == [
        (code, message.format("y"), help.format("y"))
    ]
    declared = program(features=[declare("y", "categorical")])
    assert table_of(declared, pd.DataFrame({"a": range(len(cells)), "y": cells})).warnings == ()


@pytest.mark.parametrize(
    "cells",
    [
        ["1.2.3", "1.2.4"],  # versions
        ["12-34-56", "99-12-45"],
        ["2024-32", "2024-00"],
        ["a,b", "1,b"],
        ["1,5", "x", "y"],
        ["2024-01-01", "x", "y"],
        ["1-2024-01", "3:4"],
        ["maybe 3", "march 4"],
    ],
)
def test_other_text_is_not_taken_for_dates_or_numbers(program, cells):
    assert feature(program, cells)[2] == ()


def test_classes_that_are_numbers_in_text_are_no_finding(program):
    frame = pd.DataFrame({"a": [1, 2, 3], "y": ["1", "0", "1"]})
    assert table_of(program(), frame).warnings == ()


def test_mostly_text_is_text_without_a_warning(program):
    assert feature(program, ["1", "a", "b"])[2] == ()
