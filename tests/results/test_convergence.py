"""Statistics of chains against ArviZ's."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from slp.results.convergence import bulk_ess, monte_carlo_errors, r_hat, tail_ess

SHAPES = [(1, 8), (1, 9), (2, 4), (2, 5), (3, 6), (4, 7), (2, 11), (4, 100), (4, 251), (8, 33)]


def chains(shape: tuple[int, int], kind: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=shape)
    if kind == "walk":
        return noise.cumsum(axis=1)
    if kind == "apart":
        return noise + 3 * np.arange(shape[0])[:, None]
    if kind == "counts":  # many equal
        return rng.poisson(0.7, shape).astype(float)
    if kind == "swinging":
        return noise * 0.1 + (-1.0) ** np.arange(shape[1])
    return noise


@pytest.mark.parametrize("kind", ["white", "walk", "apart", "counts", "swinging"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.filterwarnings("ignore")
def test_the_same_numbers_as_arviz(shape: tuple[int, int], kind: str) -> None:
    import arviz

    for seed in range(3):
        values = chains(shape, kind, seed)
        if (values == values[0, 0]).all():
            continue
        for have, want in [
            (bulk_ess(values), arviz.ess(values, method="bulk")),
            (tail_ess(values), arviz.ess(values, method="tail")),
            (monte_carlo_errors(values[:, :, None])[0], arviz.mcse(values)),
            (r_hat(values) if shape[0] > 1 else math.nan, arviz.rhat(values, method="rank")),
        ]:
            have = math.nan if have is None else have
            assert have == pytest.approx(float(want), rel=1e-9, nan_ok=True)


def test_of_one_chain_the_halves_are_compared() -> None:
    values = chains((1, 101), "walk", 1)
    assert r_hat(values) == r_hat(values[:, :100].reshape(2, 50))


def test_without_a_value_there_is_none() -> None:
    short, equal = np.zeros((4, 3)), np.ones((4, 10))
    for statistic in (r_hat, bulk_ess, tail_ess):
        assert statistic(short) is None and statistic(equal) is None
    assert np.isnan(monte_carlo_errors(short[:, :, None])).all()
    assert monte_carlo_errors(equal[:, :, None]).tolist() == [0.0]


def test_many_quantities_are_worked_on_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.stack([chains((4, 50), "walk", seed) for seed in range(7)], axis=2)
    want = [monte_carlo_errors(values[:, :, i : i + 1])[0] for i in range(7)]
    monkeypatch.setattr("slp.results.convergence._MOST_AT_ONCE", 600)
    assert monte_carlo_errors(values) == pytest.approx(want, rel=1e-12)


def test_a_run_of_chains_imports_no_arviz() -> None:
    code = """
import sys, warnings, slp
warnings.simplefilter("ignore")
X = [[float(i % 7), float(i % 5)] for i in range(40)]
posterior = slp.load("denison").posterior(X, [i % 2 for i in range(40)], engine="mh", draws=40,
    warmup=10, thin=2, seed=1)
posterior.diagnostics, posterior.split_probabilities(), posterior.predict_error(X)
print([m for m in ("arviz", "scipy", "pandas", "xarray") if m in sys.modules])
"""
    found = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"
