"""`SoftTree`: a decision tree that sends each row both ways at every split.

At a split a row goes left with probability logistic((threshold - x) / width), where x is the sum of
weight * value over the split's features: one feature with weight 1 (HMC-DF), or all of them
(HMC-DFI). Thresholds, weights and widths are in the units of the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.columns import Below
from slp.data.conversion import as_numbers, type_by_thresholds
from slp.data.faults import check_usable, read_numbers
from slp.data.frames import frame_of
from slp.errors import DataError, UsageError
from slp.leaves import Label, label_text
from slp.messages.cells import MISSING_VALUES, TEXT_TO_PREDICT
from slp.messages.new_rows import OTHER_TYPE_THAN_TESTS
from slp.messages.numbers import number_text
from slp.messages.soft_trees import (
    PREDICTS_CLASSES,
    PREDICTS_NOTHING,
    PREDICTS_NUMBERS,
    SPLIT_ON_ALL,
)
from slp.messages.trees import TREE_COLUMN_MISSING
from slp.trees.parts import Leaf, Node, Split
from slp.trees.tree import Tree


@dataclass(frozen=True)
class SoftSplit:
    """A split: features with their weights, threshold, and the width of its gate."""

    weights: tuple[tuple[str, float], ...]
    threshold: float
    width: float

    @property
    def feature(self) -> str:
        """The feature with the largest weight."""
        return max(self.weights, key=lambda pair: pair[1])[0]


@dataclass(frozen=True)
class SoftLeaf:
    """A leaf. Of classes: the soft counts of the table's rows and the probabilities that it
    predicts, by class. Of numbers: its mean. All None under a prior."""

    counts: tuple[tuple[Label, float], ...] | None = None
    probabilities: tuple[float, ...] | None = None
    mean: float | None = None


SoftNode: TypeAlias = SoftSplit | SoftLeaf


@dataclass(frozen=True)
class SoftTree:
    """A soft tree.

    Attributes
    ----------
    nodes : in preorder, left before right.
    variance : of numbers, the variance about the mean that the tree predicts; None for classes.
    """

    nodes: tuple[SoftNode, ...] = field(repr=False)
    variance: float | None = None

    def __str__(self) -> str:
        return self.to_text()

    @property
    def splits(self) -> tuple[SoftSplit, ...]:
        """The splits in preorder."""
        return tuple(node for node in self.nodes if isinstance(node, SoftSplit))

    @property
    def features(self) -> tuple[str, ...]:
        """The features of the splits in preorder, as `SoftSplit.feature` has them."""
        return tuple(split.feature for split in self.splits)

    def leaves(self) -> tuple[SoftLeaf, ...]:
        """The leaves in preorder."""
        return tuple(node for node in self.nodes if isinstance(node, SoftLeaf))

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.nodes) // 2 + 1

    @property
    def depth(self) -> int:
        """Splits on the longest path."""
        return max(depth for depth, _ in self._with_depth())

    def _with_depth(self) -> Iterator[tuple[int, str]]:
        """Depth of each node in preorder, and its side."""
        waiting = [(0, "root")]
        for node in self.nodes:
            depth, side = waiting.pop()
            yield depth, side
            if isinstance(node, SoftSplit):
                waiting += [(depth + 1, "right"), (depth + 1, "left")]

    # --- predictions ---------------------------------------------------------------------------

    def reach(self, columns: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """The probability that each row reaches each leaf, shape (m, K); `columns` has the values
        of each feature, shape (m,)."""
        size = len(next(iter(columns.values())))
        waiting, out = [np.ones(size)], []
        for node in self.nodes:
            reached = waiting.pop()
            if isinstance(node, SoftLeaf):
                out.append(reached)
                continue
            x = sum(weight * columns[name] for name, weight in node.weights)
            t = (node.threshold - np.asarray(x)) / node.width
            small = np.exp(-np.abs(t)) / (1 + np.exp(-np.abs(t)))
            left = np.where(t < 0, small, 1 - small)
            right = np.where(t < 0, 1 - small, small)
            waiting += [reached * right, reached * left]
        return np.stack(out, axis=1)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities of rows, shape (m, C), in the order of the leaves' counts. `X` is a
        frame with the tree's features by name, or an array (columns `x0`, `x1`, ...).

        Raises
        ------
        UsageError
            E546: the tree predicts numbers, or is of a prior.
        """
        values = [leaf.probabilities for leaf in self.leaves()]
        if any(value is None for value in values):
            raise UsageError(PREDICTS_NOTHING() if self.variance is None else PREDICTS_NUMBERS())
        return self.reach(_columns(X, self)) @ np.array(values, np.float64)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The mean of the number of each row, shape (m,).

        Raises
        ------
        UsageError
            E546: the tree predicts classes, or is of a prior.
        """
        leaves = self.leaves()
        values = [leaf.mean for leaf in leaves]
        if any(value is None for value in values):
            of_classes = leaves[0].counts is not None
            raise UsageError(PREDICTS_CLASSES() if of_classes else PREDICTS_NOTHING())
        return self.reach(_columns(X, self)) @ np.array(values, np.float64)

    def without_outcomes(self) -> SoftTree:
        """The same splits, with leaves that say nothing."""
        nodes = tuple(n if isinstance(n, SoftSplit) else SoftLeaf() for n in self.nodes)
        return replace(self, nodes=nodes, variance=None)

    def hardened(self) -> Tree:
        """The tree of the same splits that sends each row one way. Of classes its leaves say
        nothing, as other rows reach them. Of numbers they keep their means and the tree's variance.
        `Posterior.log_likelihood` tells its likelihood.

        Raises
        ------
        UsageError
            E546: splits are on all features (`index="soft"`).
        """
        if any(split.weights != ((split.feature, 1.0),) for split in self.splits):
            raise UsageError(SPLIT_ON_ALL())
        return self._hard_splits(keep=self.variance is not None)

    def skeleton(self) -> Tree:
        """Its topology, with the feature of the largest weight at each split: what constraints look
        at."""
        return self._hard_splits(keep=False)

    def _hard_splits(self, keep: bool) -> Tree:
        """Hard splits, with leaves that keep their means and the variance, or say nothing."""
        done: list[Node] = []
        for node in reversed(self.nodes):  # right sides before left ones
            if isinstance(node, SoftLeaf):
                known = {"mean": node.mean, "variance": self.variance} if keep else {}
                done.append(Leaf(known))
                continue
            left, right = done.pop(), done.pop()
            done.append(Split(node.feature, Below(node.threshold), left, right))
        return Tree(done.pop())

    def as_tree(self) -> Tree:
        """A tree to draw: a test `x ± width < threshold` stands for a gate, and a leaf has its soft
        counts, to one digit behind the point, or its mean. Of a test on all features it shows the
        one with the largest weight. It sends no rows."""
        done: list[Node] = []
        for node in reversed(self.nodes):
            if isinstance(node, SoftSplit):
                left, right = done.pop(), done.pop()
                name = f"{_terms(node, 1)} \N{PLUS-MINUS SIGN} {node.width:.3g}"
                done.append(Split(name, Below(node.threshold), left, right))
            elif node.counts is not None:
                done.append(Leaf({"counts": {label: round(n, 1) for label, n in node.counts}}))
            else:
                done.append(Leaf({} if node.mean is None else {"mean": node.mean}))
        return Tree(done.pop())

    # --- text and JSON -------------------------------------------------------------------------

    def to_text(self) -> str:
        """One line for each node, children indented below their parent, the left side first."""
        sides = {"root": "", "left": "left: ", "right": "right: "}
        places = zip(self.nodes, self._with_depth(), strict=True)
        return "\n".join("   " * d + sides[side] + _words(n) for n, (d, side) in places)

    def to_dict(self, *, predictive: bool = False) -> dict[str, Any]:
        """As JSON. A split is `{"feature", "threshold", "width", "left", "right"}`, with
        `"weights"` in place of `"feature"` where it is on several; a leaf has `"counts"` and
        `"probabilities"`, or `"mean"`. The root has `"variance"` for numbers. `predictive` has no
        effect: leaves always say what they predict."""
        done: list[dict[str, Any]] = []
        for node in reversed(self.nodes):
            done.append(_leaf_to_dict(node) if isinstance(node, SoftLeaf) else {})
            if isinstance(node, SoftSplit):
                out, left, right = done.pop(), done.pop(), done.pop()
                one = len(node.weights) == 1 and node.weights[0][1] == 1.0
                out |= {"feature": node.feature} if one else {"weights": dict(node.weights)}
                out |= {"threshold": node.threshold, "width": node.width}
                done.append(out | {"left": left, "right": right})
        root = done.pop()
        return root if self.variance is None else {**root, "variance": self.variance}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], classes: Sequence[Label] = ()) -> SoftTree:
        """The tree that `to_dict` wrote. Classes are texts there, and here too, unless `classes`
        lists them."""
        labels = {label_text(label): label for label in classes}
        nodes: list[SoftNode] = []
        waiting = [data]
        while waiting:
            node = waiting.pop()
            if "left" not in node:
                nodes.append(_leaf_from_dict(node, labels))
                continue
            weights = node.get("weights") or {node["feature"]: 1.0}
            nodes.append(SoftSplit(tuple(weights.items()), node["threshold"], node["width"]))
            waiting += [node["right"], node["left"]]
        return cls(tuple(nodes), data.get("variance"))

    def uses(self) -> Counter[str]:
        """How many splits are on each feature; one on several counts for that with the largest
        weight."""
        return Counter(split.feature for split in self.splits)


def _columns(X: Any, tree: SoftTree) -> dict[str, NDArray[np.float64]]:
    """The columns of numbers, and those of the tree's tests as numbers."""
    columns = {c.name: c for c in frame_of(X).columns}
    out = {n: np.asarray(c.cells, np.float64) for n, c in columns.items() if c.numeric}
    tests: dict[str, list[float]] = {}
    for split in tree.splits:
        for name, _ in split.weights:
            tests.setdefault(name, []).append(split.threshold)
    for name, thresholds in tests.items():
        if name not in columns:
            raise DataError(TREE_COLUMN_MISSING(feature=name, columns=", ".join(columns)))
        fitted = type_by_thresholds(thresholds)
        column = as_numbers(columns[name], fitted, OTHER_TYPE_THAN_TESTS)
        check_usable(column, MISSING_VALUES)
        out[name] = read_numbers(column, TEXT_TO_PREDICT)
    return out


