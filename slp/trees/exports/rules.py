"""Trees as rule lists: one rule for each leaf, what holds on the way to it and what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from slp.columns.names import SIDE_WORDS, name_text
from slp.errors import UsageError
from slp.messages.numbers import number_text
from slp.messages.tree_texts import NO_FORM_OF_RULES
from slp.trees.drawing import leaf_text
from slp.trees.parts import Leaf, Node, Split
from slp.trees.tree import RuleForm, Tree

_MARKS = re.compile(r"([\\`*_\[\]<>|~&$])")


def tree_to_rules(tree: Tree, form: RuleForm = "text") -> str:
    """The rules of a tree, from the left leaf to the right one: see `slp.Tree.to_rules`."""
    if form not in get_args(RuleForm):
        raise UsageError(NO_FORM_OF_RULES(given=form))
    rules = list(_rules(tree))
    if form == "text":
        return "\n".join(f"if {c}: {said}" if c else f"always: {said}" for c, said in rules)
    lines = [f"| {_marked(c or 'always')} | {_marked(said)} |" for c, said in rules]
    return "\n".join(["| if | then |", "| --- | --- |", *lines])


def trees_to_rules(trees: Sequence[Tree], weights: Sequence[float], form: RuleForm = "text") -> str:
    """The rules of an average of trees: those of each tree, behind its weight."""
    mark = "## " if form == "markdown" else ""
    parts = []
    for i, (tree, weight) in enumerate(zip(trees, weights, strict=True), start=1):
        heading = f"{mark}tree {i} of {len(trees)}, weight {number_text(weight)}"
        gap = "\n\n" if mark else "\n"
        parts.append(f"{heading}{gap}{tree_to_rules(tree, form)}")
    return "\n\n".join(parts)


def _rules(tree: Tree) -> Iterator[tuple[str, str]]:
    """Of each leaf what holds on the way to it, and what it says."""
    waiting: list[tuple[Node, _Way | None]] = [(tree.root, None)]
    while waiting:
        node, way = waiting.pop()
        if isinstance(node, Leaf):
            yield " and ".join(map(_in_brackets, _needed(way))), leaf_text(node)
            continue
        waiting += [(node.right, _Way(way, node, 1)), (node.left, _Way(way, node, 0))]


@dataclass(frozen=True)
class _Way:
    """A split on the way to a node, the side that is taken (0 left, 1 right), and what is above."""

    above: _Way | None
    split: Split
    side: int


def _needed(way: _Way | None) -> list[str]:
    """What the splits on a way say, in order, of thresholds with one side the tightest alone: of
    those that say the same of missing values."""
    found: dict[object, tuple[float, str]] = {}
    steps: list[_Way] = []
    while way is not None:
        steps.append(way)
        way = way.above
    for step in reversed(steps):
        test = step.split.test
        text = test.sides(name_text(step.split.feature))[step.side]
        if test.number is None:
            found[text] = 0.0, text
            continue
        key = step.split.feature, step.side, test.missing
        tightness = test.number if step.side else -test.number
        if key not in found or found[key][0] < tightness:
            found[key] = tightness, text
    return [text for _, text in found.values()]


def _in_brackets(condition: str) -> str:
    return f"({condition})" if condition.endswith(SIDE_WORDS["left"]) else condition


def _marked(text: str) -> str:
    return _MARKS.sub(r"\\\1", text)
