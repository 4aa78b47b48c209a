"""What the specification works on: raw rows, boxes as lists of rows, trees as nested tuples."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

Value = float | str
Row = tuple[Value, ...]
#: `(feature, threshold or level, left, right)`, or `"leaf"`.
TreeKey = Any
FREE = (-math.inf, math.inf)


@dataclass(frozen=True)
class Example:
    """A raw table. `cuts[f]` are the cuts of a binned feature; categorical ones hold strings."""

    features: tuple[str, ...]
    rows: tuple[Row, ...]
    y: tuple[Any, ...]
    cuts: dict[str, tuple[float, ...]] = field(default_factory=dict)
    weights: tuple[float, ...] | None = None

    def weights_of(self, rows: tuple[int, ...]) -> list[float]:
        """The weights of rows, 1 unless they have some."""
        return [1.0 if self.weights is None else self.weights[r] for r in rows]

    def coded(self, f: int, x: Value) -> Value:
        """What a split can tell of a value: itself, or the number of cuts at or below it."""
        cuts = self.cuts.get(self.features[f])
        if cuts is None:
            return x
        assert not isinstance(x, str)
        return float(sum(c <= x for c in cuts))


@dataclass(frozen=True)
class Cut:
    """A structurally valid split: canonical test, gap, its length as a share of the feature's range
    in the table, and the rows (numbers) of both sides."""

    feature: int
    test: Value
    gap: float
    length: float
    left: tuple[int, ...]
    right: tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """Where a derivation has come to: rows, region of each feature, depth, features of the path."""

    rows: tuple[int, ...]
    region: dict[str, tuple[float, float]] = field(default_factory=dict)
    tested_levels: tuple[str, ...] = ()  # categorical features tested above
    depth: int = 0
    path: tuple[str, ...] = ()

    def bounds(self, feature: str) -> tuple[float, float]:
        return self.region.get(feature, FREE)


def goes_left(test: Value, x: Value) -> bool:
    """Whether `x < test`, or `x = test` for a level."""
    if isinstance(test, str) or isinstance(x, str):
        return x == test
    return x < test


def split_features(tree: TreeKey) -> list[str]:
    """Features of a tree's splits, one for each split."""
    return [] if tree == "leaf" else [tree[0], *split_features(tree[2]), *split_features(tree[3])]


def n_leaves(tree: TreeKey) -> int:
    """Number of leaves."""
    return 1 if tree == "leaf" else n_leaves(tree[2]) + n_leaves(tree[3])


def depth_of(tree: TreeKey) -> int:
    """Splits on the longest path."""
    return 0 if tree == "leaf" else 1 + max(depth_of(tree[2]), depth_of(tree[3]))
