"""What the specification works on: raw rows, boxes as lists of rows, trees as nested tuples."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from slp.columns import MISSING

Value = float | str
#: A test; with the side of rows that miss the value, where such rows take one.
Test = Value | tuple[Value, str]
Row = tuple[Value, ...]
#: `(feature, threshold or level, left, right)`, or `"leaf"`.
TreeKey = Any
FREE = (-math.inf, math.inf)


class Groups(str):
    """A test by subsets: the levels on the left side and those on the right one."""

    left: tuple[str, ...]
    right: tuple[str, ...]

    def __new__(cls, left: Iterable[str], right: Iterable[str]) -> Groups:
        sides = [tuple(side) for side in (left, right)]
        own = super().__new__(cls, " / ".join("|".join(sorted(side)) for side in sides))
        own.left, own.right = sides
        return own


class Concept(str):
    """A test on a concept: its name, and all levels that it is known to have."""

    levels: frozenset[str]

    def __new__(cls, name: str, levels: Iterable[str]) -> Concept:
        own = super().__new__(cls, name)
        own.levels = frozenset(levels)
        return own

    def __getnewargs__(self) -> tuple[str, frozenset[str]]:
        """For copies."""
        return str(self), self.levels


@dataclass(frozen=True)
class Example:
    """A raw table. `cuts[f]` are the cuts of a binned feature; categorical ones hold strings."""

    features: tuple[str, ...]
    rows: tuple[Row, ...]
    y: tuple[Any, ...]
    cuts: dict[str, tuple[float, ...]] = field(default_factory=dict)
    weights: tuple[float, ...] | None = None
    sided: frozenset[str] = frozenset()  # features whose missing values take a side
    lines: tuple[str, ...] = ()  # features of the lines in leaves
    averaged: frozenset[str] = frozenset()  # and new rows both sides, where no row missed it
    refused: frozenset[str] = frozenset()  # features of which new levels are errors
    parted: frozenset[str] = frozenset()  # features whose splits are by subsets of levels
    larger: frozenset[str] = frozenset()  # and new rows the larger side, where no row has the level
    ordered: bool = False  # whether splits by subsets are in the order of the response, of classes
    above: dict[str, dict[str, str]] = field(default_factory=dict)  # concepts of levels, by feature

    def weights_of(self, rows: tuple[int, ...]) -> list[float]:
        """The weights of rows, 1 unless they have some."""
        return [1.0 if self.weights is None else self.weights[r] for r in rows]

    def coded(self, f: int, x: Value) -> Value:
        """What a split can tell of a value: itself, or the number of cuts at or below it."""
        cuts = self.cuts.get(self.features[f])
        if cuts is None or self.misses(f, x):
            return x
        assert not isinstance(x, str)
        return float(sum(c <= x for c in cuts))

    def misses(self, f: int, x: Value) -> bool:
        """Whether a value is missing and takes a side."""
        return self.features[f] in self.sided and x == MISSING

    def untold(self, f: int, test: Test, x: Value) -> bool:
        """Whether a test does not say the side of a value."""
        if isinstance(test, Groups):
            return x not in (*test.left, *test.right)
        return self.misses(f, x) and not isinstance(test, tuple) and test != MISSING


@dataclass(frozen=True)
class Cut:
    """A structurally valid split: canonical test, gap, its length as a share of the feature's range
    in the table, and the rows (numbers) of both sides."""

    feature: int
    test: Test
    gap: Fraction
    length: Fraction | None  # None where the feature has no range
    left: tuple[int, ...]
    right: tuple[int, ...]
    ends: tuple[float, float] | None = None  # of the interval of its thresholds
    share: Fraction | None = None  # of its feature, where the feature's other cuts do not matter

    @property
    def plain(self) -> Value:
        """The test without the side of missing values."""
        return self.test[0] if isinstance(self.test, tuple) else self.test

    @property
    def name(self) -> tuple[int, Value]:
        """What the versions of a cut have in common."""
        return self.feature, self.plain


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


def goes_left(test: Test, x: Value) -> bool:
    """Whether `x < test`, or `x = test` for a level; a missing value to the side of the test."""
    if isinstance(test, tuple):
        return test[1] == "left" if x == MISSING else goes_left(test[0], x)
    if isinstance(test, Groups):
        return x in test.left
    if isinstance(test, Concept):
        return x in test.levels
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
