"""Masses of proofs: numbers from 0 up that do not underflow or overflow.

A mass is m 2^e with m in [1/2, 1). So it holds what a logarithm holds, and products and sums are
rounded as those of floats are: the masses of short proofs are exactly the floats that they were.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import NamedTuple

_LOG_2, _LOG_10 = math.log(2), math.log(10)
_LEAST_LOG, _LARGEST_LOG = math.log(sys.float_info.min), math.log(sys.float_info.max)

#: Exponents of floats with all of their digits.
_NORMAL = range(-1021, 1025)

#: An exponent below that of every mass above 0.
_EXPONENT_OF_ZERO = -(1 << 62)

#: Bits between two masses of which a sum does not see the smaller one.
_UNSEEN = 1100


class Mass(NamedTuple):
    """A mass. Masses compare by size, as the exponent comes first."""

    exponent: int
    mantissa: float

    @classmethod
    def of(cls, value: float, exponent: int = 0) -> Mass:
        """The mass `value` 2^`exponent`."""
        mantissa, own = math.frexp(value)
        return cls(exponent + own, mantissa) if mantissa else ZERO

    def times(self, factor: float) -> Mass:
        """The product with a float from 0 up."""
        return Mass.of(self.mantissa * factor, self.exponent)

    def plus(self, other: Mass) -> Mass:
        """The sum."""
        return total((self, other))

    def over(self, other: Mass) -> Mass:
        """The quotient by a mass above 0."""
        return Mass.of(self.mantissa / other.mantissa, self.exponent - other.exponent)

    def __bool__(self) -> bool:
        return self.mantissa > 0

    def __float__(self) -> float:
        """The nearest float: 0.0 and inf where the mass is too small or too large for one."""
        try:
            return math.ldexp(self.mantissa, self.exponent) if self else 0.0
        except OverflowError:
            return math.inf

    @property
    def log(self) -> float:
        """Natural logarithm; -inf of 0."""
        if not self:
            return -math.inf
        if self.exponent in _NORMAL:
            return math.log(float(self))
        return math.log(self.mantissa) + self.exponent * _LOG_2


ZERO = Mass(_EXPONENT_OF_ZERO, 0.0)
ONE = Mass.of(1.0)


def total(masses: Iterable[Mass]) -> Mass:
    """The sum of masses, rounded once."""
    masses = list(masses)
    largest = max(masses, default=ZERO).exponent
    parts = (
        math.ldexp(m.mantissa, m.exponent - largest)
        for m in masses
        if m.exponent > largest - _UNSEEN
    )
    return Mass.of(math.fsum(parts), largest)


def mass_text(log_mass: float) -> str:
    """The mass of a logarithm with six digits, as `0.25`, `1e-16` or `3.2e-940`."""
    if log_mass == -math.inf or _LEAST_LOG <= log_mass <= _LARGEST_LOG:
        return f"{math.exp(log_mass):.6g}"
    power = math.floor(log_mass / _LOG_10)
    digits = f"{math.exp(log_mass - power * _LOG_10):.6g}"
    return f"1e{power + 1:+d}" if digits == "10" else f"{digits}e{power:+d}"


def power_of_ten(log_bound: float) -> str:
    """An upper bound, rounded up to a power of ten: `1`, `1e-13` or `10^-940`."""
    power = math.ceil(round(log_bound / _LOG_10, 12))
    if power == 0:
        return "1"
    return f"1e{power:+03d}" if abs(power) <= 308 else f"10^{power}"
