"""Maximising a smooth function of a few parameters that must stay where labels are labels.

Each parameter's interval of valid values, the others as they are, is found by trial; on it the
parameter becomes a coordinate u without bounds,

    (low, high)    value = low + (high - low) / (1 + exp(-u))
    (low, inf)     value = low + exp(u)          (-inf, high)   value = high - exp(-u)
    (-inf, inf)    value = u

and the function is climbed by the quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno,
with steps halved until it rises enough (Nocedal & Wright, "Numerical Optimization", 2006, chapters
3 and 6). So no step ever goes down; where the parameters together make no valid labels the function
is -inf, and the step is too long.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ascent", "Climbed", "Interval", "climb", "intervals_of", "slope", "valid_interval"]

_Vector: TypeAlias = NDArray[np.float64]

#: A value that far away is as good as none.
_FAR = 1e6
#: How closely the end of an interval is found, relative to 1 + its size.
_CLOSE = 1e-9
#: An interval as narrow as that is what rounding leaves of a point.
_NARROW = 1e-6
#: Step of numeric derivatives in a coordinate u.
_STEP = 1e-5
#: Largest step in a coordinate: a logistic coordinate has crossed most of its interval by then.
_LONGEST = 4.0
_MOST_HALVINGS = 40
_LONGER = 4.0


@dataclass(frozen=True)
class Interval:
    """The open interval of a parameter's valid values, and its coordinate."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """Its length."""
        return self.high - self.low

    def to_free(self, value: float) -> float:
        """The coordinate u of a value."""
        low, high = self.low, self.high
        if math.isinf(low):
            return value if math.isinf(high) else -math.log(high - value)
        if math.isinf(high):
            return math.log(value - low)
        return math.log(value - low) - math.log(high - value)

    def rounded(self, value: float) -> float:
        """The value with ten significant digits, or as it is if that were an end."""
        short = float(f"{value:.10g}")
        return short if self.low < short < self.high else value

    def to_value(self, u: float) -> float:
        """The value of a coordinate."""
        low, high = self.low, self.high
        if math.isinf(low):
            return u if math.isinf(high) else high - math.exp(-u)
        if math.isinf(high):
            return low + math.exp(min(u, 700.0))
        share = 1 / (1 + math.exp(-u)) if u >= 0 else math.exp(u) / (1 + math.exp(u))
        return low + (high - low) * share


def valid_interval(is_valid: Callable[[float], bool], value: float) -> Interval:
    """The interval of valid values around a valid one; ends beyond a million are infinite."""
    return Interval(_end(is_valid, value, -1.0), _end(is_valid, value, 1.0))


def _end(is_valid: Callable[[float], bool], value: float, sign: float) -> float:
    good, step = value, max(abs(value), 1.0) / 8
    bad = value + sign * step
    while is_valid(bad):
        if abs(bad) > _FAR:
            return sign * math.inf
        good, step = bad, 4 * step
        bad = value + sign * step
    for likely in (0.0, 1.0):  # where most labels end
        if sign * good <= sign * likely <= sign * bad:
            inside, outside = likely - sign * _CLOSE, likely + sign * _CLOSE
            good = inside if is_valid(inside) else good
            bad = outside if not is_valid(outside) else bad
            if (good, bad) == (inside, outside):
                return likely
    while abs(bad - good) > _CLOSE * (1 + abs(good)):
        middle = (good + bad) / 2
        good, bad = (middle, bad) if is_valid(middle) else (good, middle)
    return good


def intervals_of(
    names: Iterable[str],
    parameters: Mapping[str, float],
    is_valid: Callable[[Mapping[str, float]], bool],
) -> dict[str, Interval]:
    """Where each parameter may be, the others as they are; those that cannot move are left out."""
    out = {}
    for name in names:

        def holds(value: float, name: str = name) -> bool:
            return is_valid({name: value})

        interval = valid_interval(holds, parameters[name])
        if interval.low < parameters[name] < interval.high and interval.width > _NARROW:
            out[name] = interval
    return out


class Climbed(Protocol):
    """A function to climb, and its slope."""

    def value(self, point: _Vector) -> float:
        """-inf where the point stands for nothing valid."""
        ...

    def slope(self, point: _Vector) -> _Vector:
        """Asked for only where `value` was just asked for, and is finite."""
        ...


class Ascent(NamedTuple):
    """A point on the way up, and the function's value there."""

    point: _Vector
    value: float


def climb(
    function: Climbed, start: Sequence[float], *, iterations: int, tolerance: float
) -> tuple[list[Ascent], bool]:
    """The points from `start` upwards, values never falling, until a step gains at most
    `tolerance`; and whether that was reached."""
    point = np.array(start, np.float64)
    path = [Ascent(point, function.value(point))]
    uphill = function.slope(point)
    inverse, fresh = _scaled(uphill), True  # of the curvature, as far as it is known
    while len(path) <= iterations:
        here = path[-1]
        direction = inverse @ uphill
        there = _step(function, here, uphill, _shortened(direction))
        if there is None and fresh:
            return path, True
        if there is None:
            inverse, fresh = _scaled(uphill), True
            continue
        path.append(there)
        if there.value - here.value <= tolerance:
            return path, True
        before, uphill, fresh = uphill, function.slope(there.point), False
        inverse = _updated(inverse, there.point - here.point, before - uphill)
    return path, False


def slope(function: Callable[[_Vector], float], point: _Vector) -> _Vector:
    """The slope of a function by central differences."""
    out = np.empty(len(point))
    for i in range(len(point)):
        step = np.zeros(len(point))
        step[i] = _STEP
        out[i] = (function(point + step) - function(point - step)) / (2 * _STEP)
    return out


def _scaled(uphill: _Vector) -> _Vector:
    """A curvature with which the first step has length 1."""
    length = float(np.linalg.norm(uphill))
    return np.eye(len(uphill)) / (length if length > 0 else 1.0)


def _shortened(direction: _Vector) -> _Vector:
    longest = float(np.abs(direction).max(initial=0.0))
    return direction * min(1.0, _LONGEST / longest) if longest > 0 else direction


def _step(function: Climbed, here: Ascent, uphill: _Vector, direction: _Vector) -> Ascent | None:
    """The first of the halved steps that rises enough (Armijo's rule), None if none does."""
    promised = float(uphill @ direction)
    if not promised > 0:
        return None
    size = 1.0
    for _ in range(_MOST_HALVINGS):
        point = here.point + size * direction
        value = function.value(point)
        if value > here.value and value >= here.value + 1e-4 * size * promised:
            return Ascent(point, value)
        size /= 2
    return None


def _updated(inverse: _Vector, moved: _Vector, bent: _Vector) -> _Vector:
    """The BFGS update from a step and the change of the downward slope along it; where the function
    bends upwards, longer steps."""
    along = float(moved @ bent)
    if along <= 1e-12:
        return _LONGER * inverse
    unit = np.eye(len(moved))
    left = unit - np.outer(moved, bent) / along
    return np.asarray(left @ inverse @ left.T + np.outer(moved, moved) / along)
