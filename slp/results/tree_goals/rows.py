"""Rows that goals about trees name, and the sides that they take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from slp.data.feature_kind import Feature
from slp.data.new_rows import rows_to_predict
from slp.data.table import Table
from slp.errors import DataError
from slp.late import late_import
from slp.problem.new_rows import share_of_untold, table_as_new_rows
from slp.results.averages.paths import Sides
from slp.results.tree_goals.facts import TreeFacts
from slp.source import SourceSpan
from slp.trees import Split


def _is_known(feature: Feature, cells: Mapping[str, Any]) -> bool:
    """Whether cells have a feature, or all columns of which a formula makes it."""
    formula = feature.kind.formula
    return feature.name in cells or (formula is not None and {*formula.columns} <= cells.keys())


class AskedRow:
    """A row of which some columns are known."""

    def __init__(self, table: Table, cells: Mapping[str, Any], span: SourceSpan | None) -> None:
        """Raises DataError where a cell does not fit its column, with the place of the row."""
        self._table = table
        self._numbers = {name: f for f, name in enumerate(table.feature_names)}
        known = [f for f, feature in enumerate(table.features) if _is_known(feature, cells)]
        # In place of what is not known stands some row, whose values are not looked at.
        row = table_as_new_rows(table, np.array([0]))[0]
        if known:
            features = [table.features[f] for f in known]
            frame = late_import("polars").DataFrame({name: [x] for name, x in cells.items()})
            try:
                row[known] = rows_to_predict(features, frame)[0]
            except DataError as e:
                words = "in the row that the goal gives, row 1 here"
                found = (replace(d, message=f"{words}: {d.message}") for d in e.diagnostics)
                raise DataError([replace(d, span=d.span or span) for d in found]) from None
        self._known = frozenset(known)
        self._sides = Sides(table, row)

    def share_left(self, facts: TreeFacts, split: Split) -> float:
        """The share of the row that goes left at a split of a tree: all or nothing where its column
        is known; else that of the table's rows there. Where the test does not say the side of a
        level, it is as the program declares.

        Raises
        ------
        DataError
            E442, E445: that is declared an error.
        """
        f = self._numbers[split.feature]
        ours, others = facts.rows_below(split.left), facts.rows_below(split.right)
        if f not in self._known:
            return ours / (ours + others)
        side = self._sides.goes_left(f, split.test)
        if side is not None:
            return float(side)
        missing = self._sides.misses(f)
        return share_of_untold(self._table.features[f], ours, others, missing=missing)


class TableRows:
    """The rows of a table, each with the side that it takes at tests."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._numbers = {name: f for f, name in enumerate(table.feature_names)}
        self._known: dict[int, Sides] = {}

    def together(self, facts: TreeFacts, i: int, j: int) -> bool:
        """Whether two rows, as numbers from 0 in the table as it was given, end in one leaf."""
        one, other = self._sides(i), self._sides(j)
        node = facts.root
        while isinstance(node, Split):
            f = self._numbers[node.feature]
            left = one.goes_left(f, node.test)
            if left is None or left != other.goes_left(f, node.test):
                return False
            node = node.left if left else node.right
        return True

    def _sides(self, row: int) -> Sides:
        distinct = self._table.distinct_of_given(row)
        assert distinct is not None, "rows without a weight are refused"
        if distinct not in self._known:
            cells = table_as_new_rows(self._table, np.array([distinct]))[0]
            self._known[distinct] = Sides(self._table, cells)
        return self._known[distinct]
