"""Differences between programs in how well they predict the same rows.

Rows that are hard to predict are hard for all programs. So the error of a difference is that of the
differences by row, and not of both scores (Vehtari, Gelman & Gabry 2017, Statistics and Computing
27, equation 24).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slp.results.leave_one_out import LeaveOneOut, error_of_sum


@dataclass(frozen=True)
class PairedDifference:
    """How much better a program predicts than a reference, in nats; below 0: worse.

    Attributes
    ----------
    against : the name of the reference.
    value : the difference of the scores; NaN where both are infinite.
    standard_error : of the paired difference over rows. Rows share the table, so it is approximate.
    monte_carlo_error : of the value, from the draws of both runs, which are independent; 0 where
        both are exact, None where it is not known.
    """

    against: str
    value: float
    standard_error: float
    monte_carlo_error: float | None

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data for JSON; None in place of infinity and NaN."""
        return {
            name: None if isinstance(x, float) and not math.isfinite(x) else x
            for name, x in vars(self).items()
        }


def loo_differences(
    found: Mapping[str, LeaveOneOut], against: Literal["best", "first"]
) -> dict[str, PairedDifference]:
    """Differences of `elpd` from the best program, or the first one."""
    rows = {name: loo.pointwise for name, loo in found.items()}
    errors = {name: loo.monte_carlo_error for name, loo in found.items()}
    return _differences(
        rows, against, 1.0, lambda name, best: math.hypot(errors[name], errors[best])
    )


def fold_differences(
    found: Mapping[str, NDArray[np.float64]], against: Literal["best", "first"]
) -> dict[str, PairedDifference]:
    """Differences of the mean of the log predictive probabilities of rows, shape (n,) each."""
    n = max((len(rows) for rows in found.values()), default=1)
    return _differences(found, against, 1 / n, lambda name, best: None)


def _differences(
    rows: Mapping[str, NDArray[np.float64]],
    against: Literal["best", "first"],
    scale: float,
    monte_carlo: Callable[[str, str], float | None],
) -> dict[str, PairedDifference]:
    """Differences of sums over rows, times `scale`."""
    if not rows:
        return {}
    sums = {name: float(own.sum()) for name, own in rows.items()}
    best = max(sums, key=sums.__getitem__) if against == "best" else next(iter(rows))
    out = {best: PairedDifference(best, 0.0, 0.0, 0.0)}
    for name in rows.keys() - {best}:
        with np.errstate(invalid="ignore"):
            apart = rows[name] - rows[best]  # NaN or infinite where a response got no probability
            value, error = float(apart.sum()) * scale, error_of_sum(apart) * scale
        out[name] = PairedDifference(best, value, error, monte_carlo(name, best))
    return out
