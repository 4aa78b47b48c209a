"""E4xx, W4xx: reading a table: its file, or the value from Python."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

_CONTENT = "the table needs a line of column names and at least one row"

E401 = Entry(
    "E401: a table cannot be read",
    cause="There is no such file, it is a folder, or you may not read it.",
    remedy="Name a file that exists and that you may read.",
    example="slp-sample growtree missing.csv",
)
TABLE_NOT_READ = E401.says("cannot read {path}: {reason}", AS_REMEDY)

E402 = Entry(
    "E402: the kind of a table's file is unknown",
    cause="The name of the file ends in nothing that a table's name ends in, or it is a program's.",
    remedy="Name it .csv, .tsv, .csv.gz, .tsv.gz or .parquet, as what it is.",
    example="slp-sample growtree data.xlsx",
)
_SWAPPED = "are the two swapped? the program comes first, then the table"
PROGRAM_AS_TABLE = E402.says("{path} is a program by its name, and a table belongs here", _SWAPPED)
PRIOR_AS_TABLE = E402.says("{path} is a library prior, and a table belongs here", _SWAPPED)
UNKNOWN_KIND_OF_FILE = E402.says("{path}: unknown kind of file", AS_REMEDY)

W407 = Entry(
    "W407: a table seems to have no line of names",
    cause="Most cells of the first line of the file, the names of columns, are numbers.",
    remedy="Write a line of column names above the rows, if it is missing.",
    example="5,40,f\n6,50,m\n7,60,f",
)
NUMBERS_AS_NAMES = W407.says(
    "most names of columns in {path} are numbers: {names}",
    "if the first line is a row, write a line of names above it",
)

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
NOT_SEPARATED_TEXT = E409.says("{path} cannot be read as separated text: {reason}", AS_REMEDY)
WRONG_SEPARATOR = E409.says(
    "{path} has cells separated by {found}, where {wanted} belongs",
    "write the table again, with a point in numbers; "
    "pandas.read_csv(..., sep={found}, decimal=',') reads numbers with a comma",
)
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

E410 = Entry(
    "E410: a value is no table",
    cause="What was given as a table is no frame, no array of two dimensions, and no list of rows.",
    remedy="Pass a pandas or polars frame, a two-dimensional NumPy array or a list of rows.",
    example="program.posterior(numpy.zeros(3), numpy.zeros(3))",
)
DICT_AS_TABLE = E410.says(
    "a dict is no table and no response",
    "pass pandas.DataFrame(X) or polars.DataFrame(X), if it has columns",
)
ROWS_NOT_COMPUTED = E410.says(
    "the rows of a value of type {type} are not computed yet", "pass what its `compute()` gives"
)
UNREADABLE_TABLE = E410.says("the {what} cannot be read: {reason}", AS_REMEDY)
NOT_A_TABLE = E410.says("a value of type {type} is no table", AS_REMEDY)
WRONG_DIMENSIONS = E410.says("the array has {dimensions}, a table has 2", AS_REMEDY)
NOT_A_ROW = E410.says("row {row} of the list is of type {type}, not a list of cells", AS_REMEDY)

E411 = Entry(
    "E411: a column holds dates or times",
    cause="A column has a type of dates, times, durations, periods or intervals, neither numbers "
    "nor categories.",
    remedy="Turn them into numbers, such as days or years, or ignore the column.",
    example="program.posterior(dates)   (a frame with a column of type datetime64)",
)
_DATES = "column `{name}` holds {what}, which are neither numeric nor categorical"
DATES = E411.says(_DATES, "{advice}; or write :- ignore({atom}).")
DATES_AS_RESPONSE = E411.says(_DATES, "{advice}; or name another response: :- response(Column).")

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
STRANGE_CELLS = E412.says(
    "column `{name}` holds values of type {type}",
    "cells of an argument must be either strings, numbers or truth values; or write "
    ":- ignore({atom}).",
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
SPARSE_RESPONSE = E413.says("y is a sparse matrix", "pass y.toarray().ravel()")
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

E415 = Entry(
    "E415: scikit-learn refuses a table or a response",
    cause="An estimator was given what scikit-learn does not take: an array of other dimensions, "
    "infinite numbers, names of columns that are partly text, a response of several columns, "
    "weights of classes that are not there. The message is its own.",
    remedy="Correct what the message names.",
    example="slp.SLPTreeClassifier().fit(numpy.zeros(3), [0, 1, 0])",
)
REFUSED = E415.says("{reason}", AS_REMEDY)

E448 = Entry(
    "E448: a value gives no array",
    cause="A list has parts of different lengths, or an object's `__array__` fails, returns no "
    "array, or returns an array of cells that no table holds.",
    remedy="Pass a NumPy array, a pandas or polars frame, or a list of rows of the same length.",
    example="slp.SLPTreeClassifier().fit([[1, 2], [3]], [0, 1])",
)
RAGGED_LIST = E448.says("{what}: the parts of the list differ in length", AS_REMEDY)
NO_ARRAY = E448.says("{what}: the value of type {type} gives no array: {reason}", AS_REMEDY)
STRANGE_ARRAY = E448.says(
    "{what}: the value of type {type} gives an array of type {dtype}", AS_REMEDY
)

E449 = Entry(
    "E449: a value gives arrays of different shapes",
    cause="An object's `__array__` returns an array of another shape when it is asked again, so "
    "its rows cannot be told.",
    remedy="Make one array of it, by numpy.asarray, and pass that.",
    example="program.posterior(stream, y)   (`stream.__array__` returns the rows that have come)",
)
CHANGING_ARRAY = E449.says(
    "{what}: the array has the shape {first}, and {second} when asked again", AS_REMEDY
)
