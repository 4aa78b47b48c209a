"""Numbers of a column that are almost equal, as results of arithmetic are that should be equal."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from slp.errors import Diagnostic
from slp.messages.names import atom, plural
from slp.messages.table_warnings import ALMOST_EQUAL

_MOST_UNITS = 4  # in the last place
_MOST_DIGITS, _LEAST_DIGITS = 15, 6
_MOST_READ = 10_000  # values that are rounded in search of the digits


def near_tie_warnings(
    name: str, x: NDArray[np.float64], codes: NDArray[np.int32]
) -> tuple[Diagnostic, ...]:
    """W408 where finite values, shape (n,), differ by at most 4 units in the last place (of the
    larger one by size), and have different codes, so that a cut parts them."""
    values, first = np.unique(x, return_index=True)
    if len(values) < 2:
        return ()
    with np.errstate(over="ignore"):
        gaps = np.diff(values)
    units = np.spacing(np.maximum(np.abs(values[:-1]), np.abs(values[1:])))
    near = (gaps <= _MOST_UNITS * units) & (codes[first[:-1]] != codes[first[1:]])
    places = np.flatnonzero(near)
    if not len(places):
        return ()
    i = int(places[0])
    low, high = float(values[i]), float(values[i + 1])
    found = ALMOST_EQUAL(
        name=name,
        atom=atom(name),
        count=plural(len(places), "pair"),
        low=low,
        high=high,
        row=int(first[i]) + 1,
        other=int(first[i + 1]) + 1,
        format=_format(values, places),
    )
    return (found,)


def _format(values: NDArray[np.float64], places: NDArray[np.intp]) -> str:
    """How to write numbers so that the values at these places equal those that follow: by the most
    significant digits that do it for all but the least numbers; by decimals if there are none."""
    pairs = [(float(values[i]), float(values[i + 1])) for i in places[:_MOST_READ]]
    normal = [(a, b) for a, b in pairs if max(abs(a), abs(b)) >= sys.float_info.min]
    for digits in range(_MOST_DIGITS, _LEAST_DIGITS - 1, -1):
        if normal and all(float(f"{a:.{digits}g}") == float(f"{b:.{digits}g}") for a, b in normal):
            return f".{digits}g"
    return ".300f"
