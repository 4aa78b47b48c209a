"""E0xx, W0xx: reading a program: its file, and its size."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E001 = Entry(
    "E001: a program cannot be read",
    cause="There is no such file, it is a folder, a pipe or a device, or you may not read it.",
    remedy="Name a file.",
    example="slp check no_such_file.slp",
)
PROGRAM_NOT_READ = E001.says(
    "cannot read {path}: {reason}", "name a file that exists and that you may read"
)
NAME_AS_TEXT = E001.says(
    "`{text}` is the name of a file, not the text of a program", "slp.load reads files"
)
TEXT_AS_NAME = E001.says(
    "there is no file `{text}`; it looks like the text of a program",
    "slp.parse reads text (a command takes the name of a file)",
)

E002 = Entry(
    "E002: a program is not UTF-8 text",
    cause="The file has a byte that UTF-8 text does not have there.",
    remedy="Save the file as UTF-8.",
    example="slp check latin1.slp",
)
NOT_UTF_8 = E002.says("{path} is not UTF-8 text (byte {byte})", AS_REMEDY)

E003 = Entry(
    "E003: there is no such program",
    cause="There is no library prior of this name, or a table or a saved run stands "
    "where a program belongs.",
    remedy="Take a name that the help line gives. The program comes first, then the table.",
    example="slp check data.csv",
)
TABLE_FOR_A_PROGRAM = E003.says(
    "{path} is a table by its name, and a program belongs here",
    "are the two swapped? the program comes first, then the table",
)
SAVED_RUN_FOR_A_PROGRAM = E003.says(
    "{path} is a saved run by its name, and a program belongs here",
    "`slp predict`, `slp show` and `slp plot` take saved runs, and slp.load_posterior in Python",
)
NO_LIBRARY_PRIOR = E003.says("there is no library prior '{name}'", "{help}")
FILE_WITHOUT_ENDING = E003.says(
    "there is no library prior '{name}'", "there is a file {name}.slp: write its whole name"
)

E052 = Entry(
    "E052: the program is too large",
    cause="A program has more than 10,000,000 characters, or 1,000,000 words and signs.",
    remedy="Keep in the program what it reasons with. Put rows of data into a table.",
    example="a file of 20 MB",
)
TOO_LARGE = E052.says(
    "{what} has more than {limit}",
    "keep in the program what it reasons with; put rows of data into a table, long constants out",
)

E053 = Entry(
    "E053: there are too many mistakes",
    cause="There are more than 1,000 mistakes. The rest is not told.",
    remedy="Correct these, then look again.",
    example="a file of 2,000 lines, each of which is `a b.`",
)
TOO_MANY_MISTAKES = E053.says(
    "there are more than {limit} mistakes, of which these are the first", AS_REMEDY
)

W053 = Entry(
    "W053: there are too many warnings",
    cause="There are more than 1,000 warnings. The rest is not told.",
    remedy="Correct these, then look again.",
    example="a file of 2,000 clauses `p(X).`",
)
TOO_MANY_WARNINGS = W053.says(
    "there are more than {limit} warnings, of which these are the first", AS_REMEDY
)
