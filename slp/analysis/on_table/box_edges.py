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
from slp.data.table import Feature, Table
from slp.ir.constraints import Box, BoxEnd
from slp.ir.program import CheckedProgram
from slp.messages.numbers import number_text


def check_box_edges(program: CheckedProgram, table: Table, findings: Findings) -> None:
    """Warn of each end of a constrained box where the split that separates the rows of the whole
    table at this end has another effect on the constraint than the end itself."""
    columns = {f.name: (f, codes) for f, codes in zip(table.features, table.codes.T, strict=True)}
    for c in program.constraints:
        if c.about is None:
            continue
        for name, bounds in c.about.bounds.items():
            if name not in columns or columns[name][0].categorical:
                continue
            feature, codes = columns[name]
            present = np.unique(codes[codes < feature.n_values])
            for end in _ends(c.about, bounds, feature, present):
                found = c.missed_end(end)
                if found is not None:
                    findings.add(found)


def _ends(
    box: Box, bounds: tuple[float, float], feature: Feature, codes: NDArray[np.int32]
) -> Iterator[BoxEnd]:
    """Ends of a box in a feature whose `codes` occur, that a split of the table parts."""
    beside = [_neighbours(feature, codes, end) for end in bounds]
    empty = beside[0] == beside[1]  # no row has a value between the ends
    for end, neighbours in zip(bounds[:1] if empty else bounds, beside, strict=False):
        if neighbours is not None:
            threshold, between = feature.threshold(*neighbours), _between(feature, neighbours)
            yield BoxEnd(box, feature.name, bounds, end, threshold, between, empty)


def _between(feature: Feature, neighbours: tuple[int, int]) -> str:
    if feature.values is None:
        return "two cuts or bins"
    below, above = (number_text(feature.values[code]) for code in neighbours)
    return f"the values {below} and {above} of the table"


def _neighbours(feature: Feature, codes: NDArray[np.int32], end: float) -> tuple[int, int] | None:
    """The nearest codes whose values are all below `end`, and all at or above it. None if the
    values of a code can lie on both sides, or if all codes lie on one side."""
    if feature.values is not None:
        least = most = int(np.searchsorted(feature.values, end))
    else:
        assert feature.cuts is not None
        least = int(np.searchsorted(feature.cuts, end, side="right"))
        most = int(np.searchsorted(feature.cuts, end)) + 1
    below, above = codes[codes < least], codes[codes >= most]
    if len(below) == 0 or len(above) == 0 or len(below) + len(above) < len(codes):
        return None
    return int(below[-1]), int(above[0])
