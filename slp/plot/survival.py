"""Survival curves: of rows, or averaged over rows beside the Kaplan-Meier estimate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from slp.data import Feature, misses
from slp.errors import UnsupportedError
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
from slp.plot.points import distinct_rows, rows_of
from slp.plot.predictive import own_outcomes
from slp.plot.shapes import kind_of
from slp.program import outcomes_in
from slp.results import Posterior, RowQuantity, kaplan_meier, survival_of_rows

#: The most curves, as many as there are colours that are easily told apart.
_MOST_CURVES = 7
#: Numbers of a feature that each make a group; of more, groups are thirds.
_MOST_NUMBERS = 4
#: Points of a curve, rows that it is averaged over, draws of its band.
_POINTS, _ROWS, _DRAWS = 61, 200, 500


@dataclass(frozen=True, eq=False)
class _Curve:
    """A curve: its name, the rows it is averaged over, and the outcomes of all rows it stands for,
    None where they are not known."""

    name: str
    rows: NDArray[np.object_]
    outcomes: NDArray[np.float64] | None


def survival(
    posterior: Posterior,
    rows: Any = None,
    *,
    by: str | None = None,
    X: Any = None,
    y: Any = None,
    level: float = 0.9,
    by_draws: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Survival curves P(duration > t), averaged over all trees, with the central interval of
    probability `level` at each time, over trees and the parameters of their leaves, from draws.

    Without `rows` the curve is the mean over the rows of the table, or of each group of them, and
    the Kaplan-Meier estimate of their outcomes stands beside it, where they are known.

    Parameters
    ----------
    rows : at most seven; each has a curve, up to the longest duration that is known.
    by : a feature by which the rows are grouped: its levels, its numbers if they are at most four,
        or thirds.
    X, y : rows and outcomes, as a run takes them, in place of those of the table. A run keeps its
        outcomes unless rows that agree in all features were added up.
    by_draws : curves from draws too, in place of exact sums, which can take seconds a row.

    Raises
    ------
    UnsupportedError
        E571: the response is no duration, or there are more than seven curves.
    """
    if posterior.table.leaf.responses != "durations":
        raise nothing("the response is no duration", "draw dependence")
    if rows is not None:
        curves, note = _of_each(posterior.table.new_rows(rows)), ""
        outcomes = _outcomes_known(posterior, X, y)
    else:
        every, outcomes = _table(posterior, X, y)
        curves, note = _of_groups(posterior, by, every, outcomes)
    ax = axes_of(ax, 6.4, 4.0)
    times = np.linspace(0, _longest(posterior, curves, outcomes), _POINTS)
    colours = class_colours(len(curves)) if len(curves) > 1 else [BLUE]
    n_draws = 0
    for curve, colour in zip(curves, colours, strict=True):
        told = survival_of_rows(
            posterior, curve.rows, times, _DRAWS, seed=posterior.seed, by_draws=by_draws
        )
        if curve.outcomes is not None:
            _draw_kaplan_meier(ax, curve.outcomes, GREY if len(curves) == 1 else colour)
        n_draws = told.n_draws
        _draw(ax, times, told, curve.name, colour, level)
    ax.set_xlim(0, times[-1])
    ax.set_ylim(0, 1.02)
    band = f"band: {100 * level:.0f} % interval, {n_draws:,} draws"
    title = "\n".join(filter(None, [note, f"{kind_of(posterior, by_draws)}; {band}"]))
    titled(ax, title, plain(posterior.table.response), "survival")
    if len(curves) > 1:
        legend_of(ax, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


# --- what is drawn -------------------------------------------------------------------------------


def _of_each(rows: NDArray[np.object_]) -> list[_Curve]:
    if not 0 < len(rows) <= _MOST_CURVES:
        what = f"{len(rows):,} rows are none, or more than {_MOST_CURVES} curves"
        raise nothing(what, "give fewer rows, or draw the average by a feature")
    return [_Curve(f"row {i + 1}", rows[i : i + 1], None) for i in range(len(rows))]


def _table(
    posterior: Posterior, X: Any, y: Any
) -> tuple[NDArray[np.object_], NDArray[np.float64] | None]:
    """Rows, and their outcomes; None where the run keeps sums of them."""
    table = posterior.table
    if X is not None:
        return table.new_rows(X), outcomes_in(posterior, X, y)
    if table.counts.max(initial=1) > 1 or table.weighted is not None:
        return distinct_rows(table)[table.row_of], None
    return own_outcomes(posterior)


def _outcomes_known(posterior: Posterior, X: Any, y: Any) -> NDArray[np.float64] | None:
    """The outcomes of a table; None where they are not known."""
    try:
        return _table(posterior, X, y)[1]
    except UnsupportedError:  # a run that was saved without its table
        return None


def _of_groups(
    posterior: Posterior,
    by: str | None,
    rows: NDArray[np.object_],
    outcomes: NDArray[np.float64] | None,
) -> tuple[list[_Curve], str]:
    """The average of all rows, or of groups, and what the title says of them."""
    table = posterior.table
    note = f"mean over {len(rows):,} rows"
    if by is None:
        groups = [("mean", np.ones(len(rows), np.bool_))]
    else:
        f = place_of(by, table.feature_names, "feature")
        groups = list(_groups(table.features[f], rows[:, f]))
        note += f" by {plain(by)}"
    if outcomes is None:
        note += "; no Kaplan-Meier: the run keeps sums of equal rows"
    else:
        note += "; dashed: Kaplan-Meier"
    curves = []
    for name, own in groups:
        seen = None if outcomes is None else outcomes[own]
        curves.append(_Curve(name, rows_of(posterior, rows[own], _ROWS), seen))
    if any(own.sum() > _ROWS for _, own in groups):
        note += f"\n{_ROWS} rows of a group, evenly spread, stand for all"
    return curves, note


def _groups(
    feature: Feature, values: NDArray[np.object_]
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The name of each group that has rows, and its rows, a mask (n,)."""
    missing = np.array([misses(value) for value in values], np.bool_)
    name = plain(feature.name, 20)
    if feature.kind.names:
        present = set(values[~missing].tolist())
        levels = [level for level in feature.kind.names if level in present]
        found = [(f"{name} = {plain(level, 20)}", values == level) for level in levels]
    else:
        found = list(_of_numbers(name, np.where(missing, np.nan, values).astype(np.float64)))
    if missing.any():
        found.append((f"{name} missing", missing))
    if len(found) > _MOST_CURVES:
        what = f"`{name}` has {len(found):,} groups, which are more than {_MOST_CURVES} curves"
        raise nothing(what, "give seven rows of your choice")
    yield from found


def _of_numbers(name: str, values: NDArray[np.float64]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Groups of numbers, NaN in none."""
    different = np.unique(values[~np.isnan(values)])
    if len(different) <= _MOST_NUMBERS:
        for value in different:
            yield f"{name} = {value:.4g}", values == value
        return
    first, second = np.nanquantile(values, (1 / 3, 2 / 3), method="inverted_cdf")
    parts = [
        (f"{name} to {first:.4g}", values <= first),
        (f"{name} above {first:.4g} to {second:.4g}", (values > first) & (values <= second)),
        (f"{name} above {second:.4g}", values > second),
    ]
    yield from ((text, own) for text, own in parts if own.any())


def _longest(
    posterior: Posterior, curves: list[_Curve], outcomes: NDArray[np.float64] | None
) -> float:
    """The longest duration seen, or where none is known that which nine of ten reach not."""
    if outcomes is not None:
        return float(np.max(outcomes if outcomes.ndim == 1 else outcomes[:, 0])) or 1.0
    every = np.concatenate([curve.rows[:_MOST_CURVES] for curve in curves])
    found = posterior._quantiles(every, np.array(0.9))
    return float(np.min([found.max(), np.finfo(np.float32).max]))


# --- drawing -------------------------------------------------------------------------------------


def _draw(
    ax: Axes, times: NDArray[np.float64], told: RowQuantity, name: str, colour: Any, level: float
) -> None:
    mean, (low, high) = told.average.mean, told.average.interval(level).T
    ax.fill_between(times, low, high, color=colour, alpha=0.18, linewidth=0)
    ax.plot(times, mean, color=colour, linewidth=2, label=name)
    at = slice(None, None, 6)
    each = zip(times[at], mean[at], low[at], high[at], strict=True)
    texts = [f"{name}: {s:.3f} ({a:.3f} to {b:.3f}) longer than {t:.4g}" for t, s, a, b in each]
    tip_dots(ax, times[at], mean[at], texts)


def _draw_kaplan_meier(ax: Axes, outcomes: NDArray[np.float64], colour: Any) -> None:
    times, seen = (outcomes, np.ones(len(outcomes))) if outcomes.ndim == 1 else outcomes.T
    ends, left = kaplan_meier(times, seen)
    ax.step(ends, left, color=colour, linewidth=1.2, linestyle="--", where="post")
