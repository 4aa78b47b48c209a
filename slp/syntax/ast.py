"""Syntax tree of a `.slp` file: a list of items, each a directive or a clause, with spans and
comments.

The nodes contain Prolog terms (`slp.terms`) and no results of analysis: whether a rule's body is a
valid tree rule is unknown here. `Clause.term` is the whole clause as one term, equal to the result
of SWI-Prolog's `read_term` with `:- op(1150, xfx, ::)`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from slp.source import SourceFile, SourceSpan
from slp.terms import Struct, Term


@dataclass(frozen=True, slots=True)
class Comment:
    """A `%` or `/* */` comment, with its marks, without the line end."""

    text: str
    span: SourceSpan = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Directive:
    """`:- goal.`"""

    goal: Term
    span: SourceSpan = field(compare=False, repr=False)

    @property
    def term(self) -> Term:
        """The directive as the term that was read."""

        return Struct(":-", (self.goal,), self.span)


@dataclass(frozen=True, slots=True)
class Clause:
    """`[label ::] head [:- body | --> body].`

    `arrow` is `":-"`, `"-->"` or None for a fact; `body` is the body as one term (None for a fact).
    """

    label: Term | None
    head: Term
    arrow: str | None
    body: Term | None
    term: Term = field(repr=False)
    span: SourceSpan = field(compare=False, repr=False)


Statement: TypeAlias = Directive | Clause


@dataclass(frozen=True)
class SourceProgram:
    """A file as read: its items in order, and its comments in order."""

    file: SourceFile
    items: tuple[Statement, ...]
    comments: tuple[Comment, ...] = ()
