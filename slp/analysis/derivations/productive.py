"""Productive symbols of a grammar: those from which some derivation ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import TypeVar

_Symbol = TypeVar("_Symbol", bound=Hashable)


def productive(rules: Iterable[tuple[_Symbol, Iterable[_Symbol]]]) -> set[_Symbol]:
    """The symbols with a rule all of whose symbols are productive. A rule is a symbol and the
    symbols that it leads to. Linear time: each symbol is taken out of each rule once."""
    waiting: dict[_Symbol, list[tuple[_Symbol, set[_Symbol]]]] = defaultdict(list)
    new: list[_Symbol] = []
    for symbol, below in rules:
        missing = set(below)
        if not missing:
            new.append(symbol)
        for other in missing:
            waiting[other].append((symbol, missing))
    found: set[_Symbol] = set()
    while new:
        symbol = new.pop()
        if symbol in found:
            continue
        found.add(symbol)
        for above, missing in waiting[symbol]:
            missing.discard(symbol)
            if not missing:
                new.append(above)
    return found
