"""Compared programs by their evidence."""

from __future__ import annotations

import pytest
from matplotlib.axes import Axes

import slp
import slp.plot
from tests.plot.conftest import HOSTILE, table


def test_programs_stand_by_their_evidence(ax: Axes) -> None:
    programs = {HOSTILE: slp.load("growtree"), "small": slp.load("growtree", alpha=0.1)}
    found = slp.compare(programs, table(), folds=0, seed=1)
    slp.plot.evidence(found, ax=ax)
    want = sorted((p.log_evidence.value for p in found.programs), reverse=True)
    assert [line.get_xdata()[0] for line in ax.lines] == want
    assert [t.get_text() for t in ax.texts] == [f"{value:.2f} exact" for value in want]
    names = {label.get_text() for label in ax.get_yticklabels()}
    assert "small" in names and any("$a_1$" in name for name in names)
    assert not any(label.get_parse_math() for label in ax.get_yticklabels())


def test_estimates_have_two_errors_to_each_side(ax: Axes) -> None:
    found = slp.compare({"a": slp.load("growtree")}, table(), folds=0, seed=1, engine="smc")
    slp.plot.evidence(found, ax=ax)
    told = found["a"].log_evidence
    ends = list(ax.lines[0].get_xdata())
    assert ends == [told.value - 2 * told.error, told.value + 2 * told.error]


def test_no_evidence_is_an_error() -> None:
    found = slp.compare({"a": slp.load("growtree")}, table(), folds=0, seed=1, engine="modal")
    with pytest.raises(slp.UnsupportedError, match="E571"):
        slp.plot.evidence(found)
