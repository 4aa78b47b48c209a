"""E42x, E43x: the parts of columns in a table: features, the response, what stands beside it,
weights."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

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
