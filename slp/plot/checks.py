"""Calibration: whether what is predicted comes true as often as it says."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.stats import beta

from slp.data import Column, Table, column_of_values, frame_of, labels_of, named_column, numbers_of
from slp.leaves import label_text
from slp.plot.canvas import (
    BLUE,
    GREY,
    axes_of,
    class_colours,
    legend_of,
    nothing,
    place_of,
    plain,
    tip_dots,
    titled,
)
from slp.plot.curves import predicted
from slp.plot.points import distinct_rows
from slp.results import Posterior

_BINS = 10
_LEVELS = np.arange(1, 20) / 20


def calibration(
    posterior: Posterior,
    X: Any = None,
    y: Any = None,
    *,
    note: str = "",
    by_draws: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Whether predictions averaged over all trees come true as often as they say.

    Of classes: for each of ten equal parts of [0, 1] the mean of the probabilities predicted there,
    and the share of rows where the class came true, with its 90 % Jeffreys interval. Of two classes
    the second is drawn. Of numbers: the share of outcomes inside the central predictive intervals
    of levels from 5 % to 95 %.

    Parameters
    ----------
    X, y : rows and outcomes, best those that the posterior was not given: on its own it looks
        better than it is. Without `y` the response is a column of `X`. Without `X` they are its
        own table, of which only classes are kept.
    note : what is said beside the number of rows, such as `held-out`.
    by_draws : average over independent draws in place of exact sums, which can take seconds a row.

    Raises
    ------
    UnsupportedError
        E571: durations, whose outcomes may be censored, or counts; numbers without `X`.
    """
    table = posterior.table
    if X is None and not table.leaf.classes:
        raise nothing("a posterior keeps no single outcomes of numbers", "give rows as X")
    outcomes = None if X is None else _outcomes(X, y, table.response)
    rows = distinct_rows(table) if X is None else table.new_rows(X)
    n = table.n_rows if outcomes is None else len(outcomes.cells)
    size = ", ".join(filter(None, [f"{n:,} rows", note]))
    ax = axes_of(ax, 4.8, 4.6)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle="--", zorder=1)
    if table.leaf.classes:
        told = predicted(posterior, rows, by_draws)
        counts = (
            table.statistics[:, : len(table.leaf.classes)]
            if outcomes is None
            else _counts(table, outcomes)
        )
        _of_classes(ax, table, told, counts)
        titled(ax, size, "predicted probability", "share that came true")
    elif outcomes is not None:
        _of_numbers(ax, posterior, X, outcomes)
        titled(ax, size, "level of the predictive interval", "share of outcomes inside")
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    return ax


def _outcomes(X: Any, y: Any, response: str) -> Column:
    name = response if y is None else named_column(y)
    if name is None:
        return column_of_values(response, y)
    frame = frame_of(X)
    return frame.columns[place_of(name, frame.names, "column")]


def _counts(table: Table, outcomes: Column) -> NDArray[np.float64]:
    """A 1 at the class of each row, shape (m, C)."""
    classes = [label_text(label) for label in table.leaf.classes]
    labels, codes = labels_of(outcomes)
    own = np.array([place_of(label_text(label), classes, "class") for label in labels])[codes]
    counts: NDArray[np.float64] = np.eye(len(classes))[own]
    return counts


def _of_classes(
    ax: Axes, table: Table, told: NDArray[np.float64], counts: NDArray[np.float64]
) -> None:
    """Probabilities told of rows, and how many of each class they stand for, both (m, C)."""
    classes = [label_text(label) for label in table.leaf.classes]
    each = counts.sum(axis=1)
    chosen = [1] if len(classes) == 2 else range(len(classes))
    colours = [BLUE] if len(classes) == 2 else class_colours(len(classes))
    for c, colour in zip(chosen, colours, strict=True):
        part = np.minimum((told[:, c] * _BINS).astype(np.int64), _BINS - 1)
        rows = np.bincount(part, each, _BINS)
        kept = rows > 0
        n, k = rows[kept], np.bincount(part, counts[:, c], _BINS)[kept]
        mean = np.bincount(part, each * told[:, c], _BINS)[kept] / n
        share = k / n
        ends = beta.ppf([[0.05], [0.95]], k + 0.5, n - k + 0.5)
        ends = np.array([np.where(k == 0, 0.0, ends[0]), np.where(k == n, 1.0, ends[1])])
        away = np.abs(ends - share)
        size = 3 + 9 * np.sqrt(n / n.max())
        ax.errorbar(mean, share, away, fmt="none", ecolor=colour, elinewidth=1, zorder=2)
        ax.plot(mean, share, color=colour, linewidth=1, label=plain(classes[c]), zorder=2)
        ax.scatter(mean, share, size**2, color=colour, zorder=3)
        names = [classes[c]] * len(n)
        texts = map(
            "{}: predicted {:.3f}, came true {:.3f}, {:.0f} rows".format, names, mean, share, n
        )
        tip_dots(ax, mean, share, texts)
    legend_of(ax, loc="upper left")


def _of_numbers(ax: Axes, posterior: Posterior, X: Any, outcomes: Column) -> None:
    leaf = posterior.table.leaf
    if leaf.responses != "numbers":
        what = f"there is no picture of the calibration of {leaf.responses}"
        raise nothing(what, "compare the programs")
    values, _ = numbers_of(outcomes)
    away = np.abs(2 * posterior.cdf(X, values) - 1)
    inside = [(away <= level).mean() for level in _LEVELS]
    ax.plot(_LEVELS, inside, "o-", color=BLUE, markersize=4, label=plain(posterior.table.response))
    tip_dots(ax, _LEVELS, inside, map("level {:.2f}: {:.3f} inside".format, _LEVELS, inside))
    legend_of(ax, loc="upper left")
