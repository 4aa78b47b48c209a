"""Files of pictures, and what is said without matplotlib."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes

import slp
import slp.plot
from slp.columns.names import name_text
from tests.plot.conftest import HOSTILE

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


def titles(draw: Callable[[], Axes]) -> list[str]:
    """The tooltips of a picture, as a reader of XML finds them in its elements."""
    svg = ElementTree.fromstring(slp.plot.picture_bytes(draw))
    found = [title.text or "" for title in svg.iterfind(".//{*}g/{*}title")]
    assert not [e.get("id") for e in svg.iter() if str(e.get("id")).startswith("tip")]
    return found


def test_nodes_of_a_tree_have_tooltips() -> None:
    told = titles(lambda: slp.plot.tree(TREE))
    assert {"everywhere: 12 of 12 rows", "age < 40: 4 of 12 rows", "40 <= age: 8 of 12 rows"} < {
        *told
    }
    assert "yes: 6 of 8 rows" in told and "age < 40" in told
    assert any(text.startswith("yes ") and text.endswith(", where 40 <= age") for text in told)


@pytest.mark.slow
def test_every_kind_of_picture_has_tooltips(exact: slp.Posterior, drawn: slp.Posterior) -> None:
    used = exact.split_probabilities()["age"].probability
    assert f"age: {used:.4f} (posterior, exact)" in titles(lambda: slp.plot.features(exact))
    told = titles(lambda: slp.plot.leaves(drawn))
    assert f"2: {drawn.leaf_distribution()[2]:.4f} (posterior, " in " ".join(told)
    curve = titles(lambda: slp.plot.dependence(exact, "colour"))
    assert len(curve) == 3 and all(t.startswith("colour = ") and "(yes)" in t for t in curve)
    assert any("came true" in t for t in titles(lambda: slp.plot.calibration(exact)))
    assert titles(lambda: slp.plot.traces(drawn)) == [f"chain {c}" for c in range(4)]
    draws = [int(re.findall(r": (\d+) draws", t)[0]) for t in titles(lambda: slp.plot.ranks(drawn))]
    assert sum(draws) == len(drawn.draws)
    assert len(titles(lambda: slp.plot.swaps(drawn))) > 4
    assert any(t.startswith("age from ") for t in titles(lambda: slp.plot.thresholds(exact)))


def test_tooltips_are_text() -> None:
    tree = slp.Tree.from_dict(
        {"feature": HOSTILE, "threshold": 1, "left": {"counts": {"]]>": 1}}, "right": {}}
    )
    told = titles(lambda: slp.plot.tree(tree))
    assert f"{name_text(HOSTILE)} < 1" in told and "]]>: 1 of 1 rows" in told


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
