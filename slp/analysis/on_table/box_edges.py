"""W153: an end of a box for which the table's split lies on the wrong side.

A constraint looks at thresholds, and a threshold lies halfway between two values of the table. So
the split that separates the rows at an end of a box may lie a little inside the box, or outside.
Between ages 23 and 24 it is `age < 23.5`, which cuts the box `0 <= age < 24`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.analysis.findings import Findings
from slp.data.table import Feature, Table
from slp.ir.constraints import Box, Constant, Forbid, Majority
from slp.ir.program import CheckedProgram
from slp.messages.constraints import CONSTANT_CUT_AT_END, FORBID_MISSES_NODES, MAJORITY_BEYOND_END
from slp.messages.numbers import number_text


def check_box_edges(program: CheckedProgram, table: Table, findings: Findings) -> None:
    """Warn of each end of a constrained box where the split that separates the rows of the whole
    table at this end has another effect on the constraint than the end itself."""
    columns = {f.name: (f, codes) for f, codes in zip(table.features, table.codes.T, strict=True)}
    for c in program.constraints:
        box = c.about
        if not isinstance(c, Constant | Forbid | Majority) or box is None:
            continue
        for name, bounds in box.bounds.items():
            if name not in columns or columns[name][0].categorical:
                continue
            feature, codes = columns[name]
            present = np.unique(codes[codes < feature.n_values])
            for end, neighbours in _missed(c, bounds, feature, present):
                _warn(c, box, feature, end, neighbours, findings)


def _missed(
    constraint: Constant | Forbid | Majority,
    bounds: tuple[float, float],
    feature: Feature,
    codes: NDArray[np.int32],
) -> Iterator[tuple[float, tuple[int, int]]]:
    """Ends of a box in a feature whose `codes` occur, each with the neighbouring codes."""
    low, high = bounds
    beside = [_neighbours(feature, codes, end) for end in bounds]
    empty = beside[0] == beside[1]  # no row has a value between the ends
    for end, neighbours in zip(bounds[:1] if empty else bounds, beside, strict=False):
        if neighbours is None:
            continue
        threshold = feature.threshold(*neighbours)
        if not isinstance(constraint, Forbid):
            missed = low < threshold < high
        elif end == low:
            missed = threshold < low and not empty
        else:
            missed = threshold > high
        if missed:
            yield end, neighbours


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


def _warn(
    constraint: Constant | Forbid | Majority,
    box: Box,
    feature: Feature,
    end: float,
    neighbours: tuple[int, int],
    findings: Findings,
) -> None:
    between = "two cuts or bins"
    if feature.values is not None:
        below, above = (number_text(feature.values[code]) for code in neighbours)
        between = f"the values {below} and {above} of the table"
    values: dict[str, Any] = {
        "box": box.name,
        "feature": feature.name,
        "end": number_text(end),
        "between": between,
        "threshold": number_text(feature.threshold(*neighbours)),
    }
    match constraint:
        case Constant():
            found = CONSTANT_CUT_AT_END(box.span, **values)
        case Majority():
            found = MAJORITY_BEYOND_END(box.span, outcome=constraint.outcome, **values)
        case Forbid():
            found = FORBID_MISSES_NODES(box.span, forbidden=constraint.feature, **values)
    findings.add(found)
