"""Maximises a smooth function of a few parameters, each within its interval of valid values.

Trial values determine the interval of each parameter, with the other parameters fixed. On this
interval a coordinate u without bounds replaces the parameter:

    (low, high)    value = low + (high - low) / (1 + exp(-u))
    (low, inf)     value = low + exp(u)          (-inf, high)   value = high - exp(-u)
    (-inf, inf)    value = u

The method is the quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno. A step is halved
until the function rises enough (Nocedal & Wright, "Numerical Optimization", 2006, chapters 3 and
6), so the function never decreases. Where the parameters together give invalid labels, the function
is -inf, and the step is halved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Vector: TypeAlias = NDArray[np.float64]

#: An end of an interval beyond this value counts as infinite.
_FAR = 1e6
#: Accuracy of the end of an interval, relative to 1 + its size.
_CLOSE = 1e-9
#: An interval narrower than this is a point, up to rounding.
_NARROW = 1e-6
#: Step of numeric derivatives in a coordinate u.
_STEP = 1e-5
#: Largest step in a coordinate. A step of this size crosses most of a logistic interval.
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
        """The length of the interval."""
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
        """The value with ten significant digits; unchanged if rounding gives an end of the
        interval."""
        short = float(f"{value:.10g}")
        return short if self.low < short < self.high else value

    def drawn(self, value: float, random: np.random.Generator) -> float:
        """A value drawn uniformly; where the interval has no end, near `value`."""
        if math.isinf(self.width):
            return self.to_value(self.to_free(value) + random.normal())
        return float(self.low + self.width * random.uniform(0.01, 0.99))

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
    """The interval of valid values around a valid one. Ends beyond a million are infinite."""
    return Interval(_end(is_valid, value, -1.0), _end(is_valid, value, 1.0))


def _end(is_valid: Callable[[float], bool], value: float, sign: float) -> float:
    good, step = value, max(abs(value), 1.0) / 8
    bad = value + sign * step
    while is_valid(bad):
        if abs(bad) > _FAR:
            return sign * math.inf
        good, step = bad, 4 * step
        bad = value + sign * step
    for likely in (0.0, 1.0):  # most intervals of labels end here
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
    """The interval of each parameter, with the other parameters fixed. Parameters that cannot vary
    are left out."""
    out = {}
    for name in names:

        def holds(value: float, name: str = name) -> bool:
            return is_valid({name: value})

        interval = valid_interval(holds, parameters[name])
        if interval.low < parameters[name] < interval.high and interval.width > _NARROW:
            out[name] = interval
    return out


class Climbed(Protocol):
    """A function to maximise, and its gradient."""

    def value(self, point: _Vector) -> float:
        """The value at a point; -inf if the point gives invalid labels."""
        ...

    def slope(self, point: _Vector) -> _Vector:
        """The gradient. It is called only at the last point of `value`, if the value there is
        finite."""
        ...


class Ascent(NamedTuple):
    """A point of the ascent, and the function's value there."""

    point: _Vector
    value: float


def climb(
    function: Climbed,
    start: Sequence[float],
    *,
    iterations: int,
    tolerance: float,
    path: list[Ascent] | None = None,
) -> tuple[list[Ascent], bool]:
    """The points of the ascent from `start`, with values that never decrease. It stops when a step
    gains at most `tolerance`; the second result says whether this happened. `path`: the list that
    gets the points, which then stay if `function` raises an error."""
    point = np.array(start, np.float64)
    path = [] if path is None else path
    path.append(Ascent(point, function.value(point)))
    uphill = function.slope(point)
    inverse, fresh = _scaled(uphill), True  # the inverse of the estimated curvature
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
    """The gradient of a function by central differences."""
    out = np.empty(len(point))
    for i in range(len(point)):
        step = np.zeros(len(point))
        step[i] = _STEP
        out[i] = (function(point + step) - function(point - step)) / (2 * _STEP)
    return out


def _scaled(uphill: _Vector) -> _Vector:
    """An inverse curvature with which the first step has length 1."""
    length = float(np.linalg.norm(uphill))
    return np.eye(len(uphill)) / (length if length > 0 else 1.0)


def _shortened(direction: _Vector) -> _Vector:
    longest = float(np.abs(direction).max(initial=0.0))
    return direction * min(1.0, _LONGEST / longest) if longest > 0 else direction


def _step(function: Climbed, here: Ascent, uphill: _Vector, direction: _Vector) -> Ascent | None:
    """The first of the halved steps that satisfies Armijo's rule, None if there is none."""
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
    """The BFGS update from a step and the change of the downward gradient along it. Where the
    function is convex along the step, the next steps become longer."""
    along = float(moved @ bent)
    if along <= 1e-12:
        return _LONGER * inverse
    unit = np.eye(len(moved))
    left = unit - np.outer(moved, bent) / along
    return np.asarray(left @ inverse @ left.T + np.outer(moved, moved) / along)
