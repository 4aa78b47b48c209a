"""What the statements of a program cost, as a picture."""

from __future__ import annotations

import pytest
from matplotlib.axes import Axes

import slp
import slp.plot
from tests.plot.conftest import table

TEXT = ":- use(growtree).\n:- support(min_leaf(2)).\n:- support(max_depth(2)).\n"


def test_both_differences_of_each_statement(ax: Axes) -> None:
    found = slp.parse(TEXT).price(table(), seed=1)
    slp.plot.prices(found, ax=ax)
    want = [
        number.value
        for price in found.statements
        for number in (price.log_evidence_removed, price.log_evidence_added)
    ]
    _zero, *dots = ax.lines
    assert [line.get_xdata()[0] for line in dots] == want
    assert [label.get_text() for label in ax.get_yticklabels()] == ["min_leaf(2)", "max_depth(2)"]


def test_nothing_to_draw_is_an_error() -> None:
    with pytest.raises(slp.UnsupportedError, match="E571.* has no statement"):
        slp.plot.prices(slp.load("growtree").price(table(), seed=1))
    with pytest.raises(slp.UnsupportedError, match="E571.* of no statement is known"):
        slp.plot.prices(slp.parse(TEXT).price(table(), seed=1, engine="modal"))
