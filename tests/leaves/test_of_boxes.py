"""Leaves in boxes with priors of their own: the models as one."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from slp.leaves import (
    Dirichlet,
    GammaExponential,
    GammaPoisson,
    LeafModel,
    NormalInverseGamma,
    leaf_from_plain,
    leaf_to_plain,
)
from slp.leaves.known_shares import KnownShares
from slp.leaves.of_boxes import BoxLeaves, leaves_of_boxes

CLASSES = ("no", "yes")
KINDS: dict[str, tuple[list[Any], Any]] = {
    "classes": (
        [Dirichlet(CLASSES, 1), Dirichlet(CLASSES, [8, 2]), KnownShares(CLASSES, [0.9, 0.1])],
        np.array([0, 1, 1, 0, 1]),
    ),
    "numbers": (
        [NormalInverseGamma(0, 1, 2, 2, ref=1.0), NormalInverseGamma(3, 0.5, 3, 1, ref=1.0)],
        np.array([0.5, 2.0, 2.5, -1.0, 1.0]),
    ),
    "counts": ([GammaPoisson(1, 1), GammaPoisson(6, 2)], np.array([0.0, 3.0, 2.0, 5.0, 1.0])),
    "durations": (
        [GammaExponential(1, 1), GammaExponential(4, 2)],
        np.array([[0.5, 1], [2, 0], [3, 1], [0.1, 1], [1, 0]]),
    ),
}


def models_of(kind: str) -> tuple[BoxLeaves, list[LeafModel], Any]:
    models, y = KINDS[kind]
    return leaves_of_boxes(models, ()), models, y


@pytest.mark.parametrize("kind", KINDS)
def test_each_leaf_has_its_own_model(kind: str) -> None:
    boxes, models, y = models_of(kind)
    rows = boxes.statistics(y)
    assert rows.shape == (5, boxes.n_statistics) and not rows[:, -1].any()
    sums = np.array([rows[:k].sum(axis=0) for k in (1, 2, 3, 4, 5, 0)])
    priors = np.arange(6) % len(models)
    S = boxes.with_prior(sums, priors)
    assert boxes.prior_of(S).tolist() == priors.tolist()
    assert (boxes.without_rows(S)[:, :-1] == 0).all()
    assert (boxes.prior_of(boxes.without_rows(S)) == priors).all()
    assert boxes.are_sound(S) and not boxes.are_sound(boxes.with_prior(S, 9))
    for name in ("log_marginal", "values", "spread"):
        have = getattr(boxes, name)(S)
        for i, prior in enumerate(priors):
            want = getattr(models[prior], name)(S[i, :-1])
            np.testing.assert_allclose(have[i], want, rtol=1e-12)
    for i, prior in enumerate(priors[:5]):
        outcome = y[0] if y.ndim == 1 else y[0, 0]
        want = models[prior].log_density(S[i, :-1], outcome)
        assert boxes.log_density(S, outcome)[i] == pytest.approx(float(want))
        told = boxes.summary(S[i])
        assert ("prior" in told) == (prior > 0)
    drawn = boxes.draw_parameters(S, np.random.default_rng(1))
    assert drawn.shape[0] == 6 and np.isfinite(boxes.values_of(drawn)).all()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "numbers"])
def test_no_partition_is_above_the_bound(kind: str) -> None:
    boxes, models, y = models_of(kind)
    rows = boxes.statistics(y)
    best = -math.inf
    for parts in product(range(3), repeat=len(rows)):
        own = [rows[np.array(parts) == p].sum(axis=0) for p in set(parts)]
        fit = sum(max(float(m.log_marginal(s[:-1])) for m in models) for s in own)
        best = max(best, fit)
    assert best <= boxes.log_parted(rows) + 1e-12
    assert models[0].log_parted(rows[:, :-1]) < boxes.log_parted(rows)


def test_known_shares_are_the_limit_of_a_prior_that_data_cannot_change() -> None:
    known, near = KnownShares(CLASSES, [0.9, 0.1]), Dirichlet(CLASSES, [0.9e9, 0.1e9])
    S = np.array([[3.0, 2.0], [0.0, 0.0], [0.0, 4.0]])
    np.testing.assert_allclose(known.log_marginal(S), near.log_marginal(S), atol=1e-6)
    np.testing.assert_allclose(known.predict_proba(S), near.predict_proba(S), atol=1e-6)
    assert known.class_cdf(S, 0, 0.89).tolist() == [0, 0, 0]
    assert known.class_cdf(S, 0, 0.9).tolist() == [1, 1, 1]
    rows = np.eye(2)
    np.testing.assert_allclose(known.log_least(rows, 10.0), np.log([0.9, 0.1]))


def test_no_row_is_less_probable_than_the_bound() -> None:
    boxes, models, y = models_of("classes")
    rows, least = boxes.statistics(y), boxes.log_least(boxes.statistics(y), len(y))
    for i, others in product(range(len(rows)), product((0, 1), repeat=len(rows))):
        leaf = (np.array(others)[:, None] * np.delete(rows, i, 0).sum(axis=0)[None])[0, :-1]
        for model in models:
            q = model.log_marginal(leaf + rows[i, :-1]) - model.log_marginal(leaf)
            assert q >= least[i] - 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_model_is_read_again(kind: str) -> None:
    boxes, models, y = models_of(kind)
    plain = leaf_to_plain(boxes)
    again = leaf_from_plain(plain)
    assert again.to_plain() == plain
    other = leaf_to_plain(KINDS["counts" if kind != "counts" else "numbers"][0][0])
    with pytest.raises(ValueError, match="not of one kind"):
        leaf_from_plain({**plain, "models": [plain["models"][0], other]})
