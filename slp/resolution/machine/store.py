"""Bindings of variables during a proof: unification with occurs check, undone on backtracking.

A `Store` maps the number of a variable to its term and keeps a trail of its bindings, in order, so
that a mark in the trail suffices to undo them. Its variables are those that it made itself
(`fresh`, `rename`), told apart by `Var.id`. No method recurses. A small program can make a term of
2^n parts by n bindings. So a walk over more than a few parts visits shared parts only once, and a
term of more than `LARGEST` parts is refused (E216) before it is written out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cmp_to_key
from typing import TypeVar

from slp.resolution.machine import faults
from slp.resolution.machine.order import compare_roots, same_constant
from slp.terms import Struct, Term, Var, with_args

#: The most parts of a term; shared parts count as often as they occur.
LARGEST = 5_000_000

_NO_NAMES: Mapping[Term, Term] = {}

#: Work of comparing one part: it takes about as long as visiting so many.
_WORK_OF_COMPARING = 8

#: Parts after which a walk begins to note which ones it has seen.
_FEW = 1000


class Store:
    """Bindings and their trail.

    `work` counts the parts of terms visited so far, for the limits of a proof. Variables are
    numbered from `first` on, which is above every number in the terms that the store is given.
    """

    def __init__(self, first: int = 1) -> None:
        self._terms: dict[int, Term] = {}
        self._trail: list[int] = []
        self._next = first
        self.work = 0

    def fresh(self, like: Var) -> Var:
        """A new variable, which keeps the name and the place of `like` for messages."""
        variable = Var(like.name, self._next, like.span)
        self._next += 1
        return variable

    def deref(self, term: Term) -> Term:
        """The present value of a variable: a term whose arguments may still be bound variables."""
        while type(term) is Var:
            bound = self._terms.get(term.id)
            if bound is None:
                return term
            term = bound
        return term

    def mark(self) -> int:
        """The trail's length, for `undo`."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Take back all bindings made since `mark`."""
        trail = self._trail
        while len(trail) > mark:
            del self._terms[trail.pop()]

    def bind(self, variable: Var, term: Term) -> bool:
        """Bind a free variable to another term; False if the term holds the variable."""
        if type(term) is Struct and self._occurs(variable, term):
            return False
        self._terms[variable.id] = term
        self._trail.append(variable.id)
        return True

    def unify(self, a: Term, b: Term) -> bool:
        """Make two terms equal by binding variables; on False, bindings may be left to undo."""
        pairs = [(a, b)]
        seen: set[tuple[int, int]] = set()
        for parts in range(LARGEST):
            if not pairs:
                self.work += parts
                return True
            x, y = pairs.pop()
            x, y = self.deref(x), self.deref(y)
            if x is y:
                continue
            if type(x) is Var:
                same = (type(y) is Var and x.id == y.id) or self.bind(x, y)
            elif type(y) is Var:
                same = self.bind(y, x)
            elif type(x) is Struct and type(y) is Struct:
                same = x.name == y.name and len(x.args) == len(y.args)
                if same and (parts < _FEW or _is_new((id(x), id(y)), seen)):
                    pairs.extend(zip(reversed(x.args), reversed(y.args), strict=True))
            else:
                same = same_constant(x, y)
            if not same:
                self.work += parts
                return False
        raise faults.too_large(LARGEST, None)

    def _occurs(self, variable: Var, term: Term) -> bool:
        todo = [term]
        seen: set[int] = set()
        for parts in range(LARGEST):
            if not todo:
                self.work += parts
                return False
            t = self.deref(todo.pop())
            if type(t) is Struct:
                if not t.ground_parts and (parts < _FEW or _is_new(id(t), seen)):
                    todo.extend(t.args)
            elif type(t) is Var and t.id == variable.id:
                return True
        raise faults.too_large(LARGEST, None)

    def resolve(self, term: Term, names: Mapping[Term, Term] = _NO_NAMES) -> Term:
        """`term` with every bound variable replaced by its value, recursively, and free variables
        by their `names`."""
        return self.mapped(term, lambda variable: names.get(variable, variable))

    def rename(self, term: Term) -> Term:
        """A resolved copy of `term` with new variables."""
        new: dict[int, Var] = {}

        def renamed(variable: Var) -> Term:
            if variable.id not in new:
                new[variable.id] = self.fresh(variable)
            return new[variable.id]

        return self.mapped(term, renamed)

    def renumber(self, term: Term, numbers: Numbering) -> Term:
        """A resolved copy whose free variables have the numbers given by `numbers`. Names stay."""
        return self.mapped(term, numbers)

    def lowest_bound(self) -> float:
        """The lowest number of a bound variable, infinity if none is bound."""
        return min(self._trail, default=math.inf)

    def mapped(self, term: Term, free: Callable[[Var], Term]) -> Term:
        """A resolved copy of `term`, with `free` of each free variable in its place."""
        built: list[Term] = []
        ground = 0  # parts that were not looked at
        todo: list[tuple[Term, bool]] = [(term, False)]  # True: its arguments are on top of `built`
        for parts in range(_FEW):
            if not todo:
                self.work += parts
                if ground > LARGEST:
                    raise faults.too_large(LARGEST, None)
                return built[0]
            t, ready = todo.pop()
            if ready:
                assert type(t) is Struct
                args = tuple(built[-len(t.args) :])
                del built[-len(t.args) :]
                mapped = with_args(t, args)
                if mapped.see_ground() > LARGEST:
                    raise faults.too_large(LARGEST, None)
                built.append(mapped)
                continue
            t = self.deref(t)
            if type(t) is Var:
                built.append(free(t))
            elif type(t) is not Struct:
                built.append(t)
            elif t.ground_parts:
                ground += t.ground_parts
                built.append(t)
            else:
                todo.append((t, True))
                todo.extend([(a, False) for a in reversed(t.args)])
        return self._large_mapped(term, free)

    def _large_mapped(self, term: Term, free: Callable[[Var], Term]) -> Term:
        """As `_mapped`, but shared parts are mapped once, and shared again."""
        built: list[Term] = []
        sizes: list[int] = []  # of what is built
        known: dict[int, tuple[Term, int]] = {}
        todo: list[tuple[Term, bool]] = [(term, False)]
        while todo:
            self.work += 1
            t, ready = todo.pop()
            if ready:
                assert type(t) is Struct
                n = len(t.args)
                whole = with_args(t, tuple(built[-n:]))
                whole.see_ground()
                mapped: Term = whole
                size = 1 + sum(sizes[-n:])
                del built[-n:], sizes[-n:]
                if size > LARGEST:
                    raise faults.too_large(LARGEST, None)
                known[id(t)] = mapped, size
            else:
                t = self.deref(t)
                if type(t) is Struct and not t.ground_parts and id(t) not in known:
                    todo.append((t, True))
                    todo.extend([(a, False) for a in reversed(t.args)])
                    continue
                if type(t) is Struct:
                    mapped, size = (t, t.ground_parts) if t.ground_parts else known[id(t)]
                else:
                    mapped, size = free(t) if type(t) is Var else t, 1
            built.append(mapped)
            sizes.append(size)
        return built[0]

    def is_ground(self, term: Term) -> bool:
        """Whether no free variable is left in `term`."""
        todo = [term]
        seen: set[int] = set()
        for parts in range(LARGEST):
            if not todo:
                self.work += parts
                return True
            t = self.deref(todo.pop())
            if type(t) is Var:
                return False
            if type(t) is Struct and not t.ground_parts:
                if parts < _FEW or _is_new(id(t), seen):
                    todo.extend(t.args)
        raise faults.too_large(LARGEST, None)

    def compare(self, a: Term, b: Term) -> int:
        """Standard order of terms (SWI-Prolog's): negative, 0 or positive.

        Variables (by age) < numbers (by value; a float before an equal integer) < strings < atoms
        < compound terms (by arity, then name, then arguments from left to right).
        """
        pairs = [(a, b)]
        seen: set[tuple[int, int]] = set()
        for parts in range(LARGEST):
            if not pairs:
                self.work += _WORK_OF_COMPARING * parts
                return 0
            x, y = pairs.pop()
            x, y = self.deref(x), self.deref(y)
            if x is y:
                continue
            order = compare_roots(x, y)
            if order != 0:
                self.work += _WORK_OF_COMPARING * parts
                return order
            if type(x) is Struct and type(y) is Struct:
                if parts < _FEW or _is_new((id(x), id(y)), seen):
                    pairs.extend(zip(reversed(x.args), reversed(y.args), strict=True))
        raise faults.too_large(LARGEST, None)

    def sorted(self, items: Sequence[Term]) -> list[Term]:
        """Items in standard order, repeats kept."""
        return sorted(items, key=cmp_to_key(self.compare))


class Numbering:
    """Numbers variables in the order in which they are met; those up to `kept` keep theirs."""

    def __init__(self, kept: int = 0) -> None:
        self._kept = kept
        self._new: dict[int, Var] = {}

    @property
    def count(self) -> int:
        """The highest number in use."""
        return self._kept + len(self._new)

    def __call__(self, variable: Var) -> Var:
        """The variable by its number here."""
        if variable.id <= self._kept:
            return variable
        found = self._new.get(variable.id)
        if found is None:
            found = self._new[variable.id] = Var(variable.name, self.count + 1, variable.span)
        return found


_Key = TypeVar("_Key", bound=Hashable)


def _is_new(key: _Key, seen: set[_Key]) -> bool:
    """Whether a key was not seen before; it is now."""
    if key in seen:
        return False
    seen.add(key)
    return True
