"""The equations of a graph of stochastic choices, which are in `slp.resolution.graph`, solved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.late import late_import

#: Solutions of the equations may be below 0 by so much.
_ROUNDING = 1e-9


class BranchesError(Exception):
    """Logical goals have several solutions, so masses do not sum to what was asked for."""


@dataclass(frozen=True, eq=False)
class Flow:
    """A graph weighed. D outcomes, X exits.

    `success`, `failure`: mass of the derivations that succeed and fail; `waiting`: mass of nodes
    not opened; `open`: 1 - success - failure, which is `waiting` and the mass of derivations that
    never end. `succeeding`, `failing`, float64, shape (D,): how often each outcome is taken, summed
    over the derivations that succeed or fail with their masses. `lost`, float64, shape (X,): mass
    lost at each exit itself.
    """

    success: float
    failure: float
    waiting: float
    open: float
    succeeding: NDArray[np.float64]
    failing: NDArray[np.float64]
    lost: NDArray[np.float64]


class FlowEdges(NamedTuple):
    """The edges as arrays: source, outcome, target, exit. E entries each."""

    source: NDArray[np.int64]
    outcome: NDArray[np.int64]
    target: NDArray[np.int64]
    exit: NDArray[np.int64]


def can_reach(e: FlowEdges, p: NDArray[np.float64], goal: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Nodes from which edges of value above 0 lead to one of `goal`."""
    out = goal.copy()
    source, target = e.source[p > 0], e.target[p > 0]
    while True:
        more = out.copy()
        more[source[out[target]]] = True
        if (more == out).all():
            return out
        out = more


def solutions(
    e: FlowEdges,
    p: NDArray[np.float64],
    alive: NDArray[np.bool_],
    proofs: NDArray[np.float64],
    fails: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """`reach`, `success` and `failure` of each node.

    Derivations at a node from which no derivation ends are infinite; such nodes are left out.

    Raises
    ------
    BranchesError
        The sums are not finite: the equations have no solution, or one with negative masses.
    """
    sparse, splu = late_import("scipy.sparse"), late_import("scipy.sparse.linalg").splu

    n = len(alive)
    inside = alive[e.source] & alive[e.target]
    place = np.cumsum(alive) - 1
    index = (place[e.source[inside]], place[e.target[inside]])
    count = int(alive.sum())
    out = np.zeros((3, n))
    if not alive[0]:
        return out[0], out[1], out[2]
    steps = sparse.csc_matrix((p[inside], index), shape=(count, count))
    try:
        solver = splu(sparse.identity(count, format="csc") - steps)
    except RuntimeError as singular:
        raise BranchesError from singular
    root = np.zeros(count)
    root[0] = 1.0
    out[0, alive] = solver.solve(root, trans="T")
    out[1, alive] = solver.solve(proofs[alive])
    out[2, alive] = solver.solve(fails[alive])
    if not (out >= -_ROUNDING).all():
        raise BranchesError
    return out[0], out[1], out[2]
