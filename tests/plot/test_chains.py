"""Pictures of samplers show their draws and figures."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

import slp
import slp.plot


@pytest.mark.parametrize("quantity", slp.plot.QUANTITIES)
def test_traces_are_the_draws(drawn: slp.Posterior, ax: Axes, quantity: str) -> None:
    slp.plot.traces(drawn, quantity, ax=ax)
    of = {
        "log_posterior": lambda d: d.log_weight + d.log_likelihood,
        "log_likelihood": lambda d: d.log_likelihood,
        "leaves": lambda d: d.tree.n_leaves,
        "depth": lambda d: d.tree.depth,
    }[quantity]
    have = [value for line in ax.lines for value in line.get_ydata()]
    assert have == [of(draw) for draw in drawn.draws]
    assert len(ax.lines) == len({draw.chain for draw in drawn.draws})
    told = drawn.diagnostics.convergence.get(quantity)
    if told is not None:
        assert f"R-hat {told.r_hat:.3f}" in ax.get_title(loc="left")


def test_ranks_count_every_draw(drawn: slp.Posterior, ax: Axes) -> None:
    slp.plot.ranks(drawn, "log_posterior", ax=ax)
    scores = np.array([d.log_weight + d.log_likelihood for d in drawn.draws])
    chains = np.array([d.chain for d in drawn.draws])
    n = len(scores)
    for c, bars in enumerate(ax.containers):
        own = int((chains == c).sum())
        heights = np.array([bar.get_height() for bar in bars]) / 0.4 * own / 20
        assert heights.sum() == pytest.approx(own)
        # A value between those of a bin's ends belongs to it, whatever the order of ties.
        below = (scores[:, None] < scores[None, chains == c]).sum(axis=0) / n
        at_most = (scores[:, None] <= scores[None, chains == c]).sum(axis=0) / n
        assert heights[:10].sum() <= (below < 0.5).sum() + 1e-9
        assert heights[:10].sum() >= (at_most <= 0.5).sum() - 1e-9


def test_swaps_and_round_trips_are_the_figures(drawn: slp.Posterior, ax: Axes) -> None:
    figures = drawn.diagnostics.tempering
    slp.plot.swaps(drawn, ax=ax)
    for i, ladder in enumerate(figures.ladders):
        assert list(ax.lines[2 * i].get_ydata()) == list(ladder.swap_rates)
        assert list(ax.lines[2 * i + 1].get_xdata()) == list(ladder.powers)
    assert f"barrier {figures.barrier:.3g}" in ax.get_title(loc="left")
    ax.clear()
    slp.plot.round_trips(drawn, ax=ax)
    (bars,) = ax.containers
    assert [bar.get_width() for bar in bars] == [own.round_trips for own in figures.ladders]


@pytest.mark.parametrize(
    "draw", [slp.plot.traces, slp.plot.ranks, slp.plot.swaps, slp.plot.round_trips]
)
def test_exact_sums_have_no_chains(exact: slp.Posterior, draw: object) -> None:
    with pytest.raises(slp.UnsupportedError, match="E571"):
        draw(exact)


def test_an_unknown_quantity(drawn: slp.Posterior) -> None:
    with pytest.raises(slp.UsageError, match="no quantity `speed`"):
        slp.plot.traces(drawn, "speed")
