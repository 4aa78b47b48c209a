"""Analysis: makes a checked program from the syntax tree, or finds all of its mistakes.

Entry points: `check_program` (syntax tree to `slp.ir.program.CheckedProgram`, all mistakes in one
run), `read_program` (the program as far as it is correct, and the mistakes),
`check_program_on_table` (whether it fits a table; `check_names` looks at the column names alone),
`expand_program` (tree rules as ordinary clauses), `expand_on_table` (with a table, as a program
that can be run).

Inside, in the order of the pipeline (`check`): `sources` (the files that are used), `directives`,
`parameters`, `declarations`, `boxes`, `constraints`; `predicates`, `bodies`, `scope`, `references`
(clauses); `states`, `labels`, `derivations` (the states that the start reaches); `columns`,
`measures`, `contradictions`, `unused`. `edits` reads the prior `edittree`, `endless` and
`productive` find derivations that cannot end, and `row_labels` checks labels that use rows.
`on_table` and `box_edges` compare with a table. `findings` collects the findings.
"""

from slp.analysis.check import check_program, read_program
from slp.analysis.clauses_on_table import expand_on_table
from slp.analysis.expand import expand_program
from slp.analysis.on_table import check_ignored, check_names, check_program_on_table

__all__ = [
    "check_names",
    "check_program",
    "check_ignored",
    "check_program_on_table",
    "expand_on_table",
    "expand_program",
    "read_program",
]
