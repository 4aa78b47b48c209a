"""Geometry of boxes: which rows a box holds and in which distinct ways it can be cut.

A *box* is the set of distinct rows it holds, as a Python int: bit i is row i of `Table.codes`. Two
cuts of one feature that part a box's rows alike are one split; its canonical threshold lies between
the two codes that are neighbours in the box (`slp.columns`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.columns import UNTOLD, Test
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.ir.tree_grammar import TreeGrammar
from slp.problem.new_rows import share_of_untold
from slp.problem.threshold_densities import log_density, log_mass


@dataclass(frozen=True)
class Cut:
    """One test that a split may apply, the same in every box.

    `test` is the canonical one, but that of a level does not tell whether a box has two levels
    (`Geometry.test`). `gap` is its weight under the measure `gap`, `log_length` the log
    of its weight under `range`. `cell` numbers the cells of all features, feature after feature
    (`Geometry.first_cell`). `low` and `high` are the cut as `slp.columns` has it. `group` is the
    number of the first cut that differs in the side of missing values alone. `log_share` is that of
    `ColumnKind`, NaN where it has none. `log_mass` and `log_density` are the log probability of its
    interval of thresholds and the log density at its own, NaN where the feature has no density.
    """

    feature: int
    test: Test
    gap: float
    log_length: float
    cell: int
    low: int
    high: int
    group: int
    log_share: float = math.nan
    log_mass: float = math.nan
    log_density: float = math.nan


class BoxSplit(NamedTuple):
    """A distinct split of a box: number of its cut in `Geometry.cuts`, rows to the left and to the
    right."""

    cut: int
    left: int
    right: int


class Geometry:
    """All boxes of a table and their structurally valid splits (both sides keep `min_leaf` rows
    or the weight `min_weight`).

    The sets of rows are made on first use. They take n bits for each code of each feature, and the
    compiled engines do not use them.

    Attributes
    ----------
    root : the box of all rows.
    cuts : every cut used so far, by number.
    cells : the cell of each cut, by number.
    least_size : what both sides of a valid split keep: rows, or units of weight.
    rows_by_code : for each feature the codes that occur, ascending, each with the rows that have
        it.
    first_cell : number of the first cell of each feature, and of all cells at the end; d + 1
        entries.
    """

    def __init__(self, grammar: TreeGrammar, table: Table) -> None:
        self.table = table
        self.cuts: list[Cut] = []
        self.cells: list[int] = []
        self._breakpoints = grammar.breakpoints
        sizes, self.least_size = table.sizes(grammar.min_leaf, grammar.min_weight)
        self._sizes = sizes
        cells = [
            f.kind.n_cells(len(b)) for f, b in zip(table.features, grammar.breakpoints, strict=True)
        ]
        self.first_cell = np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)
        self._numbers: list[dict[tuple[int, int], int]] = [{} for _ in table.features]

    @cached_property
    def root(self) -> int:
        """See the class."""
        return (1 << len(self.table.counts)) - 1

    @cached_property
    def rows_by_code(self) -> list[list[tuple[int, int]]]:
        """See the class."""
        return [_rows_by_code(column) for column in self.table.codes.T]

    @cached_property
    def _count_bits(self) -> list[int]:
        return _bit_planes(self.table.counts)

    @cached_property
    def _size_bits(self) -> list[int]:
        return self._count_bits if self._sizes is self.table.counts else _bit_planes(self._sizes)

    def splits(self, box: int) -> list[BoxSplit]:
        """Distinct splits in canonical order: features in order, thresholds ascending, levels in
        order."""
        out: list[BoxSplit] = []
        for f, feature in enumerate(self.table.features):
            present = [(code, here) for code, rows in self.rows_by_code[f] if (here := box & rows)]
            for low, high, left in feature.kind.cuts(present, self._scores):
                out.append(BoxSplit(self._number(f, low, high), left, box ^ left))
        if self.least_size > 1:
            least = self.least_size
            out = [s for s in out if min(self.size(s.left), self.size(s.right)) >= least]
        return out

    def size(self, box: int) -> int:
        """The size to compare with `least_size`: rows, repeats counted, or units of weight."""
        return _sum_of(self._size_bits, box)

    def count(self, box: int) -> int:
        """Rows of the data in a box, repeats counted."""
        return _sum_of(self._count_bits, box)

    def share_left(self, cut: int, left: int, right: int, *, missing: bool) -> float:
        """The share of a row to predict that goes left, if the cut does not say its side. `left`
        and `right` are the boxes on the sides of the cut. Raises DataError as `share_of_untold`."""
        ours, others = self.members([left, right]) @ self.table.row_weights
        feature = self.table.features[self.cuts[cut].feature]
        return share_of_untold(feature, float(ours), float(others), missing=missing)

    def codes(self, box: int, f: int) -> NDArray[np.int64]:
        """The codes of feature `f` that occur in a box, ascending."""
        return np.array([code for code, rows in self.rows_by_code[f] if rows & box], np.int64)

    def is_neither(self, cut: int, box: int, value: float) -> bool:
        """Whether a cut parts a box of two levels, and a row to predict, which has the level of
        this code (-1: not in the table), has neither."""
        kind = self.table.features[self.cuts[cut].feature].kind
        return bool(kind.ways(self.test(cut, box), np.array([value]))[0] == UNTOLD)

    def test(self, cut: int, box: int) -> Test:
        """The canonical test of a cut of a box."""
        own = self.cuts[cut]
        feature = self.table.features[own.feature]
        if not feature.kind.test_depends_on_box:
            return own.test
        return feature.kind.test(own.low, own.high, self.codes(box, own.feature))

    def members(self, boxes: Sequence[int]) -> NDArray[np.uint8]:
        """Indicators of the distinct rows in each box, shape (B, n)."""
        n = len(self.table.counts)
        width = (n + 7) // 8
        packed = b"".join(box.to_bytes(width, "little") for box in boxes)
        octets = np.frombuffer(packed, np.uint8).reshape(len(boxes), width)
        return np.unpackbits(octets, axis=1, count=n, bitorder="little")

    def box_of(self, rows: NDArray[np.intp]) -> int:
        """The box that holds these distinct rows."""
        held = np.zeros(len(self.table.counts), np.bool_)
        held[rows] = True
        return int.from_bytes(np.packbits(held, bitorder="little").tobytes(), "little")

    def statistics(self, boxes: Sequence[int], chunk: int = 4096) -> NDArray[np.float64]:
        """Sufficient statistics of boxes, shape (B, k)."""
        out = np.empty((len(boxes), self.table.statistics.shape[1]))
        for a in range(0, len(boxes), chunk):
            out[a : a + chunk] = self.members(boxes[a : a + chunk]) @ self.table.statistics
        return out

    def leaf_statistics(
        self, boxes: Sequence[int], priors: NDArray[np.int64] | Sequence[int]
    ) -> NDArray[np.float64]:
        """The same of leaves that have these priors (`State.leaf_prior`), shape (B,)."""
        return self.table.leaf.with_prior(self.statistics(boxes), priors)

    def _scores(self, boxes: Sequence[int]) -> NDArray[np.float64]:
        """What puts boxes in the order of their responses, shape (B,). Their rows are added up in
        order, as the core adds them, so that scores are equal here where they are there."""
        rows = self.table.statistics
        own = [np.add.accumulate(rows[held], axis=0)[-1] for held in self.members(boxes) > 0]
        return self.table.leaf.scores(np.array(own))

    def _number(self, f: int, low: int, high: int) -> int:
        number = self._numbers[f].get((low, high))
        return self._new_cut(f, low, high) if number is None else number

    def _new_cut(self, f: int, low: int, high: int) -> int:
        feature: Feature = self.table.features[f]
        plain = feature.kind.without_side(low, high)[:2]
        group = len(self.cuts) if plain == (low, high) else self._number(f, *plain)
        number = self._numbers[f][low, high] = len(self.cuts)
        test = feature.kind.test(low, high)
        cell = feature.kind.cell(low, high, self._breakpoints[f])
        gap = feature.kind.gap(low, high)
        self.cells.append(int(self.first_cell[f]) + cell)
        length = feature.kind.log_length(low, high)
        share = feature.kind.log_share(low, high)
        share = math.nan if share is None else share
        mass, density = math.nan, math.nan
        if feature.density is not None:
            values = feature.kind.values
            assert values is not None and test.number is not None
            first, a, b, last = (float(values[i]) for i in (0, low, high, -1))
            mass = log_mass(feature.density, a, b)
            length = mass - log_mass(feature.density, first, last)
            density = log_density(feature.density, test.number)
        more = share, mass, density
        self.cuts.append(Cut(f, test, gap, length, self.cells[-1], low, high, group, *more))
        return number


def _rows_by_code(codes: NDArray[np.int32]) -> list[tuple[int, int]]:
    """(code, the rows that have it), for the codes that occur, ascending."""
    rows: dict[int, int] = {}
    for i, code in enumerate(codes.tolist()):
        rows[code] = rows.get(code, 0) | 1 << i
    return sorted(rows.items())


def _sum_of(planes: Sequence[int], box: int) -> int:
    """The sum of the counts of a box's rows."""
    return sum((box & rows).bit_count() << j for j, rows in enumerate(planes))


def _bit_planes(counts: NDArray[np.int64]) -> list[int]:
    """Rows whose count has binary digit j set, for each j: sums of counts become a few bit
    counts."""
    numbers = counts.tolist()
    digits = max(numbers, default=0).bit_length()
    return [sum(1 << i for i, c in enumerate(numbers) if c >> j & 1) for j in range(digits)]
