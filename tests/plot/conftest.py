"""Posteriors that pictures are drawn of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import slp

#: A column that would be mathematics, with what a terminal obeys.
HOSTILE = "$a_1$ \x1b[31m<script>\n\\frac{"

CLASSES = """
:- use(growtree, [alpha = 0.8, beta = 1]).
:- support(min_leaf(3)).
box(middle, age, 20.5, 39.5).
box(corner, age, 0, 30.5).
box(corner, dose, 0, 1.5).
:- constraint(constant(middle)).
:- constraint(forbid(colour, within(corner))).
"""


#: Few steps are enough for so few trees.
STEPS = {"warmup": 2000, "thin": 20}


def table(n: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    age, dose = rng.integers(10, 70, n).astype(float), rng.integers(0, 5, n).astype(float)
    ill = (age + 10 * rng.normal(size=n) > 42).astype(int)
    colour = np.array(["red", "green", "blue"])[rng.integers(0, 3, n)]
    word = np.array(["no", "yes"])[ill]
    return pl.DataFrame({"age": age, "dose": dose, "colour": colour, "ill": word})


@pytest.fixture(scope="session")
def exact() -> slp.Posterior:
    """By exact sums, of classes, with two boxes."""
    return slp.parse(CLASSES).posterior(table(), engine="exact", seed=1, draws=200)


@pytest.fixture(scope="session")
def drawn() -> slp.Posterior:
    """The same by tempered chains."""
    return slp.parse(CLASSES).posterior(table(), engine="mh", seed=1, draws=1000, **STEPS)


@pytest.fixture(scope="session")
def numbers() -> slp.Posterior:
    """Of a response of numbers."""
    frame = table().with_columns(weight=pl.col("age") * 1.5 + pl.col("dose")).drop("ill")
    return slp.parse(CLASSES).posterior(frame, engine="exact", seed=1, draws=200)


@pytest.fixture
def ax() -> Axes:
    """Axes of a figure that no window shows."""
    return Figure().subplots()


@pytest.fixture(autouse=True)
def no_figure_stays() -> Iterator[None]:
    """pyplot keeps the figures that it makes."""
    yield
    pyplot.close("all")
