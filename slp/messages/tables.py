"""E4xx, W4xx: tables, what their columns are, and leaf models."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

_CONTENT = "the table needs a line of column names and at least one row"
_ACCEPTED = "pass a pandas or polars frame, a two-dimensional NumPy array or a list of rows"
_FILL_IN = "fill them in, or leave those rows out"
_IF_CATEGORIES = "if categories are meant, write :- feature({atom}, [categorical])."

# --- files -------------------------------------------------------------------------------------

E401 = Entry(
    "E401: a table cannot be read",
    cause="There is no such file, it is a folder, or you may not read it.",
    remedy="Name a file that exists and that you may read.",
    example="slp-sample growtree missing.csv",
)
TABLE_NOT_READ = E401.says("cannot read {path}: {reason}")

E402 = Entry(
    "E402: the kind of a table's file is unknown",
    cause="The name of the file ends in nothing that a table's name ends in, or it is a program's.",
    remedy="Name it .csv, .tsv, .csv.gz, .tsv.gz or .parquet, as what it is.",
    example="slp-sample growtree data.xlsx",
)
PROGRAM_AS_TABLE = E402.says(
    "{path} is a program by its name, and a table belongs here",
    "the program comes first, then the table: slp-sample prior.slp data.csv",
)
UNKNOWN_KIND_OF_FILE = E402.says("{path}: unknown kind of file", AS_REMEDY)

E403 = Entry(
    "E403: a table's file is empty",
    cause="The file has no bytes, or nothing but blank lines.",
    remedy="Write a line of column names and at least one row.",
    example="slp-sample growtree empty.csv",
)
EMPTY_FILE = E403.says("{path} is empty", _CONTENT)

E404 = Entry(
    "E404: a table has no rows, or no columns",
    cause="The table has a header and nothing else, or a frame or an array has no cells.",
    remedy="Give at least one row, a feature and a response.",
    example="slp-sample growtree header.csv   (`header.csv` is `age,sex`)",
)
FILE_WITHOUT_ROWS = E404.says("{path} has a header but no rows", _CONTENT)
NO_ROWS = E404.says("the table has no rows", "inference needs at least one")
NO_COLUMNS = E404.says("the table has no columns", "it needs features and a response")

E405 = Entry(
    "E405: lines of a table differ in length",
    cause="A line of the file has more or fewer cells than the header.",
    remedy="Give every line one cell for each column; quote cells that hold separators.",
    example="age,sex\n40,f,1",
)
UNEQUAL_LINES = E405.says("{path}, line {line}: {cells}, but the header has {width}", AS_REMEDY)

E406 = Entry(
    "E406: a table's file is not UTF-8",
    cause="The file holds bytes that no text in UTF-8 has.",
    remedy="Save the file as UTF-8.",
    example="slp-sample growtree latin1.csv",
)
TABLE_NOT_UTF8 = E406.says("{path} is not UTF-8 text (line {line}, byte {byte})", AS_REMEDY)

E407 = Entry(
    "E407: columns of a table have the same name",
    cause="Two or more columns are called the same. Spaces around names do not count.",
    remedy="Rename them, so that a program can say which it means.",
    example="age,age,sex\n40,41,f",
)
SAME_NAMES = E407.says("{count} columns are called `{name}` (columns {places})", AS_REMEDY)

E408 = Entry(
    "E408: a column of a table has no name",
    cause="A cell of the header is blank. pandas writes its row index so.",
    remedy="Name the column in the header, or write the table by `to_csv(index=False)`.",
    example=",age,sex\n0,40,f",
)
COLUMN_WITHOUT_NAME = E408.says(
    "column {place} has no name",
    "name it in the header; pandas writes a row index unless told index=False",
)

E409 = Entry(
    "E409: a table's file is not what its name says",
    cause="The file is damaged, or is no gzip, no Parquet or no separated text, as its name says.",
    remedy="Name it as what it is, or write it again.",
    example="slp-sample growtree data.parquet   (`data.parquet` is `age,sex`)",
)
NOT_GZIP = E409.says(
    "{path} is not gzip-compressed, or is damaged: {reason}",
    "if it is plain text, drop .gz from its name",
)
NOT_SEPARATED_TEXT = E409.says("{path} cannot be read as separated text: {reason}")
_WRITE_AGAIN = "write the file again, or save the table as CSV"
NOT_PARQUET = E409.says(
    "{path} is no Parquet: it does not begin with the mark `PAR1`",
    "name it as what it is, or write it again",
)
NO_END_OF_PARQUET = E409.says(
    "{path} is not complete: the mark `PAR1` that ends each Parquet file is missing", _WRITE_AGAIN
)
PARQUET_COLUMNS_DAMAGED = E409.says(
    "{path} cannot be read as Parquet: the part that describes its columns is damaged", _WRITE_AGAIN
)
PARQUET_COLUMN_DAMAGED = E409.says(
    "{path} cannot be read as Parquet: the values of column `{name}` are damaged", _WRITE_AGAIN
)
PARQUET_READER_FAILED = E409.says(
    "{path} cannot be read as Parquet: the reader fails on it", _WRITE_AGAIN
)

# --- tables from Python ------------------------------------------------------------------------

E410 = Entry(
    "E410: a value is no table",
    cause="What was given as a table is no frame, no array of two dimensions, and no list of rows.",
    remedy="Pass a pandas or polars frame, a two-dimensional NumPy array or a list of rows.",
    example="program.posterior(numpy.zeros(3), numpy.zeros(3))",
)
SPARSE_MATRIX = E410.says("the table is a sparse matrix", "pass X.toarray()")
NOT_A_TABLE = E410.says("a value of type {type} is no table", AS_REMEDY)
WRONG_DIMENSIONS = E410.says("the array has {dimensions}, a table has 2", AS_REMEDY)
NOT_A_ROW = E410.says("row {row} of the list is of type {type}, not a list of cells", AS_REMEDY)

E411 = Entry(
    "E411: a column holds dates or times",
    cause="A column has a type of dates, times or durations, neither numbers nor categories.",
    remedy="Turn them into numbers, such as days or years, or ignore the column.",
    example="program.posterior(dates)   (a frame with a column of type datetime64)",
)
DATES = E411.says(
    "column `{name}` holds dates or times, which are neither numeric nor categorical",
    "turn them into numbers (days, years), or write :- ignore({atom}).",
)
DATES_AS_RESPONSE = E411.says(
    "column `{name}` holds dates or times, which are neither numeric nor categorical",
    "turn it into numbers or text, or name another response: :- response(Column).",
)

E412 = Entry(
    "E412: a column holds values of a strange type",
    cause="Cells are neither numbers nor text nor truth values, such as lists or complex numbers.",
    remedy="Turn them into numbers or text, or ignore the column.",
    example="program.posterior([[1, {}], [2, {}]], [0, 1])",
)
STRANGE_TYPE = E412.says(
    "column `{name}` holds values of type {type}",
    "cells must be numbers, text or truth values; or write :- ignore({atom}).",
)
STRANGE_RESPONSE = E412.says(
    "column `{name}` holds values of type {type}",
    "turn it into numbers or text, or name another response: :- response(Column).",
)

E413 = Entry(
    "E413: `y` does not fit the table",
    cause="`y` has another number of values than the table has rows, or is not one column.",
    remedy="Pass one value for each row, in the same order.",
    example="program.posterior([[1], [2]], [0, 1, 0])",
)
RESPONSE_OF_ANOTHER_LENGTH = E413.says(
    "the table has {rows}, but y has {values}", "y needs one value for each row, in the same order"
)
RESPONSE_OF_MANY_COLUMNS = E413.says("y has {columns}, the response is one", "pass one column")
RESPONSE_OF_ANOTHER_SHAPE = E413.says(
    "y is an array of shape {shape}, the response is one column", "pass an array of shape (n,)"
)
NOT_A_RESPONSE = E413.says(
    "a value of type {type} is no response", "pass a series, an array, a list or a column name"
)

E414 = Entry(
    "E414: rows of a list differ in length",
    cause="A table was given as a list of rows, and one has more or fewer cells than the first.",
    remedy="Give every row one cell for each column.",
    example="program.posterior([[1, 2], [3]], [0, 1])",
)
UNEQUAL_ROWS = E414.says(
    "row {row} has {cells}, row 1 has {width}", "every row needs one cell for each column"
)

# --- cells -------------------------------------------------------------------------------------

E420 = Entry(
    "E420: values are missing",
    cause="Cells of a feature or of the response are blank, NaN, None or NA.",
    remedy="Fill them in, leave those rows out, or ignore the column.",
    example="age,sex\n40,f\n,m",
)
_MISSING = "column `{name}` misses {values}, {where}"
MISSING_IN_FEATURE = E420.says(_MISSING, "leave those rows out, or write :- ignore({atom}).")
MISSING_IN_RESPONSE = E420.says(
    _MISSING, "leave those rows out: a row without a response says nothing"
)
MISSING_IN_EVENT = E420.says(_MISSING, "leave those rows out: without it a duration means nothing")
MISSING_VALUES = E420.says(_MISSING, _FILL_IN)

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
    "E425: there is no column for the response or the event",
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
    "E427: an event column cannot be taken",
    cause="Events need the leaf model `gamma_exponential`, a duration, and cells of 0 or 1.",
    remedy="Declare the leaf model, or correct the column.",
    example=":- use(growtree). :- response(age, event(age)).",
)
EVENT_IS_RESPONSE = E427.says(
    "column `{name}` cannot be both the duration and its event",
    "write :- response(time, event(status)).",
)
EVENT_WITHOUT_MODEL = E427.says(
    "the event column `{name}` needs the leaf model gamma_exponential",
    "add :- leaf(gamma_exponential(1, 1)). or take event(...) out of :- response(...).",
)
EVENT_NEITHER_0_NOR_1 = E427.says(
    "the event column `{name}` holds `{cell}` in row {row}",
    "write 1 or true where the event was seen, 0 or false where it was not",
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

# --- leaf models and responses -----------------------------------------------------------------

E430 = Entry(
    "E430: a leaf model does not suit the response",
    cause="The leaf model is one of classes and the response holds numbers, or the reverse.",
    remedy="Declare a leaf model that suits the response, or none.",
    example=":- use(growtree). :- leaf(gamma_poisson(1, 1)).",
)
_FOR_CLASSES = "for classes write :- leaf(dirichlet(1))."
MODEL_NEEDS_CLASSES = E430.says(
    "`dirichlet` needs classes, but the response holds numbers",
    "for numbers leave the directive out, or declare normal_inverse_gamma",
)
MODEL_NEEDS_CLASSES_NOT = E430.says(
    "`dirichlet` needs classes, but the response `{name}` holds the number {cell} in row {row}",
    "for numbers leave the leaf directive out, or declare normal_inverse_gamma",
)
MODEL_NEEDS_NUMBERS = E430.says(
    "`{model}` needs numbers, but the response holds classes", _FOR_CLASSES
)
MODEL_NEEDS_NUMBERS_NOT_TRUTHS = E430.says(
    "{model} needs numbers, but the response `{name}` holds truth values", _FOR_CLASSES
)
MODEL_NEEDS_NUMBERS_NOT = E430.says(
    "{model} needs numbers, but the response `{name}` holds `{cell}` in row {row}", _FOR_CLASSES
)

E431 = Entry(
    "E431: a list of `dirichlet` has another length than the classes",
    cause="`dirichlet([...])` has more or fewer numbers than the response has classes.",
    remedy="Give one number for each class, in the order that the message shows, or one for all.",
    example=":- use(growtree). :- leaf(dirichlet([1, 2, 3])).",
)
WRONG_NUMBER_OF_CLASSES = E431.says(
    "`dirichlet` has {numbers} numbers, but the response has {classes} classes: {some}",
    "give one number for each class, in this order",
)

E432 = Entry(
    "E432: a leaf model cannot take a value of the response",
    cause="`gamma_poisson` takes counts, and `gamma_exponential` numbers above 0.",
    remedy="Correct the cell, or declare another leaf model.",
    example=":- use(growtree). :- leaf(gamma_poisson(1, 1)). :- response(dose).",
)
NOT_A_NUMBER_OF_EVENTS = E432.says(
    "`gamma_poisson` needs counts (whole numbers from 0 to 1e12), but the response `{name}` is "
    "{value:g} in row {row}",
    "correct the cell, or declare normal_inverse_gamma",
)
NOT_A_DURATION = E432.says(
    "`gamma_exponential` needs durations above 0, but the response `{name}` is {value:g} in row "
    "{row}",
    "correct the cell; if 0 stands for less than one unit of time, write what it is about: 0.5",
)

E433 = Entry(
    "E433: a response is too large",
    cause="A numeric response is infinite, or beyond 1e150, so sums of squares are not finite.",
    remedy="Correct it, or change the unit.",
    example="x,y\n1,2\n2,inf",
)
RESPONSE_TOO_LARGE = E433.says(
    "the response `{name}` is {value:g} in row {row}",
    "responses must be finite and at most 1e150 in size: correct it or change the unit",
)

E435 = Entry(
    "E435: a response has too many classes",
    cause="The response is taken for classes, and rows times classes are more than 2^27.",
    remedy="Name another response, or declare the column numeric, if it holds numbers as text.",
    example="slp-sample growtree people.csv   (the last column is a name, in 100,000 rows)",
)
TOO_MANY_CLASSES = E435.says(
    "the response `{name}` has {classes} classes in {rows} rows",
    "is it a name or a number stored as text? Name the response: :- response(Column).",
)

E436 = Entry(
    "E436: the declared order of classes lacks a class",
    cause="`ordinal([...])` gives the order of the classes, and the response has one more.",
    remedy="Add the class in its place.",
    example=":- use(growtree). :- response(colour, [ordinal([red, green])]).",
)
CLASS_NOT_IN_ORDER = E436.says(
    "the response `{name}` has the class `{label}`, which the declared order lacks",
    "the order is {order}: add the class in its place",
)

# --- rows to predict ---------------------------------------------------------------------------

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
CONSTANT_FEATURES = W401.says("no tree can split on {features}: the same value in every row")
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
    "the response `{name}` has one class only, `{label}`, so every tree explains it alike"
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
    "W404: the response is the same number in every row",
    cause="No leaf model is declared, and the response does not vary, so it gives no scale.",
    remedy="Declare a leaf model with a scale.",
    example="x,y\n1,3.5\n2,3.5",
)
NO_SCALE = W404.says(
    "the response `{name}` is {value:g} in every row, so its scale was set to 1",
    "declare one with :- leaf(normal_inverse_gamma(Mu, Kappa, Alpha, Beta)).",
)

W405 = Entry(
    "W405: a column of text seems to hold dates or times",
    cause="At least half of the cells of a column of text are written as dates or times are.",
    remedy="Turn them into numbers, such as days or years, or declare the column categorical.",
    example="day,sex\n2024-03-01,f\n2024-03-02,m",
)
DATES_AS_TEXT = W405.says(
    "column `{name}` is categorical, and seems to hold dates or times, such as `{cell}`",
    f"turn them into numbers (days, years); {_IF_CATEGORIES}",
)

W406 = Entry(
    "W406: a column of text seems to hold numbers with a comma",
    cause="At least half of the cells of a column of text are numbers, and some have a comma.",
    remedy="Write numbers with a point and no separators, or declare the column categorical.",
    example='dose,sex\n"1,5",f\n"2,5",m',
)
COMMAS_AS_TEXT = W406.says(
    "column `{name}` is categorical, and seems to hold numbers with a comma, such as `{cell}`",
    f"write numbers with a point and without separators of thousands (1.5, 1500); {_IF_CATEGORIES}",
)

W440 = Entry(
    "W440: rows to predict have levels that the table lacks",
    cause="A row to predict has a level that no row of the table has: no test on it holds.",
    remedy="Correct the level, or take rows that have it into the table.",
    example="slp predict growtree data.csv levels.csv   (`levels.csv` has another level of "
    "`colour`)",
)
NEW_LEVELS = W440.says(
    "the rows to predict have levels that no row of the table has: {levels}",
    "no test on such a level holds, so they go where other levels go: correct them, or take rows "
    "that have them into the table",
)
