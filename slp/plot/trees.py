"""Pictures of single trees: one tree, and the best trees side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from slp.ir import Box
from slp.leaves import Label, label_text, sorted_labels
from slp.plot.canvas import (
    BLUE,
    DARK,
    GREY,
    PLAIN,
    VERMILION,
    axes_of,
    class_colours,
    legend_of,
    plain,
    tip,
)
from slp.plot.layout import BAR, CHARACTER, GAP, Layout, Spot, layout_of
from slp.results import Candidate, Posterior
from slp.trees import Leaf, Region, SoftTree, Split, Tree, condition_text, leaf_text

_TEXT = 8
#: Height of a leaf's row in inches, and that of its bar in rows.
_ROW, _HEIGHT = 0.3, 0.62
#: Rows above each tree for its heading, and below it for the scale of means.
_HEAD, _FOOT = 1.2, 1.0
#: Trees stand beside each other up to this width, in inches.
_WIDEST = 17.0
#: Width of lines in points: of few rows, and what all rows add.
_THINNEST, _THICKEST = 0.8, 7.0


def tree(
    tree: Tree | SoftTree,
    *,
    boxes: Sequence[Box] = (),
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """A tree, the root at the left. The line to a node is as thick as its share of the rows; a leaf
    has the shares of its classes, or its mean with the 90 % interval, its prediction and its rows.

    Parameters
    ----------
    tree : the tree. Leaves without summaries show what they have. A soft tree has the tests
        `x ± width < threshold`, soft counts, and no boxes.
    boxes : declared boxes, such as `posterior.record.boxes`: each leaf whose region contains, lies
        inside or meets one says so.
    """
    return _drawn([(plain(title, 80), tree)], tuple(boxes), ax)


def best_trees(posterior: Posterior, k: int = 3, *, ax: Axes | None = None) -> Axes:
    """The `k` best trees side by side, best first, each with its posterior probability, or its log
    weight where that is not known; boxes as in `tree`."""
    found = posterior.k_best(k)
    headed = [(f"{i}. {_standing(c)}", c.tree) for i, c in enumerate(found, start=1)]
    return _drawn(headed, posterior.record.boxes, ax)


def _standing(found: Candidate) -> str:
    if found.log_posterior is not None:
        return f"probability {math.exp(found.log_posterior):.4g}"
    if found.log_joint is None:
        return "probability not known"
    return f"log weight {found.log_joint:.2f}, probability not known"


def _drawn(
    given: Sequence[tuple[str, Tree | SoftTree]], boxes: tuple[Box, ...], ax: Axes | None
) -> Axes:
    """Trees with their headings, in rows as wide as there is room."""
    if any(isinstance(t, SoftTree) for _, t in given):
        boxes = ()
    headed = [(head, t.as_tree() if isinstance(t, SoftTree) else t) for head, t in given]
    places = [place for _, t in headed for place in _leaves(t)]
    longest = max(len(_tags(place.region, boxes)) for place in places)
    laid = [(head, layout_of(t, longest)) for head, t in headed]
    spots: list[tuple[str, Layout, float, float]] = []
    x = y = wide = tall = 0.0
    for head, layout in laid:
        if x and x + layout.width > _WIDEST:
            x, y, tall = 0.0, y + tall, 0.0
        spots.append((head, layout, x, y))
        x += layout.width + 0.4
        wide, tall = max(wide, x - 0.4), max(tall, layout.n_leaves + _HEAD + _FOOT)
    ax = axes_of(ax, max(wide, 3.0) + 0.3, (y + tall) * _ROW + 0.6)
    outcomes = _Outcomes([p.node for p in places if isinstance(p.node, Leaf)])
    for head, layout, x, y in spots:
        _one_tree(ax, layout, head, boxes, outcomes, x, y + _HEAD)
    ax.set_xlim(-0.05, max(wide, 3.0))
    ax.set_ylim(y + tall - 0.4, -0.1)
    ax.set_axis_off()
    if outcomes.classes:
        pairs = zip(outcomes.classes, outcomes.colours, strict=True)
        patches = [Patch(color=colour, label=plain(label_text(c))) for c, colour in pairs]
        legend_of(ax, *patches, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=6)
    return ax


def _leaves(tree: Tree) -> Iterator[Any]:
    return (place for place in tree.places() if isinstance(place.node, Leaf))


class _Outcomes:
    """What leaves are drawn by, the same of all trees of a picture: the classes and their colours,
    or the range of means."""

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        counts = [leaf.summary["counts"] for leaf in leaves if "counts" in leaf.summary]
        self.classes: Sequence[Label] = sorted_labels({c for own in counts for c in own})
        self.colours = class_colours(len(self.classes))
        ends = [v for leaf in leaves for v in _mean_of(leaf) if v is not None]
        self.low, self.high = min(ends, default=0.0), max(ends, default=0.0)

    def at(self, value: float | None, otherwise: float) -> float:
        """Where a number is in the column of leaves, from 0 to 1; None is beyond an end."""
        if value is None:
            return otherwise
        width = self.high - self.low
        return (value - self.low) / width if width > 0 else 0.5


def _mean_of(leaf: Leaf) -> tuple[float | None, float | None, float | None]:
    """The mean, median or rate of a leaf and the ends of its interval; None where unknown."""
    known = {} if leaf.predictive is None else leaf.predictive()
    for name in ("median", "mean", "rate"):
        if name in known:
            low, high = known.get(f"{name}_interval", (None, None))
            return known[name], low, high
    return leaf.summary.get("mean"), None, None


def _one_tree(
    ax: Axes,
    layout: Layout,
    head: str,
    boxes: tuple[Box, ...],
    outcomes: _Outcomes,
    x: float,
    y: float,
) -> None:
    ax.text(x, y - 0.7, head, va="bottom", fontsize=_TEXT + 1, fontweight="bold", **PLAIN)
    total = layout.spots[0].rows
    for spot in layout.spots:
        _branch(ax, layout, spot, total, x, y)
        if spot.is_leaf:
            _leaf(ax, layout, spot, boxes, outcomes, x, y)
    if not outcomes.classes and outcomes.high > outcomes.low:
        at = y + layout.n_leaves - 0.35
        for end, where in ((outcomes.low, 0.0), (outcomes.high, BAR)):
            place = x + layout.leaves_at + where
            text = f"{end:.3g}"
            ax.text(place, at, text, ha="center", va="top", fontsize=_TEXT - 2, color=GREY)


def _branch(ax: Axes, layout: Layout, spot: Spot, total: int, x: float, y: float) -> None:
    """The line to a node, its test, and which side of its parent's test it is."""
    thick = _THINNEST + _THICKEST * spot.rows / total if total else 1.5
    level = y + spot.y
    begin = 0.0
    said = f"{spot.place.region.describe()}: {spot.rows:,} of {total:,} rows"
    style: dict[str, Any] = {
        "gid": tip(said),
        "color": GREY,
        "linewidth": thick,
        "solid_capstyle": "butt",
        "zorder": 1,
    }
    if spot.parent >= 0:
        parent = layout.spots[spot.parent]
        begin = parent.x
        ax.plot([x + begin] * 2, [y + parent.y, level], **style)
        side = "yes" if spot.place.side == "left" else "no"
        ax.text(x + begin + 0.06, level + 0.16, side, va="top", fontsize=_TEXT - 2, color=DARK)
    ax.plot([x + begin, x + spot.x], [level, level], **style)
    if isinstance(spot.place.node, Split):
        words: dict[str, Any] = {
            "fontsize": _TEXT,
            "gid": tip(condition_text(spot.place.node)),
            **PLAIN,
        }
        ax.text(x + begin + 0.08, level - 0.17, spot.text, va="bottom", **words)


