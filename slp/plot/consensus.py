"""Where trees split: for each feature the expected number of splits by threshold or level."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from slp.columns import level_numbers
from slp.data import Feature, Table
from slp.messages.numbers import number_text
from slp.plot.canvas import (
    BLUE,
    GREY,
    PLAIN,
    VERMILION,
    axes_of,
    nothing,
    place_of,
    plain,
    tip,
    titled,
)
from slp.plot.points import axis_name, on_axis
from slp.plot.shapes import most_used
from slp.results import Posterior, splits_of, trees_of
from slp.trees import Asked

#: The most features, and the bins of thresholds, whose number is that of the strip's columns.
_MOST, _BINS = 12, 48
#: Height of the tallest bar in rows.
_TALLEST = 0.62


def thresholds(
    posterior: Posterior, features: Sequence[str] = (), *, ax: Axes | None = None
) -> Axes:
    """Where the trees of a posterior split: for each feature the expected number of splits in each
    of 48 equal parts of its range, or at each level; the ends of declared boxes are marked.

    The heights come from draws, those of one feature together from the engine's own sums, which
    stand at the right, with those of missing against present beside them. All features have the
    same scale of heights.

    Parameters
    ----------
    features : the features; the twelve most used if none.
    """
    table = posterior.table
    named = list(features) or most_used(posterior)[:_MOST]
    places = [place_of(name, table.feature_names, "feature") for name in named]
    trees = trees_of(posterior)
    found, on_missing = _places_of_splits(splits_of(trees), table)
    strips = [_strip(table.features[f], found[table.feature_names[f]]) for f in places]
    highest = max((heights.max(initial=0.0) for _, heights, _ in strips), default=0.0)
    if highest == 0.0:
        raise nothing("no tree splits on these features", "take other features")
    ax = axes_of(ax, 7.2, 1.1 + 0.5 * len(places))
    uses = posterior.split_probabilities()
    for row, (f, (edges, heights, ends)) in enumerate(zip(places, strips, strict=True)):
        feature = table.features[f]
        tall = -_TALLEST * heights / highest
        bars = ax.bar(edges[:-1], tall, np.diff(edges), row + 0.3, align="edge", color=BLUE)
        for bar, said in zip(bars, _parts(feature, edges, heights, ends), strict=True):
            bar.set_gid(tip(said))
        ax.hlines(row + 0.3, 0, 1, color=GREY, linewidth=0.6)
        _mark_ends(ax, posterior, feature, row, ends)
        small: dict[str, Any] = {"fontsize": "x-small", "color": GREY, "va": "top", **PLAIN}
        levels = feature.kind.names
        if not levels:
            ax.text(0, row + 0.32, number_text(ends[0]), **small)
            ax.text(1, row + 0.32, number_text(ends[1]), ha="right", **small)
        else:
            for level, left in zip(levels, edges, strict=False):
                ax.text(left, row + 0.32, plain(level, 12), **small)
        splits = f"{uses[feature.name].expected_splits:.3g}"
        if on_missing[feature.name]:
            splits += f", {on_missing[feature.name]:.2g} missing"
        ax.text(1.03, row + 0.1, splits, fontsize="small")
    ax.set_yticks(
        range(len(named)), [plain(axis_name(table.features[f]), 24) for f in places], **PLAIN
    )
    ax.set_ylim(len(named) - 0.3, -0.6)
    ax.set_xlim(-0.01, 1.15)
    ax.set_xticks([])
    total = sum(map(len, trees.chains))
    by = f"{total:,} tree{'s' * (total != 1)}"
    titled(ax, f"where trees split, by {by}; at the right: expected number of splits")
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(left=False)
    return ax


def _places_of_splits(
    splits: Iterable[tuple[Asked, float]], table: Table
) -> tuple[dict[str, Counter[float | str]], Counter[str]]:
    """By feature, the shares of splits at each threshold or level, and of those that part missing
    from present."""
    found: dict[str, Counter[float | str]] = defaultdict(Counter)
    on_missing: Counter[str] = Counter()
    for (name, test), share in splits:
        feature = table.features[table.feature_names.index(name)]
        if feature.kind.is_on_missing(test):
            on_missing[name] += share  # type: ignore[assignment]
            continue
        tested = test.tested  # whatever the side of missing values
        at = tested if isinstance(tested, tuple) else (tested,)  # each has a part of the split
        for place in at:
            found[name][place] += share / len(at)  # type: ignore[assignment]
    return found, on_missing


def _strip(
    feature: Feature, found: Counter[float | str]
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[float, float]]:
    """Edges from 0 to 1 of the parts of a feature, the expected number of splits in each, and the
    values at 0 and 1."""
    kind = feature.kind
    if kind.names:
        tested = kind.names if kind.categorical else level_numbers(kind.names)
        heights = np.array([found[level] for level in tested], np.float64)
        return np.linspace(0, 1, len(heights) + 1), heights, (0.0, 1.0)
    at = np.array([float(value) for value in found])
    if kind.numbers is None:  # a run that was saved without its table
        ends = (at.min(initial=np.inf), at.max(initial=-np.inf)) if len(at) else (0.0, 1.0)
    else:
        values = kind.shown.astype(np.float64)
        ends = float(values[0]), float(values[-1])
    if ends[0] == ends[1]:
        ends = ends[0] - 0.5, ends[1] + 0.5
    weights = np.array(list(found.values()), np.float64)
    heights, edges = np.histogram(at, _BINS, ends, weights=weights)
    return (edges - ends[0]) / (ends[1] - ends[0]), heights, (float(ends[0]), float(ends[1]))


def _parts(
    feature: Feature,
    edges: NDArray[np.float64],
    heights: NDArray[np.float64],
    ends: tuple[float, float],
) -> Iterator[str]:
    """Each part of a feature in words, with its expected number of splits."""
    at = ends[0] + edges * (ends[1] - ends[0])
    for i, height in enumerate(heights):
        part = f" from {at[i]:.4g} to {at[i + 1]:.4g}"
        names, sign = feature.kind.names, "=" if feature.kind.categorical else "<"
        where = f" {sign} {names[i]}" if names else part
        yield f"{feature.name}{where}: {height:.3g} splits"


def _mark_ends(
    ax: Axes, posterior: Posterior, feature: Feature, row: int, ends: tuple[float, float]
) -> None:
    """A short line and the name at each end of a box that is in the feature's range."""
    for box in posterior.record.boxes:
        for end in box.bounds.get(feature.name, ()):
            if feature.kind.names:
                end = (on_axis(feature, end) + 0.5) / len(feature.kind.names)
            if not ends[0] <= end <= ends[1]:
                continue
            at = (end - ends[0]) / (ends[1] - ends[0])
            ax.vlines(at, row - 0.36, row + 0.3, color=VERMILION, linewidth=1.2, linestyle="--")
            words = plain(box.name, 16)
            ax.text(
                at, row - 0.36, words, fontsize="x-small", color=VERMILION, ha="center", **PLAIN
            )
