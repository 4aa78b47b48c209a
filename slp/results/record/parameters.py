"""`ParameterBeliefs`: what is known of parameters that have a prior, before and after the data.

Between the nodes of a rule the posterior density is the prior's, times the evidence at a value: a
cubic spline through the logs of the evidence at the nodes, straight beyond them. Its quantiles are
taken over 10,000 values of equal prior probability.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.ir.parameter_priors import ParameterPrior
from slp.late import late_import
from slp.messages.names import joined
from slp.problem.parameter_nodes import ParameterNodes

_Floats = NDArray[np.float64]

_CELLS = 10_000
#: The levels of the ends of intervals.
ENDS = np.array([0.025, 0.975])
#: An evidence that is smaller by this factor counts as this: it makes no difference.
_FAR_BELOW = 700.0


@dataclass(frozen=True)
class ParameterBelief:
    """What is known of a parameter.

    Attributes
    ----------
    name, prior : of the parameter; the prior as the program writes it.
    prior_mean, prior_low, prior_high : of the prior, with the ends of its 95 % interval.
    mean, mean_error : of the posterior, with the error of the mean: what a rule with fewer nodes
        differs by; of draws also its Monte Carlo standard error.
    low, high : the ends of its 95 % interval, from the 2.5 % to the 97.5 % quantile.
    """

    name: str
    prior: str
    prior_mean: float
    prior_low: float
    prior_high: float
    mean: float
    mean_error: float
    low: float
    high: float

    def words(self) -> str:
        """`0.71 +- 0.001 (95 %: 0.4 to 0.93); prior beta(2, 1): 0.667 (0.158 to 0.987)`."""
        return (
            f"{self.mean:.4g} +- {self.mean_error:.1g} (95 %: {self.low:.3g} to {self.high:.3g}); "
            f"prior {self.prior}: {self.prior_mean:.4g} ({self.prior_low:.3g} to "
            f"{self.prior_high:.3g})"
        )


@dataclass(frozen=True)
class ParameterBeliefs:
    """What is known of all parameters that have a prior.

    Attributes
    ----------
    beliefs : of each parameter, in the program's order.
    how : what numbers are made of, in words: `sums over all trees at 12 values of alpha`.
    """

    beliefs: tuple[ParameterBelief, ...]
    how: str

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON, by name."""
        return {
            own.name: {key: x for key, x in asdict(own).items() if key != "name"}
            for own in self.beliefs
        }


def beliefs_of(
    nodes: ParameterNodes, log_evidence: _Floats, coarse: tuple[ParameterNodes, _Floats] | None
) -> Iterator[ParameterBelief]:
    """From the log evidence at each node, (J,), up to a number that is the same at all; of another
    rule too, for the errors."""
    means = means_of(nodes, log_evidence)
    others = means if coarse is None else means_of(*coarse)
    for k, (name, prior) in enumerate(nodes.priors.items()):
        at, of_parameter = _marginal(nodes, log_evidence, k)
        low, high = _ends(prior, at, of_parameter)
        prior_low, prior_high = prior.quantiles(ENDS).tolist()
        error = abs(float(means[k] - others[k]))
        yield ParameterBelief(
            name,
            str(prior),
            prior.mean,
            prior_low,
            prior_high,
            float(means[k]),
            error,
            low,
            high,
        )


def in_words(nodes: ParameterNodes) -> str:
    """`12 values of alpha`, `8 x 8 values of alpha and beta`."""
    return f"{' x '.join(map(str, nodes.shape))} values of {joined(list(nodes.priors))}"


def means_of(nodes: ParameterNodes, log_evidence: _Floats) -> _Floats:
    """The posterior means of the k parameters, shape (k,)."""
    log_shares = nodes.log_weights + log_evidence
    shares = np.exp(log_shares - np.logaddexp.reduce(log_shares))
    return np.asarray(shares @ nodes.values)


def _marginal(nodes: ParameterNodes, log_evidence: _Floats, k: int) -> tuple[_Floats, _Floats]:
    """The nodes of one parameter, and the log evidence at each, averaged over the others."""
    others = tuple(i for i in range(len(nodes.shape)) if i != k)
    values = np.moveaxis(nodes.values[:, k].reshape(nodes.shape), k, 0)
    joint = (nodes.log_weights + log_evidence).reshape(nodes.shape)
    prior = nodes.log_weights.reshape(nodes.shape)
    totals = np.logaddexp.reduce(joint, axis=others) if others else joint
    own = np.logaddexp.reduce(prior, axis=others) if others else prior
    return values.reshape(len(totals), -1)[:, 0], totals - own


def _ends(prior: ParameterPrior, at: _Floats, log_evidence: _Floats) -> tuple[float, float]:
    """The ends of the posterior's 95 % interval."""
    cells = prior.quantiles((np.arange(_CELLS) + 0.5) / _CELLS)
    log_evidence = np.maximum(log_evidence - log_evidence.max(), -_FAR_BELOW)
    between = late_import("scipy.interpolate").CubicSpline(at, log_evidence)
    inside = np.clip(cells, at[0], at[-1])
    log_density = between(inside) + between(inside, 1) * (cells - inside)
    reached = np.cumsum(np.exp(log_density - log_density.max()))
    low, high = cells[np.searchsorted(reached, ENDS * reached[-1])].tolist()
    return low, high