def _leaf(
    ax: Axes,
    layout: Layout,
    spot: Spot,
    boxes: tuple[Box, ...],
    outcomes: _Outcomes,
    x: float,
    y: float,
) -> None:
    """The shares or the mean of a leaf, its text, and the boxes that it has to do with."""
    node = spot.place.node
    assert isinstance(node, Leaf)
    left, level = x + layout.leaves_at, y + spot.y
    counts = node.summary.get("counts", {})
    total = sum(counts.values())
    begin = left
    for label, colour in zip(outcomes.classes, outcomes.colours, strict=True):
        width = BAR * counts.get(label, 0) / total if total else 0.0
        if width:
            corner = (begin, level - _HEIGHT / 2)
            said = tip(f"{label_text(label)}: {counts[label]} of {total} rows")
            look: dict[str, Any] = {"facecolor": colour, "edgecolor": "white", "gid": said}
            ax.add_patch(Rectangle(corner, width, _HEIGHT, **look))
        begin += width
    mean, low, high = _mean_of(node)
    if mean is not None or low is not None:
        span = [left + BAR * outcomes.at(low, 0.0), left + BAR * outcomes.at(high, 1.0)]
        if low is not None or high is not None:
            ax.plot(span, [level, level], color=BLUE, linewidth=2, zorder=3)
        ax.plot([left, left + BAR], [level, level], color="#DDDDDD", linewidth=1, zorder=2)
        if mean is not None:
            at = left + BAR * outcomes.at(mean, 0.5)
            ax.plot([at], [level], "o", color=BLUE, markersize=5, zorder=4)
    behind = left + BAR + GAP
    said = tip(f"{leaf_text(node)}, where {spot.place.region.describe()}")
    ax.text(behind, level, spot.text, va="center", fontsize=_TEXT, gid=said, **PLAIN)
    tags = _tags(spot.place.region, boxes)
    if tags:
        at = behind + (len(spot.text) + 1) * CHARACTER
        ax.text(at, level, tags, va="center", fontsize=_TEXT, color=VERMILION, **PLAIN)


def _tags(region: Region, boxes: tuple[Box, ...]) -> str:
    """What a region has to do with boxes, in words: `contains infant, meets stage`."""
    found = []
    for box in boxes:
        for word, holds in (
            ("contains", region.contains(box)),
            ("inside", region.inside(box)),
            ("meets", region.meets(box)),
        ):
            if holds:
                found.append(f"{word} {plain(box.name, 20)}")
                break
    return f"[{', '.join(found)}]" if found else ""
