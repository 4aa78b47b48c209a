"""Prolog terms: what the parser reads, guards compute with and the printer writes.

A term is one of `Atom`, `Var`, `Number`, `Text` and `Struct`. Terms are frozen and compare by
structure; the source span of a term is left out of equality, so that terms written by hand in a test
equal terms that were read. Lists are `Struct('[|]', (head, tail))` ended by `Atom('[]')`, as in
SWI-Prolog; `{G}` is `Struct('{}', (G,))`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from slp.source import SourceSpan

__all__ = [
    "NIL",
    "Atom",
    "Number",
    "Struct",
    "Term",
    "Text",
    "Var",
    "functor",
    "list_items",
    "list_term",
    "substitute",
    "variables",
]

_Span: TypeAlias = SourceSpan | None


@dataclass(frozen=True, slots=True)
class Atom:
    """A constant such as `leaf` or `'petal length'`; `name` is without quotes."""

    name: str
    span: _Span = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Var:
    """A variable. `name` is as written; `id` tells renamed copies apart (0 as read)."""

    name: str
    id: int = 0
    span: _Span = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """An integer or a float. `1` and `1.0` are different terms, as in ISO Prolog."""

    value: int | float
    span: _Span = field(default=None, compare=False, repr=False)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Number)
            and type(self.value) is type(other.value)
            and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True, slots=True)
class Text:
    """A double-quoted string."""

    value: str
    span: _Span = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Struct:
    """A compound term `name(args...)`; at least one argument."""

    name: str
    args: tuple[Term, ...]
    span: _Span = field(default=None, compare=False, repr=False)


Term: TypeAlias = Atom | Var | Number | Text | Struct

NIL = Atom("[]")


def functor(term: Term) -> tuple[str, int] | None:
    """Name and arity of a callable term, None for variables, numbers and strings."""
    if isinstance(term, Struct):
        return term.name, len(term.args)
    if isinstance(term, Atom):
        return term.name, 0
    return None


def list_term(items: Iterable[Term], tail: Term = NIL, span: _Span = None) -> Term:
    """The Prolog list of `items`."""
    out = tail
    for item in reversed(list(items)):
        out = Struct("[|]", (item, out), span)
    return out


def list_items(term: Term) -> list[Term] | None:
    """Items of a proper list, or None if `term` is not one."""
    out: list[Term] = []
    while isinstance(term, Struct) and term.name == "[|]" and len(term.args) == 2:
        out.append(term.args[0])
        term = term.args[1]
    return out if term == NIL else None


def variables(term: Term) -> Iterator[Var]:
    """Variables of a term from left to right, repeats included."""
    stack = [term]
    while stack:
        t = stack.pop()
        if isinstance(t, Var):
            yield t
        elif isinstance(t, Struct):
            stack.extend(reversed(t.args))


def substitute(term: Term, bindings: Mapping[Var, Term]) -> Term:
    """`term` with variables replaced, once, by what `bindings` has for them (spans are kept)."""
    if isinstance(term, Var):
        return bindings.get(term, term)
    if isinstance(term, Struct):
        return Struct(term.name, tuple(substitute(a, bindings) for a in term.args), term.span)
    return term
