"""Groups of features: facts `of_group(Feature, Group).` (docs/language.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from slp.messages.names import joined
from slp.source import SourceSpan


@dataclass(frozen=True)
class Group:
    """Features that a name stands for, in the order of their facts. `spans` are the places of these
    facts, by feature."""

    name: str
    features: tuple[str, ...]
    spans: Mapping[str, SourceSpan] = field(default_factory=dict, compare=False, repr=False)

    def __str__(self) -> str:
        """In a sentence on one of its features."""
        return f"a feature of {self.name} ({joined(self.features, 'or')})"


#: What a constraint names: a feature, or a group, which stands for any of its features.
Named: TypeAlias = str | Group


def features_of(named: Named) -> frozenset[str]:
    """The features that a name stands for."""
    return frozenset(named.features) if isinstance(named, Group) else frozenset({named})


def name_in_program(named: Named) -> str:
    """The name as the program writes it."""
    return named.name if isinstance(named, Group) else named


def group_numbers(features: Iterable[str], groups: Mapping[str, Group]) -> list[int]:
    """The number of each feature's group, by the first feature of each; a feature without a group
    is its own."""
    own = {feature: group.name for group in groups.values() for feature in group.features}
    numbers: dict[tuple[bool, str], int] = {}
    keys = [(f in own, own.get(f, f)) for f in features]
    return [numbers.setdefault(key, len(numbers)) for key in keys]
