"""Terms as text that reads back as the same term, with few brackets.

`term_to_text` prints a term. `term_pieces` gives the same text divided at the places where a
formatter may end a line. The style is fixed:

- `, ` between arguments and items, `[H | T]`, `{ Goal }`;
- blanks around operators of priority 601 and more, and around those that are words;
- sums and products have blanks at the top of a goal or label, and none inside brackets and
  arguments: `1 - alpha * (1+D)`; a quotient of two plain operands has none: `1/phi`;
- powers and `:` have no blanks; a signed operand after them is in brackets: `X^(-beta)`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from slp.messages.numbers import number_text
from slp.syntax.operators import (
    ARGUMENT_PRIORITY,
    CLAUSE_PRIORITY,
    DEFAULT_OPERATORS,
    Operator,
    OperatorTable,
)
from slp.syntax.tokens import is_variable_name
from slp.terms import NIL, Atom, Number, Struct, Term, Text, Var, is_nameless, variables

SYMBOL_CHARACTERS = frozenset("-+*/\\^<>=~:.?@#&$")
_SOLO_ATOMS = frozenset({"[]", "{}", "!", ";"})
_POWER, _SUM = 200, 500  # upper limits of the priorities of powers, and of sums and products


def term_to_text(term: Term) -> str:
    """`term` as Prolog text, with the operators of a new file."""
    return "".join(term_pieces(term, DEFAULT_OPERATORS))


def term_pieces(
    term: Term, table: OperatorTable, *, limit: int = CLAUSE_PRIORITY, as_written: bool = False
) -> list[str]:
    """The text of a term in pieces. A piece `" "` is a blank where a line may end.

    A term of a priority above `limit` is in brackets. With `as_written`, numbers and quoted texts
    are copied from the source of the term.
    """
    writer = _Writer(table, as_written, _anonymous_texts(term))
    return writer.write(term, limit)


def atom_text(name: str) -> str:
    """An atom, in quotes if it needs them."""
    if name in _SOLO_ATOMS or _is_word(name) or _is_symbol(name):
        return name
    return _quoted(name, "'")


def _is_word(name: str) -> bool:
    return name.isidentifier() and not is_variable_name(name)


def _is_symbol(name: str) -> bool:
    return (
        name not in ("", ".") and SYMBOL_CHARACTERS.issuperset(name) and not name.startswith("/*")
    )


_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _quoted(text: str, quote: str) -> str:
    escaped = "".join(
        f"\\{c}" if c == quote else _ESCAPES.get(c) or (c if _is_plain(c) else f"\\x{ord(c):x}\\")
        for c in text
    )
    return f"{quote}{escaped}{quote}"


def _is_plain(character: str) -> bool:
    """Whether a character is printable, or has no escape (half of a surrogate pair)."""
    return character.isprintable() or "\ud800" <= character <= "\udfff"


def _number(value: int | float) -> str:
    if isinstance(value, int):
        return str(value)
    if math.isinf(value):
        return "1.0Inf" if value > 0 else "-1.0Inf"
    text = number_text(value)
    return text if "." in text else f"{text}.0"  # a float is no integer


def _anonymous_texts(term: Term) -> dict[Var, str]:
    """Names for the variables that were read as `_` and now occur more than once."""
    texts: dict[Var, str] = {}
    for variable in variables(term):
        if is_nameless(variable):
            number = variable.name[2:] or "1"
            texts[variable] = "_" if variable not in texts else f"_G{number}_{variable.id}"
    return texts


@dataclass(frozen=True, slots=True)
class _TermToWrite:
    """A term to be written: the greatest priority without brackets, and the style."""

    term: Term
    limit: int
    tight: bool  # inside brackets or arguments
    is_operand: bool = False


_Task: TypeAlias = str | _TermToWrite


class _Writer:
    """Writes one term with an explicit stack, for terms of any depth."""

    def __init__(self, table: OperatorTable, as_written: bool, anonymous: dict[Var, str]) -> None:
        self.table = table
        self.as_written = as_written
        self.anonymous = anonymous

    def write(self, term: Term, limit: int) -> list[str]:
        pieces: list[str] = []
        stack: list[_Task] = [_TermToWrite(term, limit, tight=False)]
        while stack:
            task = stack.pop()
            if isinstance(task, _TermToWrite):
                stack.extend(reversed(self._tasks(task)))
                continue
            if pieces and _would_merge(pieces[-1], task):
                pieces.append(" ")
            pieces.append(task)
        return pieces

    def _tasks(self, part: _TermToWrite) -> Sequence[_Task]:
        term = part.term
        if not isinstance(term, Struct):
            return self._constant(part)
        if term.name == "[|]" and len(term.args) == 2:
            return _list_tasks(term)
        if term.name == "{}" and len(term.args) == 1:
            return ["{", " ", _TermToWrite(term.args[0], CLAUSE_PRIORITY, tight=False), " ", "}"]
        operator = self._operator(term)
        if operator is None:
            return _call_tasks(term)
        if operator.priority > part.limit:
            return _in_brackets(_TermToWrite(term, CLAUSE_PRIORITY, tight=True))
        if operator.is_prefix:
            return self._prefix_tasks(operator, term.args[0], part.tight)
        return self._infix_tasks(operator, term, part.tight)

    def _operator(self, term: Struct) -> Operator | None:
        """The operator of a compound term, if there is one."""
        if term.name not in (",", "|") and not (_is_word(term.name) or _is_symbol(term.name)):
            if term.name != ";":
                return None
        if len(term.args) == 1:
            return self.table.prefix.get(term.name)
        return self.table.infix.get(term.name) if len(term.args) == 2 else None

    def _constant(self, part: _TermToWrite) -> Sequence[_Task]:
        text = self._constant_text(part.term)
        is_operator = isinstance(part.term, Atom) and text in self.table
        # A signed number binds like a sign: (-1)^2.
        is_signed = isinstance(part.term, Number) and text.startswith("-") and part.limit < _POWER
        return ["(", text, ")"] if part.is_operand and (is_operator or is_signed) else [text]

    def _constant_text(self, term: Term) -> str:
        if self.as_written and term.span is not None:
            written = term.span.text
            if isinstance(term, Number | Text) or written.startswith("'"):
                return written
        match term:
            case Atom(name):
                return atom_text(name)
            case Var(name, id):
                plain = f"{name}_{id}" if id else name
                return self.anonymous.get(term, plain)
            case Number(value):
                return _number(value)
            case Text(value):
                return _quoted(value, '"')
        raise AssertionError(term)

    def _prefix_tasks(self, operator: Operator, argument: Term, tight: bool) -> Sequence[_Task]:
        name = operator.name
        if operator.priority > _POWER:
            return [name, " ", _TermToWrite(argument, operator.right_limit, tight, is_operand=True)]
        if self._begins_plainly(argument):
            return [name, _TermToWrite(argument, operator.right_limit, tight)]
        # `-(1)` and `-(a^2)`: with brackets directly after it, the sign is no part of a number.
        return [name, *_in_brackets(_TermToWrite(argument, ARGUMENT_PRIORITY, tight=True))]

    def _begins_plainly(self, term: Term) -> bool:
        """Whether a sign can be directly before this operand."""
        if isinstance(term, Struct):
            return self._operator(term) is None and (_is_word(term.name) or term.name == "[|]")
        is_word = isinstance(term, Atom) and _is_word(term.name) and term.name not in self.table
        return is_word or isinstance(term, Var)

    def _infix_tasks(self, operator: Operator, term: Struct, tight: bool) -> Sequence[_Task]:
        left, right = term.args
        left_part = _TermToWrite(left, operator.left_limit, tight, is_operand=True)
        right_part = _TermToWrite(right, operator.right_limit, tight, is_operand=True)
        if operator.name == ",":
            return [left_part, ",", " ", right_part]
        if not self._is_written_tight(operator, term, tight):
            return [left_part, " ", operator.name, " ", right_part]
        if self._is_signed(right):
            return [
                left_part,
                operator.name,
                *_in_brackets(_TermToWrite(right, CLAUSE_PRIORITY, True)),
            ]
        return [left_part, operator.name, right_part]

    def _is_written_tight(self, operator: Operator, term: Struct, tight: bool) -> bool:
        if operator.name == ":":
            return True
        if operator.name.isidentifier() or operator.priority > _SUM:
            return False
        if tight or operator.priority <= _POWER:
            return True
        return operator.name == "/" and not any(isinstance(a, Struct | Text) for a in term.args)

    def _is_signed(self, term: Term) -> bool:
        """Whether the text of an operand begins with a sign of its own."""
        if isinstance(term, Number):
            return self._constant_text(term).startswith("-")
        if not isinstance(term, Struct):
            return False
        operator = self._operator(term)
        return operator is not None and operator.is_prefix


def _in_brackets(part: _TermToWrite) -> list[_Task]:
    return ["(", part, ")"]


def _call_tasks(term: Struct) -> list[_Task]:
    # A bracket never follows [] and {} directly. In quotes they name the same functor.
    name = f"'{term.name}'" if term.name in ("[]", "{}") else atom_text(term.name)
    tasks: list[_Task] = [f"{name}("]
    for i, argument in enumerate(term.args):
        tasks += [",", " "] if i else []
        tasks.append(_TermToWrite(argument, ARGUMENT_PRIORITY, tight=True))
    return [*tasks, ")"]


def _list_tasks(term: Struct) -> list[_Task]:
    tasks: list[_Task] = ["["]
    rest: Term = term
    while isinstance(rest, Struct) and rest.name == "[|]" and len(rest.args) == 2:
        tasks += [",", " "] if rest is not term else []
        tasks.append(_TermToWrite(rest.args[0], ARGUMENT_PRIORITY, tight=True))
        rest = rest.args[1]
    if rest != NIL:
        tasks += [" ", "|", " ", _TermToWrite(rest, ARGUMENT_PRIORITY, tight=True)]
    return [*tasks, "]"]


def _would_merge(left: str, right: str) -> bool:
    """Whether two adjacent texts would be read as one token, or as a functor with its bracket."""
    a, b = left[-1], right[0]
    return (a in SYMBOL_CHARACTERS and b in SYMBOL_CHARACTERS) or (
        (a.isalnum() or a == "_") and (b.isalnum() or b == "_")
    )
