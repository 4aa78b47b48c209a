"""What goals ask of one tree, or of a part of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from slp.columns import Test
from slp.trees import Leaf, Split
from slp.trees.parts import Node


class TreeFacts:
    """The facts of a tree whose root is this node.

    Attributes
    ----------
    features : those that it splits on, each once, in preorder.
    above : pairs (f, g) of features: a split on g stands somewhere below one on f.
    splits : feature and test of every split, in preorder.
    n_leaves, depth : numbers of leaves, and of splits on the longest path.
    """

    def __init__(self, root: Node) -> None:
        self.root = root
        self.splits: list[tuple[str, Test]] = []
        self.n_leaves = self.depth = 0
        above: dict[tuple[str, str], None] = {}
        waiting: list[tuple[Node, int, frozenset[str]]] = [(root, 0, frozenset())]
        while waiting:
            node, depth, over = waiting.pop()
            if isinstance(node, Leaf):
                self.n_leaves += 1
                self.depth = max(self.depth, depth)
                continue
            self.splits.append(node.asked)
            above.update(dict.fromkeys((f, node.feature) for f in sorted(over)))
            over |= {node.feature}
            waiting += ((node.right, depth + 1, over), (node.left, depth + 1, over))
        self.above = tuple(above)
        self.features = tuple(dict.fromkeys(f for f, _ in self.splits))

    def shares(self, left: Callable[[Split], float]) -> Iterator[tuple[Leaf, float]]:
        """The leaves that a row ends in, with its share in each; `left` is the share that a split
        sends left."""
        waiting: list[tuple[Node, float]] = [(self.root, 1.0)]
        while waiting:
            node, share = waiting.pop()
            if isinstance(node, Leaf):
                yield node, share
                continue
            own = left(node)
            if own < 1:
                waiting.append((node.right, share * (1 - own)))
            if own > 0:
                waiting.append((node.left, share * own))

    def rows_below(self, node: Node) -> float:
        """The weight of the table's rows in a part of the tree."""
        return self._rows[id(node)]

    @cached_property
    def _rows(self) -> dict[int, float]:
        nodes: list[Node] = []
        waiting: list[Node] = [self.root]
        while waiting:
            node = waiting.pop()
            nodes.append(node)
            if isinstance(node, Split):
                waiting += (node.left, node.right)
        found: dict[int, float] = {}
        for node in reversed(nodes):
            if isinstance(node, Leaf):
                found[id(node)] = float(node.rows)
            else:
                found[id(node)] = found[id(node.left)] + found[id(node.right)]
        return found
