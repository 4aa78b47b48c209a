"""Objects in a real notebook: a kernel runs the cells, and the outputs are HTML."""

from __future__ import annotations

from typing import Any

import pytest

import slp
from tests.report.conftest import SCRIPT, patients
from tests.report.test_report import Elements, Run

CELLS = [
    "%load_ext slp\nimport warnings; warnings.simplefilter('ignore')\n"
    "import slp.program.progress as told; told._SECONDS_BETWEEN = 0.0",
    "%%slp mine alpha=0.5\n:- use(growtree). :- support(min_leaf(2)). :- param(unused, 1).",
    "posterior = mine.posterior([[1.0], [2], [3], [4], [5], [6]], list('aabbbb'), progress=True)\n"
    "posterior",
    "posterior.map_tree()",
    "drawn = mine.posterior([[1.0], [2], [3]], list('abb'), engine='mh', draws=100, seed=1,"
    " progress=True)\ndrawn.diagnostics",
    "assert mine.parameters['alpha'] == 0.5\nprint('kept')",
]


def run_cells(cells: list[str]) -> list[Any]:
    """The outputs of cells that a kernel has run, a list for each."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(book, timeout=120, allow_errors=True).execute()
    return [cell["outputs"] for cell in book.cells]


def html_of(outputs: list[Any]) -> str:
    (shown,) = [o["data"] for o in outputs if o["output_type"] == "execute_result"]
    assert shown["text/plain"]
    html: str = shown["text/html"]
    return html


@pytest.mark.slow
def test_in_a_notebook() -> None:
    wrong = ["%%slp mine\n:- use(growtre).", "%%slp my prior\n:- use(growtree).", "mine"]
    loaded, program, posterior, tree, diagnostics, kept, *refused = run_cells([*CELLS, *wrong])
    assert loaded == []
    assert "Each side of a split keeps at least 2 rows" in html_of(program)
    assert "Warnings" in html_of(program)
    assert "The numbers are exact" in html_of(posterior)
    progress = "".join(o["text"] for o in diagnostics if o["output_type"] == "stream")
    assert " steps, " in progress and progress.split("\r")[-1].strip() == ""  # cleared at the end
    assert "x0 &lt; 2.5?" in html_of(tree)
    assert "R-hat" in html_of(diagnostics)
    assert [o["text"] for o in kept] == ["kept\n"]
    for outputs, code in zip(refused[:2], ("E104", "E703"), strict=True):
        (error,) = outputs
        assert error["output_type"] == "error"
        said = "\n".join(error["traceback"])
        assert f"error[{code}]" in said and "Traceback" not in said and "magic" not in said[:20]
    assert "Each side" in html_of(refused[2])  # a fault leaves the name as it was


@pytest.mark.parametrize("name", ["classes", "draws", "numbers", "durations", "hostile"])
def test_what_is_shown(name: str, posterior: Run) -> None:
    run = posterior(name)
    best = run.map_tree()
    for shown in (run, best, run.diagnostics, slp.parse(run.record.files[0].file.text)):
        if shown is not None:
            found = Elements(shown._repr_html_())
            assert found.text and SCRIPT not in shown._repr_html_()
            assert {tag for tag, _ in found.tags}.isdisjoint({"script", "img"})


def test_a_limit_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = slp.load("growtree").posterior(patients(), seed=1)

    def no_time() -> None:
        slp.load("growtree").posterior(patients(), engine="exact", time=1e-9, draws=0)

    monkeypatch.setattr(posterior, "map_tree", no_time)
    assert "E540" in posterior._repr_html_()
