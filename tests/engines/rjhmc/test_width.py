"""h with a prior of its own: its gradient, its posterior by quadrature, and what refuses it.

Ranks of h are those of test_calibration.py. Shares and means are compared within 4.5 of their
standard errors, by 50 batches: one of the 8 fails of a right sampler with a probability below 1e-4.
"""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.special import logsumexp

import slp
from slp.engines.rjhmc.soft_data import SoftData
from slp.errors import SlpWarning, UnsupportedError
from slp.reference.rjhmc import log_density
from tests.engines.rjhmc.soft_cases import TOPOLOGIES, random_data, random_tree, sampler_of
from tests.engines.rjhmc.soft_tables import CLASSES, FEW, NUMBERS
from tests.engines.rjhmc.test_density import KINDS, complex_step
from tests.engines.rjhmc.test_jumps import LEAF, SPLIT, STUMP, agrees, classes, draws_of, grid


@pytest.mark.parametrize(("classes", "soft_index"), KINDS)
@pytest.mark.parametrize("h", [1.0, 0.1, 1e-3])
def test_the_core_is_the_specification(classes: bool, soft_index: bool, h: float) -> None:
    rng = np.random.default_rng(3)
    for n, topology in itertools.product((1, 2, 40, 600), TOPOLOGIES):
        data = random_data(rng, n, 3, h, classes, soft_index, spread=0.7)
        features, q = random_tree(rng, data, topology)
        have, gradient = sampler_of(data).density(features, q)
        assert have == pytest.approx(log_density(data, features, q), rel=1e-11, abs=1e-11)
        want = complex_step(data, features, q)
        assert gradient == pytest.approx(want, rel=1e-6, abs=1e-10 / h)


def test_the_density_is_that_of_fixed_h_and_a_normal_one() -> None:
    rng = np.random.default_rng(4)
    data = random_data(rng, 30, 2, 0.1, False, False, spread=0.5)
    features, q = random_tree(rng, data, TOPOLOGIES[2])
    fixed = replace(data, h=float(np.exp(q[-1])), spread=0.0)
    apart = (q[-1] - np.log(0.1)) / 0.5
    want = log_density(fixed, features, q[:-1]) - 0.5 * apart**2 - np.log(0.5 * np.sqrt(2 * np.pi))
    assert log_density(data, features, q) == pytest.approx(want)


def masses(data: SoftData) -> tuple[float, np.ndarray, np.ndarray]:
    """The posterior probability of the stump; log h and its probabilities at the stump."""
    tau, weight = grid(0, 1, 120)
    log_h, h_weight = grid(np.log(data.h) - 6 * data.spread, np.log(data.h) + 6 * data.spread, 80)
    logit, shape = np.log(tau) - np.log1p(-tau), np.array(STUMP, np.int32)
    weight = np.log(weight) - np.log(tau) - np.log1p(-tau)
    terms = np.array(
        [
            logsumexp(weight + [log_density(data, shape, np.array([t, own])) for t in logit])
            for own in log_h
        ]
    ) + np.log(h_weight)
    fixed = replace(data, spread=0.0)
    leaf = float(log_density(fixed, np.array(LEAF, np.int32), np.empty(0)))
    odds = np.array([leaf, logsumexp(terms) + np.log(SPLIT) + np.log1p(-SPLIT)])
    return float(np.exp(odds[1] - logsumexp(odds))), log_h, np.exp(terms - logsumexp(terms))


@pytest.mark.parametrize("informed", [True, False])
def test_its_posterior_by_quadrature(informed: bool) -> None:
    """One feature, five distinct rows: the shares of both topologies, log h at the stump, and at
    the leaf, where it has its prior."""
    data = replace(classes(), spread=1.0)
    share, log_h, probability = masses(data)
    sampler = sampler_of(data, lengths=(300, 1, 0, 2), informed=informed, split=SPLIT)
    draws = draws_of(sampler, 20_000, 8)
    agrees(np.array([s == STUMP for s, _ in draws], np.float64), share)
    at_stump = np.array([q[-1] for s, q in draws if s == STUMP])
    agrees(at_stump, float(probability @ log_h))
    agrees(at_stump**2, float(probability @ log_h**2))
    assert abs(probability @ log_h - np.log(data.h)) > 0.2  # the rows tell something of h
    agrees(np.array([q[-1] for s, q in draws if s == LEAF]), np.log(data.h))


@pytest.mark.slow
@pytest.mark.parametrize("index", ["hard", "soft"])
def test_a_run(index: str) -> None:
    program = slp.load("rjhmc", h=0.1, h_spread=0.5)
    for frame in (CLASSES, NUMBERS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SlpWarning)
            found = program.posterior(frame, index=index, **FEW)
        widths = []
        for draw in found.draws:
            span = {
                "a": frame["a"].max() - frame["a"].min(),
                "b": frame["b"].max() - frame["b"].min(),
            }
            splits = draw.tree.splits  # type: ignore[attr-defined]
            own = [s.width / (span[s.feature] if index == "hard" else 1) for s in splits]
            assert own == pytest.approx(own[:1] * len(own))  # one for the whole tree
            widths += own[:1]
        assert np.std(np.log(widths)) > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("index", ["hard", "soft"])
@pytest.mark.parametrize("frame", [CLASSES, NUMBERS], ids=["classes", "numbers"])
def test_without_a_prior_it_is_as_declared(frame: pl.DataFrame, index: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        found = slp.load("rjhmc", h=0.1).posterior(frame, index=index, **FEW)
    span = {name: frame[name].max() - frame[name].min() for name in "ab"}
    widths = [
        s.width / (span[s.feature] if index == "hard" else 1)
        for draw in found.draws
        for s in draw.tree.splits  # type: ignore[attr-defined]
    ]
    assert widths == pytest.approx([0.1] * len(widths))
    assert widths


@pytest.mark.parametrize(
    ("spread", "options", "words"),
    [
        (-1, {}, "E539.*`h_spread`.* is -1"),
        (11, {}, "E539.*`h_spread`.* is 11"),
        (0.5, {"tuning": "paper"}, "E539.*tuning=paper lowers `h`"),
        (0.5, {"first_h": 0.5}, "E539.*first_h lowers `h`"),
    ],
)
def test_it_refuses_in_words(spread: float, options: dict[str, object], words: str) -> None:
    with pytest.raises(UnsupportedError, match=words):
        slp.load("rjhmc", h_spread=spread).posterior(CLASSES, **FEW, **options)
