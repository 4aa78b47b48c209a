"""Bars of prior and posterior are their probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

import slp
import slp.plot


def heights(ax: Axes) -> list[list[float]]:
    return [[bar.get_height() for bar in bars] for bars in ax.containers]


def labels(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.slow
def test_leaves_and_depth(ax: Axes) -> None:
    X = np.arange(12.0)[:, None]
    exact = slp.parse(":- use(growtree).").posterior(X, X[:, 0] > 4, engine="exact")
    prior = exact.prior()
    slp.plot.leaves(exact, prior, ax=ax)
    assert heights(ax) == [list(prior.leaf_distribution()), list(exact.leaf_distribution())]
    assert labels(ax) == ["prior, exact", "posterior, exact"]
    centres = [bar.get_x() + bar.get_width() / 2 for bar in ax.containers[0]]
    assert np.allclose(np.array(centres) + 0.2, np.arange(len(centres)))
    ax.clear()
    slp.plot.depth(exact, prior, ax=ax)
    assert heights(ax) == [list(prior.depth_distribution()), list(exact.depth_distribution())]


def test_leaves_and_depth_of_more_rows_are_drawn(ax: Axes) -> None:
    X = np.arange(24.0)[:, None]
    exact = slp.parse(":- use(growtree).").posterior(X, X[:, 0] % 7 > 3, engine="exact", seed=1)
    for draw, want in (
        (slp.plot.leaves, exact.leaf_distribution()),
        (slp.plot.depth, exact.depth_distribution()),
    ):
        ax.clear()
        draw(exact, ax=ax)
        (have,) = heights(ax)
        assert labels(ax) == ["posterior, estimate from 2,000 independent draws"]
        assert sum(have) == pytest.approx(1)
        n = max(len(have), len(want))
        have, want = np.pad(have, (0, n - len(have))), np.pad(want, (0, n - len(want)))
        # Five standard errors, for each of at most 24 numbers: a correct draw fails in 1 of 70,000.
        assert (np.abs(have - want) <= 5 * np.sqrt(want * (1 - want) / 2000) + 1 / 2000).all()


def test_features_and_their_errors(drawn: slp.Posterior, ax: Axes) -> None:
    slp.plot.features(drawn, ax=ax)
    uses = drawn.split_probabilities()
    prior, bars = (c for c in ax.containers if hasattr(c, "patches"))
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == sorted(uses, key=lambda name: -uses[name].probability)
    assert [bar.get_width() for bar in bars] == [uses[name].probability for name in names]
    (lines,) = bars.errorbar[2]
    for name, line in zip(names, lines.get_segments(), strict=True):
        use = uses[name]
        ends = np.clip(use.probability + np.array([-2, 2]) * use.probability_error, 0, 1)
        assert line[:, 0] == pytest.approx(ends)
    assert labels(ax)[1].startswith("posterior, estimate from 1,000 draws")
    beside = [uses[name].prior_probability for name in names]
    assert [bar.get_width() for bar in prior] == beside
    assert labels(ax)[0] == f"prior, {drawn.prior_uses_note}"


def test_many_features_are_cut_and_that_is_said(ax: Axes) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (30, 40)).astype(float)
    y = np.where(X[:, 0] > 1, "a", "b")
    posterior = slp.load("growtree", alpha=0.3).posterior(
        X, y, engine="mh", seed=1, draws=50, rounds=1
    )
    slp.plot.features(posterior, ax=ax)
    assert ax.get_xlabel().endswith(", the 25 most used of 40")
    assert len(ax.get_yticklabels()) == 25
