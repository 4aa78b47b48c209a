"""The columns of rows that a tree sends to its leaves: of a frame or an array, by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.columns import MISSING, Test, level_numbers
from slp.columns.formula import Formula
from slp.data.arrays import settled
from slp.data.cells import is_missing, number_of
from slp.data.columns import column_of_objects, numbers_of, texts_of
from slp.data.conversion import as_levels, as_numbers, type_by_thresholds
from slp.data.defined import check_name, column_by_formula, numbers_with_gaps
from slp.data.faults import check_usable
from slp.data.frames import Frame
from slp.data.intake import arrow_as_polars, taken_in
from slp.errors import DataError
from slp.messages.cells import MISSING_VALUES
from slp.messages.columns import UNKNOWN_LEVEL
from slp.messages.new_rows import OTHER_TYPE_THAN_TESTS
from slp.messages.trees import ROWS_NOT_2D, TREE_COLUMN_MISSING, TREE_VALUE_NO_NUMBER
from slp.trees.parts import Split
from slp.trees.tree import Tree


class RowColumns:
    """Columns of a frame or an array by name, for the tests of a tree, converted once each."""

    def __init__(self, X: Any, tree: Tree) -> None:
        self._frame: Any
        self._tests: dict[str, list[Test]] = {}
        self._formulas: dict[str, Formula] = {}
        for node in tree.nodes():
            if isinstance(node, Split):
                self._tests.setdefault(node.feature, []).append(node.test)
                if node.test.formula is not None:
                    self._formulas[node.feature] = node.test.formula
        if isinstance(X, Frame):  # that of a file
            self._frame, self._names, self.n_rows = X, list(X.names), X.n_rows
        else:
            self._take(arrow_as_polars(taken_in(X)))
        self._numbers: dict[str, NDArray[np.float64]] = {}
        self._levels: dict[str, NDArray[np.str_]] = {}
        self._missing: dict[str, NDArray[np.bool_]] = {}
        for feature, formula in self._formulas.items():
            check_name(feature, self._names)
            self._numbers[feature] = self._by_formula(feature, formula)
            self._missing[feature] = np.isnan(self._numbers[feature])

    def _by_formula(self, feature: str, formula: Formula) -> NDArray[np.float64]:
        columns = {c: column_of_objects(c, self._column(c)) for c in formula.columns}
        sources = {c: numbers_with_gaps(column) for c, column in columns.items()}
        return column_by_formula(feature, formula, sources).cells

    def _take(self, X: Any) -> None:
        """Take a frame or an array of a user's."""
        self._frame = X if hasattr(X, "columns") else None
        if self._frame is None:
            self._array = np.asarray(settled(X, "the rows"))
            if self._array.ndim != 2:
                raise DataError(ROWS_NOT_2D(shape=self._array.shape))
            self._names = [f"x{j}" for j in range(self._array.shape[1])]
        else:
            self._names = [str(name) for name in self._frame.columns]
        self.n_rows = len(X) if self._frame is not None else len(self._array)

    def _column(self, feature: str) -> list[Any]:
        if feature not in self._names:
            raise no_column(feature, self._names)
        place = self._names.index(feature)
        if self._frame is None:
            column: Any = self._array[:, place]
        elif isinstance(self._frame, Frame):
            own = self._frame.columns[place]
            cells = zip(own.cells.tolist(), own.missing.tolist(), strict=True)
            column = [None if missing else cell for cell, missing in cells]
        elif hasattr(self._frame, "iloc"):  # its names may be no text
            column = self._frame.iloc[:, place]
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
        if feature in self._formulas:  # the test for missing values
            return np.where(self._missing[feature], MISSING, "")
        if feature not in self._levels:
            column = column_of_objects(feature, self._column(feature))
            if column.kind == "unusable":
                check_usable(column, MISSING_VALUES)
            if tested := self._tested(feature):
                column = as_levels(column, tested, None, OTHER_TYPE_THAN_TESTS)
            texts = [MISSING if text is None else text for text in texts_of(column)]
            self._levels[feature] = np.array(texts, dtype=np.str_)
        return self._levels[feature]


def no_column(feature: str, names: list[str]) -> DataError:
    """E606: the rows have no column that a tree tests; these are their names."""
    return DataError(TREE_COLUMN_MISSING(feature=feature, columns=", ".join(names)))
