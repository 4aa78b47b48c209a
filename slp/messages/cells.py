"""E42x: the cells of a table."""

from __future__ import annotations

from slp.messages.entry import Entry

_FILL_IN = "fill them in, or leave those rows out"

E420 = Entry(
    "E420: values are missing",
    cause="Cells of a feature or of the response are blank, NaN, None or NA.",
    remedy="Declare `missing(side)` or `missing(level)`, fill them in, leave those rows out, or "
    "ignore the column.",
    example="age,sex\n40,f\n,m",
)
_MISSING = "column `{name}` misses {values}, {where}"
MISSING_IN_NUMBERS = E420.says(
    _MISSING,
    "write :- feature({atom}, [missing(side)]). so that splits say where they go, leave those rows "
    "out, or write :- ignore({atom}).",
)
MISSING_IN_LEVELS = E420.says(
    _MISSING,
    "leave those rows out, or write :- feature({atom}, [missing(level)]). for one more category, "
    ":- feature({atom}, [missing(side)]). so that splits say where they go, or :- ignore({atom}).",
)
NUMBERS_CANNOT_MISS = E420.says(
    _MISSING + ": `missing(level)` is for categories, and this column has numbers or an order",
    "declare `missing(side)` or `categorical`, leave those rows out, or write :- ignore({atom}).",
)
MISSING_EVERYWHERE = E420.says(_MISSING, "write :- ignore({atom}).")
MISSING_IS_A_TEST = E420.says(
    "`{level}` is a value of column `{name}`, and the name of the test for missing values",
    "rename the value, or leave its cells blank",
)
MISSING_IS_A_LEVEL = E420.says(
    "`{level}` is a value of column `{name}`, and the name of missing ones",
    "under `missing(level)` rename the value, or leave its cells blank",
)
MISSING_IN_RESPONSE = E420.says(
    _MISSING, "leave those rows out: a row without a response says nothing"
)
MISSING_IN_EVENT = E420.says(_MISSING, "leave those rows out: without it a duration means nothing")
MISSING_IN_EXPOSURE = E420.says(_MISSING, "leave those rows out: without it a count has no rate")
MISSING_VALUES = E420.says(_MISSING, _FILL_IN)
MISSING_TO_PREDICT = E420.says(
    _MISSING + ", and no row of the table did",
    f"{_FILL_IN}, or write :- feature({{atom}}, [missing(side), new(average)]).",
)

E421 = Entry(
    "E421: text stands where numbers are declared",
    cause="A column is declared numeric, or has cuts or bins, and a cell of it is no number.",
    remedy="Correct the cell, or declare the column categorical.",
    example=":- use(growtree). :- feature(colour, [numeric]).",
)
_CORRECT_OR_DECLARE = "correct the cell, or write :- feature({atom}, [categorical])."
TEXT_IN_NUMERIC = E421.says(
    "column `{name}` is declared numeric, but row {row} holds `{cell}`", _CORRECT_OR_DECLARE
)
TEXT_IN_BINNED = E421.says(
    "column `{name}` has declared cuts or bins, but row {row} holds `{cell}`", _CORRECT_OR_DECLARE
)
TEXT_TO_PREDICT = E421.says(
    "column `{name}` is numeric, but row {row} holds `{cell}`", "correct the cell"
)

POINT_BESIDE_COMMA = E421.says(
    "column `{name}` is declared with a decimal comma, but row {row} holds `{cell}`",
    "write such cells without a point, or write points and leave out `decimal(comma)`",
)

E422 = Entry(
    "E422: a feature is infinite",
    cause="A numeric feature without declared cuts has infinite values. Thresholds lie halfway "
    "between values, and none is halfway to infinity.",
    remedy="Put a number there, or declare cuts.",
    example="age,sex\n40,f\ninf,m",
)
INFINITE_VALUES = E422.says(
    "column `{name}` is infinite in {rows}, the first is row {row}",
    "no threshold lies halfway to infinity: put a number there, "
    "or declare cuts: :- feature({atom}, [cuts([0, 1])]).",
)

E423 = Entry(
    "E423: whole numbers are too large to tell apart",
    cause="Whole numbers beyond 2^53 that differ are the same as floating-point numbers.",
    remedy="Subtract a constant. If they are names, declare the column categorical.",
    example="id,sex\n9007199254740992,f\n9007199254740993,m",
)
NUMBERS_COINCIDE = E423.says(
    "column `{name}` holds whole numbers beyond 2^53, and {lost} of them cannot be told from "
    "others as floating point numbers",
    "subtract a constant; if they are names, write :- feature({atom}, [categorical]).",
)
