"""Prolog terms, which the parser reads, guards compute with and the printer writes.

A term is one of `Atom`, `Var`, `Number`, `Text` and `Struct`. Terms are frozen and compare by
structure. Equality ignores the source span, so that terms written in a test equal terms that were
read. Lists are `Struct('[|]', (head, tail))` ended by `Atom('[]')`, as in SWI-Prolog; `{G}` is
`Struct('{}', (G,))`.

A list of n items has depth n, and lists in programs can have any length. So no function here
recurses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from slp.source import SourceSpan

__all__ = [
    "NIL",
    "Atom",
    "Number",
    "Struct",
    "Term",
    "Text",
    "Var",
    "arguments",
    "conjunction",
    "conjuncts",
    "functor",
    "list_items",
    "list_term",
    "same_number",
    "substitute",
    "subterms",
    "variables",
    "with_args",
]

_Span: TypeAlias = SourceSpan | None


@dataclass(frozen=True, slots=True)
class Atom:
    """A constant such as `leaf` or `'petal length'`; `name` is without quotes."""

    name: str
    span: _Span = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Var:
    """A variable. `name` is as written; `id` distinguishes renamed copies (0 as read)."""

    name: str
    id: int = 0
    span: _Span = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """An integer or a float. `1` and `1.0` are different terms, as in ISO Prolog."""

    value: int | float
    span: _Span = field(default=None, compare=False, repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and same_number(self.value, other.value)

    def __hash__(self) -> int:
        return hash((isinstance(self.value, float), self.value))


@dataclass(frozen=True, slots=True)
class Text:
    """A double-quoted string."""

    value: str
    span: _Span = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """A compound term `name(args...)`; at least one argument.

    Comparing and hashing never recurse, so that long lists and deep terms can be keys.
    """

    name: str
    args: tuple[Term, ...]
    span: _Span = field(default=None, repr=False)
    _hash: int | None = field(default=None, init=False, repr=False)
    _ground_parts: int = field(default=0, init=False, repr=False)

    @property
    def ground_parts(self) -> int:
        """Number of parts, with repeats of shared ones, if the term is known to contain no
        variable; else 0."""
        return self._ground_parts

    def see_ground(self) -> int:
        """`ground_parts`, computed from those of the arguments."""
        parts = 1
        for a in self.args:
            if type(a) is not Struct:
                more = 0 if type(a) is Var else 1
            else:
                more = a._ground_parts
            if not more:
                return 0
            parts += more
        object.__setattr__(self, "_ground_parts", parts)
        return parts

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Struct):
            return False
        stack: list[tuple[Term, Term]] = [(self, other)]
        while stack:
            a, b = stack.pop()
            if a is b:
                continue
            if not (isinstance(a, Struct) and isinstance(b, Struct)):
                if a != b:
                    return False
                continue
            if a.name != b.name or len(a.args) != len(b.args):
                return False
            stack.extend(zip(a.args, b.args, strict=True))
        return True

    def __hash__(self) -> int:
        """The hash, which is stored after its first computation."""
        if self._hash is None:
            stack = [self]
            while stack:
                term = stack[-1]
                pending = [a for a in term.args if isinstance(a, Struct) and a._hash is None]
                if pending:
                    stack.extend(pending)
                else:
                    stack.pop()
                    object.__setattr__(term, "_hash", hash((term.name, term.args)))
        return cast(int, self._hash)

    def __reduce__(self) -> tuple[type[Struct], tuple[str, tuple[Term, ...], _Span]]:
        # The stored hash is not pickled, because strings hash differently in every process.
        return Struct, (self.name, self.args, self.span)


Term: TypeAlias = Atom | Var | Number | Text | Struct

NIL = Atom("[]")


def same_number(x: int | float, y: int | float) -> bool:
    """Whether two values are the same Prolog number: of one type, and equal."""
    return isinstance(x, float) == isinstance(y, float) and x == y


def arguments(term: Term) -> tuple[Term, ...]:
    """The arguments of a compound term; none for other terms."""
    return term.args if isinstance(term, Struct) else ()


def functor(term: Term) -> tuple[str, int] | None:
    """Name and arity of a callable term, None for variables, numbers and strings."""
    if isinstance(term, Struct):
        return term.name, len(term.args)
    if isinstance(term, Atom):
        return term.name, 0
    return None


def list_term(items: Iterable[Term], tail: Term = NIL) -> Term:
    """The Prolog list of `items`."""
    out = tail
    for item in reversed(list(items)):
        out = Struct("[|]", (item, out))
    return out


def list_items(term: Term) -> list[Term] | None:
    """Items of a proper list, or None if `term` is not one."""
    out: list[Term] = []
    while isinstance(term, Struct) and term.name == "[|]" and len(term.args) == 2:
        out.append(term.args[0])
        term = term.args[1]
    return out if term == NIL else None


def conjuncts(term: Term) -> Iterator[Term]:
    """Goals of `A, B, C`, from left to right."""
    todo = [term]
    while todo:
        t = todo.pop()
        if isinstance(t, Struct) and t.name == "," and len(t.args) == 2:
            todo.extend(reversed(t.args))
        else:
            yield t


def conjunction(goals: Sequence[Term]) -> Term:
    """The goals as one goal."""
    *first, out = goals
    for goal in reversed(first):
        out = Struct(",", (goal, out))
    return out


def subterms(term: Term) -> Iterator[Term]:
    """A term and all its parts, from left to right, each before its arguments."""
    stack = [term]
    while stack:
        t = stack.pop()
        yield t
        if isinstance(t, Struct):
            stack.extend(reversed(t.args))


def variables(term: Term) -> Iterator[Var]:
    """Variables of a term from left to right, repeats included."""
    stack = [term]
    while stack:
        t = stack.pop()
        if type(t) is Var:
            yield t
        elif type(t) is Struct:
            stack.extend(reversed(t.args))


def is_nameless(variable: Var) -> bool:
    """Whether a variable was read as `_` (`_#2` and so on for further ones in a clause)."""
    return variable.name == "_" or variable.name.startswith("_#")


def substitute(term: Term, bindings: Mapping[Var, Term]) -> Term:
    """`term` with variables replaced once by their `bindings` (spans are kept).

    Subterms without such variables are shared with `term`.
    """
    if type(term) is not Struct:
        return bindings.get(term, term) if type(term) is Var else term
    prefix: list[Term] = []  # arguments from the right, so that its reverse is postfix
    todo: list[Term] = [term]
    while todo:
        t = todo.pop()
        prefix.append(t)
        if type(t) is Struct:
            todo.extend(t.args)
    built: list[Term] = []
    for t in reversed(prefix):
        if type(t) is Var:
            built.append(bindings.get(t, t))
        elif type(t) is Struct:
            args = tuple(built[-len(t.args) :])
            del built[-len(t.args) :]
            built.append(with_args(t, args))
        else:
            built.append(t)
    return built[0]


def with_args(term: Struct, args: tuple[Term, ...]) -> Struct:
    """`term` with other arguments, or `term` itself if they are its own."""
    for a, b in zip(args, term.args, strict=True):
        if a is not b:
            return Struct(term.name, args, term.span)
    return term
