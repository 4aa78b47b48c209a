"""An index on the first argument: which clauses, rules or calls can match a goal."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

from slp.resolution.machine.affine import Affine
from slp.resolution.machine.templates import Pattern, Template
from slp.terms import Atom, Number, Struct, Term, Text, arguments

T = TypeVar("T")


class ByFirstArgument(Generic[T]):
    """Items of one predicate by the first argument of their goal, in the order of their coming."""

    def __init__(self) -> None:
        self._all: list[T] = []
        self._by_key: dict[Hashable, list[T]] = {}
        self._for_others: list[T] = []

    def add(self, first: Template | None, item: T) -> None:
        """Add an item with this first argument; None where there are no arguments."""
        self._all.append(item)
        key = _key(first)
        if key is None:
            self._for_others.append(item)
            for items in self._by_key.values():
                items.append(item)
        else:
            self._by_key.setdefault(key, list(self._for_others)).append(item)

    def matching(self, first: Template | None) -> Sequence[T]:
        """The items that can match this first argument."""
        key = _key(first)
        return self._all if key is None else self._by_key.get(key, self._for_others)


def first_argument(goal: Term) -> Term | None:
    """The first argument of a goal, None if it has none."""
    return next(iter(arguments(goal)), None)


def _key(first: Template | None) -> Hashable:
    """A key: first arguments with different keys cannot match; None if it can match anything."""
    if isinstance(first, Struct | Pattern):
        return first.name, len(first.args)
    if isinstance(first, Atom):
        return first.name
    if isinstance(first, Number):
        # A threshold's value depends on the split, so it is compared with every clause.
        value = first.value
        return None if isinstance(value, Affine) else (isinstance(value, float), value)
    if isinstance(first, Text):
        return Text, first.value
    return None
