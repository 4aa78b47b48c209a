"""A number of a program that varies, and what the weights of edges owe to it.

The derivatives of the log weights of edges by labels (`slp.sensitivity.labels`) and concentrations
(`slp.sensitivity.varied`) are closed formulas. Those by parameters and feature weights are central
differences of fourth order of labels and shares, within 1e-9 of them. What they lead to is summed
by adjoints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.learn.ascent import Interval
from slp.results.sensitivity import VariedKind
from slp.sensitivity.edges import Edges

_Floats: TypeAlias = NDArray[np.float64]

STEPS_CHANGE = "near it some step of a tree appears or disappears"

#: The step of differences, as a share of the way to the nearer end of the interval, or of the size
#: of the value.
_STEP = 1e-3


@dataclass(frozen=True, eq=False)
class Varied:
    """A number that varies.

    Attributes
    ----------
    kind, name : what it is.
    value : the number as it is; 1 of the factor on a label.
    interval : its valid values, others as they are.
    said : a label as the program writes it; else empty.
    edges : the log weights of edges (E,) at a value, without likelihood; None where steps differ.
    moves : the derivatives (E,) of the log weights of edges at the value, without likelihood; None
        where differences tell them.
    likelihood : log marginal likelihoods of boxes (B,) at a value; None where it has no part in
        them.
    concentrations : of the leaf model, which of them it is, shape (C,), as ones and zeros.
    """

    kind: VariedKind
    name: str
    value: float
    interval: Interval
    said: str
    edges: Callable[[float], _Floats | None]
    moves: Callable[[], _Floats] | None = None
    likelihood: Callable[[float], _Floats] | None = None
    concentrations: _Floats | None = None

    def slope(self, edges: Edges) -> _Floats | None:
        """The derivatives (E,) of the log weights of edges, without likelihood; None where a step
        appears or disappears near the value."""
        if self.moves is not None:
            return self.moves()
        low, high, x = self.interval.low, self.interval.high, self.value
        h = _STEP * min(x - low, high - x, abs(x) or 1.0)
        ends = [self.edges(x + k * h) for k in (-2, -1, 1, 2)]
        far, near, near_up, far_up = ends
        if far is None or near is None or near_up is None or far_up is None:
            return None
        return np.asarray((8 * (near_up - near) - (far_up - far)) / (12 * h))


@dataclass(frozen=True)
class NotVaried:
    """A number that does not vary, and why."""

    name: str
    reason: str
