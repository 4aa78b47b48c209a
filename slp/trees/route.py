"""Which leaf a row falls into: rows of a frame or array, and the distinct rows of a coded table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slp.columns import LEFT, UNTOLD, ways
from slp.data.coding import response_of
from slp.data.frames import frame_of
from slp.data.roles import roles_of
from slp.errors import DataError
from slp.ir.names import unknown_classes, unknown_features
from slp.ir.program import CheckedProgram
from slp.leaves import label_text
from slp.messages.trees import (
    LEVEL_WITHOUT_SIDE,
    OTHER_FORMULA,
    TEST_OF_ANOTHER_KIND,
    TEST_WITHOUT_SIDE,
    THRESHOLD_INSIDE_BIN,
    TREE_LEVEL_ABSENT,
    TREE_VALUE_MISSING,
)
from slp.trees.drawing import condition_text
from slp.trees.leaf_priors import with_priors_of
from slp.trees.parts import Leaf, Split
from slp.trees.row_columns import RowColumns, no_column
from slp.trees.tree import Tree

if TYPE_CHECKING:
    from slp.data.feature_kind import Feature
    from slp.data.table import Table
    from slp.leaves import LeafModel


def route_rows(tree: Tree, X: Any, rows: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Leaf of each row of `X`, numbers from 0 in preorder, shape (n,); only of the `rows` at these
    places, where they are given, shape (m,).

    `X` is a frame (columns by name, extra ones ignored) or an array of shape (n, d) whose columns
    are called `x0`, `x1`, ...

    Raises
    ------
    DataError
        E606 no such column; E607 a value that cannot be compared with a threshold, or none at all,
        or a level of which a test says no side; E438 a level that an ordinal feature does not have.
    """
    columns = RowColumns(X, tree)

    def goes_left(split: Split, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        share = _share_left(columns, split, rows)
        both = (share > 0) & (share < 1)
        if both.any():
            raise _level_absent(columns, split, rows[both])
        return share > 0

    own = np.arange(columns.n_rows) if rows is None else rows
    return _route(tree, columns.n_rows, goes_left, own)[own]


def shares_of_rows(
    tree: Tree, columns: RowColumns
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The rows, the leaves that they end in and the share that ends there, one entry for each: a
    row with a level of which a split says no side goes down both."""
    out: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
    stack = [(tree.root, np.arange(columns.n_rows), np.ones(columns.n_rows))]
    while stack:
        node, rows, share = stack.pop()
        if isinstance(node, Leaf):
            out.append((rows, np.full(len(rows), len(out)), share))
            continue
        left = _share_left(columns, node, rows)
        stack += (
            (node.right, rows[left < 1], (share * (1 - left))[left < 1]),
            (node.left, rows[left > 0], (share * left)[left > 0]),
        )
    rows, leaves, shares = (np.concatenate(parts) for parts in zip(*out, strict=True))
    return rows, leaves, shares


def _share_left(columns: RowColumns, split: Split, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """The share of each row that goes left."""
    test = split.test
    missing = columns.missing(split.feature)[rows] & (not test.missing_level)
    if missing.any() and test.missing is None:
        row = int(rows[missing][0]) + 1
        raise DataError(TREE_VALUE_MISSING(row=row, feature=split.feature))
    told = ways(test, columns.values(split.feature, test)[rows], missing)
    left: NDArray[np.float64] = (told == LEFT).astype(np.float64)
    untold = told == UNTOLD
    if untold.any():
        left[untold] = _share_of_untold(columns, split, rows[untold])
    return left


def _share_of_untold(columns: RowColumns, split: Split, rows: NDArray[np.int64]) -> float:
    """The share that goes left of rows with a level of which a split says no side."""
    ours, rest = (sum(n.rows for n in Tree(s).leaves()) for s in (split.left, split.right))
    if split.test.absent == "error" or not ours + rest:
        raise _level_absent(columns, split, rows)
    return float(ours >= rest) if split.test.absent == "larger" else ours / (ours + rest)


def _level_absent(columns: RowColumns, split: Split, rows: NDArray[np.int64]) -> DataError:
    """E607: the first of these rows has a level of which a split says no side."""
    row, level = int(rows[0]) + 1, str(columns.levels(split.feature)[rows[0]])
    text = condition_text(split)
    return DataError(TREE_LEVEL_ABSENT(row=row, level=level, feature=split.feature, test=text))


@dataclass(frozen=True)
class RowsOfTable:
    """A table whose rows are counted in the leaves of trees.

    Attributes
    ----------
    X : the table, as for `route_rows`.
    model : the leaf model of its responses.
    statistics : of the rows that count, shape (m, k).
    present : the places of these rows in X, shape (m,); None for all.
    """

    X: Any
    model: LeafModel
    statistics: NDArray[np.float64]
    present: NDArray[np.int64] | None

    @classmethod
    def of(cls, program: CheckedProgram, X: Any, y: Any) -> RowsOfTable:
        """The rows of a table under a program.

        Raises
        ------
        DataError
            As `response_of`; E150, E151: the program names a feature or a class that the table
            lacks.
        """
        roles = roles_of(program, frame_of(X), y)
        present = None if roles.weights is None else np.flatnonzero(roles.weights)
        response = response_of(program, roles.weighted())
        name, classes = roles.response.name, list(map(label_text, response.leaf.classes))
        faults = [
            *unknown_features(program, [column.name for column in roles.features], name),
            *unknown_classes(program, classes, name),
        ]
        if faults:
            raise DataError(faults)
        return cls(X, response.leaf, response.rows.statistics(response.leaf), present)

    def leaves(self, tree: Tree) -> list[Leaf]:
        """Leaves with a summary of the responses of their rows, from left to right. Raises
        DataError as `route_rows`."""
        sums = np.zeros((tree.n_leaves, self.statistics.shape[1]))
        where = route_rows(tree, self.X, self.present)
        np.add.at(sums, where, self.statistics)
        sums = with_priors_of(tree, self.model, sums)
        rows = np.bincount(where, minlength=tree.n_leaves).tolist()
        return [replace(Leaf.of(self.model, s), counted=n) for s, n in zip(sums, rows, strict=True)]

    def levels(self, tree: Tree) -> dict[str, frozenset[str]]:
        """The levels that rows have of each feature that a tree tests for one. Raises DataError as
        `route_rows`."""
        columns = RowColumns(self.X, tree)
        return {f: frozenset(columns.levels(f).tolist()) for f in _tested_for_levels(tree)}


@dataclass(frozen=True)
class CodedRows:
    """A coded table whose rows are in the summaries of leaves already, as those of a draw."""

    table: Table

    def leaves(self, tree: Tree) -> list[Leaf]:
        """The leaves, with how many rows they have. Raises DataError as `route_table`."""
        where = route_table(tree, self.table)
        rows = np.zeros(tree.n_leaves, np.int64)
        np.add.at(rows, where, self.table.counts)
        return [
            replace(leaf, counted=n) for leaf, n in zip(tree.leaves(), rows.tolist(), strict=True)
        ]

    def levels(self, tree: Tree) -> dict[str, frozenset[str]]:
        """As `RowsOfTable.levels`."""
        names = {f.name: frozenset(f.kind.names) for f in self.table.features}
        return {f: names[f] for f in _tested_for_levels(tree)}


def _tested_for_levels(tree: Tree) -> list[str]:
    return sorted({n.feature for n in tree.nodes() if isinstance(n, Split) and n.level is not None})


def route_table(tree: Tree, table: Table) -> NDArray[np.int64]:
    """Leaf of each distinct row of a table, numbers from 0 in preorder, shape (n,).

    Raises
    ------
    DataError
        E606 the table has no such feature; E608 a test on a level of a numeric feature or a
        threshold on a categorical one; E609 a threshold inside a bin, which parts rows that the
        table holds for alike.
    """
    features = {f.name: (j, f) for j, f in enumerate(table.features)}

    def goes_left(split: Split, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        if split.feature not in features:
            raise no_column(split.feature, list(features))
        j, feature = features[split.feature]
        codes = table.codes[rows, j]
        missing = feature.kind.missing_code
        if split.missing is None and missing is not None and (codes == missing).any():
            raise DataError(TEST_WITHOUT_SIDE(feature=feature.name))
        left: NDArray[np.bool_] = _codes_left(split, feature)[codes]
        if split.test.names_all and feature.kind.sides(split.test)[1][codes].any():
            raise DataError(LEVEL_WITHOUT_SIDE(feature=feature.name))
        return left

    return _route(tree, len(table.counts), goes_left, np.arange(len(table.counts)))


def _route(
    tree: Tree,
    n_rows: int,
    goes_left: Callable[[Split, NDArray[np.int64]], NDArray[np.bool_]],
    rows: NDArray[np.int64],
) -> NDArray[np.int64]:
    where = np.zeros(n_rows, dtype=np.int64)
    stack = [(tree.root, rows)]
    n_leaves = 0
    while stack:
        node, rows = stack.pop()
        if isinstance(node, Leaf):
            where[rows] = n_leaves
            n_leaves += 1
            continue
        left = goes_left(node, rows)
        stack += ((node.right, rows[~left]), (node.left, rows[left]))
    return where


def _codes_left(split: Split, feature: Feature) -> NDArray[np.bool_]:
    """Whether each code of the feature goes left, shape (n_codes,)."""
    test = split.test
    if test.formula is not None and not feature.kind.takes(test.formula):
        raise DataError(OTHER_FORMULA(feature=feature.name, text=test.formula.text))
    if not feature.kind.asks(test):
        kind = "categorical" if feature.kind.categorical else "numeric"
        given = "a level" if test.by_level else "a threshold"
        raise DataError(TEST_OF_ANOTHER_KIND(feature=feature.name, given=given, kind=kind))
    if test.number is not None and feature.kind.on_a_cut(test) != test:
        known = [] if feature.kind.numbers is None else feature.kind.numbers.tolist()
        cuts = ", ".join(feature.kind.words(c) for c in known)
        threshold = feature.kind.words(test.number)
        raise DataError(THRESHOLD_INSIDE_BIN(feature=feature.name, threshold=threshold, cuts=cuts))
    return feature.kind.sides(test)[0]
