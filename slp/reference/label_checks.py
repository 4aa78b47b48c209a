"""Checks of labels that depend on the rows of a box.

Labels that depend only on the number of rows are checked for every state before the lowering gives
it to an engine (`slp.analysis.derivations.row_labels`). Labels that count the rows of a class are
checked here, in every box that an engine reaches. They must be probabilities, and sum to 1 over the
rules of the state, or over those whose tests of rows hold.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slp.errors import ProgramError
from slp.ir.row_function import MOST_ROWS, RowFunction
from slp.ir.tree_grammar import Rule, State, TreeGrammar
from slp.leaves import label_text
from slp.problem.row_labels import label_fault
from slp.reference.boxes import Geometry

#: How far a sum of labels may be from 1; the core has the same.
_TOLERANCE = 1e-9


def counts_classes(rules: Sequence[Rule]) -> bool:
    """Whether some label or guard counts the rows of a class."""
    return any(r.rows is not None and r.rows.classes for r in rules)


def row_counts(
    function: RowFunction, geometry: Geometry, boxes: Sequence[int]
) -> NDArray[np.float64]:
    """The rows of each class that a function counts, in each box, shape (C, B)."""
    out = np.zeros((len(function.classes), len(boxes)))
    if function.classes:
        classes = list(map(label_text, geometry.table.leaf.classes))
        counts = geometry.statistics(boxes)  # of a leaf model for classes: rows of each class
        for c, name in enumerate(function.classes):
            if name == MOST_ROWS:
                out[c] = counts.max(axis=1)
            elif name in classes:
                out[c] = counts[:, classes.index(name)]
    return out


def check_labels(
    g: TreeGrammar,
    state: int,
    holds: NDArray[np.bool_],
    label: NDArray[np.float64],
    geometry: Geometry,
    boxes: Sequence[int],
) -> None:
    """Raise E520 where a label, shape (R, B), of a rule whose tests hold is no weight, or where
    labels do not sum to 1 although they should."""
    rules = g.states[state].rules
    varying = np.array([[r.rows is not None] for r in rules])
    largest = 1 + _TOLERANCE if g.normalise else np.finfo(np.float64).max
    wrong = holds & varying & ~((label >= 0) & (label <= largest))
    if wrong.any():
        r, b = (int(i[0]) for i in np.nonzero(wrong))
        raise _fault(g.states[state], r, float(label[r, b]), geometry, boxes[b])
    if not g.normalise or not counts_classes(rules):
        return
    total = np.where(holds, label, 0.0).sum(axis=0)
    off = ~(np.abs(total - 1) <= _TOLERANCE)
    off &= ~(np.abs(label.sum(axis=0) - 1) <= _TOLERANCE)
    if off.any():
        b = int(np.flatnonzero(off)[0])
        raise _fault(g.states[state], None, float(total[b]), geometry, boxes[b])


def _fault(
    state: State, rule: int | None, value: float, geometry: Geometry, box: int
) -> ProgramError:
    classes = list(map(label_text, geometry.table.leaf.classes))
    statistics = geometry.statistics([box])[0][: len(classes)]
    counts = dict(zip(classes, statistics.tolist(), strict=True)) if classes else {}
    return label_fault(state, rule, value, geometry.count(box), counts)
