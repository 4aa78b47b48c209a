"""From text and a frame to the exact posterior, and from trees to the specification's keys."""

from __future__ import annotations

from typing import Any

from slp.compile import compile_problem, compile_program
from slp.engines import infer
from slp.ir.quantity import IS_MISSING, MISSING, LevelOrMissing, OneOf, Quantity, SidedLevel
from slp.problem.problem import Problem
from slp.results.posterior import Posterior
from slp.source import SourceFile
from slp.trees import Leaf, Node, Split, Tree
from tests.spec.brute_force import TreeKey
from tests.spec.example import Groups


def compiled(text: str, frame: Any, y: Any = None) -> Problem:
    """Program text and table, checked and lowered."""
    return compile_problem(compile_program(SourceFile("test.slp", text)), frame, y)


def exact(text: str, frame: Any, *, likelihood: bool = True, **options: Any) -> Posterior:
    """The exact posterior of a program on a frame; the prior on it without `likelihood`."""
    model = compiled(text, frame)
    options = {"engine": "exact", "seed": 1, "draws": 0, **options}
    return infer(model, likelihood=likelihood, **options)


def key_of(tree: Tree) -> TreeKey:
    """A tree as the specification writes it."""
    return _key(tree.root)


def _key(node: Node) -> TreeKey:
    if isinstance(node, Leaf):
        return "leaf"
    test: Any = node.threshold if node.level is None else str(node.level)
    if isinstance(node.level, OneOf):
        test = Groups(node.level.levels, node.level.others)
    if node.missing is not None and not isinstance(node.level, LevelOrMissing):
        test = (float(test) if node.level is None else test, node.missing)
    return (node.feature, test, _key(node.left), _key(node.right))


def tree_of(key: TreeKey) -> Tree:
    """The tree that a key of the specification stands for."""
    return Tree(_node(key))


def _node(key: TreeKey) -> Node:
    if key == "leaf":
        return Leaf()
    feature, test, left, right = key
    side = None
    if isinstance(test, tuple):
        test, side = test
    threshold: float | None = None
    level: str | None = None
    if isinstance(test, str):
        level = test if side is None else SidedLevel(test, side)
        level = IS_MISSING if test == MISSING else level
        if isinstance(test, Groups):
            level = OneOf(test.left, test.right)
    else:
        threshold = test if side is None else Quantity(test, missing=side)
    return Split(feature, threshold, level, _node(left), _node(right))
