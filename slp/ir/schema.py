"""What lowering knows of a table: its columns and two sizes, but no rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

#: Stands for any feature that the program does not mention, if there is no table.
ANY_FEATURE = "*"

#: The parameter with the largest number of leaves of a tree on the table. Every program may use it.
MOST_LEAVES = "most_leaves"

#: A soft tree has at most so many leaves.
MOST_SOFT_LEAVES = 1001

#: The value of `most_leaves` without a table.
SOME_LEAVES = 8


#: What a test of a categorical feature names: a level, or by subsets the levels on the left side.
Level: TypeAlias = str | tuple[str, ...]


@dataclass(frozen=True)
class Schema:
    """Feature columns in order (without ignored ones), and how far trees can grow.

    `levels[f]` is None for a numeric feature. `most_leaves` is the largest number of leaves of a
    tree on the table; the distinct rows and `min_leaf` limit it. `most_cuts` is the number of cuts
    of all features together, None if it is unknown. `holes` are the features with missing values
    that take a side. `loses` tells whether splits of some feature are left out, and fail.
    `from_table` is False if the schema was derived from the program alone, to check or explain it.
    """

    features: tuple[str, ...]
    levels: tuple[tuple[Level, ...] | None, ...]
    most_leaves: int
    from_table: bool = True
    most_cuts: int | None = None
    holes: frozenset[str] = frozenset()
    loses: bool = False

    @cached_property
    def beside_thresholds(self) -> frozenset[str]:
        """The features of numbers with a test that is on no threshold, for missing values."""
        levels = zip(self.features, self.levels, strict=True)
        return self.holes & {name for name, own in levels if own is None}

    @property
    def most_splits(self) -> int:
        """The largest number of splits on a path. Each split leaves a leaf on its other side, and
        uses up a cut."""
        most = max(self.most_leaves - 1, 0)
        return most if self.most_cuts is None else min(most, self.most_cuts)

    def with_features(self, names: Sequence[str]) -> Schema:
        """This schema with additional numeric features after its own."""
        return replace(
            self, features=(*self.features, *names), levels=(*self.levels, *[None] * len(names))
        )
