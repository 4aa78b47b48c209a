"""Which leaf a row falls into: rows of a frame or array, and the distinct rows of a coded table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slp.columns import LEFT, MISSING, UNTOLD, Test, level_numbers, ways
from slp.data.arrays import settled
from slp.data.cells import is_missing, number_of
from slp.data.coding import response_of
from slp.data.columns import column_of_objects, numbers_of, texts_of
from slp.data.conversion import as_levels, as_numbers, type_by_thresholds
from slp.data.faults import check_usable
from slp.data.frames import collected, frame_of
from slp.data.roles import roles_of
from slp.errors import DataError
from slp.ir.names import unknown_classes, unknown_features
from slp.ir.program import CheckedProgram
from slp.leaves import Label, label_array, label_text
from slp.messages.tables import MISSING_VALUES, OTHER_TYPE_THAN_TESTS, UNKNOWN_LEVEL
from slp.messages.trees import (
    LEVEL_WITHOUT_SIDE,
    NOTHING_TO_PREDICT_FROM,
    ROWS_NOT_2D,
    TEST_OF_ANOTHER_KIND,
    TEST_WITHOUT_SIDE,
    THRESHOLD_INSIDE_BIN,
    TREE_COLUMN_MISSING,
    TREE_LEVEL_ABSENT,
    TREE_VALUE_MISSING,
    TREE_VALUE_NO_NUMBER,
)
from slp.trees.drawing import condition_text
from slp.trees.tree import Leaf, Split, Tree

if TYPE_CHECKING:
    from slp.data.table import Feature, Table


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
    columns = _Columns(X, tree)

    def goes_left(split: Split, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        share = _share_left(columns, split, rows)
        both = (share > 0) & (share < 1)
        if both.any():
            raise _level_absent(columns, split, rows[both])
        return share > 0

    own = np.arange(columns.n_rows) if rows is None else rows
    return _route(tree, columns.n_rows, goes_left, own)[own]


def shares_of_rows(
    tree: Tree, columns: _Columns
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


def _share_left(columns: _Columns, split: Split, rows: NDArray[np.int64]) -> NDArray[np.float64]:
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


def _share_of_untold(columns: _Columns, split: Split, rows: NDArray[np.int64]) -> float:
    """The share that goes left of rows with a level of which a split says no side."""
    ours, rest = (sum(n.rows for n in Tree(s).leaves()) for s in (split.left, split.right))
    if split.test.absent == "error" or not ours + rest:
        raise _level_absent(columns, split, rows)
    return float(ours >= rest) if split.test.absent == "larger" else ours / (ours + rest)


def _level_absent(columns: _Columns, split: Split, rows: NDArray[np.int64]) -> DataError:
    """E607: the first of these rows has a level of which a split says no side."""
    row, level = int(rows[0]) + 1, str(columns.levels(split.feature)[rows[0]])
    text = condition_text(split)
    return DataError(TREE_LEVEL_ABSENT(row=row, level=level, feature=split.feature, test=text))


def leaves_of_rows(tree: Tree, program: CheckedProgram, X: Any, y: Any) -> list[Leaf]:
    """Leaves with a summary of the responses of a table's rows, from left to right.

    Raises
    ------
    DataError
        As `route_rows` and `response_of`; E150, E151: the program names a feature or a class that
        the table lacks.
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
    sums = np.zeros((tree.n_leaves, response.statistics.shape[1]))
    where = route_rows(tree, X, present)
    np.add.at(sums, where, response.statistics)
    rows = np.bincount(where, minlength=tree.n_leaves).tolist()
    return [replace(Leaf.of(response.leaf, s), counted=n) for s, n in zip(sums, rows, strict=True)]


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
            raise _no_column(split.feature, list(features))
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


def levels_of_rows(tree: Tree, X: Any) -> dict[str, frozenset[str]]:
    """The levels that rows have of each feature that a tree tests for one.

    Raises
    ------
    DataError
        E606, E607, as `route_rows`.
    """
    columns = _Columns(X, tree)
    tested = {n.feature for n in tree.nodes() if isinstance(n, Split) and n.level is not None}
    return {f: frozenset(columns.levels(f).tolist()) for f in sorted(tested)}


def leaf_predictions(tree: Tree) -> NDArray[Any]:
    """Prediction of each leaf from its summary, shape (K,): class labels in their own type, or
    float64 means.

    Raises
    ------
    DataError
        E610 a leaf says nothing to predict from.
    """
    return label_array([_leaf_prediction(leaf) for leaf in tree.leaves()])


