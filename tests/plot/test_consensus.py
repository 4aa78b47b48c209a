"""Where trees split, by the thresholds of the draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib.axes import Axes

import slp
import slp.plot
from slp.trees import Split
from tests.plot.conftest import table


def test_heights_are_expected_splits(drawn: slp.Posterior, ax: Axes) -> None:
    slp.plot.thresholds(drawn, ["age", "colour"], ax=ax)
    age, colour = ([-bar.get_height() for bar in bars] for bars in ax.containers)
    splits = [
        (draw.weight / len(drawn.draws), node)
        for draw in drawn.draws
        for node in draw.tree.nodes()
        if isinstance(node, Split)
    ]
    values = table()["age"]
    at = [node.threshold for _, node in splits if node.feature == "age"]
    weights = [share for share, node in splits if node.feature == "age"]
    ends = (values.min(), values.max())
    want, _ = np.histogram(at, 48, ends, weights=weights)
    levels = [
        sum(share for share, node in splits if node.level == level)
        for level in ("blue", "green", "red")
    ]
    highest = max(*want, *levels)
    assert age == pytest.approx(list(0.62 * want / highest))
    assert colour == pytest.approx([0.62 * height / highest for height in levels])
    told = [text.get_text() for text in ax.texts]
    uses = drawn.split_probabilities()
    assert all(f"{uses[name].expected_splits:.3g}" in told for name in ("age", "colour"))
    assert math.isclose(sum(want), uses["age"].expected_splits, rel_tol=1e-9)


def test_box_ends_are_marked_where_they_are(exact: slp.Posterior, ax: Axes) -> None:
    slp.plot.thresholds(exact, ["age"], ax=ax)
    low, high = table()["age"].min(), table()["age"].max()
    marks = [t.get_position()[0] for t in ax.texts if t.get_text() == "middle"]
    assert marks == pytest.approx([(end - low) / (high - low) for end in (20.5, 39.5)])


def test_no_splits_are_an_error() -> None:
    program = slp.parse(":- use(growtree).\n:- constraint(max_leaves(1)).")
    with pytest.raises(slp.UnsupportedError, match="E571"):
        slp.plot.thresholds(program.posterior(table(), seed=1, draws=10))


def test_draws_are_needed() -> None:
    posterior = slp.load("growtree").posterior(table(), seed=1, draws=0)
    with pytest.raises(slp.UsageError, match="E530"):
        slp.plot.thresholds(posterior)
