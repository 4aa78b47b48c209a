"""`TreeSum`: a draw of a sum of trees."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from slp.messages.numbers import number_text
from slp.trees.parts import Split
from slp.trees.tree import Tree


@dataclass(frozen=True)
class TreeSum:
    """A sum of trees: what it says of a row is `offset` plus, of each tree, the mean of the leaf
    that the row ends in. Of two classes this is the probit of the second one.

    Attributes
    ----------
    trees : the trees; the mean of a leaf is its value, what it adds.
    offset : what is added to the values.
    variance : of numbers, the variance of the noise; None for classes, and under a prior.
    """

    trees: tuple[Tree, ...] = field(repr=False)
    offset: float
    variance: float | None = None

    def __str__(self) -> str:
        return self.to_text()

    @property
    def n_leaves(self) -> int:
        """Number of leaves of all trees."""
        return sum(tree.n_leaves for tree in self.trees)

    @property
    def depth(self) -> int:
        """Splits on the longest path of any tree."""
        return max(tree.depth for tree in self.trees)

    def uses(self) -> Counter[str]:
        """How many splits of all trees are on each feature."""
        nodes = (node for tree in self.trees for node in tree.nodes())
        return Counter(node.feature for node in nodes if isinstance(node, Split))

    def without_outcomes(self) -> TreeSum:
        """The same splits, with leaves that say nothing."""
        bare = tuple(tree.without_outcomes() for tree in self.trees)
        return replace(self, trees=bare, variance=None)

    def to_text(self) -> str:
        """The offset, and each tree."""
        noise = "" if self.variance is None else f", noise of variance {self.variance:.6g}"
        head = f"{number_text(self.offset)} and {len(self.trees)} trees{noise}"
        return "\n\n".join([head, *(tree.to_text() for tree in self.trees)])

    def to_dict(self, *, predictive: bool = False) -> dict[str, Any]:
        """As JSON: `{"offset", "trees": [...]}`, each tree as `slp.Tree.to_dict` has it, with
        `"variance"` for numbers. `predictive` has no effect: values of leaves are what they
        predict."""
        told = {"offset": self.offset, "trees": [tree.to_dict() for tree in self.trees]}
        return told if self.variance is None else {**told, "variance": self.variance}
