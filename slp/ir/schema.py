"""What lowering may know of a table: its columns and two sizes, but no rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

__all__ = ["ANY_FEATURE", "MOST_LEAVES", "Schema"]

#: Stands for "any feature that the program does not mention" where there is no table.
ANY_FEATURE = "*"

#: Parameter that every program may use: the most leaves that a tree on the table can have.
MOST_LEAVES = "most_leaves"


@dataclass(frozen=True)
class Schema:
    """Feature columns in order (ignored ones left out), and how far trees can grow.

    `levels[f]` is None for a numeric feature. `most_leaves` is the largest number of leaves of a
    tree on the table (distinct rows, and rows over `min_leaf`), `most_cuts` the number of cuts of
    all features together, None where it is not known. `from_table` is False where the schema was
    derived from the program alone, to check or explain it.
    """

    features: tuple[str, ...]
    levels: tuple[tuple[str, ...] | None, ...]
    most_leaves: int
    from_table: bool = True
    most_cuts: int | None = None

    @property
    def most_splits(self) -> int:
        """No path of a tree has more: each split leaves a leaf aside, and takes its feature's cut
        from what is left."""
        most = max(self.most_leaves - 1, 0)
        return most if self.most_cuts is None else min(most, self.most_cuts)

    def with_features(self, names: Sequence[str]) -> Schema:
        """This schema with more features, numeric ones, after its own."""
        return replace(
            self, features=(*self.features, *names), levels=(*self.levels, *[None] * len(names))
        )
