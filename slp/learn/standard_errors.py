"""Standard errors of learned labels and parameters, from the observed information.

The coordinates u are log ratios of the labels of a set to its last one, and the coordinates of
parameters (`slp.learn.ascent`). The gradient of the log-likelihood comes from expected counts by
Fisher's identity: with psi(c) the expected number of uses of clause c in the proofs of the
observations, less n times that in successful derivations of their goal,

    derivative by u(c) = psi(c) - label(c) * sum of psi over the set

The observed information is the negative derivative of the gradient (with that of the log prior), by
central differences. Its inverse is the covariance of u, and the error of a label is that of a
linear function of u (the delta method).

A label at an end of its range has no error. Nor has one on which the information says nothing: if
moving u along an eigenvector without curvature changes it. A curvature is none if it is within its
own error, which has three parts:

- what half the step of the differences changes;
- what is not symmetric in them;
- 2 |gradient|: where the maximum is a curve u(t), the likelihood is constant on its translate
  through a point near it, so u' H u' = -gradient . u'', and u'' is of the order of |u'|^2.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from slp.ir import program as ir
from slp.learn.expected_counts import Counts, ExpectedLikelihood
from slp.learn.label_priors import LabelPrior
from slp.learn.label_values import Labels
from slp.learn.sample import Sample

_Vector = NDArray[np.float64]

#: Labels closer than this to 0 or 1, and parameters to an end of their range as a share of it, are
#: at the end.
_END = 1e-5
#: Step of the differences in a coordinate.
_STEP = 1e-3
#: Eigenvalues of the scaled information below this, or below so many of their errors, are those of
#: no curvature.
_FLAT, _ERRORS = 1e-5, 4.0
#: Of the change of a label, the share along such directions that rounding may leave.
_ALONG = 1e-3

AT_END = "it is at an end of its range"
INVALID = "with parameters near it, labels are invalid"
SINGULAR = "the observed information is singular: the data do not determine it"
TOO_LARGE = "it would be more than half the range: the data do not determine it"


@dataclass(frozen=True, eq=False)
class _Set:
    """Labels of a set that are not at an end of their range, from coordinate `first` on."""

    clauses: Sequence[ir.LogicClause]
    values: _Vector
    prior: LabelPrior
    first: int

    @property
    def size(self) -> int:
        return len(self.clauses) - 1

    def at(self, u: _Vector) -> _Vector:
        """The labels at offsets of the coordinates; the sum stays."""
        own = self.values * np.exp(np.append(u[self.first : self.first + self.size], 0.0))
        return np.asarray(own * (self.values.sum() / own.sum()))

    def slope(self, values: _Vector, counts: Counts) -> _Vector:
        """The derivatives by the coordinates."""
        psi = np.array([counts.clauses.get(id(c), 0.0) for c in self.clauses])
        psi += self.prior.concentration - 1
        return np.asarray((psi - values / values.sum() * psi.sum())[:-1])

    def jacobian(self, n: int) -> _Vector:
        """The derivatives of the labels by n coordinates."""
        share = self.values / self.values.sum()
        out = np.zeros((len(self.values), n))
        own = np.diag(self.values) - np.outer(self.values, share)
        out[:, self.first : self.first + self.size] = own[:, :-1]
        return out


def standard_errors(sample: Sample, labels: Labels) -> dict[Hashable, float | str]:
    """The error of each label, by the id of its clause, and of each parameter, by its name; in
    place of an error the reason why there is none."""
    out: dict[Hashable, float | str] = {}
    sets, n = _sets(labels, out)
    names = []
    for name, interval in labels.intervals.items():
        value, width = labels.free[name], min(interval.width, 1.0)
        if min(value - interval.low, interval.high - value) < _END * width:
            out[name] = AT_END
        else:
            names.append(name)
    size = n + len(names)
    if size == 0:
        return out
    information = _information(sample, labels, sets, names, size)
    for own in sets:
        for clause, row in zip(own.clauses, own.jacobian(size), strict=True):
            out[id(clause)] = information.error(row, 1.0)
    for i, name in enumerate(names):
        row = np.zeros(size)
        interval, u = labels.intervals[name], labels.intervals[name].to_free(labels.free[name])
        ends = interval.to_value(u + _STEP), interval.to_value(u - _STEP)
        row[n + i] = (ends[0] - ends[1]) / (2 * _STEP)
        out[name] = information.error(row, interval.width)
    return out


def _sets(labels: Labels, out: dict[Hashable, float | str]) -> tuple[list[_Set], int]:
    """The labels with coordinates, and the number of these."""
    sets, n = [], 0
    for clauses, prior in zip(labels.sets, labels.priors, strict=True):
        free = []
        for clause in clauses:
            if _END < labels.value[id(clause)] < 1 - _END:
                free.append(clause)
            else:
                out[id(clause)] = AT_END
        if free:
            values = np.array([labels.value[id(c)] for c in free])
            sets.append(_Set(free, values, prior, n))
            n += len(free) - 1
    return sets, n


def _information(
    sample: Sample, labels: Labels, sets: Sequence[_Set], names: Sequence[str], size: int
) -> _Information:
    order = list(labels.intervals)
    start = [labels.intervals[name].to_free(labels.free[name]) for name in order]
    first = size - len(names)

    def gradient(u: _Vector) -> _Vector:
        point = np.array(start)
        for i, name in enumerate(names):
            point[order.index(name)] += u[first + i]
        free = labels.free_at(point)
        value = dict(labels.value)
        for own in sets:
            value |= zip(map(id, own.clauses), own.at(u).tolist(), strict=True)
        moved = replace(labels, value=value, free=free, parameters=labels.parameters_at(free))
        counts = sample.weigh(moved).net_counts(moved)
        out = np.zeros(size)
        for own in sets:
            out[own.first : own.first + own.size] = own.slope(own.at(u), counts)
        if names:
            slope = ExpectedLikelihood(moved, counts).slope(point)
            out[first:] = [slope[order.index(name)] for name in names]
        return out

    def differences(step: float) -> _Vector:
        ends = [(gradient(-e), gradient(e)) for e in step * np.eye(size)]
        return np.array([(low - high) / (2 * step) for low, high in ends])

    found, fine = differences(_STEP), differences(_STEP / 2)
    noise = np.abs(found - fine) + np.abs(fine - fine.T)
    noise += 2 * np.linalg.norm(gradient(np.zeros(size))) * np.eye(size)
    return _Information.of((fine + fine.T) / 2, (noise + noise.T) / 2)


@dataclass(frozen=True, eq=False)
class _Information:
    """The observed information: coordinates divided by `scale`, its eigenvectors as columns of
    `directions`, their curvatures, and which of these are none. `none` says why there is none."""

    scale: _Vector
    directions: _Vector
    curvature: _Vector
    flat: NDArray[np.bool_]
    none: str = ""

    @classmethod
    def of(cls, matrix: _Vector, noise: _Vector) -> _Information:
        """That of a matrix whose entries have these absolute errors."""
        empty = np.zeros(0)
        if not (np.isfinite(matrix).all() and np.isfinite(noise).all()):
            return cls(empty, empty, empty, empty > 0, INVALID)
        diagonal = np.diag(matrix)
        largest = diagonal.max()
        if not largest > 0:
            return cls(empty, empty, empty, empty > 0, SINGULAR)
        scale = np.sqrt(np.where(diagonal > 1e-9 * largest, diagonal, largest))
        curvature, directions = np.linalg.eigh(matrix / np.outer(scale, scale))
        size = np.abs(directions)
        error = np.einsum("ik,ij,jk->k", size, noise / np.outer(scale, scale), size)
        flat = curvature < np.maximum(_FLAT, _ERRORS * error)
        return cls(scale, directions, curvature, flat)

    def error(self, row: _Vector, width: float) -> float | str:
        """The error of a quantity with these derivatives by the coordinates, in a range of this
        width."""
        if self.none:
            return self.none
        along = self.directions.T @ (row / self.scale)
        if np.linalg.norm(along[self.flat]) > _ALONG * np.linalg.norm(along):
            return SINGULAR
        found = float(np.sqrt(np.sum(along[~self.flat] ** 2 / self.curvature[~self.flat])))
        return found if found <= width / 2 else TOO_LARGE
