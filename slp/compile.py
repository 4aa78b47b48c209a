"""The compiler: text -> program -> tree grammar, and what a table adds. Pure functions all.

SourceFile --parse--> SourceProgram --check--> ir.Program --lower(schema)--> TreeGrammar
                                                    table --table_of--> Table --^ schema
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slp.analysis import check_program, check_program_on_table
from slp.data import Table, table_of
from slp.errors import Diagnostic
from slp.ir.program import Program
from slp.ir.tree_grammar import TreeGrammar
from slp.lower import program_to_tree_grammar
from slp.source import SourceFile
from slp.syntax import parse_program

__all__ = ["CompiledModel", "compile_model", "compile_program"]


@dataclass(frozen=True, eq=False)
class CompiledModel:
    """A program and a table made ready for an engine; `warnings` are those of both together."""

    program: Program
    table: Table
    grammar: TreeGrammar
    warnings: tuple[Diagnostic, ...]


def compile_program(source: SourceFile, parameters: Mapping[str, float] | None = None) -> Program:
    """Text to checked program.

    `parameters` override what the program and its libraries say.

    Raises
    ------
    ProgramError
        With every mistake that was found in the text.
    """
    return check_program(parse_program(source), parameters or {})


def compile_model(program: Program, X: Any, y: Any = None) -> CompiledModel:
    """Checked program and table to tree grammar.

    `X` is a frame that holds the response, or a frame or array of features with the response in
    `y`. (A column name as `y` says which column of the frame `X` is the response.)

    Raises
    ------
    DataError
        The table is unsound, or lacks what the program speaks of.
    UnsupportedError
        The program has no finite tree grammar (the diagnostic says why).
    """
    table = table_of(program, X, y)
    on_table = check_program_on_table(program, table)
    grammar = program_to_tree_grammar(program, table.schema(program.support.min_leaf))
    return CompiledModel(program, table, grammar, program.warnings + table.warnings + on_table)
