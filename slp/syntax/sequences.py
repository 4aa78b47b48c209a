"""Operator precedence: from a flat sequence of tokens and terms to one term.

`read_sequence` is a shunting-yard reader. It has a stack of finished operands, and a stack of
operators that wait for their right side. It takes linear time and does not recurse. Where the ISO
standard allows several readings (is this `-` an operator or an atom?), it reads as SWI-Prolog does:

- a name in the position of an operand is a prefix operator if it can be one;
- otherwise, if it is an infix operator, and a prefix operator that binds tighter stands directly
  before it, that prefix operator was an atom (`- = x`);
- at the end of the sequence, a prefix operator without operand is an atom (`X = -`);
- quoted atoms are never operators.
"""

from __future__ import annotations

from collections.abc import Sequence

from lark import Token

from slp.errors import Diagnostic, ProgramError, Related
from slp.messages import syntax as words
from slp.messages.other_languages import FOREIGN_OPERATORS
from slp.messages.tokens import DICT, MINUS_BEFORE_RADIX, NO_LEADING_DIGIT, STRAY_POINT
from slp.source import SourceFile, SourceSpan
from slp.syntax.mistakes import excerpt
from slp.syntax.operands import Call, Operand, SequenceItem, item_span
from slp.syntax.operators import CLAUSE_PRIORITY, Operator, OperatorTable
from slp.syntax.tokens import token_end, token_span, token_start
from slp.terms import Atom, Number, Struct, functor


class MissingFullStopError(ProgramError):
    """A full stop is missing before a line. `start` is the offset of the line's first token."""

    def __init__(self, diagnostic: Diagnostic, start: int) -> None:
        super().__init__(diagnostic)
        self.start = start


_SUM_PRIORITY = 500  # largest priority of an operator in a label


def read_sequence(
    items: Sequence[SequenceItem],
    table: OperatorTable,
    file: SourceFile,
    *,
    is_clause: bool = False,
) -> Operand:
    """The term of a non-empty sequence. `is_clause` tells that it is a whole clause.

    Raises
    ------
    ProgramError
        With one diagnostic, if the sequence is no term.
    """
    if len(items) == 1:  # the most frequent case
        item = items[0]
        if not isinstance(item, Token):
            return item.operand if isinstance(item, Call) else item
        if item.type == "NAME":
            return _atom(item, file)
    return _SequenceReader(items, table, file, is_clause).read()


def _atom(token: Token, file: SourceFile) -> Operand:
    span = token_span(token, file)
    return Operand(Atom(str(token), span), span.start, span.end)


