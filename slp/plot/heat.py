"""A heat map of what is predicted over two features, with the declared boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from slp.data import Feature
from slp.plot.canvas import PLAIN, VERMILION, axes_of, nothing, place_of, plain, titled
from slp.plot.curves import INFINITE, classes_of, predicted, response_name
from slp.plot.points import axis_name, grid_of, on_axis, rows_of, typical, with_value
from slp.plot.shapes import kind_of, most_used
from slp.results import Posterior


def heat_map(
    posterior: Posterior,
    x: str | None = None,
    y: str | None = None,
    *,
    label: Any = None,
    at: Mapping[str, Any] | None = None,
    X: Any = None,
    cells: int = 30,
    by_draws: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """What is predicted over two features, averaged over all trees, with the declared boxes.

    All other features have one value: the median of a number, the most frequent level of a text,
    or what `at` says. A box is drawn over the features that it bounds.

    Parameters
    ----------
    x, y : the features; the two most used if None.
    label : the class whose probability is drawn; the second of two, else the first if None.
    at : values of other features, by name.
    X : the rows that medians and ranges are of; None for the posterior's own table.
    cells : the most along a side.
    by_draws : average over independent draws in place of exact sums, which can take seconds a row.
    """
    table = posterior.table
    names = table.feature_names
    if len(names) < 2:
        raise nothing("the table has one feature", "draw its partial dependence")
    used = [name for name in most_used(posterior) if name not in (x, y)]
    first = place_of(x or used.pop(0), names, "feature")
    second = place_of(y or used.pop(0), names, "feature")
    for made, part in ((first, second), (second, first)):
        formula = table.features[made].kind.formula
        if formula is not None and names[part] in formula.columns:
            raise nothing(f"{names[made]} is made of {names[part]}", "draw another feature")
    rows = rows_of(posterior, X, 1000)
    others = typical(rows, table)
    for name, value in (at or {}).items():
        given = np.array([value], object)
        others = with_value(table, others, place_of(name, names, "feature"), given)
    sides = [grid_of(table, f, rows, cells) for f in (first, second)]
    across, up = (side.values for side in sides)
    points = with_value(table, with_value(table, others, first, across), second, up)
    told = predicted(posterior, points, by_draws).reshape(len(up), len(across), -1)
    chosen = classes_of(table, label)[:1]
    ax = axes_of(ax, 6.0, 4.6)
    edges = [side.edges for side in sides]
    limits: dict[str, Any] = {"vmin": 0.0, "vmax": 1.0} if table.leaf.classes else {}
    mesh = ax.pcolormesh(*edges, told[:, :, chosen[0]], cmap="viridis", rasterized=True, **limits)
    bar = ax.get_figure(root=True).colorbar(mesh, ax=ax)  # type: ignore[union-attr]
    bar.set_label(response_name(table, chosen), **PLAIN)
    for axis, side in zip((ax.xaxis, ax.yaxis), sides, strict=True):
        if side.of_levels:
            names_of_levels = [plain(value, 16) for value in side.values]
            axis.set_ticks(range(len(names_of_levels)), names_of_levels, **PLAIN)
    _draw_boxes(ax, posterior, (table.features[first], table.features[second]), edges)
    title = [kind_of(posterior, by_draws), *_fixed(posterior, others[0], (first, second))]
    if not np.isfinite(told).all():
        title.append(INFINITE)
    return titled(
        ax, "\n".join(title), *(plain(axis_name(table.features[f])) for f in (first, second))
    )


def _fixed(posterior: Posterior, others: NDArray[np.object_], drawn: tuple[int, int]) -> list[str]:
    """Lines with the values of the features that are not drawn, three at most, the most used
    first."""
    uses = posterior.split_probabilities()
    names, features = posterior.table.feature_names, posterior.table.features
    rest = [f for f in range(len(names)) if f not in drawn and uses[names[f]].probability > 0]
    rest.sort(key=lambda f: -uses[names[f]].probability)
    told = [f"{plain(names[f], 20)} = {_short(features[f], others[f])}" for f in rest[:3]]
    told += [f"{len(rest) - 3} more"] * (len(rest) > 3)
    return [", ".join(told[i : i + 2]) for i in range(0, len(told), 2)]


def _short(feature: Feature, value: Any) -> str:
    return plain(value if isinstance(value, str) else feature.kind.words(value), 12)


def _draw_boxes(
    ax: Axes,
    posterior: Posterior,
    drawn: tuple[Feature, Feature],
    edges: Sequence[NDArray[np.float64]],
) -> None:
    """The boxes that bound a feature that is drawn, cut off at the picture's edges."""
    for box in posterior.record.boxes:
        names = [feature.name for feature in drawn]
        if not set(box.bounds) & set(names):
            continue
        spans = []
        for feature, own in zip(drawn, edges, strict=True):
            bounds = box.bounds.get(feature.name, (-np.inf, np.inf))
            low, high = (on_axis(feature, end) for end in bounds)
            spans.append((max(low, own[0]), min(high, own[-1])))
        (left, right), (bottom, top) = spans
        if left >= right or bottom >= top:
            continue
        corner, size = (left, bottom), (right - left, top - bottom)
        frame = Rectangle(corner, *size, fill=False, edgecolor="white", linewidth=3.2, zorder=4)
        ax.add_patch(frame)
        line = Rectangle(
            corner, *size, fill=False, edgecolor=VERMILION, linewidth=1.6, zorder=5, gid="box"
        )
        ax.add_patch(line)
        words = plain(box.name, 24)
        hidden = [name for name in box.bounds if name not in names]
        words += f" (also bounds {', '.join(plain(n, 16) for n in hidden)})" if hidden else ""
        shade = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1.5}
        ax.text(
            left,
            top,
            words,
            va="top",
            fontsize="small",
            bbox=shade,
            zorder=6,
            clip_on=True,
            **PLAIN,
        )
