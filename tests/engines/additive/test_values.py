"""Two classes, and values in order, of one tree against quadrature over its leaves."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import integrate, stats

import slp
from tests.engines.additive.closed_forms import indicators, trees_of

_PRIOR = ":- use(growtree, [alpha = 0.8, beta = 0.5]).\n:- support(max_depth(2)).\n"
_LONG = {"draws": 4000, "warmup": 300, "thin": 5, "chains": 4}


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.filterwarnings("ignore:.*W530")
def test_probit_of_one_tree_against_quadrature() -> None:
    """A leaf with a and b rows of the classes has the evidence of Phi(-m)^a Phi(m)^b over m ~
    Normal(offset, tau^2), and the mean of Phi(m) under that."""
    frame = pl.DataFrame({"x": [0.0, 0, 1, 1, 1, 2, 2, 3, 3, 3]})
    y = np.array(list("aababbabbb"))
    offset, tau = 0.3, 0.9
    trees, logs = trees_of(_PRIOR, frame, y)
    grid = np.linspace(offset - 9 * tau, offset + 9 * tau, 4001)
    weigh = stats.norm.pdf(grid, offset, tau) * (grid[1] - grid[0])
    means, fits = [], []
    for tree in trees:
        own, fit = np.zeros(len(y)), 0.0
        for rows in indicators(tree, frame).T.astype(bool):
            b = (y[rows] == "b").sum()
            density = weigh * stats.norm.cdf(-grid) ** (rows.sum() - b) * stats.norm.cdf(grid) ** b
            fit += np.log(density.sum())
            own[rows] = (density @ stats.norm.cdf(grid)) / density.sum()
        means.append(own)
        fits.append(fit)
    share = np.exp(logs + fits - np.logaddexp.reduce(logs + fits))
    leaf = f"sum_probit(offset = {offset}, tau = {tau})"
    program = slp.parse(f"{_PRIOR}:- trees(1).\n:- leaf({leaf}).")
    posterior = program.posterior(frame, y, seed=2, **_LONG)
    error = posterior.predict_error(frame)[:, 1]
    assert error.max() < 0.03
    have, want = posterior.predict_proba(frame)[:, 1], share @ np.array(means)
    assert (np.abs(have - want) < 4.5 * error).all()


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.filterwarnings("ignore:.*W530")
@pytest.mark.parametrize("up", [True, False])
def test_values_in_order_against_quadrature(up: bool) -> None:
    """The prior of tree and values, given that values rise: a tree counts by its marginal
    likelihood times the probability that its values, normal and independent, are in order."""
    frame = pl.DataFrame({"x": [0.0, 0, 1, 1, 2, 2, 3]})
    y = np.array([0.4, 0.1, -0.2, 0.5, 0.3, 0.9, 0.7])
    y = y if up else -y
    tau, variance = 0.8, 0.3
    trees, logs = trees_of(_PRIOR, frame, y)
    means, fits = [], []
    for tree in trees:
        A = indicators(tree, frame)
        n, s = A.sum(axis=0), A.T @ (y if up else -y)
        spread = 1 / (n / variance + 1 / tau**2)
        center = spread * s / variance
        fit = 0.5 * (np.log(spread / tau**2) + center**2 / spread).sum()
        chance, ordered = _in_order(center, np.sqrt(spread))
        fits.append(fit + np.log(chance))
        means.append(A @ ordered * (1 if up else -1))
    share = np.exp(logs + fits - np.logaddexp.reduce(logs + fits))
    way = "up" if up else "down"
    leaf = f"sum_normal(mean = 0, tau = {tau}, sigma = {variance**0.5!r})"
    rules = f"{_PRIOR}:- constraint(monotone(x, {way})).\n:- trees(1).\n:- leaf({leaf})."
    posterior = slp.parse(rules).posterior(frame, y, seed=2, **_LONG)
    error = posterior.predict_error(frame)
    assert error.max() < 0.03
    assert (np.abs(posterior.predict(frame) - share @ np.array(means)) < 4.5 * error).all()


def _in_order(mean: np.ndarray, sd: np.ndarray) -> tuple[float, np.ndarray]:
    """The probability that independent normal numbers rise, and their means then: the integral over
    a grid, one number after the other."""
    grid = np.linspace((mean - 8 * sd).min(), (mean + 8 * sd).max(), 2001)
    step = grid[1] - grid[0]
    densities = [stats.norm.pdf(grid, m, s) * step for m, s in zip(mean, sd, strict=True)]
    below = [np.ones(len(grid))]  # P(all before are in order and below a point)
    for own in densities:
        reached = np.cumsum(below[-1] * own) - below[-1] * own / 2
        below.append(reached)
    above = [np.ones(len(grid))]
    for own in reversed(densities):
        product = above[-1] * own
        above.append(product[::-1].cumsum()[::-1] - product / 2)
    chance = float((below[-2] * densities[-1]).sum())
    told = [
        float((grid * own * below[k] * above[len(densities) - 1 - k]).sum()) / chance
        for k, own in enumerate(densities)
    ]
    return chance, np.array(told)


def test_the_grid_is_fine_enough() -> None:
    """Two numbers have a closed form, three an integral."""
    mean, sd = np.array([0.3, 0.1]), np.array([0.5, 0.4])
    want = stats.norm.cdf((mean[1] - mean[0]) / np.hypot(*sd))
    assert _in_order(mean, sd)[0] == pytest.approx(want, abs=1e-5)
    three, spread = np.array([0.3, 0.1, 0.2]), np.array([0.5, 0.4, 0.6])
    want, _ = integrate.quad(
        lambda x: (
            stats.norm.pdf(x, three[1], spread[1])
            * stats.norm.cdf(x, three[0], spread[0])
            * stats.norm.sf(x, three[2], spread[2])
        ),
        -5,
        5,
    )
    assert _in_order(three, spread)[0] == pytest.approx(want, abs=1e-5)


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.filterwarnings("ignore:.*W530")
def test_every_draw_of_a_sum_rises() -> None:
    """On a grid of the feature, at several values of the others; classes too."""
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"a": rng.uniform(size=60), "b": rng.uniform(size=60)})
    y = 2 * frame["a"].to_numpy() - frame["b"].to_numpy() + 0.3 * rng.standard_normal(60)
    rules = ":- trees(20).\n:- constraint(monotone(a, up)).\n:- constraint(monotone(b, down))."
    options = {"seed": 1, "draws": 60, "warmup": 40, "thin": 1, "chains": 2}
    of_classes = f"{rules}\n:- response(y, [ordinal([lo, hi])])."
    for text, response in ((rules, y), (of_classes, np.where(y > 0.5, "hi", "lo"))):
        posterior = slp.parse(text).posterior(frame, response, **options)
        averages = posterior._result.averages
        for feature, way in (("a", 1), ("b", -1)):
            for other in (0.1, 0.5, 0.9):
                grid = pl.DataFrame({feature: np.linspace(0, 1, 40)})
                grid = grid.with_columns(**{"b" if feature == "a" else "a": pl.lit(other)})
                rows = posterior.table.new_rows(grid)
                told = np.concatenate(list(averages.predictions_by_tree(rows)), axis=1)
                told = told[..., -1] if told.ndim == 3 else told
                steps = np.diff(told, axis=1)
                assert (way * steps >= -1e-12).all() and np.abs(steps).max() > 0.01
