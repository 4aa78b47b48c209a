"""`Tree`: one decision tree, as people and files see it (JSON of DESIGN 7), apart from every engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

__all__ = ["Leaf", "Node", "Split", "Tree"]


@dataclass(frozen=True)
class Leaf:
    """A leaf; `summary` is `{"counts": {...}}` or `{"n": .., "mean": ..}`, {} where unknown."""

    summary: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Split:
    """An inner node. Exactly one of `threshold` (feature < threshold goes left) and `level`
    (feature = level goes left) is not None."""

    feature: str
    threshold: float | None
    level: str | None
    left: Node
    right: Node


Node: TypeAlias = Leaf | Split


@dataclass(frozen=True)
class Tree:
    """A decision tree."""

    root: Node
