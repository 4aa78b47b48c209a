"""`TreeLater`: a tree of a run, whose nodes are made when something first asks for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from slp.trees.parts import Node
from slp.trees.tree import Tree


class TreeLater(Tree):
    """A tree like any other, that knows how to make its nodes. Runs draw thousands of trees, of
    which few are looked at.

    `make` gives the root, the same one whenever it is called.
    """

    _make: Callable[[], Node]

    def __init__(self, make: Callable[[], Node]) -> None:
        object.__setattr__(self, "_make", make)

    @cached_property
    def root(self) -> Node:
        """See `Tree`."""
        return self._make()

    def without_outcomes(self) -> Tree:
        """See `Tree`: later, and the same one whenever it is asked for."""
        return self._without_outcomes

    @cached_property
    def _without_outcomes(self) -> Tree:
        return TreeLater(lambda: Tree(self._make()).without_outcomes().root)

    def __reduce__(self) -> tuple[type[Tree], tuple[Any, ...]]:
        """To be pickled or copied: as a tree."""
        return Tree, (self.root,)
