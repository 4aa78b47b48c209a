"""Trees as text for a terminal and as Graphviz source.

A leaf shows its rows by class (or their mean) and its share of all rows in the tree.
"""

from __future__ import annotations

from typing import Any

from slp.trees.regions import number_text
from slp.trees.thresholds import bound_in_32_bits
from slp.trees.tree import Leaf, Node, Split, Tree

__all__ = ["condition_text", "tree_to_dot", "tree_to_text"]

_UNICODE = ("├─ ", "└─ ", "│  ")
_ASCII = ("|- ", "`- ", "|  ")


def tree_to_text(tree: Tree, *, ascii: bool = False) -> str:
    """One line a node, children indented below their parent, `yes` (the test holds) first."""
    tee, corner, bar = _ASCII if ascii else _UNICODE
    total = sum(_rows(leaf) for leaf in tree.leaves())
    lines: list[str] = []
    # Node, what leads its line, what leads its children's.
    stack: list[tuple[Node, str, str]] = [(tree.root, "", "")]
    while stack:
        node, lead, below = stack.pop()
        lines.append(lead + _node_text(node, total))
        if isinstance(node, Split):
            stack.append((node.right, f"{below}{corner}no: ", f"{below}   "))
            stack.append((node.left, f"{below}{tee}yes: ", f"{below}{bar}"))
    return "\n".join(lines)


def tree_to_dot(tree: Tree) -> str:
    """A digraph; nodes are numbered in preorder, edges say `yes` and `no`."""
    total = sum(_rows(leaf) for leaf in tree.leaves())
    lines = ["digraph tree {", '  node [shape=box, fontname="sans-serif"];']
    # Node, number of its parent, label of the edge between.
    stack: list[tuple[Node, int, str]] = [(tree.root, -1, "")]
    number = 0
    while stack:
        node, parent, edge = stack.pop()
        style = ", style=rounded" if isinstance(node, Leaf) else ""
        lines.append(f'  n{number} [label="{_quoted(_node_text(node, total))}"{style}];')
        if parent >= 0:
            lines.append(f'  n{parent} -> n{number} [label="{edge}"];')
        if isinstance(node, Split):
            stack += ((node.right, number, "no"), (node.left, number, "yes"))
        number += 1
    return "\n".join([*lines, "}"])


def condition_text(split: Split) -> str:
    """The test of a split: `age < 24`, `colour = red`; where values are compared in 32 bits
    `age <= 23.5`, as scikit-learn has it."""
    if split.level is not None:
        return f"{_one_line(split.feature)} = {_one_line(split.level)}"
    assert split.threshold is not None
    bound = bound_in_32_bits(split.threshold)
    test = f"< {number_text(split.threshold)}" if bound is None else f"<= {number_text(bound)}"
    return f"{_one_line(split.feature)} {test}"


def _node_text(node: Node, total: float) -> str:
    if isinstance(node, Split):
        return condition_text(node)
    share = f" ({_rows(node) / total:.0%} of rows)" if total and _rows(node) else ""
    return f"{_summary_text(node.summary)}{share}"


def _summary_text(summary: Any) -> str:
    counts = summary.get("counts")
    if counts is not None:
        present = sorted((c for c in counts if counts[c]), key=lambda c: -counts[c])
        return ", ".join(f"{_one_line(c)} {number_text(counts[c])}" for c in present) or "no rows"
    parts = []
    if summary.get("mean") is not None:
        parts.append(f"mean {number_text(summary['mean'])}")
    if "n" in summary:
        parts.append(f"n {number_text(summary['n'])}")
    return ", ".join(parts) or "leaf"


def _rows(leaf: Leaf) -> float:
    """Rows in a leaf as its summary has them, 0 where it says nothing."""
    counts = leaf.summary.get("counts")
    if counts is not None:
        return float(sum(counts.values()))
    return float(leaf.summary.get("n", 0))


def _one_line(name: str) -> str:
    """A column name or level with line breaks and control characters spelled out."""
    return name if name.isprintable() else repr(name)[1:-1]


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
