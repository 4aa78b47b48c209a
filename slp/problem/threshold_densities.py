"""What a declared density of thresholds gives a cut, in logs, so that far tails keep their
digits."""

from __future__ import annotations

import math

import numpy as np

from slp.ir.thresholds import NormalThresholds
from slp.late import late_import

_NODES, _SHARES = np.polynomial.legendre.leggauss(24)
_LOG_ROOT = 0.5 * math.log(2 * math.pi)


def log_density(density: NormalThresholds, threshold: float) -> float:
    """The log density at a threshold."""
    z = (threshold - density.mean) / density.sd
    return -z * z / 2 - _LOG_ROOT - math.log(density.sd)


def log_mass(density: NormalThresholds, low: float, high: float) -> float:
    """The log probability of the thresholds from `low` up to `high`, which is larger."""
    a, b = (low - density.mean) / density.sd, (high - density.mean) / density.sd
    if a + b < 0:
        a, b = -b, -a  # the end that is nearer to the mean comes first
    h = (high - low) / density.sd
    if h * (abs(a) + h) < 1:  # the integral of exp(-a t - t^2 / 2) over t from 0 to h
        t = h * (1 + _NODES) / 2
        inside = float(_SHARES @ np.exp(-a * t - t * t / 2)) / 2
        return -a * a / 2 - _LOG_ROOT + math.log(h) + math.log(inside)
    log_ndtr = late_import("scipy.special").log_ndtr
    near, far = float(log_ndtr(-a)), float(log_ndtr(-b))
    return near + math.log(-math.expm1(far - near))
