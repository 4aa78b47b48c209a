"""E5xx, W5xx: inference and budgets."""

from __future__ import annotations

from slp.messages.entry import Entry

E501 = Entry(
    "E501",
    title="the memory does not suffice",
    cause="The table, or what an engine computes on it, takes more memory than the budget has. The "
    "budget is half of the memory that is free, unless you give one.",
    remedy="Give more memory (`--memory 8GiB`), or change the program as the help line says: fewer "
    "cuts, less depth, larger leaves.",
    example="slp-sample growtree data.csv --memory 1MiB",
)
TABLE_TOO_LARGE = E501.says(
    "the table alone is too large for the memory of {memory}: {what} {need}, before any engine "
    "begins",
    "give it more by --memory (`memory` in Python), fewer rows, or fewer columns",
)
NO_ROOM_FOR_SETS_OF_ROWS = E501.says(
    "the memory of {memory} is too small: this engine keeps sets of rows, here of {rows:,} "
    "distinct rows and {values:,} values, which take {need} beside the table",
    "fewer cuts (`:- feature(_, [bins(quantile, 20)]).`), fewer rows, or more memory",
)

E502 = Entry(
    "E502",
    title="an amount of memory cannot be read",
    cause="The option for the memory is neither a number of bytes nor a size with a unit.",
    remedy="Write a number of bytes, or a size such as 500MiB or 4GiB.",
    example="slp-sample growtree data.csv --memory much",
)
NO_SIZE = E502.says(
    "{memory!r} is not an amount of memory",
    "write a number of bytes, or a size such as 500MiB or 4GiB",
)

E505 = Entry(
    "E505",
    title="a number is not one that the option takes",
    cause="An option takes whole numbers of a range, and was given something else.",
    remedy="Take a whole number of the range that the help line names.",
    example="program.posterior(X, y, draws=-1)",
)
NOT_A_COUNT = E505.says("{name} is {value}", "take a whole number from {least} {most}")

E509 = Entry(
    "E509",
    title="there is no such engine",
    cause="`--engine` names no engine.",
    remedy="Take one of the engines that `slp engines` lists, or `auto`.",
    example="slp-sample growtree data.csv --engine mcmc",
)
NO_ENGINE = E509.says("there is no engine {name}", "{nearest}engines are {names}")

E511 = Entry(
    "E511",
    title="a checkpoint cannot be written",
    cause="The file that `--checkpoint` names cannot be written.",
    remedy="Name a file in a folder that exists and that you may write to.",
    example="slp-sample growtree data.csv --engine mh --checkpoint /no/such/folder/run.json",
)
CHECKPOINT_NOT_WRITTEN = E511.says(
    "the checkpoint {path} cannot be written: {reason}",
    "name a file in a folder that exists and that you may write to",
)

E512 = Entry(
    "E512",
    title="a checkpoint exists already",
    cause="The file that `--checkpoint` names exists, and the run was not asked to go on from it.",
    remedy="Add `--resume` to go on from it. To begin a new run, remove it or name another file.",
    example="slp-sample growtree data.csv --engine mh --checkpoint run.json   (twice)",
)
CHECKPOINT_EXISTS = E512.says(
    "the checkpoint {path} exists already", "resume it, or remove it, or name another file"
)

E513 = Entry(
    "E513",
    title="there is no checkpoint to resume",
    cause="`--resume` was given without `--checkpoint`, or the file does not exist.",
    remedy="Name the file that the run is kept in, or leave out `--resume` to begin a new run.",
    example="slp-sample growtree data.csv --engine mh --resume",
)
NO_CHECKPOINT_NAMED = E513.says(
    "a run is to be resumed, and no checkpoint is named", "name the file that it is kept in"
)
NO_CHECKPOINT_THERE = E513.says(
    "there is no checkpoint {path} to resume", "leave out resume to begin a new run"
)

E514 = Entry(
    "E514",
    title="a file is no checkpoint",
    cause="The file is no checkpoint, was written by another version, or is damaged.",
    remedy="Begin a new run in another file.",
    example="slp-sample growtree data.csv --engine mh --checkpoint data.csv --resume",
)
NO_CHECKPOINT = E514.says(
    "{path} is not a checkpoint of this version, or it is damaged",
    "begin a new run in another file",
)

E515 = Entry(
    "E515",
    title="a checkpoint belongs to another run",
    cause="The run in the file was begun with another program, table, seed or schedule.",
    remedy="Resume with what the run was begun with, or begin a new run in another file.",
    example="slp-sample growtree data.csv --engine mh --checkpoint run.json --resume --seed 2",
)
ANOTHER_RUN = E515.says(
    "the checkpoint {path} was made with another {what}",
    "resume with what the run was begun with, or begin a new one in another file",
)

E532 = Entry(
    "E532",
    title="an extra package is needed for the data of ArviZ",
    cause="`to_arviz` needs arviz-base, which is not installed with the toolkit.",
    remedy="Install it: `pip install arviz-base`, or the toolkit with its extra `arviz`.",
    example="posterior.to_arviz()   (without arviz-base)",
)
NO_ARVIZ = E532.says(
    "`to_arviz` needs arviz-base, which is not installed", "install it: `pip install arviz-base`"
)

E540 = Entry(
    "E540",
    title="the time is over",
    cause="The time that `--time` gives ended before there was an answer.",
    remedy="Give more time, or change the program as the help line says.",
    example="slp-sample growtree data.csv --engine exact --time 10ms",
)
TIME_OVER = E540.says("the time of {time} is over {doing}", "give it more time")
NOTHING_DRAWN = E540.says(
    "the time of {time} is over, and nothing was drawn: {how_far}",
    "give it more time, or {remedy}",
)

E542 = Entry(
    "E542",
    title="a length of time cannot be read",
    cause="The option for the time is neither a number of seconds nor a time with a unit.",
    remedy="Write a number of seconds, or a time such as 90s, 5m or 2h.",
    example="slp-sample growtree data.csv --time soon",
)
NO_LENGTH_OF_TIME = E542.says(
    "{time!r} is not a length of time",
    "write a number of seconds, or a time such as 90s, 5m or 2h",
)

E544 = Entry(
    "E544",
    title="there is no such option",
    cause="A keyword names no option of the engine.",
    remedy="Take the nearest name, or one of those that the help line lists.",
    example="program.posterior(X, y, chain=4)",
)
NO_OPTION = E544.says("there is no option `{name}`", "{names}")

W510 = Entry(
    "W510",
    title="a run was interrupted",
    cause="Ctrl-C ended a run before all draws were made. What was drawn is kept.",
    remedy="Run with `--checkpoint FILE`, and go on by `--resume`.",
    example="slp-sample growtree data.csv --engine mh   (and Ctrl-C)",
)
INTERRUPTED = W510.says(
    "interrupted: {kept} of {wanted} draws are there and kept",
    "with a checkpoint the run can be resumed",
)

W541 = Entry(
    "W541",
    title="the time ended a run",
    cause="The time that `--time` gives ended before all draws were made. What was drawn is kept.",
    remedy="Give more time, or run with `--checkpoint FILE` and go on by `--resume`.",
    example="slp-sample growtree data.csv --engine mh -n 1000000 --time 5s",
)
OUT_OF_TIME = W541.says(
    "the time of {time} is over: {kept} of {wanted} draws are there",
    "give it more time, or go on from a checkpoint",
)
