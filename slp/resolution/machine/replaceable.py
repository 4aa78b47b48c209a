"""Built-in predicates on integers and texts that a program may define itself: numlist/3, succ/2,
plus/3, atom_codes/2, number_codes/2, sub_atom/5.

A text is at most `_LONGEST` characters long where a program makes it, so that one step of a proof
takes little time and memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from slp.errors import SlpError
from slp.late import late_import
from slp.resolution.machine import faults
from slp.resolution.machine.affine import Affine
from slp.resolution.machine.arithmetic import evaluate
from slp.resolution.machine.definitions import (
    Choose,
    Pair,
    Test,
    integer,
    natural,
    prefix,
    proper_items,
)
from slp.resolution.machine.loop import Machine
from slp.source import SourceFile
from slp.terms import NIL, Atom, Number, Struct, Term, Text, Var, list_term

_LONGEST = 65_536  # characters of an atom that codes make

_LONGEST_NUMBER = 1000  # characters; reading takes quadratic time


# --- integers ----------------------------------------------------------------------------------


def _numlist(machine: Machine, low: Term, high: Term, numbers: Term) -> bool:
    first, last = integer("numlist/3", low), integer("numlist/3", high)
    if first > last:
        return False
    machine.spend(last - first)
    return machine.store.unify(numbers, list_term(map(Number, range(first, last + 1))))


def _succ(machine: Machine, x: Term, y: Term) -> bool:
    if not isinstance(x, Var):
        natural("succ/2", x)
        return _same_as(machine, y, "+", x, Number(1))
    return natural("succ/2", y) > 0 and _same_as(machine, x, "-", y, Number(1))


def _plus(machine: Machine, x: Term, y: Term, z: Term) -> bool:
    for given in (x, y, z):
        if not isinstance(given, Var):
            integer("plus/3", given)
    if isinstance(x, Var):
        _of_two(y, z)
        return _same_as(machine, x, "-", z, y)
    if isinstance(y, Var):
        _of_two(x, z)
        return _same_as(machine, y, "-", z, x)
    return _same_as(machine, z, "+", x, y)


def _of_two(*args: Term) -> None:
    for given in args:
        integer("plus/3", given)


def _same_as(machine: Machine, result: Term, function: str, x: Term, y: Term) -> bool:
    value = evaluate(Struct(function, (x, y)), {}, span=machine.span)
    return machine.store.unify(result, Number(value))


# --- texts -------------------------------------------------------------------------------------


def _text(predicate: str, term: Term) -> str:
    """The text of an atom, a string or a number."""
    if isinstance(term, Var):
        raise faults.unbound_argument(predicate, None)
    if isinstance(term, Struct) or term == NIL:
        raise faults.wrong_type(predicate, "an atom", term, None)
    if isinstance(term, Atom):
        return term.name
    if isinstance(term, Text):
        return term.value
    if isinstance(term.value, Affine):
        raise faults.not_affine(None)
    written: str = late_import("slp.syntax").term_to_text(Number(term.value))
    return written


def _spells(machine: Machine, predicate: str, codes: Term, text: str) -> bool:
    """Unify an argument with the list of a text's character codes."""
    tail = prefix(machine, codes)[1]
    if not isinstance(tail, Var) and tail != NIL:
        raise faults.wrong_type(predicate, "a list", codes, None)
    machine.store.work += len(text)
    return machine.store.unify(codes, list_term(Number(ord(c)) for c in text))


def _text_of_codes(machine: Machine, predicate: str, codes: Term, longest: int) -> str:
    """The text that a list of character codes, or of characters, spells."""
    items = [machine.store.deref(c) for c in proper_items(machine, predicate, codes)]
    if len(items) > longest:
        raise faults.wrong_type(predicate, f"at most {longest} characters", codes, None)
    return "".join(_character(predicate, c) for c in items)


