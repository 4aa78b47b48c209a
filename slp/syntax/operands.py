"""What a sequence of tokens and terms consists of, before operators are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lark import Token

from slp.source import SourceFile, SourceSpan
from slp.syntax.tokens import token_span
from slp.terms import Term


@dataclass(slots=True)
class Operand:
    """A finished term, with the start and end of its text, including brackets.

    `operator` is the token of its principal operator, and `priority` the operator's priority. A
    term without operator, or in brackets, has priority 0.
    """

    term: Term
    start: int
    end: int
    priority: int = 0
    operator: Token | None = None


@dataclass(slots=True)
class Call:
    """`name(items)`, with the bracket directly after the name.

    In the position of an operand it is the compound term `operand`. After an operand it is an infix
    operator and a term in brackets, as in `K-(I+J)`, so the items are kept.
    """

    name: Token
    operand: Operand
    items: Sequence[SequenceItem]


SequenceItem: TypeAlias = Token | Operand | Call


def item_span(item: SequenceItem, file: SourceFile) -> SourceSpan:
    """The place of an item, including brackets."""
    if isinstance(item, Token):
        return token_span(item, file)
    operand = item.operand if isinstance(item, Call) else item
    return SourceSpan(file, operand.start, operand.end)
