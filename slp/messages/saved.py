"""E56x: saved runs."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E560 = Entry(
    "E560: a file is no saved run",
    cause="The file was not written by `--save` or `posterior.save`, is damaged, or was changed.",
    remedy="Name the file of a saved run, or make the run again and save it.",
    example="slp show data.csv",
)
NO_SAVED_RUN = E560.says("{path} is no saved run, or it is damaged: {reason}", AS_REMEDY)

E561 = Entry(
    "E561: a saved run is of a newer version",
    cause="The file has a format that this version of slp does not know.",
    remedy="Install the version of slp that wrote it, or a newer one.",
    example="slp show run.slpz   (written by a version with a newer format)",
)
NEWER_RUN = E561.says(
    "{path} has format {format}, written by slp {version}; this is slp {own}, which reads formats "
    "up to {most}",
    AS_REMEDY,
)

E562 = Entry(
    "E562: a saved run does not tell this",
    cause="A saved run of draws holds its trees. It holds no table, unless it was saved with one, "
    "and cannot draw or weigh others.",
    remedy="Make the run again from its program and its table.",
    example="saved.log_likelihood(tree)",
)
ROWS_NOT_SAVED = E562.says(
    "the run was saved without its table, so {what} cannot be told",
    "save runs with `--save-table` (in Python: table=True), or make the run again",
)
SINGLE_ROWS_NOT_SAVED = E562.says(
    "a saved run has the sums of responses, so those of single rows cannot be told",
    AS_REMEDY,
)
ROW_NUMBERS_NOT_SAVED = E562.says(
    "a saved run keeps no numbers of rows where rows are equal or have weights", AS_REMEDY
)
WEIGHTS_NOT_SAVED = E562.says(
    "a saved run of the engine {engine} knows the weights of its own trees alone", AS_REMEDY
)
OTHERS_NOT_SAVED = E562.says(
    "a saved run of the engine {engine} has the best tree alone", AS_REMEDY
)
PRIOR_NOT_SAVED = E562.says("a saved run of the engine {engine} has no prior", AS_REMEDY)

E563 = Entry(
    "E563: a run is too large to be saved",
    cause="A file of a saved run holds 2 GiB at most.",
    remedy="Save a run of fewer draws, or one without its table.",
    example="slp-sample growtree data.csv --engine mh -n 10000000 --save run.slpz",
)
RUN_TOO_LARGE = E563.says("the run takes {size}, and a saved run holds {most} at most", AS_REMEDY)
