"""Terms of a clause, made while Lark reads its tokens and brackets.

Lark's parser calls `READER` at each token, and at each closing bracket with the items between the
brackets. So terms are built from the innermost brackets outwards, without recursion and without a
tree of the text. A mistake inside brackets is recorded, and a substitute takes the place of the
term. Reading continues, so that one run finds all mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import local
from typing import Any, TypeVar

from lark import Token

from slp.errors import Diagnostic, ProgramError
from slp.messages import Wording
from slp.messages import syntax as words
from slp.messages.tokens import QUOTED_NIL, STRAY_POINT
from slp.source import SourceFile, SourceSpan
from slp.syntax.mistakes import MOST_MISTAKES
from slp.syntax.operands import Call, Operand, SequenceItem, item_span
from slp.syntax.operators import DEFAULT_OPERATORS, OperatorTable
from slp.syntax.sequences import MissingFullStopError, read_sequence
from slp.syntax.tokens import (
    is_variable_name,
    number_value,
    quoted_text,
    token_end,
    token_span,
    token_start,
)
from slp.terms import NIL, Atom, Number, Struct, Term, Text, Var

_STAND_IN = Atom("?")
_Read = TypeVar("_Read")


class _TermReader(local):
    """A method for each rule and token of the grammar. Each returns items of a sequence.

    Each thread reads a clause of its own, which `begin` starts.
    """

    def __init__(self) -> None:
        self.begin(DEFAULT_OPERATORS, SourceFile("", ""))

    def __reduce__(self) -> str:
        return "READER"  # the parser's tables refer to this one object

    def begin(self, table: OperatorTable, file: SourceFile) -> None:
        """Prepare for a clause of `file`, with the operators of `table`."""
        self.table = table
        self.file = file
        self.diagnostics: list[Diagnostic] = []
        self._anonymous = 0

    # --- tokens (operators and atoms stay tokens until their sequence is read)

    def NAME(self, token: Token) -> SequenceItem:  # noqa: N802
        if not is_variable_name(token):
            return token
        name = self._anonymous_name() if token == "_" else str(token)
        span = token_span(token, self.file)
        return Operand(Var(name, span=span), span.start, span.end)

    def NUMBER(self, token: Token) -> Operand:  # noqa: N802
        return self._noted(token, token, self._number, token)

    CHARACTER = NUMBER

    def QUOTED(self, token: Token) -> Operand:  # noqa: N802
        return self._noted(token, token, self._quoted_atom, token)

    def STRING(self, token: Token) -> Operand:  # noqa: N802
        return self._noted(token, token, self._string, token)

    def _anonymous_name(self) -> str:
        """`_`, and `_#2` and so on for further ones, because each `_` is a different variable."""
        self._anonymous += 1
        return "_" if self._anonymous == 1 else f"_#{self._anonymous}"

    def _number(self, token: Token, span: SourceSpan) -> Term:
        return Number(number_value(token, self.file), span)

    def _quoted_atom(self, token: Token, span: SourceSpan) -> Term:
        name = quoted_text(token, self.file)
        if name == NIL.name:
            raise self._fault(QUOTED_NIL, token)
        return Atom(name, span)

    def _string(self, token: Token, span: SourceSpan) -> Term:
        return Text(quoted_text(token, self.file), span)

    # --- brackets: the children of each are its tokens and what stands between

    def call(self, children: list[SequenceItem]) -> Call:
        name = children[0]
        assert isinstance(name, Token)
        known = len(self.diagnostics)
        operand = self._bracketed(children, self._compound)
        # The mistake is recorded. It must not occur again if this is an infix operator.
        return Call(name, operand, children[2:-1] if len(self.diagnostics) == known else [operand])

    def group(self, children: list[SequenceItem]) -> Operand:
        return self._bracketed(children, self._group)

    def prolog_list(self, children: list[SequenceItem]) -> Operand:
        return self._bracketed(children, self._list)

    def curly(self, children: list[SequenceItem]) -> Operand:
        return self._bracketed(children, self._curly)

    def clause(self, children: list[SequenceItem]) -> Operand | None:
        """The clause's term; None after a mistake that ends its reading."""
        items = children[:-1]
        if not items:
            end = children[-1]
            assert isinstance(end, Token)
            self.diagnostics.append(words.LONELY_FULL_STOP(token_span(end, self.file)))
        while items:
            try:
                return read_sequence(items, self.table, self.file, is_clause=True)
            except MissingFullStopError as error:
                self.diagnostics.extend(error.diagnostics)
                items = self._items_from(items, error.start)
            except ProgramError as error:
                self.diagnostics.extend(error.diagnostics)
                break
        return None

    def _items_from(self, items: list[SequenceItem], start: int) -> list[SequenceItem]:
        """The items from the offset `start` on; none if enough mistakes are found."""
        if len(self.diagnostics) > MOST_MISTAKES:
            return []
        # No further, because a long text may lack a full stop on every line.
        at = next(i for i, item in enumerate(items) if item_span(item, self.file).start == start)
        return items[at:]

    # --- terms

    def _compound(self, children: Sequence[SequenceItem], span: SourceSpan) -> Term:
        name, items = children[0], children[2:-1]
        assert isinstance(name, Token)
        if name == ".":
            raise self._fault(STRAY_POINT, name)
        if is_variable_name(name):
            raise self._fault(words.VARIABLE_AS_FUNCTOR, name, name=name)
        if not items:
            raise ProgramError(words.EMPTY_BRACKETS(span, name=name))
        functor = quoted_text(name, self.file) if name[0] == "'" else str(name)
        arguments, _ = self._split(items, "COMMA")
        return Struct(functor, tuple(self._read(part) for part in arguments), span)

    def _group(self, children: Sequence[SequenceItem], span: SourceSpan) -> Term:
        if len(children) == 2:
            raise ProgramError(words.EMPTY_GROUP(span))
        return self._read(children[1:-1])

    def _curly(self, children: Sequence[SequenceItem], span: SourceSpan) -> Term:
        if len(children) == 2:
            return Atom("{}", span)
        return Struct("{}", (self._read(children[1:-1]),), span)

    def _list(self, children: Sequence[SequenceItem], span: SourceSpan) -> Term:
        items = children[1:-1]
        if not items:
            return Atom(NIL.name, span)
        parts, bar = self._split(items, "COMMA", "BAR")
        if bar is None:
            tail: Term = Atom(NIL.name, SourceSpan(self.file, span.end - 1, span.end))
        else:
            tail = self._read(parts.pop())
        for part in reversed(parts):
            start = item_span(part[0], self.file).start if part is not parts[0] else span.start
            cell = SourceSpan(self.file, start, span.end)
            tail = Struct("[|]", (self._read(part), tail), cell)
        return tail

    def _split(
        self, items: Sequence[SequenceItem], *separators: str
    ) -> tuple[list[list[SequenceItem]], Token | None]:
        """The non-empty parts between separators, and the bar, if there is one.

        Only one part may follow a bar.
        """
        parts: list[list[SequenceItem]] = [[]]
        bar = separator = None
        for item in items:
            if not (isinstance(item, Token) and item.type in separators):
                parts[-1].append(item)
                continue
            if bar is not None:
                raise self._fault(words.LIST_TAIL, item)
            if not parts[-1]:
                raise self._empty_part(item)
            parts.append([])
            separator = item
            bar = item if item.type == "BAR" else None
        if separator is not None and not parts[-1]:
            raise self._empty_part(separator)
        return parts, bar

    def _empty_part(self, separator: Token) -> ProgramError:
        is_bar = separator.type == "BAR"
        return self._fault(words.LIST_TAIL if is_bar else words.EMPTY_ARGUMENT, separator)

    def _fault(self, message: Wording, token: Token, **values: Any) -> ProgramError:
        return ProgramError(message(token_span(token, self.file), **values))

    def _read(self, items: Sequence[SequenceItem]) -> Term:
        return read_sequence(items, self.table, self.file).term

    # --- noting mistakes

    def _bracketed(
        self,
        children: Sequence[SequenceItem],
        build: Callable[[Sequence[SequenceItem], SourceSpan], Term],
    ) -> Operand:
        first, last = children[0], children[-1]
        assert isinstance(first, Token) and isinstance(last, Token)
        return self._noted(first, last, build, children)

    def _noted(
        self, first: Token, last: Token, build: Callable[[_Read, SourceSpan], Term], read: _Read
    ) -> Operand:
        """The operand that `build` makes of the text read. If it raises an error, this is recorded,
        and the result is a substitute."""
        span = SourceSpan(self.file, token_start(first), token_end(last))
        try:
            term = build(read, span)
        except ProgramError as error:
            self.diagnostics.extend(error.diagnostics)
            term = _STAND_IN
        return Operand(term, span.start, span.end)


READER = _TermReader()
