"""Syntax: from text to terms and back.

Entry points: `parse_program` (a file, or every mistake in it), `parse_recovering` (what can be
read, and the mistakes), `parse_term` (one goal).
"""

from slp.syntax.parse import parse_program, parse_recovering, parse_term

__all__ = ["parse_program", "parse_recovering", "parse_term"]
