"""Programs, the object that users hold, and the questions that they answer.

Entry points: `load` and `parse` (from files and text), `Program`, `check` (trees against
constraints), `compare` (programs on one table), `cv` and `tune` (held-out rows; values of
parameters), `elicit` (values whose prior has given means), `find_mistakes` (in a program, and in
how it fits a table), `find_meanings` (of the parts of a text), `first_program` (the text of a
program for a new table).

Inside: `program` has the class, whose parts are `tree_questions` (posterior and prior) and
`proof_questions` (queries, draws of proofs). `learning` and `saved` (posteriors from files) are
imported at their first use. `folds` makes many runs on one table, for `comparing` and `tuning`;
`eliciting` looks at many priors.
`reading`, `checking`, `statements` (constraints and limits, one by one), `no_tree` (those to blame
if there is no tree), `dead_weight` (those that take no tree away), `progress` (also used by
commands), `starting` (the first program's text, with `event_question`, `column_questions` and
`directive_lines`), `new_table` (the roles of a new table's columns), `new_events` (which may be
durations and events), `level_orders` (of words) and `again` (the program of a posterior) are the
rest. `meanings` has what editors show of a text.
"""

from typing import TYPE_CHECKING

from slp.late import late_names
from slp.program.checking import check
from slp.program.comparing import compare
from slp.program.program import Program
from slp.program.progress import CLEAR_LINE, Progress, obeys_controls, shown_progress
from slp.program.reading import find_mistakes, load, parse

if TYPE_CHECKING:
    from slp.program.again import outcomes_in, program_of
    from slp.program.eliciting import elicit
    from slp.program.meanings import Meaning, find_meanings
    from slp.program.starting import first_program
    from slp.program.tuning import cv, tune

__all__ = [
    "CLEAR_LINE",
    "Meaning",
    "Program",
    "Progress",
    "check",
    "compare",
    "cv",
    "elicit",
    "find_meanings",
    "find_mistakes",
    "first_program",
    "load",
    "obeys_controls",
    "outcomes_in",
    "parse",
    "program_of",
    "shown_progress",
    "tune",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.program.again": "outcomes_in program_of",
        "slp.program.meanings": "Meaning find_meanings",
        "slp.program.starting": "first_program",
        "slp.program.eliciting": "elicit",
        "slp.program.tuning": "cv tune",
    },
)
