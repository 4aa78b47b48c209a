"""Divides a clause's term into label, head, arrow and body, or reads a directive; reads op/3."""

from __future__ import annotations

from shlex import quote
from typing import Any

from slp.errors import ProgramError
from slp.messages import Wording
from slp.messages import syntax as words
from slp.messages.other_languages import DENSITIES
from slp.messages.tokens import NO_DECIMAL_POINT
from slp.source import SourceSpan
from slp.syntax.ast import Clause, Directive, Statement
from slp.syntax.mistakes import excerpt
from slp.syntax.operators import CLAUSE_PRIORITY, OPERATOR_TYPES, OperatorTable
from slp.terms import NIL, Atom, Number, Struct, Term, Text, Var, list_items

_NO_PREDICATES = {
    *((name, 2) for name in (",", ";", "->", "*->", "|", "[|]", ":-", "-->", "::")),
    *((name, 1) for name in ("{}", ":-", "?-")),
}
_FIXED_OPERATORS = frozenset({",", "|", "[]", "{}", "::"})


def item_of_term(term: Term, span: SourceSpan) -> Statement:
    """The clause or directive of a term. `span` is its text, with the full stop.

    Raises
    ------
    ProgramError
        With one diagnostic, if it is neither.
    """
    match term:
        case Atom(name=":-"):
            raise _fault(words.EMPTY_DIRECTIVE, term, span)
        case Struct(name=":-", args=(goal,)):
            if _is_struct(goal, "::", 2):
                raise _fault(words.LABELLED_DIRECTIVE, goal, span)
            return Directive(goal, span)
        case Struct(name="?-", args=(_,)):
            asked = quote(excerpt(_text(term.args[0], span)))
            raise _fault(words.QUERY, term, span, goal=asked)
        case Struct(name="=>", args=(_, _)):
            raise _fault(words.OTHER_ARROW, term, span)
        case Struct(name=":-" | "-->" as arrow, args=(left, body)):
            label, head = _label_and_head(left, span)
            if _is_struct(body, "::", 2):
                raise _fault(words.LABEL_IN_BODY, body, span)
            return Clause(label, head, arrow, body, term, span)
    label, head = _label_and_head(term, span)
    return Clause(label, head, None, None, term, span)


def _label_and_head(term: Term, span: SourceSpan) -> tuple[Term | None, Term]:
    label: Term | None = None
    head = term
    if isinstance(term, Struct) and _is_struct(term, "::", 2):
        label, head = term.args
        if isinstance(label, Struct) and _is_struct(label, ",", 2):
            text = "".join(_text(label, span).split())
            if (meant := text.replace(",", ".", 1)).replace(".", "").isdecimal():
                raise _fault(
                    NO_DECIMAL_POINT, label, span, text=excerpt(text), number=excerpt(meant)
                )
    if isinstance(head, Var):
        raise _fault(words.VARIABLE_AS_HEAD, head, span, name=head.name)
    if isinstance(head, Struct) and _is_struct(head, ":", 2):
        if any(isinstance(t, Struct) and t.name in DENSITIES for t in head.args):
            raise _fault(words.NO_DENSITIES, head, span, text=excerpt(_text(head, span)))
        left, right = head.args[::-1] if isinstance(head.args[1], Number) else head.args
        wording = words.COLON_AFTER_NAME if isinstance(left, Atom) else words.SINGLE_COLON
        texts = [excerpt(_text(t, span)) for t in (left, right)]
        raise _fault(wording, head, span, label=texts[0], head=texts[1])
    if (clauses := _alternatives(head, span)) is not None:
        raise _fault(words.DISJUNCTION_OF_PAIRS, head, span, clauses=clauses)
    if (
        isinstance(head, Number | Text)
        or head == NIL
        or (isinstance(head, Struct) and (head.name, len(head.args)) in _NO_PREDICATES)
    ):
        raise _fault(words.NO_HEAD, head, span, text=excerpt(_text(head, span)))
    return label, head


def _alternatives(head: Term, span: SourceSpan) -> str | None:
    """The clauses that are meant by `p(1):0.3; p(2):0.7` of other languages; else None."""
    if not (isinstance(head, Struct) and _is_struct(head, ";", 2)):
        return None
    clauses = []
    while isinstance(head, Struct) and _is_struct(head, ";", 2):
        clauses.append(head.args[0])
        head = head.args[1]
    texts = []
    for pair in (*clauses, head):
        if not (isinstance(pair, Struct) and _is_struct(pair, ":", 2)):
            return None
        name, label = pair.args[::-1] if isinstance(pair.args[0], Number) else pair.args
        texts.append(f"{excerpt(_text(label, span))} :: {excerpt(_text(name, span))}.")
    return " ".join(texts)


def _is_struct(term: Term, name: str, arity: int) -> bool:
    return isinstance(term, Struct) and term.name == name and len(term.args) == arity


def _text(term: Term, clause: SourceSpan) -> str:
    return (term.span or clause).text


def _fault(message: Wording, term: Term, clause: SourceSpan, **values: Any) -> ProgramError:
    return ProgramError(message(term.span or clause, **values))


# --- op/3 ----------------------------------------------------------------------------------------


def declare_operators(directive: Directive, table: OperatorTable) -> OperatorTable:
    """The operator table after a directive. `:- op(Priority, Type, Names).` changes it; others do
    not.

    Raises
    ------
    ProgramError
        With one diagnostic, if the arguments of op/3 make no operator.
    """
    goal = directive.goal
    if not (isinstance(goal, Struct) and _is_struct(goal, "op", 3)):
        return table
    priority, type, names = goal.args
    if not (
        isinstance(priority, Number)
        and isinstance(priority.value, int)
        and 0 <= priority.value <= CLAUSE_PRIORITY
    ):
        raise _fault(words.OP_PRIORITY, priority, directive.span, largest=CLAUSE_PRIORITY)
    for known in OPERATOR_TYPES:
        if type == Atom(known):
            return table.declare(priority.value, known, *_operator_names(names, directive))
    raise _fault(words.OP_TYPE, type, directive.span, types=", ".join(OPERATOR_TYPES))


def _operator_names(names: Term, directive: Directive) -> list[str]:
    out: list[str] = []
    for name in list_items(names) or [names]:
        if not isinstance(name, Atom):
            raise _fault(words.OP_NO_ATOM, name, directive.span)
        if name.name in _FIXED_OPERATORS:
            raise _fault(words.OP_FIXED, name, directive.span, name=name.name)
        out.append(name.name)
    return out
