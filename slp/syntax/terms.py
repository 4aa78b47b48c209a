"""Terms of a clause, from the tree of its brackets that Lark makes.

Works upwards from the innermost brackets, without recursion. A mistake inside brackets is noted, a
stand-in takes the place of the term, and reading goes on, so that one run finds all mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lark import Token, Tree
from lark.visitors import Transformer_NonRecursive

from slp.errors import Diagnostic, ProgramError
from slp.proofs.terms import NIL, Atom, Number, Struct, Term, Text, Var
from slp.source import SourceFile, SourceSpan
from slp.syntax import messages
from slp.syntax.messages import SyntaxMessage
from slp.syntax.operators import OperatorTable
from slp.syntax.sequences import Call, Operand, SequenceItem, item_span, read_sequence
from slp.syntax.tokens import (
    is_variable_name,
    number_value,
    quoted_text,
    token_end,
    token_span,
    token_start,
)

__all__ = ["build_clause"]

_STAND_IN = Atom("?")


def build_clause(
    tree: Tree[Token], table: OperatorTable, file: SourceFile
) -> tuple[Term | None, list[Diagnostic]]:
    """The term of a `clause` tree; None if there are mistakes, all of which are returned."""
    builder = _TermBuilder(table, file)
    operand: Operand | None = builder.transform(tree)
    if builder.diagnostics or operand is None:
        return None, builder.diagnostics
    return operand.term, []


class _TermBuilder(Transformer_NonRecursive):  # type: ignore[type-arg]
    """One method for each rule and token of the grammar; each gives items of a sequence."""

    def __init__(self, table: OperatorTable, file: SourceFile) -> None:
        super().__init__()
        self.table = table
        self.file = file
        self.diagnostics: list[Diagnostic] = []
        self.anonymous = 0

    # --- tokens (operators and atoms stay tokens until their sequence is read)

    def NAME(self, token: Token) -> SequenceItem:  # noqa: N802
        if not is_variable_name(token):
            return token
        name = self._anonymous_name() if token == "_" else str(token)
        return self._operand(token, lambda span: Var(name, span=span))

    def NUMBER(self, token: Token) -> Operand:  # noqa: N802
        return self._operand(token, lambda span: Number(number_value(token, self.file), span))

    CHARACTER = NUMBER

    def _anonymous_name(self) -> str:
        """`_`, and `_#2` and so on for the further ones, as each `_` is a variable of its own."""
        self.anonymous += 1
        return "_" if self.anonymous == 1 else f"_#{self.anonymous}"

    def QUOTED(self, token: Token) -> Operand:  # noqa: N802
        return self._operand(token, lambda span: Atom(self._quoted_atom(token), span))

    def STRING(self, token: Token) -> Operand:  # noqa: N802
        return self._operand(token, lambda span: Text(quoted_text(token, self.file), span))

    def _quoted_atom(self, token: Token) -> str:
        name = quoted_text(token, self.file)
        if name == NIL.name:
            raise self._fault(messages.QUOTED_NIL, token)
        return name

    # --- brackets

    def call(self, children: list[SequenceItem]) -> Call:
        name, items = children[0], children[2:-1]
        assert isinstance(name, Token)
        known = len(self.diagnostics)
        operand = self._bracketed(children, lambda span: self._compound(name, items, span))
        # The mistake is noted: do not meet it again if this turns out to be an infix operator.
        return Call(name, operand, items if len(self.diagnostics) == known else [operand])

    def group(self, children: list[SequenceItem]) -> Operand:
        return self._bracketed(children, lambda span: self._group(children[1:-1], span))

    def prolog_list(self, children: list[SequenceItem]) -> Operand:
        return self._bracketed(children, lambda span: self._list(children[1:-1], span))

    def curly(self, children: list[SequenceItem]) -> Operand:
        return self._bracketed(children, lambda span: self._curly(children[1:-1], span))

    def clause(self, children: list[SequenceItem]) -> Operand | None:
        """The clause's term; None after a mistake."""
        items = children[:-1]
        if not items:
            end = children[-1]
            assert isinstance(end, Token)
            self.diagnostics.append(messages.LONELY_FULL_STOP.at(token_span(end, self.file)))
        while items:
            try:
                return read_sequence(items, self.table, self.file, is_clause=True)
            except ProgramError as error:
                self.diagnostics.extend(error.diagnostics)
                items = self._items_after(items, error.diagnostics[0])
        return None

    def _items_after(self, items: list[SequenceItem], fault: Diagnostic) -> list[SequenceItem]:
        """Where a full stop is missing, the items of the next clause; else nothing."""
        if fault.code != messages.MISSING_FULL_STOP.code or fault.span is None:
            return []
        start = fault.span.start
        # Not further than that: a long text may lack a full stop at every line.
        at = next(i for i, item in enumerate(items) if item_span(item, self.file).start == start)
        return items[at:]

    # --- terms

    def _compound(self, name: Token, items: Sequence[SequenceItem], span: SourceSpan) -> Term:
        if name == ".":
            raise self._fault(messages.STRAY_POINT, name)
        if is_variable_name(name):
            raise self._fault(messages.VARIABLE_AS_FUNCTOR, name, name=name)
        if not items:
            raise ProgramError(messages.EMPTY_BRACKETS.at(span, name=name))
        functor = quoted_text(name, self.file) if name[0] == "'" else str(name)
        arguments, _ = self._split(items, "COMMA")
        return Struct(functor, tuple(self._read(part) for part in arguments), span)

    def _group(self, items: Sequence[SequenceItem], span: SourceSpan) -> Term:
        if not items:
            raise ProgramError(messages.EMPTY_GROUP.at(span))
        return self._read(items)

    def _curly(self, items: Sequence[SequenceItem], span: SourceSpan) -> Term:
        return Struct("{}", (self._read(items),), span) if items else Atom("{}", span)

    def _list(self, items: Sequence[SequenceItem], span: SourceSpan) -> Term:
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
        """The parts between separators, none of which is empty; and the bar, if one is among them.

        Nothing but one part may follow a bar.
        """
        parts: list[list[SequenceItem]] = [[]]
        bar = separator = None
        for item in items:
            if not (isinstance(item, Token) and item.type in separators):
                parts[-1].append(item)
                continue
            if bar is not None:
                raise self._fault(messages.LIST_TAIL, item)
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
        return self._fault(messages.LIST_TAIL if is_bar else messages.EMPTY_ARGUMENT, separator)

    def _fault(self, message: SyntaxMessage, token: Token, **details: str) -> ProgramError:
        return ProgramError(message.at(token_span(token, self.file), **details))

    def _read(self, items: Sequence[SequenceItem]) -> Term:
        if len(items) == 1 and isinstance(items[0], Operand):
            return items[0].term
        return read_sequence(items, self.table, self.file).term

    # --- noting mistakes

    def _operand(self, token: Token, build: Callable[[SourceSpan], Term]) -> Operand:
        return self._note_mistakes(token_start(token), token_end(token), build)

    def _bracketed(
        self, children: Sequence[SequenceItem], build: Callable[[SourceSpan], Term]
    ) -> Operand:
        first, last = children[0], children[-1]
        assert isinstance(first, Token) and isinstance(last, Token)
        return self._note_mistakes(token_start(first), token_end(last), build)

    def _note_mistakes(self, start: int, end: int, build: Callable[[SourceSpan], Term]) -> Operand:
        try:
            return Operand(build(SourceSpan(self.file, start, end)), start, end)
        except ProgramError as error:
            self.diagnostics.extend(error.diagnostics)
            return Operand(_STAND_IN, start, end)
