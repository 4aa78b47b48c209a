"""What users hold: a program, and what it can be asked.

Entry points: `load` and `parse` (from files and text), `Program`, `check` (trees against
constraints), `find_mistakes` (in a program, and in how it fits a table).

Inside: `program` (the class), made of `tree_questions` (posterior and prior) and `proof_questions`
(queries, draws of proofs); `learning`, imported when it is first asked for; `reading`; `checking`;
`progress`, which commands show too.
"""

from slp.program.checking import check
from slp.program.program import Program
from slp.program.progress import CLEAR_LINE, Progress, shown_progress
from slp.program.reading import find_mistakes, load, parse

__all__ = [
    "CLEAR_LINE",
    "Program",
    "Progress",
    "check",
    "find_mistakes",
    "load",
    "parse",
    "shown_progress",
]
