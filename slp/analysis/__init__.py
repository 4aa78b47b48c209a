"""Analysis: makes a checked program from the syntax tree, or finds all of its mistakes.

Entry points: `check_program` (syntax tree to `slp.ir.program.CheckedProgram`, all mistakes in one
run), `read_program` (the program as far as it is correct, and the mistakes),
`check_program_on_table` (whether it fits a table; `check_names` looks at the column names alone),
`expand_program` (tree rules as ordinary clauses), `expand_on_table` (with a table, as a program
that can be run), `used_files` (the files that a program uses), `DIRECTIVES`, `CONSTRAINTS` and
`SUPPORT` (how each is written).

Inside, `check` is the pipeline. Its stages are rooms, each of which stands on those before it:
`sources` (files, directives, parameters), `declarations`, `clauses`, `derivations` (states, labels,
existence of trees), `consistency` (of the whole program), `on_table`. `expansion` writes tree rules
as clauses. `findings` collects the findings of all stages.
"""

from slp.analysis.check import check_program, read_program
from slp.analysis.expansion.clauses_on_table import expand_on_table
from slp.analysis.expansion.expand import expand_program
from slp.analysis.on_table.fit import check_ignored, check_names, check_program_on_table
from slp.analysis.sources.directives import CONSTRAINTS, DIRECTIVES, SUPPORT
from slp.analysis.sources.files import used_files

__all__ = [
    "CONSTRAINTS",
    "DIRECTIVES",
    "SUPPORT",
    "check_names",
    "check_program",
    "check_ignored",
    "check_program_on_table",
    "expand_on_table",
    "expand_program",
    "read_program",
    "used_files",
]
