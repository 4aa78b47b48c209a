"""Statements as a program says them, and in words."""

from __future__ import annotations

from itertools import groupby

from slp.analysis.declarations.constraints import each_constraint
from slp.errors import ProgramError
from slp.ir.constraints import Constraint, Support
from slp.ir.program import CheckedProgram
from slp.ir.words import describe_constraint, describe_group, describe_support, describe_weight
from slp.messages.numbers import number_text
from slp.program.statements import Statement
from slp.source import SourceSpan
from slp.syntax import parse_term, term_to_text
from slp.terms import Atom, Struct


def texts_of(program: CheckedProgram, statements: list[Statement]) -> list[str]:
    """Statements of one constraint, limit, group or weight each, without what is around them."""
    found: list[str] = []
    for span, group in groupby(statements, key=lambda s: s.span if s.constraints else None):
        own = list(group)
        constraints = [c for statement in own for c in statement.constraints]
        found += _as_written(constraints, span) or (_text(program, s) for s in own)
    return found


def words_of(program: CheckedProgram, statement: Statement) -> str:
    """A statement of one constraint, limit, group or weight as a sentence."""
    if statement.weight is not None:
        return describe_weight(statement.weight, program.feature_weights[statement.weight])
    if statement.group is not None:
        return describe_group(program.groups[statement.group])
    if statement.limit is not None:
        limit = getattr(program.support, statement.limit)
        return " ".join(describe_support(Support(**{statement.limit: limit})))
    return " ".join(map(describe_constraint, statement.constraints))


def _as_written(constraints: list[Constraint], span: SourceSpan | None) -> list[str] | None:
    """Constraints of one directive; None for a text with operators of its own."""
    if span is None:
        return None
    try:
        directive = parse_term(span.text)
    except ProgramError:
        return None
    assert isinstance(directive, Struct) and isinstance(directive.args[0], Struct)
    written, *cost = directive.args[0].args
    terms = each_constraint(written)
    if cost:
        terms = [Struct("prefer", (term, *cost)) for term in terms]
    found = [term_to_text(term) for term in terms]
    return found if len(found) == len(constraints) else None


def _text(program: CheckedProgram, statement: Statement) -> str:
    """A limit, group or weight; words stand for a constraint that no text says."""
    if statement.weight is not None:
        weight = number_text(program.feature_weights[statement.weight])
        return f"feature_weight({term_to_text(Atom(statement.weight))}, {weight})"
    if statement.group is not None:
        group = program.groups[statement.group]
        facts = [Struct("of_group", (Atom(f), Atom(group.name))) for f in group.features]
        return ", ".join(map(term_to_text, facts))
    if statement.limit is not None:
        return f"{statement.limit}({number_text(getattr(program.support, statement.limit))})"
    return words_of(program, statement)
