"""E55x: comparisons of programs."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E550 = Entry(
    "E550: programs cannot be compared",
    cause="Evidences compare only where all programs predict one response, read in one way.",
    remedy="Give all programs the same response, as classes, counts or numbers.",
    example="slp compare growtree prior.slp data.csv   (`prior.slp` has `:- response(age).`)",
)
NO_PROGRAMS = E550.says("there is no program to compare", "give one program or more")
OTHER_RESPONSE = E550.says(
    "the response is `{a}` for {one} and `{b}` for {other}",
    "name the response for all: -y COLUMN (`y` in Python)",
)
OTHER_READING = E550.says(
    "`{response}` is {a} for {one} and {b} for {other}, so their evidences do not compare",
    "declare leaf models of one kind",
)
AGAINST_WHAT = E550.says("Bayes factors cannot be against {against!r}", "take 'best' or 'first'")

E551 = Entry(
    "E551: the table cannot be cross-validated so",
    cause="Each fold needs a row, and each class a row outside of every fold.",
    remedy="Ask for fewer folds; of a comparison for none by `--folds 0` (`folds=0` in Python).",
    example="slp compare growtree denison data.csv --folds 1",
)
NO_SUCH_FOLDS = E551.says(
    "the table cannot be parted into {folds} folds",
    "give a whole number of folds from 2 to {rows}{or_none}",
)
ONE_ROW_OF_A_CLASS = E551.says(
    "the class {label} has one row, which cannot be predicted from the others",
    "leave cross-validation out by --folds 0 (`folds=0` in Python), or leave the row out",
)

E552 = Entry(
    "E552: a comparison has no checkpoint",
    cause="A comparison makes many runs, and a checkpoint is of one.",
    remedy="Leave `checkpoint` and `resume` out.",
    example="slp.compare([program], X, y, checkpoint='run.json')",
)
ONE_RUN_EACH = E552.says("a comparison makes many runs, and a checkpoint is of one", AS_REMEDY)

E553 = Entry(
    "E553: parameters cannot be tuned",
    cause="A grid has no parameter or no value, more than 1,000 combinations, or its score is not "
    "known: the prior looks at the response, or the engine has no evidence. Or means of the prior "
    "are asked for that no tree has, or that no parameter can change.",
    remedy="Name parameters of the program with a few values each, such as "
    "`--grid alpha=0.5,0.95`; take `--by cv` where there is no evidence to compare. Or ask for "
    "means, such as `--leaves 6`.",
    example="slp tune growtree data.csv --grid alpha=",
)
EMPTY_GRID = E553.says("the grid has no {what}", "give values: --grid alpha=0.5,0.95")
GRID_TOO_LARGE = E553.says(
    "the grid has {count} combinations of values", "give a smaller one, of at most {most}"
)
TUNED_BY_WHAT = E553.says("parameters cannot be tuned by {by!r}", "take 'evidence' or 'cv'")
NO_EVIDENCE_TO_TUNE_BY = E553.says(
    "the evidence does not tell which values are best: {reason}",
    "tune by cross-validation: --by cv (`by='cv'` in Python)",
)
NOTHING_TO_ELICIT = E553.says(
    "there is nothing to tune by", "give a grid, --grid alpha=0.5,0.95, or means, --leaves 6"
)
NOT_A_MEAN_TO_ELICIT = E553.says(
    "{value!r} is no mean of {name}", "give a number above {least}, as in --leaves 6 --depth 3"
)
NO_PARAMETER_TO_ELICIT = E553.says(
    "{names} cannot move: a parameter must stand in labels alone, and not be computed from others",
    "name such a parameter, or declare one: `:- param(alpha, 0.95).`",
)
TOO_MANY_TO_ELICIT = E553.says(
    "{count} parameters are to move, and means are asked for that tell {most}", "name fewer"
)

E555 = Entry(
    "E555: rows cannot be left out one by one",
    cause="Leave-one-out weighs the trees of the whole table anew, without the response of a row. "
    "It needs sums over trees or draws of them, and a prior that does not look at the response.",
    remedy="Take cross-validation, which runs again without the rows: `slp cv` or "
    "`slp compare --folds 5` (in Python `slp.cv`, `slp.compare`).",
    example="slp.parse(':- use(growtree).').posterior(rows, [0, 1], engine='modal').loo()",
)
NO_LOO = E555.says(
    "no row can be left out: {why}",
    "take folds: `slp cv PRIOR DATA`, `slp compare --folds 5` (in Python `slp.cv`, `slp.compare`)",
)
