"""Built-in predicates: comparison, type tests, terms, and lists where clauses do not suffice.

A program can call only these predicates, those in `control.py` and `library.py`, and its own. None
of them writes, opens, asserts or runs anything.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any

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
from slp.resolution.machine.functions import Value
from slp.resolution.machine.loop import Machine
from slp.terms import NIL, Atom, Number, Struct, Term, Text, Var, list_term

_LARGEST_ARITY = 255


# --- equality and order ------------------------------------------------------------------------


def _not_unify(machine: Machine, x: Term, y: Term) -> bool:
    mark = machine.store.mark()
    same = machine.store.unify(x, y)
    machine.store.undo(mark)
    return not same


def _ordered(holds: Callable[[int, int], bool]) -> Test:
    """Standard order of terms."""
    return Test(lambda machine, x, y: holds(machine.store.compare(x, y), 0))


def _compare(machine: Machine, order: Term, x: Term, y: Term) -> bool:
    sign = machine.store.compare(x, y)
    return machine.store.unify(order, Atom("<" if sign < 0 else ">" if sign > 0 else "="))


# --- arithmetic --------------------------------------------------------------------------------


def _value(machine: Machine, term: Term) -> Value:
    return evaluate(term, machine.parameters, deref=machine.store.deref, span=machine.span)


def _is(machine: Machine, result: Term, expression: Term) -> bool:
    return machine.store.unify(result, Number(_value(machine, expression)))


def _compared(holds: Callable[[Any, Any], bool]) -> Test:
    """Comparison of values."""
    return Test(lambda machine, x, y: holds(_value(machine, x), _value(machine, y)))


def _between(machine: Machine, low: Term, high: Term, x: Term) -> Iterator[Pair]:
    first = integer("between/3", low)
    unlimited = isinstance(high, Atom) and high.name in ("inf", "infinite")
    last = None if unlimited else integer("between/3", high)
    if not isinstance(x, Var):
        value = integer("between/3", x)
        inside = first <= value and (last is None or value <= last)
        return iter([(x, x)] if inside else [])
    numbers = count(first) if last is None else range(first, last + 1)
    return ((x, Number(i)) for i in numbers)


# --- types -------------------------------------------------------------------------------------


def _typed(holds: Callable[[Term], bool]) -> Test:
    return Test(lambda machine, x: holds(x))


# --- terms -------------------------------------------------------------------------------------


def _functor(machine: Machine, term: Term, name: Term, arity: Term) -> bool:
    if isinstance(term, Struct):
        return machine.store.unify(name, Atom(term.name)) and machine.store.unify(
            arity, Number(len(term.args))
        )
    if not isinstance(term, Var):
        return machine.store.unify(name, term) and machine.store.unify(arity, Number(0))
    places = natural("functor/3", arity)
    if isinstance(name, Var):
        raise faults.unbound_argument("functor/3", None)
    if isinstance(name, Struct) or (places > 0 and not isinstance(name, Atom)):
        raise faults.wrong_type("functor/3", "a name", name, None)
    if places > _LARGEST_ARITY:
        raise faults.wrong_type("functor/3", f"an arity up to {_LARGEST_ARITY}", arity, None)
    args = tuple(machine.store.fresh(Var("_")) for _ in range(places))
    made = Struct(name.name, args) if isinstance(name, Atom) and args else name
    return machine.store.unify(term, made)


def _arg(machine: Machine, place: Term, term: Term, arg: Term) -> Iterator[Pair]:
    if isinstance(term, Var):
        raise faults.unbound_argument("arg/3", None)
    if not isinstance(term, Struct):
        raise faults.wrong_type("arg/3", "a compound term", term, None)
    if isinstance(place, Var):
        return _places(term.args, 1, place, arg)
    i = integer("arg/3", place)
    return iter([(arg, term.args[i - 1])] if 1 <= i <= len(term.args) else [])


def _places(items: Any, base: int, place: Term, item: Term) -> Iterator[Pair]:
    """One answer for each item: its position, counted from `base`, and the item."""
    wanted = Struct("-", (place, item))
    return ((wanted, Struct("-", (Number(i), x))) for i, x in enumerate(items, base))


def _univ(machine: Machine, term: Term, parts: Term) -> bool:
    store = machine.store
    if isinstance(term, Struct):
        return store.unify(parts, list_term((Atom(term.name), *term.args)))
    if not isinstance(term, Var):
        return store.unify(parts, list_term([term]))
    items = [store.deref(i) for i in proper_items(machine, "=../2", parts)]
    if not items:
        raise faults.wrong_type("=../2", "a list with a name in it", parts, None)
    name, args = items[0], tuple(items[1:])
    if isinstance(name, Var):
        raise faults.unbound_argument("=../2", None)
    if args and isinstance(name, Atom):
        return store.unify(term, Struct(name.name, args))
    if args or isinstance(name, Struct):
        raise faults.wrong_type("=../2", "a name", name, None)
    return store.unify(term, name)


def _atom_length(machine: Machine, atom: Term, length: Term) -> bool:
    if isinstance(atom, Var):
        raise faults.unbound_argument("atom_length/2", None)
    if isinstance(atom, Struct):
        raise faults.wrong_type("atom_length/2", "an atom", atom, None)
    if isinstance(atom, Number) and isinstance(atom.value, Affine):
        raise faults.not_affine(None)
    if not isinstance(length, Var):
        natural("atom_length/2", length)
    text = atom.name if isinstance(atom, Atom) else str(atom.value)
    return machine.store.unify(length, Number(len(text)))


# --- lists -------------------------------------------------------------------------------------


def _length(machine: Machine, term: Term, length: Term) -> Iterator[Pair]:
    items, tail = prefix(machine, term)
    if not isinstance(tail, Var) and tail != NIL:
        raise faults.wrong_type("length/2", "a list", term, None)
    if not isinstance(length, Var):
        wanted = natural("length/2", length) - len(items)
        if tail == NIL or wanted < 0:
            return iter([(NIL, NIL)] if wanted == 0 else [])
        return iter([(tail, _new_list(machine, wanted))])
    if tail == NIL:
        return iter([(length, Number(len(items)))])
    pair = Struct("-", (tail, length))
    return ((pair, Struct("-", (_new_list(machine, n), Number(len(items) + n)))) for n in count())


def _new_list(machine: Machine, length: int) -> Term:
    machine.spend(length)
    return list_term(machine.store.fresh(Var("_")) for _ in range(length))


def _nth(predicate: str, base: int) -> Choose:
    def nth(machine: Machine, place: Term, term: Term, item: Term) -> Iterator[Pair]:
        items = proper_items(machine, predicate, term)
        if isinstance(place, Var):
            return _places(items, base, place, item)
        i = integer(predicate, place) - base
        return iter([(item, items[i])] if 0 <= i < len(items) else [])

    return Choose(nth)


def _sorted(machine: Machine, items: list[Term]) -> list[Term]:
    """Items in standard order, each once."""
    compare = machine.store.compare
    kept: list[Term] = []
    for item in machine.store.sorted(items):
        if not kept or compare(kept[-1], item) != 0:
            kept.append(item)
    return kept


def _rearranged(predicate: str, change: Callable[[Machine, list[Term]], Iterable[Term]]) -> Test:
    """A test of a list and the list that `change` makes of it."""

    def test(machine: Machine, term: Term, result: Term) -> bool:
        items = change(machine, proper_items(machine, predicate, term))
        return machine.store.unify(result, list_term(items))

    return Test(test)


def _folded(predicate: str, function: str, start: Number | None) -> Test:
    """The result of an arithmetic function over a list's items. Without a start an empty list
    fails."""

    def fold(machine: Machine, term: Term, result: Term) -> bool:
        items = proper_items(machine, predicate, term)
        total: Term | None = start
        for item in items:
            joined = item if total is None else Struct(function, (total, item))
            total = Number(_value(machine, joined))
        return total is not None and machine.store.unify(result, total)

    return Test(fold)


BUILTINS: Mapping[tuple[str, int], Test | Choose] = {
    ("=", 2): Test(lambda machine, x, y: machine.store.unify(x, y)),
    ("\\=", 2): Test(_not_unify),
    ("==", 2): _ordered(operator.eq),
    ("\\==", 2): _ordered(operator.ne),
    ("@<", 2): _ordered(operator.lt),
    ("@>", 2): _ordered(operator.gt),
    ("@=<", 2): _ordered(operator.le),
    ("@>=", 2): _ordered(operator.ge),
    ("compare", 3): Test(_compare),
    ("is", 2): Test(_is),
    ("=:=", 2): _compared(operator.eq),
    ("=\\=", 2): _compared(operator.ne),
    ("<", 2): _compared(operator.lt),
    (">", 2): _compared(operator.gt),
    ("=<", 2): _compared(operator.le),
    (">=", 2): _compared(operator.ge),
    ("between", 3): Choose(_between),
    ("var", 1): _typed(lambda x: isinstance(x, Var)),
    ("nonvar", 1): _typed(lambda x: not isinstance(x, Var)),
    ("atom", 1): _typed(lambda x: isinstance(x, Atom)),
    ("number", 1): _typed(lambda x: isinstance(x, Number)),
    ("integer", 1): _typed(lambda x: isinstance(x, Number) and isinstance(x.value, int)),
    ("float", 1): _typed(lambda x: isinstance(x, Number) and isinstance(x.value, float)),
    ("atomic", 1): _typed(lambda x: isinstance(x, Atom | Number | Text)),
    ("compound", 1): _typed(lambda x: isinstance(x, Struct)),
    ("callable", 1): _typed(lambda x: isinstance(x, Atom | Struct)),
    ("is_list", 1): Test(lambda machine, x: prefix(machine, x)[1] == NIL),
    ("ground", 1): Test(lambda machine, x: machine.store.is_ground(x)),
    ("functor", 3): Test(_functor),
    ("arg", 3): Choose(_arg),
    ("=..", 2): Test(_univ),
    ("copy_term", 2): Test(lambda machine, x, y: machine.store.unify(y, machine.store.rename(x))),
    ("atom_length", 2): Test(_atom_length),
    ("length", 2): Choose(_length),
    ("nth0", 3): _nth("nth0/3", 0),
    ("nth1", 3): _nth("nth1/3", 1),
    ("msort", 2): _rearranged("msort/2", lambda machine, items: machine.store.sorted(items)),
    ("sort", 2): _rearranged("sort/2", _sorted),
    ("reverse", 2): _rearranged("reverse/2", lambda _, items: reversed(items)),
    ("sum_list", 2): _folded("sum_list/2", "+", Number(0)),
    ("max_list", 2): _folded("max_list/2", "max", None),
    ("min_list", 2): _folded("min_list/2", "min", None),
}
