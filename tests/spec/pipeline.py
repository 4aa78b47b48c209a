"""From text and a frame to the exact posterior, and from trees to the specification's keys."""

from __future__ import annotations

from typing import Any

from slp.columns import MISSING, Below, In, Is, IsMissing, Test
from slp.compile import compile_problem, compile_program
from slp.engines import infer
from slp.problem.problem import Problem
from slp.results.posterior import Posterior
from slp.source import SourceFile
from slp.trees import Leaf, Node, Split, Tree
from tests.operands import operand
from tests.spec.brute_force import TreeKey
from tests.spec.example import Concept, Groups


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
    own, test = node.test, operand(node.test)
    if isinstance(own, In):
        test = Groups(own.levels, own.others)
    if isinstance(own, Is) and own.under:
        test = Concept(own.level, own.under)
    if isinstance(own, Below) or (isinstance(own, Is) and not own.missing_level):
        test = test if own.missing is None else (test, own.missing)
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
    asked: Test
    if isinstance(test, Groups):
        asked = In(tuple(test.left), tuple(test.right))
    elif isinstance(test, Concept):
        asked = Is(test, side, under=tuple(sorted(test.levels)))
    elif isinstance(test, str):
        asked = IsMissing() if test == MISSING else Is(test, side)
    else:
        asked = Below(test, side)
    return Split(feature, asked, _node(left), _node(right))
