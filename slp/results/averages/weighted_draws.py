"""Draws: what they average to, and with which Monte Carlo error.

A sampler's draws repeat themselves: everything is an array over the U distinct values, such as
trees, and a chain of draws is an array of their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.results.trust.convergence import monte_carlo_errors

K = TypeVar("K", bound=Hashable)
N = TypeVar("N", np.float64, np.int64)


class WeightedDraws:
    """Draws of chains, or of islands of particles, and what quantities average to over them.

    Attributes
    ----------
    chains : for each chain the numbers, from 0 to U - 1, of what it drew, int64, shape (T_c,).
    log_weights : for each island of particles the log weights of its draws, shape (T_c,), as in
        `slp.runner.Weighted`; None for chains, where all draws count alike.
    frequency : share of each of the U distinct values among all draws, by weight, float64, (U,).
    out_of_time : whether no time is left for the statistics of chains: errors are NaN.
    """

    def __init__(
        self,
        n_distinct: int,
        chains: Sequence[NDArray[np.int64]],
        log_weights: Sequence[NDArray[np.float64]] | None = None,
        out_of_time: bool = False,
    ) -> None:
        self.chains, self.log_weights = chains, log_weights
        self.out_of_time = out_of_time and log_weights is None
        weights = None if log_weights is None else np.concatenate(self.draw_weights)
        counts = np.bincount(np.concatenate(chains), weights, n_distinct)
        self.frequency = counts / counts.sum()

    @property
    def draw_weights(self) -> list[NDArray[np.float64]]:
        """How much each draw of each chain counts: its share of the weight, times the number of
        draws."""
        if self.log_weights is None:
            return [np.ones(len(chain)) for chain in self.chains]
        every = np.concatenate(self.log_weights)
        shift = np.logaddexp.reduce(every) - math.log(len(every))
        return [np.exp(own - shift) for own in self.log_weights]

    def resampled(self) -> NDArray[np.int64]:
        """Positions of draws that count alike among all draws, chain after chain: of chains all; of
        weighted draws as many, resampled systematically by their weights, in random order, always
        the same one."""
        n = sum(map(len, self.chains))
        if self.log_weights is None:
            return np.arange(n)
        rng = np.random.default_rng(0)
        reached = np.cumsum(np.concatenate(self.draw_weights))
        places = (np.arange(n) + rng.random()) * (reached[-1] / n)
        found = np.searchsorted(reached, places, side="right")
        return rng.permutation(np.minimum(found, n - 1))

    def log_evidence(self) -> tuple[float, float] | None:
        """The log of the mean of the islands' evidence, which has no bias, and the standard error
        of the logarithm, NaN of one island; None for chains."""
        return None if self.log_weights is None else evidence_of_islands(self.log_weights)

    def effective_islands(self) -> float | None:
        """(sum of W_i)^2 / sum of W_i^2 with the weights W_i of the islands; None for chains."""
        if self.log_weights is None:
            return None
        shares = np.array([own.sum() for own in self.draw_weights])
        return float(shares.sum() ** 2 / (shares**2).sum())

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean over all draws of a quantity of each distinct value, (U, ...) to (...)."""
        return np.tensordot(self.frequency, values, axes=1)

    def error(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Monte Carlo standard error of `mean`, shape (...): of chains by their effective draws; of
        islands, each with the mean m_i and the weight W_i, that of sum(W_i m_i) / sum(W_i)."""
        flat = values.reshape(len(values), math.prod(values.shape[1:]))
        if self.out_of_time:
            return np.full(values.shape[1:], np.nan)
        if self.log_weights is None:
            return monte_carlo_errors(self.by_chain(flat)).reshape(values.shape[1:])
        apart = flat - self.mean(flat)
        islands = zip(self.draw_weights, self.chains, strict=True)
        sums = np.array([own @ apart[chain] for own, chain in islands])
        per_island = sum(map(len, self.chains)) / len(self.chains)  # weights sum to their number
        return _error_of_mean(sums / per_island).reshape(values.shape[1:])

    def by_chain(self, values: NDArray[N]) -> NDArray[N]:
        """The quantity at every draw, shape (M, T, ...). Chains that kept fewer draws, or none, are
        those of a run that was interrupted, or that had fewer to keep: all are cut to the length
        of the shortest that has any."""
        chains = [c for c in self.chains if len(c)]
        length = min(len(c) for c in chains)
        return values[np.stack([c[:length] for c in chains])]


def numbered(chains: Sequence[Sequence[K]]) -> tuple[list[K], list[NDArray[np.int64]]]:
    """The U distinct items of some lists, in the order in which they come, and each list as their
    numbers, shape (T_c,)."""
    numbers: dict[K, int] = {}
    out = [[numbers.setdefault(item, len(numbers)) for item in chain] for chain in chains]
    return list(numbers), [np.array(own, np.int64) for own in out]


def weighted_quantiles(
    values: NDArray[np.float64], shares: NDArray[np.float64], levels: tuple[float, ...]
) -> NDArray[np.float64]:
    """Quantiles of values (U, ...) that have shares (U,): for each level the least value whose
    distribution function reaches it, shape (len(levels), ...)."""
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(shares[order], axis=0)
    ordered = np.take_along_axis(values, order, axis=0)
    found = [(reached >= min(q, 1.0) - 1e-12).argmax(axis=0) for q in levels]
    return np.stack([np.take_along_axis(ordered, f[None], axis=0)[0] for f in found])


def evidence_of_islands(
    log_weights: Sequence[Sequence[float] | NDArray[np.float64]],
) -> tuple[float, float]:
    """The log of the mean of the islands' evidence, and its standard error by the delta method, NaN
    of one island. An island without draws counts 0; some island has one."""
    totals = np.array([np.logaddexp.reduce(own) for own in log_weights])
    value = float(np.logaddexp.reduce(totals)) - math.log(len(totals))
    return value, float(_error_of_mean(np.exp(totals - value)))


def _error_of_mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard error of the mean of independent values, shape (M, ...) to (...); NaN of one."""
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(len(values)))
