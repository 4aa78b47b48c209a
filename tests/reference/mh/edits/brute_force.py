"""The prior `edittree` from its definition, on finished trees and rows of values, with no code of
the engine: all trees that edits lead to, the Markov chain of edits, and its exact solution.

With M[i, j] the probability that an edit of tree i gives tree j (a row of zeros where no kind
applies) and s[i] the probability to stop at i (1 - p, or 1 where no kind applies), the prior is

    P = e0 (I - p M)^-1 diag(s).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slp.columns import Below, Is
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.trees import Leaf, Node, Split, Tree
from slp.trees.parts import Asked
from tests.operands import operand

Row = tuple[float | str, ...]
Rows = tuple[int, ...]


@dataclass
class Definition:
    """A table by its values, and the settings of the prior. `rows` are distinct, row i stands for
    `counts[i]` rows of the data."""

    names: list[str]
    rows: list[Row]
    counts: list[int]
    features: list[Feature]
    measure: str = "feature_then_cut"
    weights: Sequence[float] = ()
    min_leaf: int = 1
    max_depth: int | None = None

    @classmethod
    def of(cls, table: Table, **settings: object) -> Definition:
        rows = []
        for codes in table.codes.tolist():
            rows.append(tuple(value_of(f, c) for f, c in zip(table.features, codes, strict=True)))
        names = [f.name for f in table.features]
        return cls(names, rows, table.counts.tolist(), list(table.features), **settings)  # type: ignore[arg-type]

    # --- splits ----------------------------------------------------------------------------

    def left(self, asked: Asked, rows: Rows) -> Rows:
        name, test = asked
        j, at = self.names.index(name), operand(test)
        if isinstance(test, Is):
            return tuple(i for i in rows if self.rows[i][j] == at)
        return tuple(i for i in rows if self.rows[i][j] < at)

    def size(self, rows: Rows) -> int:
        return sum(self.counts[i] for i in rows)

    def tests(self, rows: Rows) -> list[tuple[Asked, float]]:
        """Canonical tests of the valid splits of rows, each with its gap."""
        out: list[tuple[Asked, float]] = []
        for j, feature in enumerate(self.features):
            values = sorted({self.rows[i][j] for i in rows})  # type: ignore[type-var]
            if feature.kind.categorical:
                levels = values[:1] if len(values) == 2 else values
                second = values[1] if len(values) == 2 else None
                tests = [Is(v, other=second) for v in levels if len(values) > 1]  # type: ignore[arg-type]
                found = [((feature.name, test), 1.0) for test in tests]
            else:
                found = []
                for a, b in zip(values, values[1:], strict=False):
                    codes = [code_of(feature, v) for v in (a, b)]
                    test = feature.name, Below(feature.kind.threshold(*codes))
                    found.append((test, feature.kind.gap(*codes)))
            for test, gap in found:
                left = self.left(test, rows)  # type: ignore[arg-type]
                if min(self.size(left), self.size(rows) - self.size(left)) >= self.min_leaf:
                    out.append((test, gap))  # type: ignore[arg-type]
        return out

    def shares(self, tests: list[tuple[Asked, float]]) -> list[float]:
        """The split measure over some splits."""
        if self.measure == "all":
            return [1 / len(tests)] * len(tests)
        present = {t[0] for t, _ in tests}
        weight = dict(zip(self.names, self.weights or [1.0] * len(self.names), strict=True))
        total = sum(weight[name] for name in present)
        out = []
        for test, gap in tests:
            own = [g for t, g in tests if t[0] == test[0]]
            within = gap / sum(own) if self.measure == "gap" else 1 / len(own)
            out.append(weight[test[0]] / total * within)
        return out

    # --- trees -----------------------------------------------------------------------------

    def canonical(self, node: Node, rows: Rows) -> Node | None:
        """The node on these rows; None if a side has too few."""
        if isinstance(node, Leaf):
            return Leaf()
        left = self.left(node.asked, rows)
        right = tuple(i for i in rows if i not in left)
        if min(self.size(left), self.size(right)) < self.min_leaf:
            return None
        below = [self.canonical(node.left, left), self.canonical(node.right, right)]
        if None in below:
            return None
        for test, _ in self.tests(rows):
            if test[0] == node.feature and self.left(test, rows) == left:
                return Split(*test, *below)  # type: ignore[arg-type]
            if (
                test[0] == node.feature
                and isinstance(test[1], Is)
                and self.left(test, rows) == right
            ):
                return Split(*test, *reversed(below))  # type: ignore[arg-type]
        raise AssertionError(node)

    def edits(self, tree: Tree) -> dict[str, list[list[tuple[Tree, float]]]]:
        """By kind, for each place, the trees that an edit there gives, with their shares."""
        out: dict[str, list[list[tuple[Tree, float]]]] = {"grow": [], "prune": [], "change": []}

        def visit(node: Node, rows: Rows, depth: int, put: Callable[[Node], Tree]) -> None:
            if isinstance(node, Leaf):
                tests = self.tests(rows)
                if tests and (self.max_depth is None or depth < self.max_depth):
                    grown = [put(Split(*t, Leaf(), Leaf())) for t, _ in tests]
                    out["grow"].append(list(zip(grown, self.shares(tests), strict=True)))
                return
            left, right = node.left, node.right
            if isinstance(left, Leaf) and isinstance(right, Leaf):
                out["prune"].append([(put(Leaf()), 1.0)])
            others = []
            for test, gap in self.tests(rows):
                new = self.canonical(Split(*test, left, right), rows)
                if test != node.asked and new is not None:
                    others.append((new, (test, gap)))
            if others:
                shares = self.shares([t for _, t in others])
                changed = [put(new) for new, _ in others]
                out["change"].append(list(zip(changed, shares, strict=True)))
            inside = self.left(node.asked, rows)
            outside = tuple(i for i in rows if i not in inside)
            visit(left, inside, depth + 1, lambda n: put(Split(*node.asked, n, right)))
            visit(right, outside, depth + 1, lambda n: put(Split(*node.asked, left, n)))

        visit(tree.root, tuple(range(len(self.rows))), 0, Tree)
        return {kind: places for kind, places in out.items() if places}

    def next_trees(self, tree: Tree) -> Counter[Tree]:
        """Where one edit leads, with probabilities; nothing where no kind applies."""
        kinds = self.edits(tree)
        out: Counter[Tree] = Counter()
        for places in kinds.values():
            for options in places:
                for new, share in options:
                    out[new] += share / len(kinds) / len(places)  # type: ignore[assignment]
        return out


def value_of(feature: Feature, code: int) -> float | str:
    """A value that has a code."""
    if feature.kind.categorical:
        return feature.kind.names[code]
    if feature.kind.values is not None:
        return float(feature.kind.values[code])
    cuts = feature.kind.numbers
    assert cuts is not None
    return float(cuts[code - 1]) if code else float(cuts[0]) - 1


def code_of(feature: Feature, value: float | str) -> int:
    return next(c for c in range(feature.kind.n_codes) if value_of(feature, c) == value)


def exact_prior(definition: Definition, given: Tree, p: float) -> dict[Tree, float]:
    """The prior probability of every tree that edits of the given tree lead to."""
    number = {given: 0}
    edges: list[Counter[Tree]] = []
    waiting = [given]
    for tree in waiting:  # grows while it is read
        edges.append(definition.next_trees(tree))
        for new in edges[-1]:
            if new not in number:
                number[new] = len(number)
                waiting.append(new)
    M: NDArray[np.float64] = np.zeros((len(number), len(number)))
    for i, row in enumerate(edges):
        for new, probability in row.items():
            M[i, number[new]] = probability
    stop = np.array([1 - p if row else 1.0 for row in edges])
    visits = np.linalg.solve((np.eye(len(number)) - p * M).T, np.eye(len(number))[0])
    return dict(zip(waiting, (visits * stop).tolist(), strict=True))
