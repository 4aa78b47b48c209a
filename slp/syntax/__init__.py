"""Syntax: from text to terms and back.

Entry points: `parse_program` (a file, or all of its mistakes), `parse_recovering` (the readable
part, and the mistakes), `parse_term` (one goal), `term_to_text`, `format_program`. `Clause` and
`Directive` are what a file has.
"""

from typing import TYPE_CHECKING

from slp.late import late_names
from slp.syntax.ast import Clause, Directive
from slp.syntax.parse import parse_program, parse_recovering, parse_term
from slp.syntax.printer import term_to_text

if TYPE_CHECKING:
    from slp.syntax.format import format_program

__all__ = [
    "Clause",
    "Directive",
    "format_program",
    "parse_program",
    "parse_recovering",
    "parse_term",
    "term_to_text",
]

__getattr__, __dir__ = late_names(__name__, {"slp.syntax.format": "format_program"})
