"""Partial dependence on a feature, with individual curves and the band of the trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from slp.data import Table
from slp.leaves import label_text
from slp.plot.canvas import (
    BLUE,
    GREY,
    PLAIN,
    axes_of,
    class_colours,
    legend_of,
    place_of,
    plain,
    tip_dots,
    titled,
)
from slp.plot.points import Grid, axis_name, grid_of, rows_of, with_value
from slp.plot.shapes import kind_of, most_used
from slp.results import Posterior, mean_by_tree, trees_of, weighted_quantiles

#: Said where predictions are left out.
INFINITE = "left out: where the prediction is infinite"

#: The most points of a curve.
_POINTS = 40


def dependence(
    posterior: Posterior,
    feature: str | None = None,
    *,
    label: Any = None,
    X: Any = None,
    rows: int | None = None,
    level: float = 0.9,
    by_draws: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Partial dependence on a feature (Friedman 2001) and individual curves (Goldstein et al.
    2015): what is predicted, averaged over all trees, where the feature has a value and a row keeps
    its other values.

    The thick line is the mean over the rows, the thin ones are the rows' own. The band has the
    share `level` of the trees: each tree's mean over the rows. It comes from draws, and does not
    say what the leaves leave open.

    Parameters
    ----------
    feature : the most used one if None.
    label : the class whose probability is drawn. If None, the second of two classes, or all of
        more, without individual curves.
    X : rows; None for the posterior's own table.
    rows : how many, spread evenly over them; None for 25 of exact sums, 200 of draws.
    by_draws : average over independent draws in place of exact sums, which can take seconds a row.
    """
    table = posterior.table
    f = place_of(feature or most_used(posterior)[0], table.feature_names, "feature")
    background = rows_of(posterior, X, rows, by_draws)
    grid = grid_of(table, f, background, _POINTS)
    points = with_value(table, background, f, grid.values)
    curves = predicted(posterior, points, by_draws).reshape(len(grid.values), len(background), -1)
    chosen = classes_of(table, label)
    band = _band(posterior, background, f, grid, level)
    ax = axes_of(ax, 6.4, 4.0)
    colours = class_colours(len(chosen)) if len(chosen) > 1 else [BLUE]
    for c, colour in zip(chosen, colours, strict=True):
        if len(chosen) == 1:
            _draw(ax, grid, curves[:, :, c], color=GREY, linewidth=0.6, alpha=0.5)
        if band is not None:
            _draw_band(ax, grid, band[:, :, c], colour)
        name = plain(label_text(table.leaf.classes[c])) if table.leaf.classes else table.leaf.point
        mean = curves[:, :, c].mean(axis=1)
        marker = "o" if grid.of_levels else ""
        _draw(ax, grid, mean, color=colour, linewidth=2.2, label=name, zorder=3, marker=marker)
        _tell(ax, grid, mean, f"{table.feature_names[f]}", name)
    if grid.of_levels:
        ax.set_xticks(range(len(grid.values)), [plain(v, 16) for v in grid.values], **PLAIN)
    of = f" of {table.n_rows}" if X is None else ""
    title = f"mean over {len(background)}{of} rows, {kind_of(posterior, by_draws)}"
    if band is not None:
        n = _number_of_trees(posterior)
        title += f"\nband: {100 * level:.0f} % of {n:,} tree{'s' * (n != 1)}"
    if not np.isfinite(curves[:, :, chosen]).all():
        title += f"\n{INFINITE}"
    titled(ax, title, plain(axis_name(table.features[f])), response_name(table, chosen))
    if len(chosen) > 1:
        legend_of(ax, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def _draw(ax: Axes, grid: Grid, values: NDArray[np.float64], **style: Any) -> None:
    """Curves (g,) or (g, m): a step for each value, or points at levels."""
    if grid.of_levels:
        ax.plot(range(len(values)), values, **style)
    else:
        style.pop("marker", None)
        ax.plot(grid.edges, _closed(values), drawstyle="steps-post", **style)


def _tell(ax: Axes, grid: Grid, mean: NDArray[np.float64], feature: str, name: str) -> None:
    """A tooltip at each value of a mean curve."""
    if grid.of_levels:
        where = [f"{feature} = {level}" for level in grid.values]
        middle: Any = range(len(mean))
    else:
        middle = (grid.edges[:-1] + grid.edges[1:]) / 2
        where = [f"{feature} near {value:.4g}" for value in middle]
    tip_dots(ax, middle, mean, [f"{w}: {m:.4g} ({name})" for w, m in zip(where, mean, strict=True)])


def _closed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values of steps at their left edges, and the last one at its right edge too."""
    return np.concatenate([values, values[-1:]])


def _draw_band(ax: Axes, grid: Grid, ends: NDArray[np.float64], colour: Any) -> None:
    """A band with ends (2, g): between steps, or a bar at each level."""
    low, high = ends
    if grid.of_levels:
        ax.vlines(range(len(low)), low, high, color=colour, alpha=0.35, linewidth=7)
    else:
        shade: dict[str, Any] = {"color": colour, "alpha": 0.25, "linewidth": 0}
        ax.fill_between(grid.edges, _closed(low), _closed(high), step="post", **shade)


def _number_of_trees(posterior: Posterior) -> int:
    return sum(map(len, trees_of(posterior).chains))


def _band(
    posterior: Posterior, rows: NDArray[np.object_], f: int, grid: Grid, level: float
) -> NDArray[np.float64] | None:
    """Quantiles over trees of their mean over rows, shape (2, g, C or 1); None without draws."""
    if posterior.trust.summed and not posterior.draws:
        return None
    trees = trees_of(posterior)
    ends = ((1 - level) / 2, (1 + level) / 2)
    found = []
    for i in range(len(grid.values)):
        means = mean_by_tree(trees, with_value(posterior.table, rows, f, grid.values[i : i + 1]))
        found.append(weighted_quantiles(means, trees.frequency, ends))
    return np.stack(found, axis=1)


def predicted(
    posterior: Posterior, rows: NDArray[np.object_], by_draws: bool = False
) -> NDArray[np.float64]:
    """Class probabilities, shape (m, C), or means or medians, shape (m, 1)."""
    if by_draws:
        return trees_of(posterior).predictions(rows)
    return posterior._predicted(rows)


def classes_of(table: Table, label: Any) -> list[int]:
    """The places of the classes to draw, [0] of numbers."""
    names = [label_text(c) for c in table.leaf.classes]
    if not names:
        return [0]
    if label is not None:
        return [place_of(label if isinstance(label, str) else label_text(label), names, "class")]
    return [1] if len(names) == 2 else list(range(len(names)))


def response_name(table: Table, chosen: Sequence[int]) -> str:
    """The name of what is predicted."""
    response = plain(table.response, 20)
    if not table.leaf.classes:
        return f"predicted {table.leaf.point} of {response}"
    if len(chosen) > 1:
        return f"P({response})"
    return f"P({response} = {plain(label_text(table.leaf.classes[chosen[0]]), 20)})"
