"""E4xx, W4xx: the columns and cells of a table, and rows to predict."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

_FILL_IN = "fill them in, or leave those rows out"
_IF_CATEGORIES = "if categories are meant, write :- feature({atom}, [categorical])."

# --- cells -------------------------------------------------------------------------------------

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

# --- the parts of columns ----------------------------------------------------------------------

E424 = Entry(
    "E424: no feature is left",
    cause="The table has no columns but the response and those that are ignored.",
    remedy="Give a table with a feature, or ignore fewer columns.",
    example="slp-sample growtree one_column.csv",
)
NO_FEATURES = E424.says(
    "the table has no feature columns",
    "the response is `{response}`; every other column is ignored or not there",
)

E425 = Entry(
    "E425: there is no column for the response, the event or the exposure",
    cause="The program, or `y`, names a column that the table does not have.",
    remedy="Take the nearest name, or one of those that the help line lists.",
    example=":- use(growtree). :- response(stage).",
)
NO_COLUMN = E425.says("there is no column `{name}` for {part}", "the columns are {columns}")

E426 = Entry(
    "E426: the response is given twice",
    cause="`y` has the response, and the table has it as a column too.",
    remedy="Drop the column from the table, or pass its name as `y`.",
    example='program.posterior(frame, frame["outcome"])',
)
RESPONSE_TWICE = E426.says(
    "the response `{name}` is given as y and is a column of the table as well",
    'drop the column from X, or pass y="{name}" to take it from there',
)

E427 = Entry(
    "E427: a column of events or of exposure cannot be taken",
    cause="Events need a leaf model of durations, a duration, and cells of 0 or 1 or of declared "
    "codes; exposure needs the leaf model `gamma_poisson`, a count, and numbers from 1e-9 to 1e9, "
    "or 0 where nothing was counted.",
    remedy="Declare the leaf model, or correct the column.",
    example=":- use(growtree). :- response(age, event(age)).",
)
EVENT_IS_RESPONSE = E427.says(
    "column `{name}` cannot be both the duration and its event",
    "write :- response(time, event(status)).",
)
EVENT_WITHOUT_MODEL = E427.says(
    "the event column `{name}` needs a leaf model of durations",
    "add :- leaf(gamma_exponential(1, 1)). or take event(...) out of :- response(...).",
)
EVENT_NEITHER_0_NOR_1 = E427.says(
    "the event column `{name}` holds `{cell}` in row {row}",
    "write 1 or true where the event was seen, 0 or false where it was not; or name the code of "
    "seen events, as in event({atom}, {code})",
)
EVENT_CODE_ABSENT = E427.says(
    "the event column `{name}` holds no `{code}`, the declared code of events; it holds {held}",
    "write a code that it holds; where it may lack one, name all codes, as in "
    "event({atom}, {first}, {other})",
)
EVENT_CODES_UNNAMED = E427.says(
    "the event column `{name}` holds {held} beside {seen}, and one other value may be there",
    "name the codes of durations whose end was not seen: event({atom}, {first}, {other})",
)
EVENT_CODE_UNKNOWN = E427.says(
    "the event column `{name}` holds `{cell}` in row {row}, which is none of the declared codes",
    "name it in event({atom}, {first}, {other}), correct the cell, or leave the row out",
)
EXPOSURE_IS_RESPONSE = E427.says(
    "column `{name}` cannot be both the count and its exposure",
    "write :- response(claims, exposure(years)).",
)
EXPOSURE_WITHOUT_MODEL = E427.says(
    "the column of exposure `{name}` needs the leaf model gamma_poisson",
    "add :- leaf(gamma_poisson(1, 1)). or take exposure(...) out of :- response(...).",
)
WRONG_EXPOSURE = E427.says(
    "the column of exposure `{name}` holds `{cell}` in row {row}",
    "write 0 or a number from 1e-9 to 1e9, or leave the row out",
)
COUNT_WITHOUT_EXPOSURE = E427.says(
    "`{response}` is {count} in row {row}, where the exposure `{name}` is 0: its probability is 0",
    "correct the count or the exposure, or leave the row out",
)

E437 = Entry(
    "E437: weights of rows cannot be taken",
    cause="A weight is negative, too large or too small, or there is not one for each row, or all "
    "are 0, or they are given twice.",
    remedy="Give one number for each row, 0 or from 1e-9 to 1e9, at least one above 0.",
    example="program.posterior(X, y, sample_weight=[-0.5, 1, 2])",
)
WEIGHTS_OF_ANOTHER_SHAPE = E437.says(
    "the table has {rows}, and the weights have shape {shape}", "give one weight for each row"
)
WRONG_WEIGHT_OF_ROW = E437.says(
    "the weight of row {row} is {weight}: neither 0 nor from 1e-9 to 1e9",
    "a row of weight 3 counts as three equal rows, one of weight 0 is absent",
)
WEIGHTS_TWICE = E437.says(
    "weights are given, and the program has them in the column `{name}`",
    "leave out `sample_weight`, or `:- row_weight(...).`",
)
NO_WEIGHT = E437.says("all weights are zero, so there is no row", AS_REMEDY)

E438 = Entry(
    "E438: a cell is none of the declared levels",
    cause="An ordinal feature has declared levels, and a cell holds another text or number.",
    remedy="Correct the cell, or put the level at its place in the declaration.",
    example=":- use(growtree). :- feature(colour, [ordinal([low, high])]).",
)
UNKNOWN_LEVEL = E438.says(
    "column `{name}` holds `{cell}` in row {row}{rows}: not one of its levels, {levels}", AS_REMEDY
)

E439 = Entry(
    "E439: a number is out of the declared range",
    cause="`range(Low, High)` declares the least and the largest value that a column can have, and "
    "a cell is outside. Often its unit is another one.",
    remedy="Correct the cell, leave the row out, or declare a wider range.",
    example=":- use(growtree). :- feature(age, [range(0, 20)]).",
)
OUT_OF_RANGE = E439.says(
    "column `{name}` is {value} in row {row}{rows}: outside its declared range, {low} to {high}",
    AS_REMEDY,
)

E429 = Entry(
    "E429: a feature has too many bins",
    cause="More than 100,000 bins are declared for a feature.",
    remedy="Declare fewer, or none: without bins every distinct value has its own cut.",
    example=":- use(growtree). :- feature(age, [bins(width, 1000000)]).",
)
TOO_MANY_BINS = E429.says(
    "feature `{name}` has {bins} bins, more than {most}",
    "without bins every distinct value has its own cut",
)

# --- rows to predict ---------------------------------------------------------------------------

E447 = Entry(
    "E447: a column has cells of another type than at fit",
    cause="The table that a posterior was made of had truth values, numbers or text in a column. "
    "The rows to predict have another type there, and the cells of the two types do not match one "
    "to one, as 0 and 1 match truth values.",
    remedy="Give the column the type that it had: read and convert both tables alike.",
    example="slp predict growtree table.csv new.csv   (`table.csv` is `smoker,y\ntrue,a\nfalse,b`, "
    "`new.csv` is `smoker\nyes\nno`)",
)
OTHER_TYPE = E447.says(
    "column `{name}` holds {now}, such as `{cell}` in row {row}, and held {then} at fit", AS_REMEDY
)
OTHER_TYPE_THAN_TESTS = E447.says(
    "column `{name}` holds {now}, such as `{cell}` in row {row}, and the tests of the tree are for "
    "{then}",
    AS_REMEDY,
)

E442 = Entry(
    "E442: a row to predict misses a value where no row at that split did",
    cause="Under `missing(side)` a split says where missing values go, unless no row of the table "
    "that came to it missed the value. A row to predict misses it there. Or it misses the value of "
    "a column of `normal_linear`, or any value where the trees are soft.",
    remedy="Fill the value in, leave the row out, or declare `new(average)`: both sides predict "
    "the row, in proportion to their rows.",
    example="slp predict prior.slp table.csv new.csv   (`prior.slp` has "
    "`:- feature(age, [missing(side)]).`, `table.csv` is `age,sex,y\n1,f,a\n2,m,b\n3,f,a`, "
    "`new.csv` is `age,sex\n,f`)",
)
NEW_VALUE_MISSING = E442.says(
    "a row to predict misses `{name}`, and no row of the table that came to the split did",
    "fill it in, leave the row out, or write :- feature({atom}, [missing(side), new(average)]). "
    "for the average over both sides",
)
NEW_VALUE_MISSING_OF_SOFT = E442.says(
    "a row to predict misses `{name}`, and soft trees weigh each value",
    "fill it in, leave the row out, or let another engine draw trees",
)
NEW_REGRESSOR_MISSING = E442.says(
    "a row to predict (row {row}) misses `{name}`, and `normal_linear` needs its value",
    "fill it in, or leave the row out",
)

E445 = Entry(
    "E445: a row to predict has a level that a split does not know",
    cause="A split by subsets, or by two levels that are left, parts the levels that its box of "
    "the table has. A row to predict came to it with another level, and `new(error)` is declared.",
    remedy="Leave the row out, or declare `new(average)`, both sides in proportion to their rows; "
    "with `subsets` also `new(larger)`, the side with more rows.",
    example="slp predict prior.slp table.csv new.csv   (`prior.slp` has "
    "`:- feature(colour, [subsets, new(error)]).`, `table.csv` is `colour,y\nred,a\nblue,b\nred,a\n"
    "blue,b`, `new.csv` is `colour\ngreen`)",
)
NEW_LEVEL_ABSENT = E445.says(
    "a row to predict has a level of `{name}` that no row of the table at a split has",
    "leave the row out, or write `new(average)` in place of `new(error)`, which is declared of "
    "{atom} or of `_`, for the average over both sides",
)

E446 = Entry(
    "E446: a feature has too many levels for splits by subsets",
    cause="A box with k levels has 2^(k-1) - 1 splits by subsets, so their number is limited.",
    remedy="Put levels together, declare a larger limit, at most 12, or leave `subsets` out.",
    example="slp check prior.slp people.csv   (`prior.slp` has `:- feature(name, [subsets(2)]).`, "
    "`people.csv` is `name,y\nann,a\nbob,b\ncy,a`)",
)
TOO_MANY_LEVELS = E446.says(
    "`{name}` has {levels} levels, and splits by subsets are declared for at most {most}",
    "put levels together, declare up to 12 by :- feature({atom}, [subsets({levels})])., or leave "
    "`subsets` out: one level against the rest",
)

E440 = Entry(
    "E440: rows to predict lack a column",
    cause="The table that a posterior was made of has a feature that the rows to predict lack.",
    remedy="Add the column. Columns are found by their names.",
    example="slp predict growtree data.csv new.csv   (`new.csv` lacks a column of `data.csv`)",
)
NO_COLUMN_TO_PREDICT = E440.says(
    "the rows to predict have no column `{name}`", "its columns are {columns}"
)

E441 = Entry(
    "E441: an array of rows to predict has another number of columns",
    cause="Columns of an array have no names, so there must be one for each feature.",
    remedy="Give the features in the order that the help line lists.",
    example="posterior.predict([[1]])   (the table had two features)",
)
WRONG_NUMBER_OF_COLUMNS = E441.says(
    "the array has {columns}, the table {features}", "in this order: {names}"
)

# --- warnings ----------------------------------------------------------------------------------

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
