"""Log gamma functions to 40 digits, for differences of them that cancel in doubles."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

_DIGITS = 60
_FAR = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
#: Bernoulli numbers B_2, B_4, ... of Stirling's series; behind them, terms are below 1e-45.
_BERNOULLI = tuple(
    Fraction(*pair)
    for pair in (
        (1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510),
        (43867, 798), (-174611, 330), (854513, 138), (-236364091, 2730), (8553103, 6),
        (-23749461029, 870), (8615841276005, 14322),
    )
)  # fmt: skip


def log_gamma(z: Decimal) -> Decimal:
    """log Gamma(z) for z above 0, by Stirling's series from 60 on, and z Gamma(z) = Gamma(z + 1)
    below."""
    with localcontext() as context:
        context.prec = _DIGITS
        below = Decimal(1)
        while z < _FAR:
            below *= z
            z += 1
        series = (z - Decimal("0.5")) * z.ln() - z + (2 * PI).ln() / 2
        for k, b in enumerate(_BERNOULLI, 1):
            series += (
                Decimal(b.numerator) / b.denominator / (2 * k * (2 * k - 1) * z ** (2 * k - 1))
            )
        return series - below.ln()


def log_rising(a: Decimal, x: Decimal) -> Decimal:
    """log Gamma(a + x) - log Gamma(a)."""
    with localcontext() as context:
        context.prec = _DIGITS
        return log_gamma(a + x) - log_gamma(a)
