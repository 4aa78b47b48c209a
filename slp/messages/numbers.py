"""Numbers in text: the one way in which thresholds, cuts, bounds, parameters and values of a table
are written."""

from __future__ import annotations

from collections.abc import Mapping


def number_text(x: int | float) -> str:
    """A number in the fewest digits that read back as the same double, in Python and in a program:
    `3`, `0.1`, `1700000000124.5`, `1.0e20`; infinity is `inf`."""
    if isinstance(x, int):
        return str(int(x))
    x = float(x)
    mantissa, e, exponent = repr(x).partition("e")
    if e:  # a program's numbers have a point before the exponent
        return f"{mantissa}{'' if '.' in mantissa else '.0'}e{int(exponent)}"
    return mantissa if x == 0 and mantissa.startswith("-") else mantissa.removesuffix(".0")


def interval_text(low: float, high: float, between: str = "to") -> str:
    """`0 to 30`."""
    return f"{number_text(low)} {between} {number_text(high)}"


def settings_text(settings: Mapping[str, float]) -> str:
    """Names with their numbers: `alpha = 0.95, beta = 1`."""
    return ", ".join(f"{name} = {number_text(value)}" for name, value in settings.items())
