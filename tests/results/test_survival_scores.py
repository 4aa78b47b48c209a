"""Scores of held-out durations, against plain loops over pairs and rows, and by `slp.cv` against
closed forms of a single leaf.

On 200 random samples `concordant_pairs` and `kaplan_meier` agreed with lifelines 0.30.3, and
`concordant_pairs` and, without ties, `brier_of_rows` with scikit-survival 0.28, to the last digits.
At ties scikit-survival takes G(y) for G(y-).
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import polars as pl
import pytest

import slp
from slp.errors import SlpWarning
from slp.results.survival_scores import (
    Censoring,
    SurvivalScale,
    SurvivalScores,
    ToldOfDurations,
    brier_of_rows,
    concordant_pairs,
)


def sample(seed: int, n: int, ties: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    ends, censored = rng.exponential(5, n), rng.exponential(8, n)
    if ties:
        ends, censored = np.floor(ends), np.floor(censored)
    return np.minimum(ends, censored), ends <= censored


def concordance_by_pairs(y: np.ndarray, seen: np.ndarray, p: np.ndarray) -> tuple[float, int]:
    concordant, pairs = 0.0, 0
    for i in range(len(y)):
        for j in range(len(y)):
            if seen[i] and (y[i] < y[j] or (y[i] == y[j] and not seen[j])):
                pairs += 1
                concordant += 1.0 if p[i] < p[j] else 0.5 if p[i] == p[j] else 0.0
    return concordant, pairs


def left(y: np.ndarray, seen: np.ndarray, t: float, before: bool) -> float:
    """G(t), or G(t-): the product over times of censoring up to t, or before it. Events at the same
    time come first, so they are no longer at risk."""
    out = 1.0
    for at in sorted(set(y[~seen])):
        if at < t or (at == t and not before):
            risk = (y > at).sum() + ((y == at) & ~seen).sum()
            out *= 1 - ((y == at) & ~seen).sum() / risk
    return out


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_scores_by_loops(seed: int, ties: bool) -> None:
    y, seen = sample(seed, 25, ties)
    y2, seen2 = sample(seed + 100, 40, ties)
    rng = np.random.default_rng(seed)
    predicted = rng.integers(0, 8, 25).astype(float)
    assert concordant_pairs(y, seen, predicted, 1e-9) == concordance_by_pairs(y, seen, predicted)
    times = [t for t in (1.0, 2.5, 4.0) if t < y2.max()]
    told = rng.random((25, len(times)))
    have = brier_of_rows(y, seen, told, times, Censoring(y2, seen2))
    for i, k in np.ndindex(have.shape):
        t, s = times[k], told[i, k]
        if y[i] > t:
            want = (1 - s) ** 2 / left(y2, seen2, t, False)
        else:
            want = s**2 / left(y2, seen2, y[i], True) if seen[i] else 0.0
        assert have[i, k] == pytest.approx(want, rel=1e-12)


def test_without_censoring_the_brier_score_is_a_mean_square() -> None:
    y = np.array([1.0, 2.0, 3.0, 4.0])
    told = np.full((4, 1), 0.25)
    have = brier_of_rows(y, y > 0, told, [2.0], Censoring(y + 1, y > 0))
    assert have[:, 0].tolist() == [0.0625, 0.0625, 0.5625, 0.5625]


def test_equal_predictions_may_differ_by_rounding() -> None:
    y, seen = np.array([1.0, 2.0]), np.array([True, True])
    assert concordant_pairs(y, seen, np.array([3.0, 3.0 - 1e-15]), 1e-9) == (0.5, 1)


def test_times_that_all_folds_can_tell() -> None:
    """Deciles of the events; the row of the last one is held out by the second fold."""
    y = np.column_stack([np.arange(1.0, 11.0), [1] * 10])
    parts = [np.arange(0, 9), np.array([9])]
    scale = SurvivalScale.of(y, parts)
    assert scale.horizon == 10 and scale.times == (1, 2, 3, 4, 5, 6, 7, 8)
    none = SurvivalScale.of(np.array([[2.0, 0], [0.0, 0]]), [np.array([0]), np.array([1])])
    assert none == SurvivalScale(2.0, ())
    assert SurvivalScale.of(y, []) == SurvivalScale(10.0, ())  # no cross-validation
    assert SurvivalScale.of(np.zeros(3), [np.array([0]), np.array([1, 2])]).horizon == 1


# --- cross-validation ---------------------------------------------------------------------------

A, B = 2.0, 3.0
TEXT = (
    ":- use(growtree). :- support(min_leaf(30)). :- response(t, event(e)). "
    f":- leaf(gamma_exponential({A}, {B}))."
)


def data(n: int = 40) -> pl.DataFrame:
    y, seen = sample(7, n, False)
    y[:3] = 0.0
    a = np.random.default_rng(1).integers(0, 5, n)
    return pl.DataFrame({"a": a, "t": y, "e": seen.astype(int)})


def test_cross_validation_in_closed_form() -> None:
    """No fold's run can split, so each row is told the Lomax distribution of the training rows:
    pairs are equal, and scores follow."""
    frame = data()
    found = slp.cv(slp.parse(TEXT), frame, folds=4, seed=1, draws=0)
    y, seen = frame["t"].to_numpy(), frame["e"].to_numpy() == 1
    scores = found.held_out.survival
    assert scores is not None
    assert scores.concordance == 0.5 and scores.concordance_error == 0
    assert scores.horizon == y.max()
    logs, briers = np.empty(len(y)), np.zeros(len(scores.times))
    for k in range(4):
        own = found.fold_of == k
        a, b = A + seen[~own].sum(), B + y[~own].sum()
        survival = (b / (b + y[own])) ** a
        logs[own] = np.where(seen[own], np.log(survival * a / (b + y[own])), np.log(survival))
        at = np.tile((b / (b + np.array(scores.times))) ** a, (own.sum(), 1))
        terms = brier_of_rows(y[own], seen[own], at, scores.times, Censoring(y[~own], seen[~own]))
        briers += terms.sum(axis=0) / len(y)
    np.testing.assert_allclose(found.held_out.by_row, logs, rtol=1e-10)
    assert found.held_out.log_predictive == pytest.approx(logs.mean(), rel=1e-10)
    np.testing.assert_allclose(scores.brier_at, briers, rtol=1e-10)
    width = np.diff(scores.times)
    want = ((briers[1:] + briers[:-1]) / 2 * width).sum() / width.sum()
    assert scores.brier == pytest.approx(want, rel=1e-10)
    assert found.held_out.rmse is None
    plain = found.to_dict()["held_out"]["survival"]
    assert plain["times"] == list(scores.times) and plain["concordance"] == 0.5


def test_pieces_have_log_scores_of_density_or_survival() -> None:
    """Given a draw-free run the log score of a row is that of its density, or of P(longer)."""
    frame = data().with_columns(pl.col("t") + 0.1)
    text = TEXT.replace(f"gamma_exponential({A}, {B})", f"piecewise_exponential({A}, {B}, [2])")
    program = slp.parse(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        found = slp.cv(program, frame, folds=2, seed=1, draws=0)
        for k in range(2):
            own = found.fold_of == k
            run = program.posterior(frame.filter(~own), draws=0)
            held = frame.filter(own)
            y = held["t"].to_numpy()
            density = run.density(held, y)
            longer = 1 - run.cdf(held, y)
            want = np.log(np.where(held["e"].to_numpy() == 1, density, longer))
            np.testing.assert_allclose(found.held_out.by_row[own], want, rtol=1e-9)


def test_splits_that_matter_are_concordant() -> None:
    rng = np.random.default_rng(3)
    a = np.repeat([0, 1], 30)
    t = rng.exponential(np.where(a == 1, 20.0, 1.0))
    frame = pl.DataFrame({"a": a, "t": t})
    text = ":- use(growtree). :- response(t). :- leaf(gamma_exponential(1, 5))."
    held = slp.cv(slp.parse(text), frame, folds=3, seed=1, draws=0).held_out
    assert held.survival is not None and held.rmse is not None
    assert held.survival.concordance is not None and held.survival.concordance > 0.7
    flat = slp.cv(slp.parse(text + " :- support(min_leaf(40))."), frame, folds=3, seed=1, draws=0)
    assert flat.held_out.survival is not None
    assert held.survival.brier < flat.held_out.survival.brier  # type: ignore[operator]


def test_comparisons_have_the_scores_of_durations_alone() -> None:
    frame = data().drop("e").with_columns(pl.col("t") + 0.1)
    durations = slp.parse(":- use(growtree). :- response(t). :- leaf(gamma_exponential(1, 5)).")
    normal = "normal_inverse_gamma(1, 1, 3, 1)"
    numbers = slp.parse(f":- use(growtree). :- response(t). :- leaf({normal}).")
    found = slp.compare({"d": durations, "n": numbers}, frame, folds=2, seed=1, draws=0)
    assert found["d"].held_out.survival is not None  # type: ignore[union-attr]
    assert found["n"].held_out.survival is None  # type: ignore[union-attr]
    assert found.to_dict()["programs"][1]["held_out"]["survival"] is None


def test_nothing_to_compare() -> None:
    """No event was seen: neither pairs nor times tell."""
    outcomes = np.array([[1.0, 0], [2.0, 0], [3.0, 0], [4.0, 0]])
    parts = [np.array([0, 1]), np.array([2, 3])]

    told = [ToldOfDurations(np.ones(2), np.zeros((2, 0)))] * 2
    found = SurvivalScores.of(outcomes, parts, told)
    assert (found.concordance, found.brier, found.times, found.brier_at) == (None, None, (), ())
    one = SurvivalScores.of(
        np.array([[1.0, 1], [2.0, 0], [3.0, 0], [4.0, 0]]),
        parts,
        [ToldOfDurations(np.array([1.0, 2.0]), np.full((2, 1), 0.5))] * 2,
    )
    assert one.concordance == 1 and math.isnan(one.concordance_error or 0.0)
    assert one.times == (1.0,) and one.brier == one.brier_at[0]