def _character(predicate: str, term: Term) -> str:
    if isinstance(term, Atom) and len(term.name) == 1:
        return term.name
    if isinstance(term, Var):
        raise faults.unbound_argument(predicate, None)
    code = term.value if isinstance(term, Number) else None
    if not isinstance(code, int) or not 0 < code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise faults.wrong_type(predicate, "the code of a character", term, None)
    return chr(code)


def _atom_codes(machine: Machine, atom: Term, codes: Term) -> bool:
    if isinstance(atom, Var):
        text = _text_of_codes(machine, "atom_codes/2", codes, _LONGEST)
        return machine.store.unify(atom, Atom(text))
    return _spells(machine, "atom_codes/2", codes, _text("atom_codes/2", atom))


def _number_codes(machine: Machine, number: Term, codes: Term) -> bool:
    if not isinstance(number, Var):
        if not isinstance(number, Number):
            raise faults.wrong_type("number_codes/2", "a number", number, None)
        return _spells(machine, "number_codes/2", codes, _text("number_codes/2", number))
    text = _text_of_codes(machine, "number_codes/2", codes, _LONGEST_NUMBER)
    value = _number(text)
    if value is None:
        raise faults.wrong_type("number_codes/2", "the text of a number", Atom(text), None)
    return machine.store.unify(number, Number(value))


def _number(text: str) -> int | float | None:
    """The number that a text is, with blanks and a sign before it."""
    tokens_of = late_import("slp.syntax.lark_parser").Tokens
    text = text.lstrip(" \n\t\r\f\v")
    sign = -1 if text.startswith("-") else 1
    digits = text[1:] if text[:1] in ("-", "+") else text
    file = SourceFile("", digits)
    tokens = [*tokens_of(file)]
    if len(tokens) != 1 or tokens[0] != digits or tokens[0].type not in ("NUMBER", "CHARACTER"):
        return None
    try:
        value: int | float = late_import("slp.syntax.tokens").number_value(tokens[0], file)
    except SlpError:
        return None
    return None if math.isnan(value) else sign * value


def _sub_atom(
    machine: Machine, atom: Term, before: Term, length: Term, after: Term, part: Term
) -> Iterator[Pair]:
    text = _text("sub_atom/5", atom)
    wanted = None if isinstance(part, Var) else _text("sub_atom/5", part)
    given = [
        None if isinstance(t, Var) else natural("sub_atom/5", t) for t in (before, length, after)
    ]
    answer = Struct("sub", (before, length, after, part if wanted is None else NIL))

    def answers() -> Iterator[Pair]:
        for start, size in _places(text, wanted, *given):
            machine.store.work += size
            found = NIL if wanted is not None else Atom(text[start : start + size])
            rest = len(text) - start - size
            yield answer, Struct("sub", (Number(start), Number(size), Number(rest), found))

    return answers()


def _places(
    text: str, part: str | None, before: int | None, length: int | None, after: int | None
) -> Iterator[tuple[int, int]]:
    """Starts and lengths of parts of a text, in their order."""
    n = len(text)
    if part is not None:
        start = text.find(part)
        while start >= 0:
            yield start, len(part)
            start = text.find(part, start + 1)
        return
    starts: range = range(n + 1) if before is None else range(before, min(before, n) + 1)
    if before is None and length is not None and after is not None:
        starts = range(n - length - after, n - length - after + 1)
    for start in starts:
        sizes = range(n - start + 1)
        if length is not None:
            sizes = range(length, length + 1)
        elif after is not None:
            sizes = range(n - start - after, n - start - after + 1)
        yield from ((start, size) for size in sizes if start >= 0 <= size <= n - start)


REPLACEABLE: Mapping[tuple[str, int], Test | Choose] = {
    ("numlist", 3): Test(_numlist),
    ("succ", 2): Test(_succ),
    ("plus", 3): Test(_plus),
    ("atom_codes", 2): Test(_atom_codes),
    ("number_codes", 2): Test(_number_codes),
    ("sub_atom", 5): Choose(_sub_atom),
}
