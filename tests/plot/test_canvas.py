"""Files of pictures, and what is said without matplotlib."""

from __future__ import annotations

import subprocess
import sys

import pytest
from matplotlib import pyplot

import slp
import slp.plot

TREE = slp.Tree.from_dict(
    {
        "feature": "age",
        "threshold": 40,
        "left": {"counts": {"no": 3, "yes": 1}},
        "right": {"counts": {"no": 2, "yes": 6}},
    }
)


@pytest.mark.parametrize(
    ("format", "begins"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_a_picture_is_a_file_of_the_format(format: slp.plot.Format, begins: bytes) -> None:
    before = pyplot.get_fignums()
    first, second = (slp.plot.picture_bytes(lambda: slp.plot.tree(TREE), format) for _ in range(2))
    assert first.startswith(begins)
    assert first == second
    assert pyplot.get_fignums() == before


def test_text_in_svg_is_text() -> None:
    assert b"age &lt; 40" in slp.plot.picture_bytes(lambda: slp.plot.tree(TREE))


def test_a_picture_without_axes_makes_a_figure_that_notebooks_show() -> None:
    before = pyplot.get_fignums()
    ax = slp.plot.tree(TREE)
    assert len(pyplot.get_fignums()) == len(before) + 1
    assert ax.get_figure(root=True) is pyplot.gcf()


def test_a_picture_is_drawn_on_the_axes_given() -> None:
    _, (left, right) = pyplot.subplots(1, 2)
    assert slp.plot.tree(TREE, ax=left) is left
    assert left.texts and not right.texts


def test_without_matplotlib_a_message_says_what_to_install() -> None:
    program = """
import sys
sys.modules["matplotlib"] = None
import slp
try:
    import slp.plot
except slp.UnsupportedError as error:
    print(error)
"""
    command = [sys.executable, "-P", "-c", program]
    have = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert have == (
        "error[E570]: pictures need matplotlib, which is not installed\n"
        "  help: install it: `pip install matplotlib`\n"
    )
