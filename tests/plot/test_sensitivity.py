"""What the evidence owes to the numbers of a program, as a picture."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matplotlib.axes import Axes

import slp
import slp.plot
from tests.plot.conftest import table

TEXT = """
:- param(p, 0.4).
:- start(t).
p :: t --> split(F, V), leaf, leaf.
1 - p :: t --> leaf.
"""


def test_the_derivative_by_each_number_and_its_interval(ax: Axes) -> None:
    found = slp.parse(TEXT).sensitivity(table())
    slp.plot.sensitivity(found, ax=ax)
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert [dot.get_xdata()[0] for dot in dots] == [s.log_evidence for s in found.slopes]
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[0].splitlines() == ["p = 0.4", found["p"].interval]


def test_nothing_to_draw_is_an_error() -> None:
    found = slp.parse(TEXT).sensitivity(table())
    with pytest.raises(slp.UnsupportedError, match=r"E571.* no number of the program varies"):
        slp.plot.sensitivity(replace(found, slopes=()))
