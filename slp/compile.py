"""The compiler: text -> program -> tree grammar, and what a table adds. Pure functions all.

SourceFile --parse--> SourceProgram --check--> ir.Program --lower(schema)--> TreeGrammar
                                                    table --table_of--> Table --^ schema
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slp.analysis import check_program, check_program_on_table
from slp.data import Table, table_of
from slp.errors import Diagnostic, ProgramError
from slp.ir.program import Program
from slp.ir.tree_grammar import TreeGrammar
from slp.lower import find_tests_on_trees, program_to_tree_grammar, tree_grammar_or_all
from slp.source import SourceFile
from slp.syntax import parse_recovering
from slp.syntax.ast import SourceProgram
from slp.trees import Tree, fit_tree

__all__ = ["CompiledModel", "compile_model", "compile_program"]


@dataclass(frozen=True, eq=False)
class CompiledModel:
    """A program and a table made ready for an engine.

    `grammar` leaves out what is decided at the finished tree, which `not_exact` lists: a sampler
    tests it, and an exact engine cannot. `warnings` are those of program and table together.
    """

    program: Program
    table: Table
    grammar: TreeGrammar
    warnings: tuple[Diagnostic, ...]
    not_exact: tuple[Diagnostic, ...] = ()


#: Findings that a clause which could not be read may cause elsewhere: something is missing.
_MAY_FOLLOW = frozenset(
    "E106 E115 E116 E117 E123 E125 E130 E132 E135 E202 E210 W102 W103 W104".split()
)


def compile_program(
    source: SourceFile, parameters: Mapping[str, float] | None = None, tree: Tree | None = None
) -> Program:
    """Text to checked program.

    `parameters` override what the program and its libraries say, `tree` the tree that it gives to
    `edittree`.

    Raises
    ------
    ProgramError
        With every mistake that was found in the text. Where some clauses cannot be read, what
        their absence may cause in the others is left out.
    """
    read, faults = parse_recovering(source)
    if not faults:
        return check_program(read, parameters or {}, tree)
    found = [f for f in _findings(read, parameters or {}, tree) if f.code not in _MAY_FOLLOW]
    raise ProgramError(sorted((*faults, *found), key=_place))


def _findings(
    read: SourceProgram, parameters: Mapping[str, float], tree: Tree | None
) -> Sequence[Diagnostic]:
    try:
        return check_program(read, parameters, tree).warnings
    except ProgramError as e:
        return e.diagnostics


def _place(finding: Diagnostic) -> int:
    return -1 if finding.span is None else finding.span.start


def compile_model(program: Program, X: Any, y: Any = None, *, finite: bool = True) -> CompiledModel:
    """Checked program and table to tree grammar.

    `X` is a frame that holds the response, or a frame or array of features with the response in
    `y`. (A column name as `y` says which column of the frame `X` is the response.) With `finite`
    False a program without a tree grammar gets that of all trees, for an engine that draws by the
    program itself.

    Raises
    ------
    DataError
        The table is unsound, or lacks what the program speaks of.
    UnsupportedError
        The program has no finite tree grammar (the diagnostic says why).
    """
    table = table_of(program, X, y)
    on_table = check_program_on_table(program, table)
    if program.edits is not None:
        edits, support = program.edits, program.support
        on_table += fit_tree(edits.tree, table, support, edits.span)[1]
    schema = table.schema(program.support.min_leaf)
    if finite:
        grammar = program_to_tree_grammar(program, schema, tests_on_trees=True)
    else:
        grammar, _ = tree_grammar_or_all(program, schema)
    found = program.warnings + table.warnings + on_table
    return CompiledModel(program, table, grammar, found, find_tests_on_trees(program))
