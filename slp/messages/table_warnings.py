"""W4xx: what is odd about the columns of a table, or about rows to predict."""

from __future__ import annotations

from slp.messages.entry import Entry

_IF_CATEGORIES = "if categories are meant, write :- feature({atom}, [categorical])."

W401 = Entry(
    "W401: no tree can split on a feature",
    cause="A feature has the same value in every row, or its cuts or bins put all rows into one.",
    remedy="Leave the feature out, or declare other cuts.",
    example=":- use(growtree). :- feature(age, [cuts([200])]).",
)
CONSTANT_FEATURES = W401.says(
    "no tree can split on {features}: the same value in every row",
    "leave such features out, by `:- ignore(Column).` or of the table",
)
ONE_BIN = W401.says(
    "no tree can split on {features}: cuts or bins put all rows into one bin, though values differ",
    "declare other cuts; or none: :- feature({atom}, [numeric]).",
)

W402 = Entry(
    "W402: the response has one class only",
    cause="Every row has the same class, so every tree explains the rows alike.",
    remedy="Check the table and the response. The posterior is the prior.",
    example="x,y\n1,yes\n2,yes",
)
ONE_CLASS = W402.says(
    "the response `{name}` has one class only, `{label}`, so every tree explains it alike",
    "check the table and the response; as it is, the posterior is the prior",
)

W403 = Entry(
    "W403: a column of numbers is taken for categories",
    cause="A column is text, and at least half of its cells are numbers.",
    remedy="Correct the cells that are no numbers, or declare the column categorical.",
    example="age,sex\n40,f\n?,m\n50,f",
)
NUMBERS_AS_TEXT = W403.says(
    "column `{name}` is categorical, as text, though all its cells are numbers",
    "say which is meant: :- feature({atom}, [numeric]). or [categorical]",
)
NUMBERS_AND_TEXT = W403.says(
    "column `{name}` is categorical because row {row} holds `{cell}`, though {numbers} of {total} "
    "cells are numbers",
    f"correct such cells, or leave those rows out; {_IF_CATEGORIES}",
)

W404 = Entry(
    "W404: the response gives no scale",
    cause="No leaf model is declared, and the response is the same number in every row, or its "
    "values differ by so little (less than about 1e-162) that the squares are 0 in floating point.",
    remedy="Declare a leaf model with a scale; change the unit of a response of tiny numbers.",
    example="x,y\n1,3.5\n2,3.5",
)
NO_SCALE = W404.says(
    "the response `{name}` is {value} in every row, so its scale was set to 1",
    "declare one with :- leaf(normal_inverse_gamma(Mu, Kappa, Alpha, Beta)).",
)

SQUARES_ARE_ZERO = W404.says(
    "the values of the response `{name}` differ by at most {width}, and squares of this are 0 in "
    "floating point, so its scale was set to 1, and trees do not tell the values apart",
    "change the unit, so that the values differ by 1e-150 or more: multiply them by 1e200, say",
)

W405 = Entry(
    "W405: a column of text seems to hold dates or times",
    cause="At least half of the cells of a column of text are written as dates or times are.",
    remedy="Turn them into numbers, such as days or years, or declare the column categorical.",
    example="day,sex\n2024-03-01,f\n2024-03-02,m",
)
DATES_AS_TEXT = W405.says(
    "column `{name}` is categorical, and seems to hold dates or times, such as `{cell}`",
    "turn them into numbers, such as days since 1970: in pandas frame[{name!r}] = "
    "(pandas.to_datetime(frame[{name!r}], utc=True) - pandas.Timestamp(0, tz='UTC')) / "
    "pandas.Timedelta(days=1), in polars frame = frame.with_columns(polars.col({name!r})"
    f".str.to_datetime(time_zone='UTC').dt.epoch('us') / 86_400_000_000); {_IF_CATEGORIES}",
)

W406 = Entry(
    "W406: a column of text seems to hold numbers with a comma",
    cause="At least half of the cells of a column of text are numbers, and some have a comma.",
    remedy="Write numbers with a point and no separators, or declare the column categorical.",
    example='dose,sex\n"1,5",f\n"2,5",m',
)
COMMAS_AS_TEXT = W406.says(
    "column `{name}` is categorical, and seems to hold numbers with a comma, such as `{cell}`",
    "write numbers with a point and without separators of thousands (1.5, 1500); if the comma is a "
    f"decimal sign, :- feature({{atom}}, [decimal(comma)]). reads it; {_IF_CATEGORIES}",
)

W408 = Entry(
    "W408: values of a column are almost equal",
    cause="Numbers of a column differ by at most 4 units in the last place of a double, as the "
    "results of arithmetic do that should be equal. A split may part them.",
    remedy="Round the column, or declare its cuts, unless the difference means something.",
    example="x,y\n0.3,b\n0.30000000000000004,a",
)
ALMOST_EQUAL = W408.says(
    "column `{name}` has {count} of almost equal values, such as {low} and {high} (rows {row} and "
    "{other}), which a split may part",
    "if they should be equal, round them: in pandas frame[{name!r}] = frame[{name!r}].map(lambda "
    "x: float(f'{{x:{format}}}')), in polars frame = frame.with_columns(polars.col({name!r})"
    ".map_elements(lambda x: float(f'{{x:{format}}}'), polars.Float64)); or declare cuts that do "
    "not part them, :- feature({atom}, [cuts([Cut, ...])]).",
)

W409 = Entry(
    "W409: weights of rows are so large that sums of squares are rounded",
    cause="A normal leaf sums weighted squares in doubles. Where rows of one response weigh "
    "millions, the rounding of a sum changes the log probability of a tree.",
    remedy="Divide the weights by one number if only their ratios matter, or declare a leaf model "
    "with a larger `beta`.",
    example="program.posterior([[0], [1]], [0.1, 5.7], sample_weight=[1e9, 1e8])",
)
SQUARES_ARE_ROUNDED = W409.says(
    "rows with the response {value} weigh {weight} in all, so that the rounding of sums of squares "
    "can change log probabilities of trees by about {bound}",
    "divide the weights by one number if only their ratios matter, or declare a leaf model with a "
    "larger `beta`",
)

W441 = Entry(
    "W441: rows to predict are out of the declared range",
    cause="`range(Low, High)` declares the values that a feature can have, and a row to predict "
    "has another one. Often its unit is another one.",
    remedy="Correct the cell, or declare a wider range.",
    example="slp predict range.slp data.csv wide.csv   (`range.slp` allows ages from 0 to 120)",
)
NEW_OUT_OF_RANGE = W441.says(
    "the rows to predict are out of the declared range: {values}",
    "check the cells and their unit: such rows go where the nearest rows of the table go",
)

W440 = Entry(
    "W440: rows to predict have levels that the table lacks",
    cause="A row to predict has a level that no row of the table has, and the program declares no "
    "`new(...)` for the column. At a split with two levels left it goes down both sides, in "
    "proportion to their rows; where more are left, no test on it holds.",
    remedy="Correct the level, or take rows that have it into the table.",
    example="slp predict growtree data.csv levels.csv   (`levels.csv` has another level of "
    "`colour`)",
)
NEW_LEVELS = W440.says(
    "the rows to predict have levels that no row of the table has: {levels}",
    "with two levels left at a split they go down both sides, else where the other levels go: "
    "correct them, take rows that have them into the table, or declare `new(error)`",
)
