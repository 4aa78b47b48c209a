"""The concepts of a column's levels, as docs/data.md orders them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from slp.columns import MISSING
from tests.spec.example import Concept


def concepts_in_order(above: dict[str, str], column: Collection[str]) -> list[str]:
    """The levels of a column and the concepts above them, the most special ones first: levels, then
    concepts with few levels in the column, with few levels at all, low ones. Levels under a concept
    follow each other."""
    inner = set(above.values())
    plain = sorted({*column} - {MISSING}, key=_as_levels_are_sorted(column))
    known = [*plain, *sorted({*above} - inner - {*plain})]

    def under(name: str) -> list[str]:
        if name in known:
            return [name]
        return [x for child, concept in above.items() if concept == name for x in under(child)]

    def first(name: str) -> int:
        return min(map(known.index, under(name)))

    def walk(names: Collection[str]) -> list[str]:
        out: list[str] = []
        for name in sorted(names, key=first):
            below = [child for child, concept in above.items() if concept == name]
            out += [name] if name in known else walk(below)
        return out

    def depth(name: str) -> int:
        return 1 + depth(above[name]) if name in above else 0

    roots = {*known, *inner} - {*above}
    levels = walk(roots)
    concepts = sorted(
        inner,
        key=lambda c: (
            len({*under(c)} & {*plain}),
            len(under(c)),
            -depth(c),
            min(map(levels.index, under(c))),
        ),
    )
    missing = [MISSING] if MISSING in column else []
    return [*levels, *missing, *(Concept(c, under(c)) for c in concepts)]


def _as_levels_are_sorted(column: Collection[str]) -> Callable[[str], Any]:
    whole = all(x.lstrip("-").isdigit() for x in column if x != MISSING)
    return int if whole else str