class _SequenceReader:
    def __init__(
        self, items: Sequence[SequenceItem], table: OperatorTable, file: SourceFile, is_clause: bool
    ) -> None:
        self.items = items
        self.table = table
        self.file = file
        self.is_clause = is_clause
        self.operands: list[Operand] = []
        self.waiting: list[tuple[Operator, Token]] = []

    def read(self) -> Operand:
        operand_due = True
        indices = iter(range(len(self.items)))
        for i in indices:
            if not operand_due:
                operand_due = self._read_infix(i)
            elif self._push_negative_number(i):
                next(indices)
                operand_due = False
            else:
                operand_due = self._read_operand(i)
        if operand_due and not self._prefix_becomes_atom(None):
            raise self._missing_operand(self.waiting[-1][1], "after")
        self._reduce(CLAUSE_PRIORITY)
        return self.operands[0]

    # --- one item at a time; each method tells whether an operand is due next

    def _read_infix(self, i: int) -> bool:
        item = self.items[i]
        name = item.name if isinstance(item, Call) else item
        operator = self.table.infix.get(name) if isinstance(name, Token) else None
        if operator is None or not isinstance(name, Token):
            raise self._operator_expected(i)
        self._push_infix(operator, name, i)
        if not isinstance(item, Call):
            return True
        group = read_sequence(item.items, self.table, self.file)
        self.operands.append(Operand(group.term, token_end(name), item.operand.end))
        return False

    def _begins_a_clause(self, operator: Operator, token: Token) -> bool:
        """Whether an infix operator at the start of a line begins another clause: `:-` after a
        directive without a full stop. It must be an operator that cannot follow the waiting one."""
        return (
            self.is_clause
            and token in self.table.prefix
            and bool(self.waiting)
            and self.waiting[-1][0].right_limit < operator.priority
            and self._is_at_line_start(token_start(token))
        )

    def _is_at_line_start(self, offset: int) -> bool:
        return offset == 0 or self.file.text[offset - 1] == "\n"

    def _read_operand(self, i: int) -> bool:
        item = self.items[i]
        if not isinstance(item, Token):
            self.operands.append(item.operand if isinstance(item, Call) else item)
            return False
        self._check_point_and_dict(i)
        prefix = self.table.prefix.get(item)
        if prefix is not None:
            self.waiting.append((prefix, item))
            return True
        infix = self.table.infix.get(item)
        if infix is not None and item.type != "BAR" and self._prefix_becomes_atom(infix):
            self._push_infix(infix, item, i)
            return True
        if item.type in ("COMMA", "BAR"):
            raise self._missing_operand(item, "before")
        self.operands.append(_atom(item, self.file))
        return False

    def _push_negative_number(self, i: int) -> bool:
        """Read a `-` directly before a number as the number's sign."""
        minus, number = self.items[i], self.items[i + 1] if i + 1 < len(self.items) else None
        if (
            minus == "-"
            and isinstance(minus, Token)
            and isinstance(number, Operand)
            and isinstance(number.term, Number)
            and number.start == token_end(minus)
        ):
            span = SourceSpan(self.file, token_start(minus), number.end)
            if "'" in span.text and not span.text.startswith("-0"):  # SWI-Prolog refuses -16'F
                raise ProgramError(MINUS_BEFORE_RADIX(span, text=span.text, number=span.text[1:]))
            self.operands.append(Operand(Number(-number.term.value, span), span.start, span.end))
            return True
        return False

    def _prefix_becomes_atom(self, infix: Operator | None) -> bool:
        """Make an atom of the waiting prefix operator if the next token requires it: `infix`, or
        the end (None)."""
        if not self.waiting or not self.waiting[-1][0].is_prefix:
            return False
        if infix is not None and infix.left_limit <= self.waiting[-1][0].priority:
            return False
        self.operands.append(_atom(self.waiting.pop()[1], self.file))
        return True

    # --- the two stacks

    def _push_infix(self, operator: Operator, token: Token, i: int) -> None:
        self._reduce(operator.left_limit)
        if self._begins_a_clause(operator, token):
            raise self._operator_expected(i)
        self.waiting.append((operator, token))

    def _reduce(self, limit: int) -> None:
        """Build the terms of the waiting operators, the last first, up to a priority."""
        while self.waiting and self.waiting[-1][0].priority <= limit:
            self._build(*self.waiting.pop())

    def _build(self, operator: Operator, token: Token) -> None:
        right = self.operands.pop()
        if right.priority > operator.right_limit:
            raise self._clash(operator, token, right)
        start, args = token_start(token), [right.term]
        if not operator.is_prefix:
            left = self.operands.pop()
            start, args = left.start, [left.term, right.term]
        term = Struct(operator.name, tuple(args), SourceSpan(self.file, start, right.end))
        self.operands.append(Operand(term, start, right.end, operator.priority, token))

    # --- what can be wrong

    def _missing_operand(self, token: Token, side: str) -> ProgramError:
        span = token_span(token, self.file)
        return ProgramError(words.MISSING_OPERAND(span, side=side, operator=token))

    def _clash(self, operator: Operator, token: Token, right: Operand) -> ProgramError:
        inner = right.operator
        assert inner is not None  # only operators have a priority
        span = token_span(inner, self.file)
        outer = Related("the other operator", token_span(token, self.file))
        if operator.name == inner == "::":
            within = right.term.args[0] if isinstance(right.term, Struct) else right.term
            disjunction = functor(within) == (";", 2)
            two = words.ANNOTATED_DISJUNCTION if disjunction else words.TWO_LABELS
            return ProgramError(two(span, related=[outer]))
        return ProgramError(
            words.PRIORITY_CLASH(
                span,
                related=[outer],
                inner=inner,
                inner_priority=right.priority,
                outer=token,
                limit=operator.right_limit,
            )
        )

    def _check_point_and_dict(self, i: int) -> None:
        """Refuse `.`, and a name directly before `{`, which SWI-Prolog reads as dicts."""
        token = self.items[i]
        following = self.items[i + 1] if i + 1 < len(self.items) else None
        assert isinstance(token, Token)
        if token == ".":
            raise ProgramError(self._point(token, following))
        if isinstance(following, Operand) and self._touches_curly(token_end(token), following):
            raise ProgramError(DICT(token_span(token, self.file), name=token))

    def _point(self, token: Token, following: SequenceItem | None) -> Diagnostic:
        """The finding for a point in the place of an operand: `.5`, or a stray one."""
        end = token_end(token)
        if isinstance(following, Operand) and following.start == end:
            text = self.file.text[token_start(token) : following.end]
            if text[1:].isdecimal():
                span = SourceSpan(self.file, token_start(token), following.end)
                return NO_LEADING_DIGIT(span, text=excerpt(text))
        return STRAY_POINT(token_span(token, self.file))

    def _touches_curly(self, end: int, following: Operand) -> bool:
        return following.start == end and self.file.text.startswith("{", end)

    def _operator_expected(self, i: int) -> ProgramError:
        """The most helpful error for an item after an operand without an operator between them."""
        item, previous = self.items[i], self.items[i - 1]
        left = self.operands[-1]
        span = item_span(item, self.file)
        if item == ".":
            return ProgramError(STRAY_POINT(span))
        left_text = excerpt(self.file.text[left.start : left.end])
        if isinstance(item, Operand) and self._touches_curly(left.end, item):
            return ProgramError(DICT(span, name=left_text))
        if (foreign := self._foreign_operator(i)) is not None:
            return ProgramError(foreign)
        if self.is_clause and self._is_at_line_start(span.start):
            return MissingFullStopError(words.MISSING_FULL_STOP(span, left=left_text), span.start)
        is_name = isinstance(previous, Token) and previous.type == "NAME"
        if is_name and isinstance(item, Operand) and span.text.startswith("("):
            return ProgramError(words.BLANK_BEFORE_BRACKET(span, name=left_text))
        right = excerpt(span.text)
        if self._is_label_before(item):
            label = SourceSpan(self.file, item_span(self.items[0], self.file).start, left.end)
            return ProgramError(
                words.LABEL_WITHOUT_OPERATOR(label, label=excerpt(label.text), head=right)
            )
        if left_text.startswith(("#", "`#")):
            return ProgramError(words.HASH_FOR_COMMENT(SourceSpan(self.file, left.start, left.end)))
        return ProgramError(words.OPERATOR_EXPECTED(span, left=left_text, right=right))

    def _foreign_operator(self, i: int) -> Diagnostic | None:
        """The finding for an operator in quotes, or of another language (maybe several tokens)."""
        before = item_span(self.items[i - 1], self.file)
        span = item_span(self.items[i], self.file)
        for place in (span, before):
            if place.text.startswith("'") and place.text[1:-1] in self.table:
                return words.QUOTED_OPERATOR(place, operator=place.text[1:-1])
        if span.text == "~":
            return words.NO_DENSITIES(span, text="`~`")
        if before.text == "not":
            span = before
        elif span.text == "!" and i + 1 < len(self.items):
            span = span.cover(item_span(self.items[i + 1], self.file))
        if (meant := FOREIGN_OPERATORS.get(span.text)) is None:
            return None
        return words.OPERATOR_MISTAKEN(span, operator=span.text, meant=meant)

    def _is_label_before(self, item: SequenceItem) -> bool:
        """Whether the text so far looks like a label, and `item` like the head of the clause."""
        name = item.name if isinstance(item, Call) else item
        return (
            self.is_clause
            and isinstance(name, Token)
            and name[0].isalpha()
            and all(operator.priority <= _SUM_PRIORITY for operator, _ in self.waiting)
            and (bool(self.waiting) or isinstance(self.operands[-1].term, Number))
        )
