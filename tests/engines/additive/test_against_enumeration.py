"""Sums of trees against every tuple of trees, with the closed form of the linear model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.trees import Tree
from tests.engines.additive.closed_forms import (
    agree,
    inverse_chi_square,
    sums_by_enumeration,
    table_of,
)

_GROWTREE = ":- use(growtree, [alpha = 0.7, beta = 1]).\n:- support(max_depth(2)).\n"
_PRIORS: Mapping[str, str] = {
    "growtree": _GROWTREE,
    "gap": ":- use(growtree_gap, [alpha = 0.6, beta = 1]).\n:- support(max_depth(2)).\n"
    ":- feature_weight(x1, 3).\n",
    "denison": ":- use(denison).\n:- support(max_depth(2)).\n",
    "constrained": _GROWTREE + ":- support(min_leaf(2)).\n:- constraint(first(x1)).\n"
    ":- constraint(max_leaves(2)).\n",
    "pinball": ":- use(pinball, [lambda = 1]).\n:- constraint(max_leaves(3)).\n",
}
_LONG = {"draws": 4000, "warmup": 500, "thin": 10, "chains": 4}
#: Where trees mix slowly.
_LONGER = {"draws": 8000, "warmup": 1000, "thin": 20, "chains": 4}


def posterior_of(prior: str, leaf: str, trees: int, frame: pl.DataFrame, y: Any) -> slp.Posterior:
    """A long run."""
    program = slp.parse(f"{prior}\n:- trees({trees}).\n:- leaf({leaf}).")
    return program.posterior(frame, y, seed=3, **_LONG)


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*W530")
@pytest.mark.parametrize("trees", [1, 2])
@pytest.mark.parametrize("prior", _PRIORS)
def test_sums_agree_with_the_closed_form(prior: str, trees: int) -> None:
    """The variance of the noise is known."""
    frame, y = table_of(9, seed=4)
    program = _PRIORS[prior]
    want = sums_by_enumeration(
        program,
        frame,
        y,
        trees=trees,
        mean=0.2,
        tau=0.8,
        variances=np.array([0.5]),
        log_prior=np.zeros(1),
    )
    leaf = f"sum_normal(mean = 0.2, tau = 0.8, sigma = {0.5**0.5!r})"
    agree(posterior_of(program, leaf, trees, frame, y), frame, want)


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.thinned(2)
@pytest.mark.filterwarnings("ignore:.*W530")
@pytest.mark.parametrize("weighted", [False, True])
def test_the_noise_has_its_conditional(weighted: bool) -> None:
    """The variance is integrated over on a grid; with weights each row has sigma^(-w)."""
    frame, y = table_of(10, seed=5)
    weights = np.linspace(0.5, 2.5, len(y)) if weighted else np.ones(len(y))
    grid, log_prior = inverse_chi_square(3, 0.4)
    known = {"mean": 0.0, "tau": 0.7, "variances": grid, "log_prior": log_prior}
    want = sums_by_enumeration(_GROWTREE, frame, y, trees=2, weights=weights, **known)
    leaf = "sum_normal(mean = 0, tau = 0.7, nu = 3, lambda = 0.4)"
    program = slp.parse(f"{_GROWTREE}:- trees(2).\n:- leaf({leaf}).\n:- row_weight(w).")
    weighed = frame.with_columns(pl.Series("w", weights))
    agree(program.posterior(weighed, y, seed=8, **_LONGER), frame, want)


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.filterwarnings("ignore:.*W530")
def test_one_tree_is_a_leaf_model_of_known_variance() -> None:
    """The model is registered, and summed over all trees by the exact engine."""
    frame, y = table_of(12, seed=6)
    tau, sigma = 0.9, 0.6
    slp.register_leaf_model("known_variance", lambda: KnownVariance(tau, sigma))
    one = slp.parse(f"{_GROWTREE}:- leaf(known_variance).").posterior(frame, y, engine="exact")
    leaf = f"sum_normal(mean = 0, tau = {tau}, sigma = {sigma})"
    have = posterior_of(_GROWTREE, leaf, 1, frame, y)
    error = have.predict_error(frame)
    assert error.max() < 0.03
    assert (np.abs(have.predict(frame) - one.predict(frame)) < 4.5 * error).all()
    for name, use in have.split_probabilities().items():
        exact = one.split_probabilities()[name].probability
        assert abs(use.probability - exact) < 4.5 * use.probability_error + 1e-3


class KnownVariance:
    """Numbers with mean mu ~ Normal(0, tau^2) and a known variance."""

    responses = "numbers"
    n_statistics = 3

    def __init__(self, tau: float, sigma: float) -> None:
        self.tau, self.sigma = tau, sigma

    def statistics(self, y: Any) -> Any:
        """n, the sum and the sum of squares."""
        return np.stack([np.ones(len(y)), y, y**2], axis=-1)

    def log_marginal(self, S: Any) -> Any:
        """Of the ordered responses."""
        n, s, q = S[..., 0], S[..., 1], S[..., 2]
        t, v = self.tau**2, self.sigma**2
        fit = -n / 2 * np.log(2 * np.pi * v) - q / (2 * v)
        return fit + t * s**2 / (2 * v * (v + n * t)) - 0.5 * np.log1p(n * t / v)

    def mean(self, S: Any) -> Any:
        """The posterior mean."""
        return S[..., 1] / (S[..., 0] + self.sigma**2 / self.tau**2)


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.filterwarnings("ignore:.*W530")
def test_max_features_counts_over_all_trees() -> None:
    """At most one feature of two, over both trees together."""
    frame, y = table_of(9, seed=7)

    def few(trees: tuple[Tree, ...]) -> bool:
        return len({name for tree in trees for name in tree.features}) <= 1

    known = {"mean": 0.0, "tau": 0.8, "variances": np.array([0.4]), "log_prior": np.zeros(1)}
    want = sums_by_enumeration(_GROWTREE, frame, y, trees=2, allowed=few, **known)
    leaf = f"sum_normal(mean = 0, tau = 0.8, sigma = {0.4**0.5!r})"
    prior = f"{_GROWTREE}:- constraint(max_features(1)).\n"
    posterior = posterior_of(prior, leaf, 2, frame, y)
    agree(posterior, frame, want)
    assert all(len(draw.tree.uses()) <= 1 for draw in posterior.draws[:500])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*W530")
@pytest.mark.parametrize("prior", ["growtree", "pinball"])
def test_the_plain_sampler_agrees_too(prior: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs where there is no core."""
    monkeypatch.setattr("slp.engines.additive.chains.core_for", lambda table: None)
    frame, y = table_of(7, seed=9)
    grid, log_prior = inverse_chi_square(3, 0.4)
    known = {"mean": 0.0, "tau": 0.8, "variances": grid, "log_prior": log_prior}
    want = sums_by_enumeration(_PRIORS[prior], frame, y, trees=2, **known)
    leaf = "sum_normal(mean = 0, tau = 0.8, nu = 3, lambda = 0.4)"
    program = slp.parse(f"{_PRIORS[prior]}\n:- trees(2).\n:- leaf({leaf}).")
    posterior = program.posterior(frame, y, seed=3, draws=3000, warmup=100, thin=1, chains=2)
    agree(posterior, frame, want)
