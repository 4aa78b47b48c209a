"""Predictive checks: outcomes beside those that a posterior or prior draws for the same rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from slp.errors import SlpWarning
from slp.leaves import label_text
from slp.plot.canvas import (
    BLUE,
    GREY,
    ORANGE,
    axes_of,
    legend_of,
    nothing,
    plain,
    tip,
    titled,
)
from slp.plot.points import distinct_rows
from slp.program import outcomes_in
from slp.results import Posterior, kaplan_meier

#: Draws of all rows, and those of them whose lines are drawn.
_DRAWS, _LINES = 200, 40
#: The most rows that are drawn for, so that all draws are a few million numbers.
_MOST_ROWS = 10_000
#: The most counts that have bars; more are drawn as lines.
_MOST_BARS = 25
_ENDS = (0.05, 0.95)

Side = tuple[str, Any, NDArray[Any]]


def predictive_check(
    posterior: Posterior,
    prior: Posterior | None = None,
    X: Any = None,
    y: Any = None,
    *,
    seed: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Outcomes beside 200 draws of outcomes of the same rows, each of a tree and the parameters of
    its leaves: what the model finds usual.

    Of classes and of few counts their shares, with the median of the draws and a bar from their 5 %
    to their 95 % quantile; of numbers and of many counts the empirical distribution function, and
    that of 40 draws; of durations the Kaplan-Meier estimate of survival, and the survival of 40
    draws, which are not censored. Of more than 10,000 rows so many are taken at random.

    Parameters
    ----------
    prior : drawn beside the posterior, if it is given.
    X, y : rows and outcomes, as a run takes them. Without `X` they are those of the posterior's own
        table, which a run has unless numeric rows that agree in all features were added up.
    seed : of the draws.

    Raises
    ------
    UnsupportedError
        E571: counts with exposures; numbers whose rows were added up, or a prior of other features,
        without `X`.
    """
    leaf, table = posterior.table.leaf, posterior.table
    if leaf.exposed:
        raise nothing("counts with exposures have no outcomes in one unit", "draw calibration")
    beside = [(c, of) for c, of in ((ORANGE, prior), (BLUE, posterior)) if of is not None]
    if X is None:
        if any(of.table.feature_names != table.feature_names for _, of in beside):
            raise nothing("the prior has other features", "give rows as X")
        own, outcomes = own_outcomes(posterior)
        rows = [own for _ in beside]
    else:
        outcomes = outcomes_in(posterior, X, y)
        rows = [of.table.new_rows(X) for _, of in beside]
    ax, known = axes_of(ax, 5.6, 3.8), len(outcomes)
    if known > _MOST_ROWS:
        some = np.random.default_rng(seed).choice(known, _MOST_ROWS, replace=False)
        rows, outcomes = [own[some] for own in rows], outcomes[some]
    sides: list[Side] = []
    for (colour, of), each in zip(beside, rows, strict=True):
        sides.append((_name(of), colour, _drawn(of, each, seed)))
    part = "" if len(outcomes) == known else f" of {known:,}, at random"
    size = f"{len(outcomes):,} rows{part}, {_DRAWS} draws"
    if leaf.classes:
        labels = [label_text(label) for label in leaf.classes]
        texts = [(n, c, np.vectorize(label_text, otypes=[object])(own)) for n, c, own in sides]
        seen = np.array([[*labels, ""][i] for i in outcomes.tolist()], object)
        _bars(ax, labels, labels, seen, texts)
        return titled(ax, size, table.response, "share")
    if leaf.responses == "durations":
        _survival(ax, outcomes, sides)
        return titled(ax, size, table.response, "survival")
    if leaf.responses == "counts" and outcomes.max(initial=0) < _MOST_BARS:
        most = int(outcomes.max(initial=0))
        counts = list(range(most + 1))
        cut = [(n, c, np.minimum(own, most + 1)) for n, c, own in sides]
        names = [*map(str, counts), f"above {most}"]
        _bars(ax, [*counts, most + 1], names, outcomes, cut)
        return titled(ax, size, table.response, "share")
    _distribution(ax, outcomes, sides)
    return titled(ax, size, table.response, "share up to it")


def _name(posterior: Posterior) -> str:
    if posterior.likelihood:
        return "posterior"
    seen = posterior.table.leaf.of_response
    return "prior, which has seen the outcomes" if seen else "prior"


