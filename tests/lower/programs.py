"""Programs from text, and schemas without a table, for the tests of lowering."""

from __future__ import annotations

from slp.analysis import check_program
from slp.ir.grammar_text import grammar_to_text
from slp.ir.program import CheckedProgram
from slp.ir.schema import Schema
from slp.lower import program_to_tree_grammar
from slp.source import SourceFile
from slp.syntax import parse_program

GROWTREE = ":- use(growtree, [alpha = 0.5, beta = 1]).\n"


def checked(text: str) -> CheckedProgram:
    """A program from its text."""
    return check_program(parse_program(SourceFile("test.slp", text)))


def numeric(*features: str, most_leaves: int = 3) -> Schema:
    """A table's schema with numeric features only."""
    return Schema(features, (None,) * len(features), most_leaves)


def printed(text: str, schema: Schema) -> str:
    """The grammar of a program, as text."""
    return grammar_to_text(program_to_tree_grammar(checked(text), schema)) + "\n"
