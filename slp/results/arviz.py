"""Draws for ArviZ: groups of variables over chains and draws, by `arviz_base`, which is an
extra."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import UnsupportedError, UsageError
from slp.late import late_import
from slp.messages.results import NO_ARVIZ, NO_DRAWS_FOR_ARVIZ
from slp.results.by_tree import trees_of
from slp.results.posterior import Posterior
from slp.results.record.parts import Draw


def posterior_to_arviz(posterior: Posterior) -> Any:
    """An `xarray.DataTree` of a posterior's draws.

    Group `posterior`, dimensions (chain, draw): `leaves`, `depth`, and, over `feature` too,
    `used` (whether the tree splits on it) and `splits` (how often; of soft trees a split on all
    features counts for that with the largest weight). Group `sample_stats`: `lp`, the
    log posterior up to a constant, `log_weight` (both NaN under `edittree`) and
    `log_marginal_likelihood`. Draws of an exact engine are one chain. Chains are cut to the length
    of the shortest.

    Raises
    ------
    UsageError
        E530: there are no draws.
    """
    chains = _chains(posterior)
    trees = trees_of(posterior)
    splits = trees.by_chain(trees.splits)
    weight = np.array([[_known(d.log_weight) for d in chain] for chain in chains])
    fit = np.array([[d.log_likelihood for d in chain] for chain in chains])
    return inference_data(
        {
            "leaves": trees.by_chain(trees.n_leaves),
            "depth": trees.by_chain(trees.depth),
            "used": (splits > 0).astype(np.int64),
            "splits": splits,
        },
        {
            "lp": weight + posterior.likelihood * fit,
            "log_weight": weight,
            "log_marginal_likelihood": fit,
        },
        dims={"used": ["feature"], "splits": ["feature"]},
        coords={"feature": list(posterior.table.feature_names)},
    )


def _chains(posterior: Posterior) -> list[list[Draw]]:
    by_chain: dict[int, list[Draw]] = {}
    for draw in posterior.draws:
        by_chain.setdefault(draw.chain, []).append(draw)
    if not by_chain:
        raise UsageError(NO_DRAWS_FOR_ARVIZ())
    length = min(len(chain) for chain in by_chain.values())
    return [chain[:length] for chain in by_chain.values()]


def _known(weight: float | None) -> float:
    return np.nan if weight is None else weight


def inference_data(
    posterior: Mapping[str, NDArray[Any]],
    sample_stats: Mapping[str, NDArray[Any]],
    dims: Mapping[str, list[str]],
    coords: Mapping[str, list[Any]],
) -> Any:
    """An `xarray.DataTree` of arrays of shape (M, T, ...), as ArviZ takes it.

    Raises
    ------
    UnsupportedError
        E532: arviz-base is not installed.
    """
    try:
        arviz_base = late_import("arviz_base")
    except ImportError as e:
        raise UnsupportedError(NO_ARVIZ()) from e
    return arviz_base.from_dict(
        {"posterior": dict(posterior), "sample_stats": dict(sample_stats)},
        dims=dict(dims),
        coords=dict(coords),
    )
