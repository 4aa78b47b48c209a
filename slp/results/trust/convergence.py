"""Statistics of chains: R-hat, effective draws, Monte Carlo errors, by `arviz_stats`.

Reference: Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Rank-normalization, folding, and
localization: an improved R-hat for assessing convergence of MCMC, Bayesian Analysis 16.

M chains, T draws of each, q quantities.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.budgets.seconds import Deadline
from slp.late import import_alone
from slp.results.trust.judgement import FEWEST_DRAWS

_Array = NDArray[np.float64]

#: The quantiles for which effective draws in the tails are computed.
_TAILS = (0.05, 0.95)


#: Number of batches of all chains whose means tell a Monte Carlo error.
_BATCHES = 20

#: Approximate seconds that the import of `array_stats` takes.
_IMPORT_SECONDS = 1.5
_LOCK = threading.Lock()


@cache
def _imported() -> Any:
    return import_alone("arviz_stats.base.array").array_stats


def array_stats() -> Any:
    """The array functions of `arviz_stats`, imported at the first call, which takes a second.

    They need NumPy and SciPy alone; the package imports xarray and pandas where they are installed,
    which takes half a second more and 90 MB.
    """
    with _LOCK:
        return _imported()


def time_for_statistics(deadline: Deadline) -> bool:
    """Whether `array_stats` is imported, or can be before the deadline."""
    return _imported.cache_info().currsize > 0 or deadline.left() >= _IMPORT_SECONDS


@contextmanager
def imported_meanwhile() -> Iterator[None]:
    """Imports `array_stats` in a thread beside the block, which leaves the lock of Python free."""
    thread = threading.Thread(target=array_stats)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def r_hat(values: _Array) -> float | None:
    """Rank-normalised split R-hat of a quantity, shape (M, T): the larger of R-hat of the values
    and R-hat of their distances from the median. One chain is taken as two: its halves.

    None where it has no value: fewer than four draws in a chain, or all of them equal. It is inf
    where no half of a chain moves, and they differ.
    """
    if values.shape[0] == 1:
        half = values.shape[1] // 2
        values = values[:, : 2 * half].reshape(2, half)
    return _known(lambda of: of.rhat(values)) if _defined(values) else None


def bulk_ess(values: _Array) -> float | None:
    """Effective draws for the middle of a distribution, shape (M, T); None as `r_hat`."""
    return _known(lambda of: of.ess(values, method="bulk")) if _defined(values) else None


def tail_ess(values: _Array) -> float | None:
    """Effective draws for its 5 % and 95 % quantiles, the smaller of the two; None as `r_hat`."""
    if not _defined(values):
        return None
    return _known(lambda of: of.ess(values, method="tail", prob=_TAILS))


def monte_carlo_errors(values: _Array) -> _Array:
    """Standard error of the mean of each of q quantities, shape (M, T, q) to (q,): the larger of
    two estimates; 0 where all draws are equal, NaN with fewer than four draws in a chain.

    One is the standard deviation over the root of the effective draws. It ends the sum of the
    autocorrelations where noise is larger than they are. So it misses weak autocorrelations over
    many draws, and is then 10 to 40 % too small (docs/design/tempering.md). The other is by batch
    means (`_batch_variances`), which include them.
    """
    m, t, q = values.shape
    if t < FEWEST_DRAWS or q == 0:
        return np.full(q, np.nan)
    # Many new rows end in the same leaves of all trees: equal quantities are worked out once.
    columns = np.ascontiguousarray(values.reshape(m * t, q).T)
    bits = columns.view(np.dtype((np.void, columns.itemsize * m * t))).ravel()
    _, first, which = np.unique(bits, return_index=True, return_inverse=True)
    distinct = values[:, :, first]
    same = (distinct == distinct[:1, :1]).all(axis=(0, 1))
    with np.errstate(all="ignore"):
        errors = np.asarray(array_stats().mcse(distinct, chain_axis=0, draw_axis=1), np.float64)
        of_batches = np.sqrt(_batch_variances(distinct))
    return np.where(same, 0.0, np.maximum(errors, of_batches))[which]


def _batch_variances(values: _Array) -> _Array:
    """The variance of the mean of each of q quantities, shape (M, T, q) to (q,), from the means of
    some 20 batches of successive draws: their variance times the length of a batch, over all draws.

    Source: Flegal & Jones (2010), Batch means and spectral variance estimators in Markov chain
    Monte Carlo, The Annals of Statistics 38, section 2.2.
    """
    m, t, q = values.shape
    n = min(t, max(1, _BATCHES // m))
    if n * m < 2:
        return np.zeros(q)
    length = t // n
    batches = values[:, t - n * length :].reshape(m * n, length, q).mean(axis=1)
    return np.asarray(batches.var(axis=0, ddof=1) * length / (m * t))


def _defined(values: _Array) -> bool:
    return values.shape[1] >= FEWEST_DRAWS and not bool((values == values[0, 0]).all())


def _known(statistic: Callable[[Any], float]) -> float | None:
    """A statistic of `array_stats`, without NumPy's warnings. Chains that do not move divide by
    zero, and the value shows it."""
    with np.errstate(all="ignore"):
        found = statistic(array_stats())
    return None if np.isnan(found) else float(found)
