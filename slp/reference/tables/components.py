"""Equations that need each other: x = f(x), each a sum of c, c x or c x y, with c > 0.

The least solution m of a strongly connected component is positive or infinite. Newton's method from
0 finds it (Etessami & Yannakakis 2009, section 6), in floats. Bounds are then proved, whatever the
floats were worth:

- u is an upper bound if f(u) <= u, as f is monotone.
- If f(u) < u in each equation, no other solution lies below u: f is convex, so a second solution q
  on the line from m through q to the border of the box below u would have f(u) >= u there. So l is
  a lower bound if l <= u and l <= f(l): the iterates of f from l grow to a solution below u.
- Near a critical point no such u is found. The system with coefficients (1 - d) c is not critical,
  and its lower bounds are lower bounds of this one.
- The solution is infinite if the Jacobian at a lower bound has a spectral radius above 1; it has if
  J z > z in each place, for some z > 0 (Collatz & Wielandt). At a finite solution it is at most 1.

Candidates are m + e w and m - e w with w = (I - J(m))^-1 m: there u - f(u) is e m to first order,
and f(l) - l is at least that, by convexity. Masses are scaled by powers of two, which is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.resolution.proofs.masses import ZERO, Mass, total

#: float64, shape (m,) of m unknowns, or (T,) of T terms.
_Array: TypeAlias = NDArray[np.float64]

_ROUNDING = 2.0**-52
#: Parts of a solution that is positive may be below 0 by so much, relative to the largest one.
_NEGATIVE = 1e-12
#: Distances of the bounds from the solution, relative.
_WIDTHS = [2.0**-k for k in range(50, 1, -1)]
#: Shares by which coefficients are lowered near a critical point.
_LOWERED = [2.0**-k for k in range(46, 4, -6)]
#: Iterations of Newton's method; at a critical point each gives one bit.
_NEWTON = 80
#: Iterations that look whether a solution is infinite.
_KLEENE = 512
#: Lower bounds are cut to this, where a solution may be infinite.
_LARGE = 1e90
#: Scaled masses stay within 2 to this power.
_RANGE = 60


class Term(NamedTuple):
    """A term of the equation of unknown `target`: a coefficient with bounds (`upper` None: none is
    known), and up to two unknowns."""

    target: int
    lower: Mass
    value: Mass
    upper: Mass | None
    first: int | None
    second: int | None


@dataclass(frozen=True)
class Solution:
    """Of each unknown a lower bound, the value by floats, and an upper bound (None: none is known).
    `infinite`: all unknowns are, for certain."""

    masses: list[tuple[Mass, Mass, Mass | None]]
    infinite: bool


class Component:
    """A strongly connected component of `size` unknowns. Its matrices are dense."""

    def __init__(self, size: int, terms: Sequence[Term]) -> None:
        self._size = size
        self._terms = terms
        self._target = np.array([t.target for t in terms])
        self._first = np.array([size if t.first is None else t.first for t in terms])
        self._second = np.array([size if t.second is None else t.second for t in terms])
        # A product of three, and a sum of so many.
        self._error = (4 + np.bincount(self._target, minlength=size).max()) * _ROUNDING

    def solution(self) -> Solution:
        """The least solution."""
        with np.errstate(all="ignore"):
            return self._solution()

    def _solution(self) -> Solution:
        scale = self._first_scale()
        value = self._scaled([t.value for t in self._terms], scale)
        m = self._newton(value)
        for _ in range(_RANGE):
            if m is None or max(abs(e) for e in _exponents(m)) <= _RANGE:
                break
            scale = [s + e for s, e in zip(scale, _exponents(m), strict=True)]
            value = self._scaled([t.value for t in self._terms], scale)
            m = self._newton(value)
        lower = self._scaled([t.lower for t in self._terms], scale)
        upper = None
        if all(t.upper is not None for t in self._terms):
            upper = self._scaled([t.upper or ZERO for t in self._terms], scale)
        u = None if m is None or upper is None else self._upper(upper, m)
        low = None if m is None or u is None else self._lower(lower, m, u)
        if low is None:
            low = self._lowered(lower)
        infinite = u is None and self._is_infinite(lower)
        best = low if m is None else m
        masses = [
            (
                Mass.of(float(low[i]), s),
                Mass.of(float(best[i]), s),
                None if u is None else Mass.of(float(u[i]), s),
            )
            for i, s in enumerate(scale)
        ]
        return Solution(masses, infinite)

    # --- f, its Jacobian and its scale -------------------------------------------------------

    def _first_scale(self) -> list[int]:
        """A power of two near each unknown: that of an iterate of f from 0."""
        x = [ZERO] * self._size
        into: list[list[Term]] = [[] for _ in x]
        for term in self._terms:
            into[term.target].append(term)
        for _ in x:  # a sweep makes at least one more positive
            for i, terms in enumerate(into):
                x[i] = total(_value(t, x) for t in terms)
            if all(x):
                break
        return [mass.exponent if mass else 0 for mass in x]

    def _scaled(self, coefficients: Sequence[Mass], scale: list[int]) -> _Array:
        """Coefficients for unknowns in units of 2 to their `scale`."""
        at = [*scale, 0]
        exponents = [
            at[i] + at[j] - at[k]
            for i, j, k in zip(self._first, self._second, self._target, strict=True)
        ]
        return np.array(
            [
                float(Mass(c.exponent + e, c.mantissa))
                for c, e in zip(coefficients, exponents, strict=True)
            ]
        )

    def _f(self, c: _Array, x: _Array) -> _Array:
        y = np.append(x, 1.0)
        terms = c * y[self._first] * y[self._second]
        return np.bincount(self._target, weights=terms, minlength=self._size).astype(np.float64)

    def _jacobian(self, c: _Array, x: _Array) -> NDArray[np.float64]:
        """J[i, j] = d f_i / d x_j."""
        m, y = self._size, np.append(x, 1.0)
        out = np.zeros((m, m + 1))
        np.add.at(out, (self._target, self._first), c * y[self._second])
        np.add.at(out, (self._target, self._second), c * y[self._first])
        return out[:, :m]

    def _solve(self, c: _Array, x: _Array, right: _Array) -> _Array | None:
        """(I - J(x))^-1 right; None unless it is positive, as it is below a finite solution."""
        try:
            out = np.linalg.solve(np.eye(self._size) - self._jacobian(c, x), right)
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(out).all() or (out < -_NEGATIVE * out.max()).any():
            return None
        cut: _Array = np.maximum(out, 0.0)
        return cut

    def _newton(self, c: _Array) -> _Array | None:
        """The least solution of x = f(x), about; None where it seems to be infinite."""
        x = np.zeros(self._size)
        for _ in range(_NEWTON):
            step = self._solve(c, x, np.maximum(self._f(c, x) - x, 0.0))
            if step is None:
                break
            x = x + step
            if (step <= 4 * _ROUNDING * x).all():
                break
        return x if np.isfinite(x).all() and (x > 0).all() and (x < 1e200).all() else None

    # --- proofs of bounds --------------------------------------------------------------------

    def _is_above(self, c: _Array, u: _Array) -> bool:
        """Whether f(u) < u is certain."""
        return bool((self._f(c, u) * (1 + self._error) < u * (1 - _ROUNDING)).all())

    def _is_below(self, c: _Array, low: _Array) -> bool:
        """Whether low <= f(low) is certain."""
        return bool((self._f(c, low) * (1 - self._error) >= low).all())

    def _upper(self, c: _Array, m: _Array) -> _Array | None:
        away = self._solve(c, m, m)
        candidates = () if away is None else (m + width * away for width in _WIDTHS)
        return next((u for u in candidates if self._is_above(c, u)), None)

    def _lower(self, c: _Array, m: _Array, u: _Array) -> _Array | None:
        """A lower bound, where f(u) < u is certain."""
        away = self._solve(c, m, m)
        if away is None:
            return None
        for width in _WIDTHS:
            low = np.maximum(m - width * away, 0.0)
            if (low <= u).all() and self._is_below(c, low):
                return low
        return None

    def _lowered(self, c: _Array) -> _Array:
        """A lower bound by coefficients that are lowered, by as little as can be; else by iterates
        of f from 0."""
        for share in _LOWERED:
            less = c * (1 - share)
            m = self._newton(less)
            u = None if m is None else self._upper(less, m)
            low = None if m is None or u is None else self._lower(less, m, u)
            if low is not None:
                return low
        low = np.zeros(self._size)
        for _ in range(self._size + 1):
            low = self._step_below(c, low)
        return low

    def _step_below(self, c: _Array, low: _Array) -> _Array:
        """A lower bound from another one. Large ones are cut: whatever is less is one, too."""
        below: _Array = self._f(np.minimum(c, _LARGE), low) * (1 - self._error)
        return np.clip(below, 0.0, _LARGE)

    def _is_infinite(self, c: _Array) -> bool:
        """Whether it is certain that the least solution is not finite."""
        low = np.zeros(self._size)
        for k in range(1, _KLEENE + 1):
            low = self._step_below(c, low)
            if k & (k - 1) == 0:
                if self._grows(self._jacobian(np.minimum(c, _LARGE), low)):
                    return True
        return False

    def _grows(self, jacobian: NDArray[np.float64]) -> bool:
        """Whether J z > z is certain for some z > 0."""
        z = np.ones(self._size)
        for _ in range(64):
            z = z + jacobian @ z  # converges where J alone would be periodic
            z /= z.max()
        grown = jacobian @ z * (1 - (self._size + self._error / _ROUNDING) * _ROUNDING)
        return bool((z > 0).all() and (grown > z).all())


def _value(term: Term, x: Sequence[Mass]) -> Mass:
    out = term.value
    for i in (term.first, term.second):
        if i is not None:
            out = Mass.of(out.mantissa * x[i].mantissa, out.exponent + x[i].exponent)
    return out


def _exponents(x: _Array) -> list[int]:
    return [math.frexp(value)[1] for value in x.tolist()]
