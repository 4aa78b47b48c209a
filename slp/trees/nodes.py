"""`TreeNode`: a node with its split, the argument of predicates on nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from slp.leaves import Label, label_text
from slp.trees.drawing import condition_text
from slp.trees.parts import Leaf, Place, Split
from slp.trees.tree import Tree


@dataclass(frozen=True)
class TreeNode:
    """A node, and the decision there: whether it splits, and how.

    Attributes
    ----------
    depth : number of splits above it.
    rows : number of the table's rows in it, with repeats.
    summary : `{"counts": {class: rows}}` or `{"n": .., "mean": ..}` of these rows.
    split : the split, None at a leaf.
    """

    depth: int
    rows: int
    summary: Mapping[str, Any]
    split: Split | None

    @property
    def is_leaf(self) -> bool:
        """Whether it does not split."""
        return self.split is None

    @property
    def counts(self) -> Mapping[Label, int]:
        """Rows of each class that has any; empty if the response is a number."""
        counts: Mapping[Label, int] = self.summary.get("counts", {})
        return counts

    @property
    def mean(self) -> float | None:
        """Mean of a numeric response, None of classes."""
        return self.summary.get("mean")

    @property
    def feature(self) -> str | None:
        """The feature that it splits on, None at a leaf."""
        return None if self.split is None else self.split.feature

    @property
    def threshold(self) -> float | str | None:
        """The threshold of its split, of an ordinal feature a level; None at a leaf or where a
        level is tested."""
        return None if self.split is None else self.split.threshold

    @property
    def level(self) -> str | tuple[str, ...] | None:
        """The level that its split tests, by subsets the levels on the left side, `missing` of the
        test for missing values; None at a leaf or where a threshold is tested."""
        return None if self.split is None else self.split.level

    def __str__(self) -> str:
        what = "a leaf" if self.split is None else f"split by {condition_text(self.split)}"
        listed = ", ".join(f"{label_text(outcome)} {n}" for outcome, n in self.counts.items())
        return f"depth {self.depth}, {self.rows} rows{f' ({listed})' if listed else ''}, {what}"


def nodes_of_tree(tree: Tree) -> Iterator[tuple[Place, TreeNode | None]]:
    """Every node in reversed preorder; None if the leaves below it have no row counts."""
    done: list[Mapping[str, Any]] = []
    for place in reversed(list(tree.places())):
        node = place.node
        if isinstance(node, Leaf):
            done.append(node.summary)
        else:
            done.append(_joined(done.pop(), done.pop()))
        summary = done[-1]
        rows = rows_of(summary)
        split = node if isinstance(node, Split) else None
        known = None if rows is None else TreeNode(place.depth, rows, summary, split)
        yield place, known


def rows_of(summary: Mapping[str, Any]) -> int | None:
    """Rows in a leaf as its summary has them; None if it does not say."""
    counts = summary.get("counts")
    return summary.get("n") if counts is None else sum(counts.values())


def _joined(a: Mapping[str, Any], b: Mapping[str, Any]) -> Mapping[str, Any]:
    """The summary of two leaves' rows together, {} if it cannot be told."""
    if "counts" in a and "counts" in b:
        both = {**a["counts"], **b["counts"]}
        return {"counts": {c: a["counts"].get(c, 0) + b["counts"].get(c, 0) for c in both}}
    if not ("n" in a and "n" in b):
        return {}
    n = a["n"] + b["n"]
    total = sum(x["n"] * (x["mean"] or 0.0) for x in (a, b))
    return {"n": n, "mean": total / n if n else None}