def predict_rows(tree: Tree, X: Any) -> NDArray[Any]:
    """The prediction of each row's leaf, shape (n,): see `Tree.predict`.

    Raises
    ------
    DataError
        As `route_rows` and `leaf_predictions`; E606, E607 of a column that a leaf's line needs.
    """
    columns = _Columns(X, tree)
    rows, where, share = shares_of_rows(tree, columns)
    lines: list[Any] = [leaf.summary.get("line") for leaf in tree.leaves()]
    if None in lines:
        return _averaged(tree, rows, where, share)
    of_part = np.array([line["intercept"] for line in lines])[where]
    for name in dict.fromkeys(name for line in lines for name in line["slopes"]):
        slopes = np.array([line["slopes"].get(name, 0.0) for line in lines])
        values = columns.numbers(name)
        if np.isnan(values).any():
            row = int(np.argmax(np.isnan(values))) + 1
            raise DataError(TREE_VALUE_MISSING(row=row, feature=name))
        of_part += slopes[where] * values[rows]
    return np.bincount(rows, share * of_part, columns.n_rows)


def _averaged(
    tree: Tree, rows: NDArray[np.int64], where: NDArray[np.int64], share: NDArray[np.float64]
) -> NDArray[Any]:
    """The prediction of each row, whose shares are in these leaves: that of its leaf; of several
    the class of most rows by their shares, or the mean."""
    told, leaves = leaf_predictions(tree), tree.leaves()
    whole = share == 1
    out = np.empty(int(rows.max(initial=-1)) + 1, told.dtype)
    out[rows[whole]] = told[where[whole]]
    for row in np.unique(rows[~whole]).tolist():
        own = rows == row
        parts = [leaves[i] for i in where[own].tolist()]
        out[row] = _prediction_of_parts(parts, share[own])
    return out


def _prediction_of_parts(leaves: list[Leaf], shares: NDArray[np.float64]) -> Label:
    """The prediction of a row with these shares in leaves: the class of most rows, each leaf's
    counting as its share, the mean, or the median of the mixture."""
    if all(leaf.summary.get("counts") for leaf in leaves):
        sums: dict[Label, float] = {}
        for leaf, share in zip(leaves, shares.tolist(), strict=True):
            for outcome, count in leaf.summary["counts"].items():
                sums[outcome] = sums.get(outcome, 0.0) + share * count / leaf.rows
        return max(sums, key=lambda outcome: sums[outcome])
    if any("events" in leaf.summary for leaf in leaves):
        return _median_of_parts(leaves, shares)
    return float(shares @ [float(_leaf_prediction(leaf)) for leaf in leaves])


def _median_of_parts(leaves: list[Leaf], shares: NDArray[np.float64]) -> float:
    """The median of a mixture of durations, by bisection; inf where no number reaches it."""

    def passed(y: float) -> bool:
        return float(shares @ [_share_ended(leaf, y) for leaf in leaves]) >= 0.5

    low, high = 0.0, 1.0
    while not passed(high):
        low, high = high, 2 * high
        if high == math.inf:
            return high
    while low < (middle := low + (high - low) / 2) < high:
        low, high = (low, middle) if passed(middle) else (middle, high)
    return high


def _share_ended(leaf: Leaf, y: float) -> float:
    """P(duration <= y) by the leaf's model; without one that of an exponential distribution."""
    if leaf.predictive is not None:
        return float(leaf.predictive.model.cdf(leaf.predictive.statistics, np.array(y)))
    n, events, mean = (leaf.summary.get(key) or 0 for key in ("n", "events", "mean"))
    return -math.expm1(-y * events / (n * mean)) if events else 0.0


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