def _drawn(posterior: Posterior, rows: NDArray[np.object_], seed: int) -> NDArray[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)  # W552: the name says it
        return posterior._draws_of_rows(rows, "outcome", _DRAWS, seed)


def own_outcomes(posterior: Posterior) -> tuple[NDArray[np.object_], NDArray[Any]]:
    """The rows and outcomes of the posterior's own table.

    Raises
    ------
    UnsupportedError
        E571: rows that agree in all features were added up; E562: it was saved without its table.
    """
    table = posterior.table
    rows, counts = distinct_rows(table), table.counts
    if table.leaf.classes and table.weighted is None:
        each = table.statistics[:, : len(table.leaf.classes)].astype(np.int64)
        own = np.tile(np.arange(each.shape[1]), len(each))
        return np.repeat(rows, counts, axis=0), np.repeat(own, each.ravel())
    if counts.max(initial=1) > 1 or table.weighted is not None:
        raise nothing("of rows that agree in all features a posterior keeps sums", "give rows as X")
    return rows, table.leaf.outcomes_of(table.statistics)


def _bars(
    ax: Axes, values: Sequence[Any], names: Sequence[str], seen: NDArray[Any], sides: list[Side]
) -> None:
    """Shares of values among outcomes (m,) and among draws of them (n, m)."""
    at = np.arange(len(values), dtype=float)
    shares = [(seen == value).mean() for value in values]
    drawn = ax.bar(at, shares, 0.6, color=GREY, alpha=0.5, label="outcomes")
    for bar, name, share in zip(drawn, names, shares, strict=True):
        bar.set_gid(tip(f"{name}: {share:.3f} of the outcomes"))
    for i, (side, colour, own) in enumerate(sides):
        each = np.array([(own == value).mean(axis=1) for value in values])
        low, middle, high = np.quantile(each, (_ENDS[0], 0.5, _ENDS[1]), axis=1)
        place = at + 0.14 * (i - (len(sides) - 1) / 2)
        away = [middle - low, high - middle]
        ax.errorbar(place, middle, away, fmt="o", color=colour, markersize=4, label=side)
    ax.set_xticks(at, [plain(name, 20) for name in names])
    _legend(ax)


def _distribution(ax: Axes, outcomes: NDArray[np.float64], sides: list[Side]) -> None:
    for side, colour, own in sides:
        ax.plot([], [], color=colour, linewidth=1, label=side)
        for draw in own[:_LINES]:
            ax.ecdf(draw, color=colour, alpha=0.25, linewidth=0.7)
    ax.ecdf(outcomes, color="black", linewidth=1.5, label="outcomes")
    _limit(ax, outcomes, sides)
    _legend(ax)


def _survival(ax: Axes, outcomes: NDArray[np.float64], sides: list[Side]) -> None:
    times = outcomes if outcomes.ndim == 1 else outcomes[:, 0]
    seen = np.ones(len(times)) if outcomes.ndim == 1 else outcomes[:, 1]
    for side, colour, own in sides:
        ax.plot([], [], color=colour, linewidth=1, label=side)
        for draw in own[:_LINES]:
            ends, left = kaplan_meier(draw, np.ones(len(draw)))
            ax.step(ends, left, color=colour, alpha=0.25, linewidth=0.7, where="post")
    ends, left = kaplan_meier(times, seen)
    ax.step(ends, left, color="black", linewidth=1.5, where="post", label="outcomes")
    ax.set_xlim(0, float(times.max(initial=1.0)) * 1.05)
    ax.set_ylim(0, 1.02)
    _legend(ax)


def _legend(ax: Axes) -> None:
    """Above the axes, where it hides nothing."""
    legend_of(ax, loc="lower right", bbox_to_anchor=(1, 0.99), ncols=3, handlelength=1.2)


def _limit(ax: Axes, outcomes: NDArray[np.float64], sides: list[Side]) -> None:
    """Leave out far values of few draws."""
    if not len(outcomes):
        return
    inner = np.quantile(sides[-1][2], (0.005, 0.995))
    low, high = min(outcomes.min(), inner[0]), max(outcomes.max(), inner[1])
    ax.set_xlim(low - 0.03 * (high - low), high + 0.03 * (high - low))
