"""ArviZ: the statistics of chains, and its structure of data. The one file that imports it, late,
as that takes seconds.

Reference: Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Rank-normalization, folding, and
localization: an improved R-hat for assessing convergence of MCMC, Bayesian Analysis 16.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "bulk_ess",
    "inference_data",
    "monte_carlo_errors",
    "r_hat",
    "statistics_at_hand",
    "tail_ess",
]

#: With fewer draws in each chain nothing can be said.
_FEWEST_DRAWS = 4


def _arviz() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of its own next version
        import arviz
    return arviz


@contextmanager
def statistics_at_hand(wanted: bool = True) -> Iterator[None]:
    """Around work that leaves the interpreter some time: the library is imported beside it."""
    if not wanted:
        yield
        return
    thread = threading.Thread(target=_arviz)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def r_hat(values: NDArray[np.float64]) -> float | None:
    """Rank-normalised split R-hat of a quantity, shape (M, T); of one chain, that of its halves.

    None where it has no value: fewer than four draws in a chain, or all of them equal.
    """
    if values.shape[0] == 1:
        half = values.shape[1] // 2
        values = values[:, : 2 * half].reshape(2, half)
    return _defined(values, lambda arviz: arviz.rhat(values, method="rank"))


def bulk_ess(values: NDArray[np.float64]) -> float | None:
    """Effective draws for the middle of a distribution, shape (M, T); None as `r_hat`."""
    return _defined(values, lambda arviz: arviz.ess(values, method="bulk"))


def tail_ess(values: NDArray[np.float64]) -> float | None:
    """Effective draws for its 5 % and 95 % quantiles, the smaller of the two; None as `r_hat`."""
    return _defined(values, lambda arviz: arviz.ess(values, method="tail"))


def _defined(values: NDArray[np.float64], statistic: Any) -> float | None:
    if values.shape[1] < _FEWEST_DRAWS or bool((values == values[0, 0]).all()):
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        found = float(statistic(_arviz()))
    return None if math.isnan(found) else found


def monte_carlo_errors(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard error of the mean of each of q quantities, shape (M, T, q) to (q,): standard
    deviation over the root of the effective draws; NaN with fewer than four draws in a chain."""
    out = np.full(values.shape[2], np.nan)
    if values.shape[1] < _FEWEST_DRAWS or not values.shape[2]:
        return out
    distinct, place = np.unique(
        values.reshape(-1, values.shape[2]), axis=1, return_inverse=True
    )  # rows and features that always go together are done once
    mcse = _arviz().mcse
    found = [
        0.0 if (column == column[0]).all() else float(mcse(column.reshape(values.shape[:2])))
        for column in distinct.T
    ]
    return np.array(found)[place.reshape(-1)] if found else out


def inference_data(
    posterior: Mapping[str, NDArray[Any]],
    sample_stats: Mapping[str, NDArray[Any]],
    dims: Mapping[str, list[str]],
    coords: Mapping[str, list[Any]],
) -> Any:
    """`arviz.InferenceData` of arrays of shape (M, T, ...)."""
    return _arviz().from_dict(
        posterior=dict(posterior),
        sample_stats=dict(sample_stats),
        dims=dict(dims),
        coords=dict(coords),
    )
