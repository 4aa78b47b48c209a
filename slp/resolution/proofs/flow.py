"""The equations of a graph of stochastic choices, which are in `slp.resolution.proofs.graph`,
solved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.late import late_import
from slp.resolution.proofs.masses import ZERO, Mass, total

#: Solutions of the equations may be below 0 by so much, relative to the largest one.
_ROUNDING = 1e-9

#: Exponents further apart than this are as far apart as floats can show.
_FAR = 4000


class BranchesError(Exception):
    """Logical goals have several solutions, so masses do not sum to what was asked for."""


class TooSmallError(Exception):
    """The mass of proofs, relative to what enters their loop, is too small for a float."""


@dataclass(frozen=True, eq=False)
class Flow:
    """A graph weighed. D outcomes, X exits.

    `success`, `failure`: mass of the derivations that succeed and fail; `waiting`: mass of nodes
    not opened; `open`: `waiting` and the mass of derivations that never end. `succeeding`,
    `failing`, float64, shape (D,): how often each outcome is taken, summed over the derivations
    that succeed or fail with their masses, divided by `success`. `lost`, float64, shape (X,): mass
    lost at each exit itself, divided by `success`. The three are 0 where `success` is, and inf
    where a quotient is too large for a float.
    """

    success: Mass
    failure: Mass
    waiting: Mass
    open: Mass
    succeeding: NDArray[np.float64]
    failing: NDArray[np.float64]
    lost: NDArray[np.float64]


class Masses(NamedTuple):
    """Masses m 2^e (see `slp.resolution.proofs.masses`), as two arrays: float64 and int64, shape
    (N,)."""

    mantissa: NDArray[np.float64]
    exponent: NDArray[np.int64]

    @classmethod
    def of(cls, masses: Sequence[Mass]) -> Masses:
        """The masses as arrays."""
        exponents = np.array([m.exponent for m in masses], np.int64)
        return cls(np.array([m.mantissa for m in masses], np.float64), exponents)

    def mass(self, i: int) -> Mass:
        """The mass at a place."""
        return Mass(int(self.exponent[i]), float(self.mantissa[i]))

    def at(self, index: NDArray[np.int64]) -> Masses:
        """The masses at some places."""
        return Masses(self.mantissa[index], self.exponent[index])

    def times(self, factors: NDArray[np.float64]) -> Masses:
        """The products with floats."""
        return Masses(self.mantissa * factors, self.exponent)

    def by(self, other: Masses) -> Masses:
        """The products, one by one."""
        return Masses(self.mantissa * other.mantissa, self.exponent + other.exponent)

    def sum(self) -> Mass:
        """The sum of all."""
        return total(Mass.of(m, e) for m, e in zip(*map(np.ndarray.tolist, self), strict=True) if m)

    def over(self, whole: Mass) -> NDArray[np.float64]:
        """The quotients by a mass, as floats; 0 if it is 0."""
        if not whole:
            return np.zeros(len(self.mantissa))
        exponents = np.clip(self.exponent - whole.exponent, -_FAR, _FAR).astype(np.int32)
        with np.errstate(over="ignore"):
            return np.ldexp(self.mantissa / whole.mantissa, exponents)


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
) -> tuple[Masses, Masses, Masses]:
    """`reach`, `success` and `failure` of each node.

    Derivations at a node from which no derivation ends are infinite; such nodes are left out. The
    equations are solved for one strongly connected component of the graph after the other, each
    relative to the largest mass that enters it. So only masses within one component must be
    within the range of floats.

    Raises
    ------
    BranchesError
        The sums are not finite: the equations have no solution, or one with negative masses.
    """
    n = len(alive)
    inside = alive[e.source] & alive[e.target] & (p > 0)
    source, target, steps = e.source[inside], e.target[inside], p[inside]
    root = np.zeros(n)
    root[0] = alive[0]
    parts = _components(source, target, n)
    reach = _solved(parts, _rows(target, source, steps, n), root)
    parts.reverse()
    rows = _rows(source, target, steps, n)
    return reach, _solved(parts, rows, proofs * alive), _solved(parts, rows, fails * alive)


def _components(source: NDArray[np.int64], target: NDArray[np.int64], n: int) -> list[list[int]]:
    """The nodes of each strongly connected component, those with edges to others before these."""
    sparse = late_import("scipy.sparse")
    connected_components = late_import("scipy.sparse.csgraph").connected_components
    edges = sparse.csr_matrix((np.ones(len(source)), (source, target)), shape=(n, n))
    count, part = connected_components(edges, connection="strong")
    members: list[list[int]] = [[] for _ in range(count)]
    for i, number in enumerate(part.tolist()):
        members[number].append(i)
    between = part[source] != part[target]
    later: list[list[int]] = [[] for _ in range(count)]
    for a, b in zip(part[source][between].tolist(), part[target][between].tolist(), strict=True):
        later[a].append(b)
    before = np.bincount(part[target][between], minlength=count).tolist()
    order = [i for i in range(count) if before[i] == 0]
    for number in order:  # grows
        for other in later[number]:
            before[other] -= 1
            if before[other] == 0:
                order.append(other)
    return [members[number] for number in order]


#: For each node: other nodes, with factors.
_Rows = list[list[tuple[int, float]]]


def _rows(
    row: NDArray[np.int64], column: NDArray[np.int64], p: NDArray[np.float64], n: int
) -> _Rows:
    rows: _Rows = [[] for _ in range(n)]
    for i, j, factor in zip(row.tolist(), column.tolist(), p.tolist(), strict=True):
        rows[i].append((j, factor))
    return rows


def _solved(parts: Sequence[Sequence[int]], rows: _Rows, given: NDArray[np.float64]) -> Masses:
    """The solution x of x = given + rows x, for parts of which each needs those before it only."""
    found = [Mass.of(x) for x in given.tolist()]
    for part in parts:
        inside = set(part)
        linked = False
        for i in part:
            terms = [found[i]] if found[i] else []
            for j, factor in rows[i]:
                if j in inside:
                    linked = True
                elif found[j]:
                    terms.append(found[j].times(factor))
            found[i] = total(terms) if terms else ZERO
        if linked:
            for i, mass in zip(part, _solved_together(part, rows, found), strict=True):
                found[i] = mass
    return Masses.of(found)


def _solved_together(part: Sequence[int], rows: _Rows, found: Sequence[Mass]) -> list[Mass]:
    """The solution at nodes that need each other; `found` has what they get from others."""
    sparse, splu = late_import("scipy.sparse"), late_import("scipy.sparse.linalg").splu

    unit = max(found[i] for i in part).exponent
    if not any(found[i] for i in part):
        return [ZERO] * len(part)
    place = {i: k for k, i in enumerate(part)}
    edges = [(place[i], place[j], p) for i in part for j, p in rows[i] if j in place]
    row, column, p = zip(*edges, strict=True)
    steps = sparse.csc_matrix((p, (row, column)), shape=(len(part), len(part)))
    enters = np.array([math.ldexp(found[i].mantissa, found[i].exponent - unit) for i in part])
    try:
        out = splu(sparse.identity(len(part), format="csc") - steps).solve(enters)
    except RuntimeError as singular:
        raise BranchesError from singular
    if not (out >= -_ROUNDING * np.abs(out).max()).all():
        raise BranchesError
    return [Mass.of(max(x, 0.0), unit) for x in out.tolist()]
