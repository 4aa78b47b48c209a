"""Trees as text for a terminal and as Graphviz source.

A leaf shows its prediction and its rows: `leaf_text`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from slp.columns.names import name_text
from slp.leaves import Label, label_text
from slp.leaves.base import LEVEL
from slp.source import visible
from slp.trees.parts import Leaf, Node, Split
from slp.trees.tree import Tree

_UNICODE = ("├─ ", "└─ ", "│  ")
_ASCII = ("|- ", "`- ", "|  ")


def tree_to_text(tree: Tree, *, ascii: bool = False) -> str:
    """The tree as text, one line per node. Children are indented below their parent, `yes` (the
    test holds) first."""
    tee, corner, bar = _ASCII if ascii else _UNICODE
    lines: list[str] = []
    # The node, the prefix of its line, the prefix of its children's lines.
    stack: list[tuple[Node, str, str]] = [(tree.root, "", "")]
    while stack:
        node, lead, below = stack.pop()
        lines.append(lead + _node_text(node))
        if isinstance(node, Split):
            stack.append((node.right, f"{below}{corner}no: ", f"{below}   "))
            stack.append((node.left, f"{below}{tee}yes: ", f"{below}{bar}"))
    return "\n".join(lines)


def tree_to_dot(tree: Tree) -> str:
    """A digraph; nodes are numbered in preorder, edges say `yes` and `no`."""
    lines = ["digraph tree {", '  node [shape=box, fontname="sans-serif"];']
    # The node, the number of its parent, the label of the edge between them.
    stack: list[tuple[Node, int, str]] = [(tree.root, -1, "")]
    number = 0
    while stack:
        node, parent, edge = stack.pop()
        style = ", style=rounded" if isinstance(node, Leaf) else ""
        lines.append(f'  n{number} [label="{_quoted(_node_text(node))}"{style}];')
        if parent >= 0:
            lines.append(f'  n{parent} -> n{number} [label="{edge}"];')
        if isinstance(node, Split):
            stack += ((node.right, number, "no"), (node.left, number, "yes"))
        number += 1
    return "\n".join([*lines, "}"])


def condition_text(split: Split) -> str:
    """The test of a split: `age < 24`, `colour = red`; `age <= 23.5` if values are compared in 32
    bits, as in scikit-learn. Of two levels the text has both: `sex = f, else m`. With a side for
    missing values `age < 24 or missing` on the left one, `age < 24 and not missing` on the right
    one."""
    return split.test.condition(name_text(split.feature))


def _node_text(node: Node) -> str:
    return condition_text(node) if isinstance(node, Split) else leaf_text(node)


def leaf_text(leaf: Leaf) -> str:
    """The prediction of a leaf, if its model is known, and its rows.

    `no 0.98 (90 %: 0.95 to 1.00), 94 of 95`: the most probable class, its predictive probability
    with the interval of that, its rows and all rows, under a declared loss with `decide yes
    (expected loss 0.10), ` before it; `mean 35.4 (90 %: 33.1 to 37.8), 45 rows`; for
    counts `rate 2.3 (90 %: 1.9 to 2.8), 104 in 45 rows`, with exposures `104 in 61.5 (45 rows)`;
    for durations `median 6.4 (90 %: 4.9 to 9.7), 12 events in 73.1 (18 rows)`, without the interval
    where it has no closed form; for lines `1.2 + 0.5 * x1, mean 3.1 (90 %: 2.8 to 3.4), 45 rows`.
    The intervals are those of the probability, the mean, the rate and the median; of a line that of
    its height at the mean of the leaf's rows.
    """
    known = {} if leaf.predictive is None else leaf.predictive()
    if "probabilities" in known or "counts" in leaf.summary:
        return _classes_text(leaf.summary["counts"], known)
    rows = count_text(leaf.rows, "row")
    if "rate" in known:
        rate = _interval_text("rate", known["rate"], known["rate_interval"])
        if "exposure" in leaf.summary:
            rows = f"{leaf.summary['exposure']:.4g} ({rows})"
        return f"{rate}, {known['count']} in {rows}"
    if "events" in leaf.summary:
        return _duration_text(leaf.summary, known, rows)
    if "line" in leaf.summary:
        line = _line_text(leaf.summary["line"])
        if "mean" not in known:
            return f"{line}, {rows}"
        mean = _interval_text("mean", known["mean"], known["mean_interval"])
        return f"{line}, {mean}, {rows}"
    if "mean" in known and "mean_interval" not in known:
        return f"mean {known['mean']:.4g}, {rows}" if known["mean"] is not None else rows
    if "mean" in known:
        return f"{_interval_text('mean', known['mean'], known['mean_interval'])}, {rows}"
    if leaf.summary.get("mean") is not None:
        mean = f"mean {leaf.summary['mean']:.10g}"
        return f"{mean}, {rows}" if "n" in leaf.summary else mean
    return rows if "n" in leaf.summary else "leaf"


def _line_text(line: Mapping[str, Any]) -> str:
    """`1.2 + 0.5 * x1 - 3 * x2`, four digits each."""
    terms = [f"{line['intercept']:.4g}"]
    for name, slope in line["slopes"].items():
        terms.append(f"{'-' if slope < 0 else '+'} {abs(slope):.4g} * {visible(name)}")
    return " ".join(terms)


def _classes_text(counts: Mapping[Label, int], known: Mapping[str, Any]) -> str:
    probabilities: Mapping[Label, float] = known.get("probabilities", {})
    weights = probabilities or counts
    if not any(weights.values()):
        return "no rows"
    best = max(weights, key=lambda c: weights[c])
    total = sum(counts.values())
    rows = f"{_count(counts.get(best, 0))} of {_count(total)}" if total else "no rows"
    name = visible(label_text(best))
    if not probabilities:
        return f"{name} {rows}"
    low, high = known["intervals"][best]
    interval = f"({100 * LEVEL:.0f} %: {low:.2f} to {high:.2f})"
    shown = f"{name} {probabilities[best]:.2f} {interval}, {rows}"
    if "decision" not in known:
        return shown
    decision = visible(label_text(known["decision"]))
    return f"decide {decision} (expected loss {known['expected_loss']:.3g}), {shown}"


def _count(n: float) -> str:
    """Rows; those of soft trees are no whole numbers."""
    return str(n) if isinstance(n, int) else f"{n:.10g}"


def _duration_text(summary: Mapping[str, Any], known: Mapping[str, Any], rows: str) -> str:
    events = count_text(summary["events"], "event")
    if not known:
        return f"{events}, {rows}"
    middle = known["median"]
    if "median_interval" in known:
        median = _interval_text("median", middle, known["median_interval"])
    else:
        median = "median unknown" if middle is None else f"median {middle:.4g}"
    return f"{median}, {events} in {known['time']:.4g} ({rows})"


def _interval_text(name: str, value: float | None, ends: Sequence[float | None]) -> str:
    """`mean 35.4 (90 %: 33.1 to 37.8)`: three digits, or as many as the interval's width needs."""
    low, high = ends
    width = high - low if low is not None and high is not None else math.inf
    size = max(abs(value or low or 0.0), width / 2 if width < math.inf else 0.0)
    least = min(size / 100, width) or 0.01
    decimals = -math.floor(math.log10(least))
    shown = [_rounded(x, decimals) for x in (value, low, high)]
    return f"{name} {shown[0]} ({100 * LEVEL:.0f} %: {shown[1]} to {shown[2]})"


def _rounded(x: float | None, decimals: int) -> str:
    """A number with this number of digits after the point (before it, if negative); None is
    infinite."""
    if x is None:
        return "infinity"
    if decimals > 6 or abs(x) >= 1e7:
        return f"{x:.{max(3, math.floor(math.log10(abs(x) or 1)) + decimals + 1)}g}"
    return f"{x:.{max(0, decimals)}f}"


def count_text(count: float, noun: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{count:.10g} {noun}{'' if count == 1 else 's'}"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
