"""Diagnostics of samplers: traces, ranks, swaps between rungs, round trips."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray
from scipy.stats import binom, rankdata

from slp.plot.canvas import (
    BLUE,
    DARK,
    GREY,
    ORANGE,
    VERMILION,
    axes_of,
    class_colours,
    legend_of,
    nothing,
    place_of,
    tip,
    tip_dots,
    titled,
)
from slp.results import ENOUGH_ROUND_TRIPS, Posterior, TemperingFigures, trees_of

_BINS = 20
#: More chains have no legend.
_MOST_NAMED = 10


def _log_posterior(posterior: Posterior) -> NDArray[np.float64]:
    found = trees_of(posterior).trees
    return found.log_weight + posterior.likelihood * found.log_likelihood


def _log_likelihood(posterior: Posterior) -> NDArray[np.float64]:
    return trees_of(posterior).trees.log_likelihood


#: What is told of each distinct tree, shape (U,), and its name on an axis.
_QUANTITIES: dict[str, tuple[Callable[[Posterior], NDArray[Any]], str]] = {
    "log_posterior": (_log_posterior, "log posterior, up to a constant (nats)"),
    "log_likelihood": (_log_likelihood, "log likelihood (nats)"),
    "leaves": (lambda posterior: trees_of(posterior).n_leaves, "number of leaves"),
    "depth": (lambda posterior: trees_of(posterior).depth, "depth"),
}

#: Their names.
QUANTITIES = tuple(_QUANTITIES)


def traces(
    posterior: Posterior, quantity: str = "log_posterior", *, ax: Axes | None = None
) -> Axes:
    """A quantity (`log_posterior`, `log_likelihood`, `leaves`, `depth`) at every draw that was
    kept, a line for each chain."""
    chains, name = _by_chain(posterior, quantity)
    ax = axes_of(ax, 7.2, 3.4)
    for c, (own, colour) in enumerate(zip(chains, class_colours(len(chains)), strict=True)):
        ax.plot(
            np.arange(1, len(own) + 1),
            own,
            color=colour,
            linewidth=0.8,
            label=f"chain {c}",
            gid=tip(f"chain {c}"),
        )
    titled(ax, _standing(posterior, quantity), "draw", name)
    if 1 < len(chains) <= _MOST_NAMED:
        legend_of(ax, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def ranks(posterior: Posterior, quantity: str = "log_posterior", *, ax: Axes | None = None) -> Axes:
    """Histograms of the ranks that each chain's draws have among all draws (Vehtari et al. 2021):
    flat if the chains agree. Equal values are put in random order, by the posterior's seed.

    The grey band has 99 % of the heights of independent draws; those of a chain vary more.
    """
    chains, name = _by_chain(posterior, quantity)
    if len(chains) < 2:
        raise nothing("there is one chain", "run two or more, as with chains=4")
    every = np.concatenate(chains)
    ties = np.random.default_rng(posterior.seed).permutation(len(every))
    order = np.lexsort((ties, every))
    place = np.empty(len(every))
    place[order] = rankdata(np.arange(len(every))) - 0.5
    ax = axes_of(ax, 7.2, 0.9 + 0.75 * len(chains))
    parts = np.split(place / len(every), np.cumsum([len(own) for own in chains])[:-1])
    for c, (own, colour) in enumerate(zip(parts, class_colours(len(parts)), strict=True)):
        counts, edges = np.histogram(own, _BINS, (0.0, 1.0))
        even = len(own) / _BINS
        low, high = binom.ppf([0.005, 0.995], len(own), 1 / _BINS) / even
        base = len(parts) - 1 - c
        ax.axhspan(base + 0.4 * low, base + 0.4 * high, color=GREY, alpha=0.25, linewidth=0)
        tall = np.minimum(0.4 * counts / even, 0.95)
        bars = ax.bar(edges[:-1], tall, 1 / _BINS, base, align="edge", color=colour, alpha=0.8)
        for bar, n, left, right in zip(bars, counts, edges[:-1], edges[1:], strict=True):
            said = f"chain {c}, ranks {left:.2f} to {right:.2f}: {n} draws, {even:.3g} if even"
            bar.set_gid(tip(said))
        ax.axhline(base + 0.4, color=DARK, linewidth=0.6)
    ax.set_yticks(np.arange(len(parts))[::-1] + 0.4, [f"chain {c}" for c in range(len(parts))])
    ax.set_xlim(0, 1)
    return titled(ax, _standing(posterior, quantity), f"rank of the {name.split(',')[0]} (share)")


def swaps(posterior: Posterior, *, ax: Axes | None = None) -> Axes:
    """The share of swaps made between neighbouring rungs of tempered chains, over the powers of
    the likelihood, a line for each ladder; even rates mean well spaced powers."""
    found = _tempering(posterior)
    ax = axes_of(ax, 6.4, 3.4)
    colours = class_colours(len(found.ladders))
    for i, (ladder, colour) in enumerate(zip(found.ladders, colours, strict=True)):
        powers = np.array(ladder.powers)
        middle = (powers[:-1] + powers[1:]) / 2
        ax.plot(middle, ladder.swap_rates, "o-", color=colour, markersize=4, label=f"ladder {i}")
        texts = [
            f"ladder {i}, power {p:.3g}: {r:.3f}"
            for p, r in zip(middle, ladder.swap_rates, strict=True)
        ]
        tip_dots(ax, middle, ladder.swap_rates, texts)
        ax.plot(powers, np.zeros(len(powers)), "|", color=colour, markersize=9)
    ax.set_ylim(0, 1.02)
    ax.set_xlim(-0.02, 1.02)
    title = f"barrier {found.barrier:.3g}, least swap rate {found.least_swap_rate:.2f}"
    titled(ax, title, "power of the likelihood: 0 prior, 1 posterior", "swaps made (share)")
    if len(found.ladders) > 1:
        legend_of(ax, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def round_trips(posterior: Posterior, *, ax: Axes | None = None) -> Axes:
    """How often trees went from the prior to the posterior and back, of each ladder of tempered
    chains, beside the number that is needed."""
    found = _tempering(posterior)
    counts = [ladder.round_trips for ladder in found.ladders]
    ax = axes_of(ax, 6.4, 1.2 + 0.4 * len(counts))
    colours = [BLUE if n >= ENOUGH_ROUND_TRIPS else ORANGE for n in counts]
    ax.barh(range(len(counts)), counts, 0.6, color=colours)
    for i, ladder in enumerate(found.ladders):
        ax.text(counts[i], i, f" {counts[i]:,} in {ladder.scans:,} scans", va="center")
    ax.axvline(ENOUGH_ROUND_TRIPS, color=VERMILION, linestyle="--", linewidth=1.2)
    ax.set_yticks(range(len(counts)), [f"ladder {i}" for i in range(len(counts))])
    ax.set_ylim(len(counts) - 0.5, -0.5)
    ax.set_xlim(0, 1.35 * max(*counts, ENOUGH_ROUND_TRIPS))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return titled(ax, f"at least {ENOUGH_ROUND_TRIPS} are needed (dashed line)", "round trips")


def _tempering(posterior: Posterior) -> TemperingFigures:
    found = posterior.diagnostics
    if found is None or found.tempering is None:
        reason = f"the engine {posterior.engine} made no tempered chains"
        raise nothing(reason, "run `--engine mh`, which tempers its chains")
    return found.tempering


def _by_chain(posterior: Posterior, quantity: str) -> tuple[list[NDArray[np.float64]], str]:
    """The quantity at every draw of each chain, and its name."""
    place_of(quantity, QUANTITIES, "quantity")
    reason = f"the engine {posterior.engine} made no chains"
    schedule = posterior.schedule
    if schedule is None or schedule.thin is None:
        raise nothing(reason, "run `--engine mh`")
    if not posterior.draws:
        raise nothing("nothing was drawn", "ask for draws, as with draws=1000")
    of, name = _QUANTITIES[quantity]
    by_tree = of(posterior).astype(np.float64)
    values = [by_tree[chain] for chain in trees_of(posterior).chains if len(chain)]
    if np.isnan(np.concatenate(values)).any():
        raise nothing(f"the {name} is not known", "draw the log_likelihood, leaves or depth")
    return values, name


def _standing(posterior: Posterior, quantity: str) -> str:
    """R-hat and effective draws of a quantity, where they are known."""
    found = posterior.diagnostics
    told = None if found is None else found.convergence.get(quantity)
    if told is None or told.r_hat is None or told.ess_bulk is None:
        return ""
    return f"R-hat {told.r_hat:.3f}, effective draws {told.ess_bulk:,.0f}"