class _Columns:
    """Columns of a frame or an array by name, for the tests of a tree, converted once each."""

    def __init__(self, X: Any, tree: Tree) -> None:
        self._tests: dict[str, list[Test]] = {}
        for node in tree.nodes():
            if isinstance(node, Split):
                self._tests.setdefault(node.feature, []).append(node.test)
        X = collected(X)
        self._frame = X if hasattr(X, "columns") else None
        if self._frame is None:
            self._array = np.asarray(settled(X, "the rows"))
            if self._array.ndim != 2:
                raise DataError(ROWS_NOT_2D(shape=self._array.shape))
            self._names = [f"x{j}" for j in range(self._array.shape[1])]
        else:
            self._names = [str(name) for name in self._frame.columns]
        self.n_rows = len(X) if self._frame is not None else len(self._array)
        self._numbers: dict[str, NDArray[np.float64]] = {}
        self._levels: dict[str, NDArray[np.str_]] = {}
        self._missing: dict[str, NDArray[np.bool_]] = {}

    def _column(self, feature: str) -> list[Any]:
        if feature not in self._names:
            raise _no_column(feature, self._names)
        if self._frame is None:
            column = self._array[:, self._names.index(feature)]
        else:
            column = self._frame[feature]
        return list(column)

    def missing(self, feature: str) -> NDArray[np.bool_]:
        """Whether each row misses the value, shape (n,)."""
        if feature not in self._missing:
            self._missing[feature] = np.array(
                list(map(is_missing, self._column(feature))), np.bool_
            )
        return self._missing[feature]

    def compared(self, feature: str, test: Test) -> NDArray[np.float64]:
        """A column as numbers that compare with a threshold, NaN where missing."""
        return self._places(feature, test.names) if test.names else self.numbers(feature)

    def numbers(self, feature: str) -> NDArray[np.float64]:
        """A column of numbers, NaN where missing."""
        if feature not in self._numbers:
            values = self._column(feature)
            given = column_of_objects(feature, values)
            tests = self._tests.get(feature, ())
            fitted = type_by_thresholds([t.number for t in tests if t.number is not None])
            column = as_numbers(given, fitted, OTHER_TYPE_THAN_TESTS)
            if column is not given:
                self._numbers[feature] = numbers_of(column)[0]
                return self._numbers[feature]
            try:
                numbers = [math.nan if is_missing(v) else number_of(v) for v in values]
                self._numbers[feature] = np.array(numbers, dtype=np.float64)
            except (TypeError, ValueError) as e:
                raise DataError(TREE_VALUE_NO_NUMBER(feature=feature, reason=e)) from e
        return self._numbers[feature]

    def _places(self, feature: str, order: tuple[str, ...]) -> NDArray[np.float64]:
        number = dict(zip(order, level_numbers(order), strict=True))
        if self.missing(feature).any():
            number[MISSING] = math.nan
        texts = self.levels(feature).tolist()
        unknown = [i for i, text in enumerate(texts) if text not in number]
        if unknown:
            row, cell, levels = unknown[0] + 1, texts[unknown[0]], " < ".join(order)
            raise DataError(UNKNOWN_LEVEL(name=feature, cell=cell, row=row, rows="", levels=levels))
        return np.array([number[text] for text in texts])

    def _tested(self, feature: str) -> set[str]:
        """The levels that the tests of a feature name."""
        return {name for test in self._tests[feature] for name in test.names}

    def values(self, feature: str, test: Test) -> NDArray[Any]:
        """The column as `slp.columns.ways` takes it for a test, shape (n,)."""
        return self.levels(feature) if test.by_level else self.compared(feature, test)

    def levels(self, feature: str) -> NDArray[np.str_]:
        """The column of a test on a level as text, `MISSING` where a value is missing."""
        if feature not in self._levels:
            column = column_of_objects(feature, self._column(feature))
            if column.kind == "unusable":
                check_usable(column, MISSING_VALUES)
            if tested := self._tested(feature):
                column = as_levels(column, tested, None, OTHER_TYPE_THAN_TESTS)
            texts = [MISSING if text is None else text for text in texts_of(column)]
            self._levels[feature] = np.array(texts, dtype=np.str_)
        return self._levels[feature]


def _codes_left(split: Split, feature: Feature) -> NDArray[np.bool_]:
    """Whether each code of the feature goes left, shape (n_codes,)."""
    test = split.test
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


def _leaf_prediction(leaf: Leaf) -> Label:
    counts: Mapping[Label, float] | None = leaf.summary.get("counts")
    if counts:
        return max(counts, key=lambda outcome: counts[outcome])
    if "events" in leaf.summary:
        return _median_duration(leaf)
    if leaf.summary.get("mean") is not None:
        return float(leaf.summary["mean"])
    raise DataError(NOTHING_TO_PREDICT_FROM())


def _median_duration(leaf: Leaf) -> float:
    """The median of the leaf's model; without a model log(2) times the durations over the events,
    that of an exponential distribution. It is inf where no event was seen and no model is known."""
    if leaf.predictive is not None:
        median = leaf.predictive()["median"]
        return math.inf if median is None else float(median)
    n, events, mean = (leaf.summary.get(key) or 0 for key in ("n", "events", "mean"))
    return float(math.log(2) * n * mean / events) if events else math.inf


def _no_column(feature: str, names: list[str]) -> DataError:
    return DataError(TREE_COLUMN_MISSING(feature=feature, columns=", ".join(names)))