def _terms(split: SoftSplit, most: int | None = None) -> str:
    """The sum that a split compares; at most so many terms, those with the largest weights."""
    pairs = list(split.weights)
    if most is not None and len(pairs) > most:
        pairs = sorted(pairs, key=lambda pair: -pair[1])[:most]
    terms = [name if weight == 1.0 else f"{weight:.3g} {name}" for name, weight in pairs]
    return " + ".join([*terms, "..."] if len(pairs) < len(split.weights) else terms)


def _words(node: SoftNode) -> str:
    if isinstance(node, SoftSplit):
        return f"{_terms(node)} < {number_text(node.threshold)} +- {node.width:.3g}"
    if node.counts is not None and node.probabilities is not None:
        pairs = zip(node.counts, node.probabilities, strict=True)
        shares = ", ".join(f"{label_text(label)} {p:.3f}" for (label, _), p in pairs)
        return f"{shares} ({sum(n for _, n in node.counts):.1f} rows)"
    return "leaf" if node.mean is None else f"mean {node.mean:.6g}"


def _leaf_to_dict(leaf: SoftLeaf) -> dict[str, Any]:
    if leaf.counts is not None and leaf.probabilities is not None:
        names = [label_text(label) for label, _ in leaf.counts]
        counts = {name: n for name, (_, n) in zip(names, leaf.counts, strict=True)}
        shares = dict(zip(names, leaf.probabilities, strict=True))
        return {"counts": counts, "probabilities": shares}
    return {} if leaf.mean is None else {"mean": leaf.mean}


def _leaf_from_dict(data: Mapping[str, Any], labels: Mapping[str, Label]) -> SoftLeaf:
    if "counts" in data:
        counts = tuple((labels.get(name, name), n) for name, n in data["counts"].items())
        return SoftLeaf(counts, tuple(data["probabilities"].values()))
    return SoftLeaf(mean=data.get("mean"))
