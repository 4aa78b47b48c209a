"""Draws for ArviZ: groups of variables over chains and draws, by `arviz_base`, which is an
extra."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import SlpError, UnsupportedError, UsageError, warn
from slp.late import late_import
from slp.messages.comparing import NO_LOO
from slp.messages.names import joined
from slp.messages.results import (
    GROUPS_LEFT_OUT,
    NO_ARVIZ,
    NO_DRAWS_FOR_ARVIZ,
    NO_PREDICTIVE_OF_EXPOSURES,
    NO_SUCH_GROUP,
    TOO_MANY_FOR_ARVIZ,
)
from slp.problem.new_rows import table_as_new_rows
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.left_out import HeldRows
from slp.results.by_tree import trees_of
from slp.results.differences import leaf_draws
from slp.results.posterior import Posterior

#: The most numbers of a group, draws times rows, that is made without being named: 1 GiB.
_MOST_NUMBERS = 1 << 27
#: How far equal log likelihoods are moved apart, at most.
_APART = 1e-9
#: Names that stand for other things in the data.
_TAKEN = frozenset(
    ("chain", "draw", "feature", "row", "leaves", "depth", "used", "splits", "event", "exposure")
)


def posterior_to_arviz(posterior: Posterior, groups: Sequence[str] | None = None) -> Any:
    """An `xarray.DataTree` of a posterior's draws, with these groups, or all that can be told.

    `posterior`, dimensions (chain, draw): `leaves`, `depth`, and, over `feature` too, `used`
    (whether the tree splits on it) and `splits` (how often; of soft trees a split on all features
    counts for that with the largest weight). `prior`: the same of as many draws of the prior.

    `sample_stats`: `lp`, the log posterior up to a constant, `log_weight` (both NaN under
    `edittree`) and `log_marginal_likelihood`.

    `log_likelihood`, over `row` too: the response, with the log likelihood of each row of the table
    given the tree and the *other* rows of its leaf (`slp.results.averages.left_out`). Equal numbers
    differ in the ninth decimal, as `arviz_stats` divides by zero where many draws are equal.

    `posterior_predictive` and `prior_predictive`, over `row` too: the response, with an outcome of
    each row of the table by each draw, the parameters of its leaves drawn too; of classes their
    numbers, and durations are not censored. Counts with exposures have neither.

    `observed_data`, over `row`: the response, of classes their numbers in `table.leaf.classes`,
    with `event` or `exposure` where it has one.

    Draws of an exact engine are one chain, and so are weighted draws, which are resampled by their
    weights. Chains are cut to the length of the shortest. A prior has the first two groups alone,
    of the prior.

    Raises
    ------
    UsageError
        E530: there are no draws; E558: there is no such group.
    SlpError
        A named group cannot be told.
    """
    known = _GROUPS if posterior.likelihood else dict.fromkeys(("posterior", "sample_stats"))
    groups = [groups] if isinstance(groups, str) else groups
    for group in groups or ():
        if group not in known:
            raise UsageError(NO_SUCH_GROUP(group=group, known=", ".join(known)))
    draws = _Draws.of(posterior)
    made: dict[str, Mapping[str, NDArray[Any]]] = {}
    left_out = []
    for group in known if groups is None else groups:
        try:
            made[group] = _GROUPS[group](draws, groups is not None)
        except SlpError as why:
            if groups is not None:
                raise
            left_out.append(f"`{group}`, as {why.diagnostics[0].message}")
    if left_out:
        warn(GROUPS_LEFT_OUT(groups=joined(left_out)))
    return inference_data(
        made,
        dims={
            "used": ["feature"],
            "splits": ["feature"],
            draws.response: ["row"],
            "event": ["row"],
            "exposure": ["row"],
        },
        coords={"feature": list(posterior.table.feature_names)},
    )


@dataclass(frozen=True, eq=False)
class _Draws:
    """The draws of a posterior that count alike.

    Attributes
    ----------
    trees : the distinct trees.
    position : of each draw among all draws, chain after chain, int64, shape (M, T).
    """

    posterior: Posterior
    trees: DrawnTrees = field(repr=False)
    position: NDArray[np.int64]

    @classmethod
    def of(cls, posterior: Posterior) -> _Draws:
        if not posterior.draws:
            raise UsageError(NO_DRAWS_FOR_ARVIZ())
        trees = trees_of(posterior)
        if trees.log_weights is not None:
            return cls(posterior, trees, trees.resampled()[None])
        lengths = [len(chain) for chain in trees.chains]
        first = np.cumsum([0, *lengths[:-1]])[np.array(lengths) > 0]
        shortest = min(length for length in lengths if length)
        return cls(posterior, trees, first[:, None] + np.arange(shortest))

    @cached_property
    def number(self) -> NDArray[np.int64]:
        """The number of the tree of each draw, shape (M, T)."""
        return np.concatenate(self.trees.chains)[self.position]

    @property
    def response(self) -> str:
        """The name of the response in the data."""
        name = self.posterior.table.response
        return f"response {name}" if name in _TAKEN else name

    def check_size(self, named: bool) -> None:
        """Raise UsageError E558 where rows by draws are too many, and the group is not named."""
        rows = self.posterior.table.n_rows
        if not named and rows * self.position.size > _MOST_NUMBERS:
            raise UsageError(TOO_MANY_FOR_ARVIZ(draws=self.position.size, rows=rows))


# --- groups --------------------------------------------------------------------------------------


def _of_trees(draws: _Draws, named: bool) -> dict[str, NDArray[Any]]:
    trees, number = draws.trees, draws.number
    splits = trees.splits[number]
    return {
        "leaves": trees.n_leaves[number],
        "depth": trees.depth[number],
        "used": (splits > 0).astype(np.int64),
        "splits": splits,
    }


def _sample_stats(draws: _Draws, named: bool) -> dict[str, NDArray[Any]]:
    each = draws.posterior.draws
    weight = np.array([np.nan if d.log_weight is None else d.log_weight for d in each])
    weight = weight[draws.position]
    fit = np.array([d.log_likelihood for d in each])[draws.position]
    return {
        "lp": weight + draws.posterior.likelihood * fit,
        "log_weight": weight,
        "log_marginal_likelihood": fit,
    }


def _log_likelihood(draws: _Draws, named: bool) -> dict[str, NDArray[Any]]:
    posterior = draws.posterior
    if posterior.no_loo is not None:
        raise UsageError(NO_LOO(why=posterior.no_loo))
    draws.check_size(named)
    held = HeldRows.of(posterior.table)
    out = np.empty((*draws.number.shape, posterior.table.n_rows))
    for first, log_q in draws.trees.log_given_others(held):
        of = held.of_data - first
        rows = np.flatnonzero((of >= 0) & (of < log_q.shape[1]))
        out[..., rows] = log_q[:, of[rows]][draws.number]
    out += _APART * np.random.default_rng(0).random(out.shape)
    return {draws.response: out}


def _prior(draws: _Draws, named: bool) -> dict[str, NDArray[Any]]:
    return _of_trees(_Draws.of(draws.posterior.prior()), named)


def _predictive(draws: _Draws, named: bool) -> dict[str, NDArray[Any]]:
    result, table = draws.posterior._result, draws.posterior.table
    if table.leaf.exposed:
        raise UsageError(NO_PREDICTIVE_OF_EXPOSURES())
    draws.check_size(named)
    result.say_found()
    rows = table_as_new_rows(table, table.row_of)
    rng = np.random.default_rng(result.seed)
    made = leaf_draws(result, draws.trees, draws.number.ravel(), rows)
    outcomes = made.of(rng, lambda own: own.outcomes(rng))
    return {draws.response: outcomes.reshape(*draws.number.shape, -1)}


def _prior_predictive(draws: _Draws, named: bool) -> dict[str, NDArray[Any]]:
    draws.check_size(named)
    prior = draws.posterior.prior()
    prior._result.say_what_prior_knows()
    return _predictive(_Draws.of(prior), named)


def _observed_data(draws: _Draws, named: bool) -> dict[str, NDArray[Any]]:
    table = draws.posterior.table
    outcomes = table.outcomes()
    if outcomes.ndim == 1:
        return {draws.response: outcomes}
    beside = "exposure" if table.leaf.exposed else "event"
    return {draws.response: outcomes[:, 0], beside: outcomes[:, 1]}


_GROUPS: dict[str, Callable[[_Draws, bool], dict[str, NDArray[Any]]]] = {
    "posterior": _of_trees,
    "sample_stats": _sample_stats,
    "log_likelihood": _log_likelihood,
    "posterior_predictive": _predictive,
    "prior": _prior,
    "prior_predictive": _prior_predictive,
    "observed_data": _observed_data,
}


def inference_data(
    groups: Mapping[str, Mapping[str, NDArray[Any]]],
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
        {name: dict(own) for name, own in groups.items()}, dims=dict(dims), coords=dict(coords)
    )
