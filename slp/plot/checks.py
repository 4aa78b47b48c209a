"""Calibration: whether what is predicted comes true as often as it says."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.stats import beta

from slp.data import frame_of
from slp.data.columns import Column, labels_of, numbers_of
from slp.data.frames import column_of_values
from slp.leaves import GammaExponential, label_text
from slp.plot.canvas import (
    BLUE,
    GREY,
    axes_of,
    class_colours,
    legend_of,
    nothing,
    place_of,
    plain,
    titled,
)
from slp.results import Posterior
from slp.results.by_tree import predictive_cdf

_BINS = 10
_LEVELS = np.arange(1, 20) / 20


def calibration(
    posterior: Posterior, X: Any, y: Any = None, *, note: str = "", ax: Axes | None = None
) -> Axes:
    """Whether predictions averaged over all trees come true as often as they say.

    Of classes: for each of ten equal parts of [0, 1] the mean of the probabilities predicted there,
    and the share of rows where the class came true, with its 90 % Jeffreys interval. Of two classes
    the second is drawn. Of numbers: the share of outcomes inside the central predictive intervals
    of levels from 5 % to 95 %.

    Parameters
    ----------
    X, y : rows and outcomes, best those that the posterior was not given: on its own it looks
        better than it is. Without `y` the response is a column of `X`.
    note : what is said beside the number of rows, such as `held-out`.

    Raises
    ------
    UnsupportedError
        E571: durations, whose outcomes may be censored, or counts.
    """
    table = posterior.table
    outcomes = _outcomes(X, y, table.response)
    size = f"{len(outcomes.cells):,} rows{', ' if note else ''}{note}"
    rows = table.new_rows(X)
    ax = axes_of(ax, 4.8, 4.6)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle="--", zorder=1)
    if table.leaf.classes:
        _of_classes(ax, posterior, posterior.predict_proba(rows), outcomes)
        titled(ax, size, "predicted probability", "share that came true")
    else:
        _of_numbers(ax, posterior, rows, outcomes)
        titled(ax, size, "level of the predictive interval", "share of outcomes inside")
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    return ax


def _outcomes(X: Any, y: Any, response: str) -> Column:
    if y is not None and not isinstance(y, str):
        return column_of_values(response, y)
    name = response if y is None else y
    frame = frame_of(X)
    return frame.columns[place_of(name, frame.names, "column")]


def _of_classes(
    ax: Axes, posterior: Posterior, told: NDArray[np.float64], outcomes: Column
) -> None:
    classes = [label_text(label) for label in posterior.table.leaf.classes]
    labels, codes = labels_of(outcomes)
    own = np.array([place_of(label_text(label), classes, "class") for label in labels])[codes]
    chosen = [1] if len(classes) == 2 else range(len(classes))
    colours = [BLUE] if len(classes) == 2 else class_colours(len(classes))
    for c, colour in zip(chosen, colours, strict=True):
        part = np.minimum((told[:, c] * _BINS).astype(np.int64), _BINS - 1)
        rows = np.bincount(part, minlength=_BINS)
        kept = rows > 0
        n, k = rows[kept], np.bincount(part, own == c, _BINS)[kept]
        predicted = np.bincount(part, told[:, c], _BINS)[kept] / n
        share = k / n
        ends = beta.ppf([[0.05], [0.95]], k + 0.5, n - k + 0.5)
        ends = np.array([np.where(k == 0, 0.0, ends[0]), np.where(k == n, 1.0, ends[1])])
        away = np.abs(ends - share)
        size = 3 + 9 * np.sqrt(n / n.max())
        ax.errorbar(predicted, share, away, fmt="none", ecolor=colour, elinewidth=1, zorder=2)
        ax.plot(predicted, share, color=colour, linewidth=1, label=plain(classes[c]), zorder=2)
        ax.scatter(predicted, share, size**2, color=colour, zorder=3)
    legend_of(ax, loc="upper left")


def _of_numbers(
    ax: Axes, posterior: Posterior, rows: NDArray[np.object_], outcomes: Column
) -> None:
    leaf = posterior.table.leaf
    if isinstance(leaf, GammaExponential) or leaf.name == "gamma_poisson":
        kind = "counts" if leaf.name == "gamma_poisson" else "durations"
        raise nothing(f"there is no picture of the calibration of {kind}", "compare the programs")
    values, _ = numbers_of(outcomes)
    away = np.abs(2 * predictive_cdf(posterior, rows, values) - 1)
    inside = [(away <= level).mean() for level in _LEVELS]
    ax.plot(_LEVELS, inside, "o-", color=BLUE, markersize=4, label=plain(posterior.table.response))
    legend_of(ax, loc="upper left")
