"""W153: an end of a box for which the table's split lies on the wrong side.

A constraint looks at thresholds, and a threshold lies halfway between two values of the table. So
the split that separates the rows at an end of a box may lie a little inside the box, or outside.
Between ages 23 and 24 it is `age < 23.5`, which cuts the box `0 <= age < 24`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from slp.analysis.findings import Findings
from slp.columns import ColumnKind
from slp.data.table import Table
from slp.ir.boxes import Box, BoxEnd
from slp.ir.program import CheckedProgram
from slp.messages.numbers import number_text


def check_box_edges(program: CheckedProgram, table: Table, findings: Findings) -> None:
    """Warn of each end of a constrained box where the split that separates the rows of the whole
    table at this end has another effect on the constraint than the end itself."""
    columns = zip(table.features, table.codes.T, strict=True)
    known = {feature.name: (feature.kind, codes) for feature, codes in columns}
    about = [(c.about, c.missed_end) for c in program.constraints if c.about is not None]
    about += [(own.box, own.missed_end) for own in program.box_leaves]
    for box, missed_end in about:
        for name in box.bounds:
            if name not in known:
                continue
            kind, codes = known[name]
            present = np.unique(codes[codes < kind.n_values])
            for end in _ends(box, name, kind, present):
                found = missed_end(end)
                if found is not None:
                    findings.add(found)


def _ends(box: Box, name: str, kind: ColumnKind, codes: NDArray[np.int32]) -> Iterator[BoxEnd]:
    """Ends of a box in a feature whose `codes` occur, that a split of the table parts."""
    bounds = box.bounds[name]
    beside = [_neighbours(kind, codes, end) for end in bounds]
    empty = beside[0] == beside[1]  # no row has a value between the ends
    for end, neighbours in zip(bounds[:1] if empty else bounds, beside, strict=False):
        if neighbours is not None:
            threshold, between = kind.test(*neighbours).number, _between(kind, neighbours)
            assert threshold is not None, "the column has no levels"
            words = kind.words(threshold)
            yield BoxEnd(box, name, bounds, end, threshold, words, between, empty)


def _between(kind: ColumnKind, neighbours: tuple[int, int]) -> str:
    values = kind.values
    if values is None:
        return "two cuts or bins"
    below, above = (number_text(values[code]) for code in neighbours)
    return f"the values {below} and {above} of the table"


def _neighbours(kind: ColumnKind, codes: NDArray[np.int32], end: float) -> tuple[int, int] | None:
    """The nearest codes whose values are all below `end`, and all at or above it. None if the
    values of a code can lie on both sides, if all codes lie on one side, or of a column of
    levels."""
    beside = kind.codes_beside(end)
    if beside is None:
        return None
    least, most = beside
    below, above = codes[codes < least], codes[codes >= most]
    if len(below) == 0 or len(above) == 0 or len(below) + len(above) < len(codes):
        return None
    return int(below[-1]), int(above[0])
