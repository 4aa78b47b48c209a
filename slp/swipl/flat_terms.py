"""Terms as flat lists of atoms and numbers, in preorder: the form in which Python and Prolog
exchange them.

The comment of `decode/3` in `slp/swipl/engine.pl` defines the items. Both sides make and read such
lists without deep recursion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from slp.terms import NIL, Atom, Number, Struct, Term, Text, Var

#: The data types of janus: numbers, strings (atoms) and lists of them.
_Data: TypeAlias = Any


def encode(term: Term) -> list[_Data]:
    """Number of variables, and the term as a flat list."""
    numbers: dict[Var, int] = {}
    tokens: list[_Data] = []
    todo = [term]
    while todo:
        t = todo.pop()
        if isinstance(t, Struct):
            tokens += ["s", t.name, len(t.args)]
            todo.extend(reversed(t.args))
        elif isinstance(t, Var):
            tokens += ["v", numbers.setdefault(t, len(numbers) + 1)]
        elif isinstance(t, Number):
            tokens += ["n", t.value]
        elif isinstance(t, Text):
            tokens += ["t", t.value]
        else:
            tokens += ["e"] if t == NIL else ["a", t.name]
    return [len(numbers), tokens]


def decode(tokens: Sequence[_Data]) -> Term:
    """The term of a flat list. Its variables are called `_` and differ by number."""
    built: list[Term] = []
    ends = _ends(tokens)
    for at in reversed(ends):
        kind = tokens[at]
        if kind == "s":
            args = tuple(built.pop() for _ in range(tokens[at + 2]))
            built.append(Struct(tokens[at + 1], args))
        elif kind == "e":
            built.append(NIL)
        else:
            built.append(_LEAVES[kind](tokens[at + 1]))
    return built[0]


def _ends(tokens: Sequence[_Data]) -> list[int]:
    """The start of each part of a flat list."""
    out = []
    at = 0
    while at < len(tokens):
        out.append(at)
        at += _LENGTHS[tokens[at]]
    return out


_LENGTHS = {"s": 3, "a": 2, "n": 2, "t": 2, "v": 2, "e": 1}
_LEAVES: Mapping[str, Any] = {
    "a": Atom,
    "n": Number,
    "t": Text,
    "v": lambda index: Var("_", index),
}
