"""Numbers that depend on a split's threshold V, as a*V + b, with a trace of comparisons.

To learn where along the real line a guard behind a split changes its answer, the guard is run with
V bound to a *probe*, a number that knows that it is V (concolic execution; Godefroid, Klarlund &
Sen 2005). Sums and multiples of V stay affine in V; every comparison notes the one V at which its
answer changes, its *critical point*. If no critical point lies inside an open interval around the
probe, the guard takes the same steps for every V in that interval.

The arithmetic is exact (rational): a guard's answer is that of the numbers as written, without the
rounding that floating point would add.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

_MAX_BITS = 8192

_Real: TypeAlias = "int | float | Affine"


class NotAffineError(ArithmeticError):
    """A threshold went into arithmetic whose result is not a*V + b."""


@dataclass
class Trace:
    """One run of a guard: the V it is probed at, and the critical points met, in any order."""

    probe: Fraction
    critical: set[Fraction] = field(default_factory=set)

    def threshold(self) -> Affine:
        """V itself."""
        return Affine(Fraction(1), Fraction(0), self)


class Affine(float):
    """slope * V + intercept, slope not 0; as a float, its value at the probe."""

    __slots__ = ("intercept", "slope", "trace")
    slope: Fraction
    intercept: Fraction
    trace: Trace

    def __new__(cls, slope: Fraction, intercept: Fraction, trace: Trace) -> Affine:
        self = super().__new__(cls, float(slope * trace.probe + intercept))
        self.slope, self.intercept, self.trace = slope, intercept, trace
        return self

    def _made(self, slope: Fraction, intercept: Fraction) -> float:
        if slope == 0:
            return float(intercept)
        if max(slope.denominator, intercept.denominator).bit_length() > _MAX_BITS:
            raise OverflowError
        return Affine(slope, intercept, self.trace)

    def __add__(self, other: _Real) -> float:
        if _is_infinite(other):
            return float(other)
        slope, intercept = _coefficients(other)
        return self._made(self.slope + slope, self.intercept + intercept)

    __radd__ = __add__

    def __neg__(self) -> float:
        return self._made(-self.slope, -self.intercept)

    def __pos__(self) -> float:
        return self

    def __sub__(self, other: _Real) -> float:
        return self + -other

    def __rsub__(self, other: _Real) -> float:
        return -self + other

    def __mul__(self, other: _Real) -> float:
        if isinstance(other, Affine) or _is_infinite(other):
            raise NotAffineError
        factor = Fraction(other)
        return self._made(self.slope * factor, self.intercept * factor)

    __rmul__ = __mul__

    def __truediv__(self, other: _Real) -> float:
        if isinstance(other, Affine):
            raise NotAffineError
        if _is_infinite(other):
            return 0.0
        divisor = Fraction(other)
        return self._made(self.slope / divisor, self.intercept / divisor)

    def __rtruediv__(self, other: _Real) -> float:
        raise NotAffineError

    def __abs__(self) -> float:
        return self if self >= 0 else -self

    def _sign(self, other: object) -> int:
        """Sign of self - other at the probe; its critical point goes into the trace."""
        if not isinstance(other, int | float):
            raise TypeError(f"cannot compare a threshold with {type(other).__name__}")
        if _is_infinite(other):
            return -1 if other > 0 else 1
        slope, intercept = _coefficients(other)
        slope, intercept = self.slope - slope, self.intercept - intercept
        if slope != 0:
            self.trace.critical.add(-intercept / slope)
        difference = slope * self.trace.probe + intercept
        return (difference > 0) - (difference < 0)

    def __eq__(self, other: object) -> bool:
        return self._sign(other) == 0

    def __ne__(self, other: object) -> bool:
        return self._sign(other) != 0

    def __lt__(self, other: float) -> bool:
        return self._sign(other) < 0

    def __le__(self, other: float) -> bool:
        return self._sign(other) <= 0

    def __gt__(self, other: float) -> bool:
        return self._sign(other) > 0

    def __ge__(self, other: float) -> bool:
        return self._sign(other) >= 0

    __hash__ = float.__hash__


def _coefficients(x: _Real) -> tuple[Fraction, Fraction]:
    if isinstance(x, Affine):
        return x.slope, x.intercept
    return Fraction(0), Fraction(x)


def _is_infinite(x: _Real) -> bool:
    return isinstance(x, float) and math.isinf(x)  # an int may be too large for a float
