"""Pictures of trees show the numbers of their leaves."""

from __future__ import annotations

import math

import matplotlib.patches
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

import slp
import slp.plot
from slp.plot.layout import BAR, layout_of
from tests.plot.conftest import HOSTILE


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def bars(ax: Axes) -> list[matplotlib.patches.Rectangle]:
    return [p for p in ax.patches if isinstance(p, matplotlib.patches.Rectangle)]


def branches(ax: Axes) -> list[Line2D]:
    told = [line for line in ax.lines if str(line.get_gid()).startswith("tip-")]
    return [line for line in told if np.ptp(line.get_ydata()) == 0]


def test_leaves_have_the_shares_of_their_classes(exact: slp.Posterior) -> None:
    tree = exact.map_tree()
    ax = slp.plot.tree(tree)
    want = [
        (n / leaf.rows * BAR, row)
        for row, leaf in enumerate(tree.leaves())
        for n in leaf.summary["counts"].values()
        if n
    ]
    top = min(bar.get_y() + bar.get_height() / 2 for bar in bars(ax))
    have = [(b.get_width(), b.get_y() + b.get_height() / 2 - top) for b in bars(ax)]
    assert have == [pytest.approx(pair) for pair in want]
    colours = {bar.get_facecolor() for bar in bars(ax)}
    assert len(colours) == 2


def test_lines_are_as_thick_as_their_rows(exact: slp.Posterior) -> None:
    tree = exact.map_tree()
    spots = layout_of(tree).spots
    widths = [line.get_linewidth() for line in branches(slp.plot.tree(tree))]
    assert spots[0].rows == 60
    assert widths == pytest.approx([0.8 + 7 * spot.rows / 60 for spot in spots])


def test_tests_and_leaves_are_written_as_in_the_text(exact: slp.Posterior) -> None:
    tree = exact.map_tree()
    shown = texts(slp.plot.tree(tree))
    for line in tree.to_text().splitlines():
        assert line.lstrip("│├└─ ").removeprefix("yes: ").removeprefix("no: ") in shown


def test_boxes_are_marked_by_what_leaves_have_to_do_with_them(exact: slp.Posterior) -> None:
    tree = slp.Tree.from_dict(
        {
            "feature": "age",
            "threshold": 41,
            "left": {"feature": "dose", "threshold": 1, "left": {}, "right": {}},
            "right": {},
        }
    )
    marks = [t for t in texts(slp.plot.tree(tree, boxes=exact.record.boxes)) if t[:1] == "["]
    assert marks == ["[meets middle, meets corner]", "[meets middle, meets corner]"]
    marks = [t for t in texts(slp.plot.best_trees(exact, 1)) if t[:1] == "["]
    assert any("contains middle" in mark for mark in marks)


def test_best_trees_have_their_probabilities(exact: slp.Posterior) -> None:
    shown = texts(slp.plot.best_trees(exact, 3))
    for i, found in enumerate(exact.k_best(3), start=1):
        assert f"{i}. probability {math.exp(found.log_posterior):.4g}" in shown


def test_draws_have_no_probability(drawn: slp.Posterior) -> None:
    best = drawn.map()
    assert f"1. log weight {best.log_joint:.2f}, probability not known" in texts(
        slp.plot.best_trees(drawn, 1)
    )


def test_means_stand_on_one_scale_with_their_intervals(numbers: slp.Posterior) -> None:
    tree = numbers.map_tree()
    ax = slp.plot.tree(tree)
    known = [leaf.predictive() for leaf in tree.leaves()]
    ends = [end for own in known for end in (own["mean"], *own["mean_interval"])]
    low, width = min(ends), max(ends) - min(ends)
    start = layout_of(tree).leaves_at
    dots = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert dots == pytest.approx([start + BAR * (own["mean"] - low) / width for own in known])
    spans = [line.get_xdata() for line in ax.lines if line.get_zorder() == 3]
    want = [[start + BAR * (end - low) / width for end in own["mean_interval"]] for own in known]
    assert [list(span) for span in spans] == [pytest.approx(pair) for pair in want]


def test_names_are_text() -> None:
    side = {"counts": {HOSTILE: 3, "b$c$": 1}}
    tree = slp.Tree.from_dict({"feature": HOSTILE, "threshold": 1, "left": side, "right": side})
    ax = slp.plot.tree(tree, title=HOSTILE)
    slp.plot.picture_bytes(lambda: ax)
    named = [t for t in ax.texts if "$a_1$" in t.get_text()]
    assert named and not any(text.get_parse_math() for text in named)
    assert not any("\x1b" in text.get_text() or "\n" in text.get_text() for text in named)
    assert b"&lt;script&gt;" in slp.plot.picture_bytes(lambda: slp.plot.tree(tree))


def test_a_deep_tree_and_one_that_is_a_leaf_are_drawn() -> None:
    nested: dict[str, object] = {"n": 1}
    for i in range(300):
        nested = {"feature": "a", "threshold": i, "left": {"n": 1}, "right": nested}
    ax = slp.plot.tree(slp.Tree.from_dict(nested))
    assert len(branches(ax)) == 601
    assert len(branches(slp.plot.tree(slp.Tree.from_dict({"counts": {"a": 2}})))) == 1


def test_long_names_are_cut_and_numbers_are_not() -> None:
    long = "a" * 100
    side = {"counts": {long: 3, "b": 1}}
    tree = slp.Tree.from_dict({"feature": long, "threshold": 1.25, "left": side, "right": side})
    shown = texts(slp.plot.tree(tree))
    cut = "a" * 16 + "\N{HORIZONTAL ELLIPSIS}" + "a" * 7
    assert f"{cut} < 1.25" in shown and f"{cut} 3 of 4" in shown
