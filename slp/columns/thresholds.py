"""Thresholds that compare what a value is in 32 bits, as those of scikit-learn do.

scikit-learn casts a value x to 32 bits and sends it left if the result is at most t. With u the
largest 32-bit number that is at most t, v the next one, and m = (u + v) / 2, exact in 64 bits, x is
cast to at most u where x < m, and at x = m if u is the even one of the two. So the same rows go
left under `x < T` with T = m, or in the second case the next 64-bit number above m.
"""

from __future__ import annotations

import numpy as np

_LARGEST = float(np.finfo(np.float32).max)


def threshold_below(t: float) -> float:
    """The T for which `x < T` says of every 64-bit x that its 32-bit rounding is at most t."""
    u = np.float32(t)
    if float(u) > t:
        u = np.nextafter(u, np.float32(-np.inf))
    v = np.nextafter(u, np.float32(np.inf))
    middle = (float(u) + float(v)) / 2
    u_is_even = int(np.array(u).view(np.uint32)) % 2 == 0
    return float(np.nextafter(middle, np.inf)) if u_is_even else middle


def bound_in_32_bits(T: float) -> float | None:
    """The shortest decimal b for which `x < T` says of every x in 32 bits that x <= b; None unless
    T is such a threshold (`threshold_below`)."""
    if not abs(T) < _LARGEST:
        return None
    u = np.float32(T)
    if float(u) >= T:
        u = np.nextafter(u, np.float32(-np.inf))
    return float(str(u)) if threshold_below(float(u)) == T else None


def threshold_of_bound(b: float) -> float:
    """The T that `bound_in_32_bits` writes as b: that of `x <= u`, u the 32-bit number nearest to
    b."""
    with np.errstate(over="ignore"):
        return threshold_below(float(np.float32(b)))
