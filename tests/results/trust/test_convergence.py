"""Statistics of chains on chains whose answer is known."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from slp.results.trust.convergence import bulk_ess, monte_carlo_errors, r_hat, tail_ess


def chains(shape: tuple[int, int], kind: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=shape)
    if kind == "walk":
        return noise.cumsum(axis=1)
    if kind == "apart":
        return noise + 3 * np.arange(shape[0])[:, None]
    return noise


def test_chains_that_agree_and_chains_that_do_not() -> None:
    agree, apart = chains((4, 500), "white", 1), chains((4, 500), "apart", 1)
    assert r_hat(agree) < 1.01 < 1.5 < r_hat(apart)
    assert bulk_ess(agree) > 1000 > 10 > bulk_ess(apart)
    assert tail_ess(agree) > 1000
    error = monte_carlo_errors(agree[:, :, None])[0]
    assert error == pytest.approx(1 / math.sqrt(2000), rel=0.2)


def test_a_chain_that_comes_back_slowly_has_few_effective_draws() -> None:
    rng = np.random.default_rng(1)
    values = np.zeros((4, 4000))
    for t in range(1, 4000):  # autoregression 0.9: 19 draws are worth one
        values[:, t] = 0.9 * values[:, t - 1] + rng.normal(size=4)
    assert bulk_ess(values) == pytest.approx(16_000 / 19, rel=0.25)


@pytest.mark.parametrize(("slow", "least", "most"), [(0.0, 0.9, 1.0), (0.05, 0.95, 1.1)])
def test_errors_are_as_large_as_the_spread(slow: float, least: float, most: float) -> None:
    """White noise beside an autoregression of 0.95 with this share of the variance, whose
    autocorrelations of at most 0.05 are lost in the noise. The sum of the autocorrelations gives
    (1 + phi) / (1 - phi) = 39 times the variance for that part. 400 runs: a standard error of the
    ratio below 0.01."""
    rng = np.random.default_rng(1)
    part = rng.normal(size=(4, 500, 400))
    for t in range(1, 500):
        part[:, t] = 0.95 * part[:, t - 1] + math.sqrt(1 - 0.95**2) * part[:, t]
    values = math.sqrt(1 - slow) * rng.normal(size=part.shape) + math.sqrt(slow) * part
    stated = math.sqrt((monte_carlo_errors(values) ** 2).mean())
    assert least < math.sqrt((1 - slow + 39 * slow) / 2000) / stated < most


def test_of_one_chain_the_halves_are_compared() -> None:
    values = chains((1, 101), "walk", 1)
    assert r_hat(values) == r_hat(values[:, :100].reshape(2, 50))


def test_without_a_value_there_is_none() -> None:
    short, equal = np.zeros((4, 3)), np.ones((4, 10))
    for statistic in (r_hat, bulk_ess, tail_ess):
        assert statistic(short) is None and statistic(equal) is None
    assert np.isnan(monte_carlo_errors(short[:, :, None])).all()
    assert monte_carlo_errors(equal[:, :, None]).tolist() == [0.0]


@pytest.mark.filterwarnings("error")
def test_chains_that_do_not_move_or_have_no_likelihood_give_no_warning_of_numpy() -> None:
    apart = np.repeat([[1.0], [2.0], [1.0], [3.0]], 5, axis=1)
    jumps = np.array([[1.0, 1.0, 2.0, 2.0]] * 4)
    assert r_hat(apart) == r_hat(jumps) == math.inf
    assert monte_carlo_errors(apart[:, :, None])[0] > 0.1  # standard deviation 0.83
    far = chains((4, 20), "white", 1)
    far[0, 0] = -math.inf
    huge = 1e300 * chains((4, 20), "white", 1)
    for values in (apart, jumps, far, huge):
        for statistic in (r_hat, bulk_ess, tail_ess):
            statistic(values)
        monte_carlo_errors(values[:, :, None])


@pytest.mark.slow
def test_a_run_of_chains_imports_no_more_of_arviz() -> None:
    code = """
import sys, warnings
sys.modules["arviz_base"] = sys.modules["xarray"] = None  # as without the extra
import slp
warnings.simplefilter("ignore")
X = [[float(i % 7), float(i % 5)] for i in range(40)]
posterior = slp.load("denison").posterior(X, [i % 2 for i in range(40)], engine="mh", draws=40,
    warmup=10, thin=2, seed=1)
posterior.diagnostics, posterior.split_probabilities(), posterior.predict_error(X)
print([m for m in ("arviz", "pandas") if m in sys.modules])
"""
    found = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"
