"""Hierarchies of levels: facts `is_a(Level, Concept).` (docs/data.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from slp.source import SourceSpan


@dataclass(frozen=True)
class IsA:
    """That a level or a concept is of a concept, in one column or (None) in the column that has
    its levels."""

    column: str | None
    name: str
    concept: str
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


def contradictions(facts: Iterable[IsA]) -> Iterator[tuple[IsA, IsA | None]]:
    """The facts on one column that contradict one before: with this one, or None where several make
    a circle with it."""
    kept: dict[str, IsA] = {}
    for fact in facts:
        first = kept.setdefault(fact.name, fact)
        name: str | None = fact.concept
        while first is fact and name in kept and name != fact.name:
            name = kept[name].concept
        if first is not fact:
            yield fact, first
        elif name == fact.name:
            del kept[fact.name]
            yield fact, None


@dataclass(frozen=True)
class Hierarchy:
    """The concepts of one column: `above` has the concept of each level and concept below one."""

    above: Mapping[str, str]

    @classmethod
    def of(cls, facts: Iterable[IsA]) -> Hierarchy:
        """The hierarchy of facts, none of which contradicts another."""
        return cls({fact.name: fact.concept for fact in facts})

    @property
    def concepts(self) -> frozenset[str]:
        """The concepts above others."""
        return frozenset(self.above.values())

    @property
    def levels(self) -> tuple[str, ...]:
        """What no concept is below, sorted: the levels that it knows."""
        return tuple(sorted(self.above.keys() - self.concepts))

    def path(self, name: str) -> tuple[str, ...]:
        """A name, and the concepts above it, up to the root."""
        out = [name]
        while out[-1] in self.above:
            out.append(self.above[out[-1]])
        return tuple(out)

    def in_order(self, levels: Collection[str]) -> tuple[str, ...]:
        """The levels of a column and those that the hierarchy knows beside, such that those under a
        concept follow each other; in the order of the column where it does not matter."""
        rank = {level: i for i, level in enumerate(levels)}
        known = [*levels, *(level for level in self.levels if level not in rank)]
        place: dict[str, tuple[int, ...]] = {}
        first: dict[str, int] = {}
        for i, level in enumerate(known):
            for name in self.path(level):
                first.setdefault(name, i)
        for level in known:
            place[level] = tuple(first[name] for name in reversed(self.path(level)))
        return tuple(sorted(known, key=lambda level: (place[level], level)))
