"""Each example of the catalogue of messages is run, and gives its code.

An example is one of four things, known by its first words: a command, an expression in Python, the
text of a table, or the text of a program. Files that it names are those of `FILES`; in a note
behind it, "`a.slp` is `text`" makes the file, and "`prior.slp` has `text`" adds to it.
"""

from __future__ import annotations

import re
import shlex
import tempfile
import warnings
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy
import polars
import pytest

import slp
from slp.cli import slp_command
from slp.cli.common import run
from slp.compile import read_text
from slp.data import table_of
from slp.messages import Entry, entries
from slp.source import SourceFile

#: Examples that are not run, and why not.
NOT_RUN = {
    "E157": "a frame of pandas must be there: tests/data/test_categories_in_order.py",
    "E260": "janus-swi must be missing: tests/engines/mcmc/proofs/test_prolog.py",
    "E261": "an old SWI-Prolog must be there",
    "E304": "a table of 20,000 rows takes too long: tests/lower/test_open_states.py",
    "E435": "a table of 100,000 rows takes too long: tests/data/test_response.py",
    "E532": "arviz-base must be missing",
    "E561": "a newer version must have written it: tests/results/saved/test_saved.py",
    "E563": "it takes 2 GiB: tests/results/saved/test_saved.py",
    "E570": "matplotlib must be missing: tests/plot/test_canvas.py",
    "E580": "Dask must be missing: tests/test_cluster.py",
    "E581": "it waits for a scheduler: tests/test_cluster.py",
    "E590": "the variable is read when slp is imported: tests/kernels/test_facade.py",
    "E703": "a notebook must run: tests/report/test_notebook.py",
    "E740": "pygls must be missing: tests/lsp/test_without_pygls.py",
    "W242": "somebody must press Ctrl-C: tests/resolution/answers/test_queries.py",
    "W510": "somebody must press Ctrl-C: tests/cli/test_interrupted.py",
    "W550": "sums of more than ten seconds: tests/cli/test_limits.py shortens the limit",
    "W590": "the compiler must be missing: tests/kernels/test_facade.py",
}

#: Examples that SWI-Prolog answers.
OF_SWIPL = {"E265", "E531"}

#: Programs that are too long to write out.
LONG = {
    "E023": "a" + "(" * 501 + "b" + ")" * 501 + ".",
    "E052": "% a line of a long program\n" * 400_000,
    "E053": "a b.\n" * 2000,
    "W053": "p(X).\n" * 2000,
}

#: What has been done before the example.
BEFORE = {
    "E515": "slp-sample growtree data.csv --engine mh --checkpoint run.json --seed 1 -n 10",
}

_ROWS = [
    f"{20 + i},{'red' if i % 3 else 'blue'},{i + 0.5},{'yes' if i * 7 % 5 < 2 else 'no'}\n"
    for i in range(30)
]
DATA = "age,colour,dose,outcome\n" + "".join(_ROWS)
COIN = "0.5 :: coin(heads).\n0.5 :: coin(tails).\n"
FILES = {
    "data.csv": DATA,
    "coin.slp": COIN,
    "prior.slp": ":- use(growtree).\n",
    "tree.json": "{}",
    "empty.csv": "",
    "one_column.csv": "age\n1\n2\n",
    "three_classes.csv": "age,stage\n1,low\n2,mid\n3,high\n",
    "new.csv": "age,dose\n41,1\n",
    "wide.csv": "age,colour,dose\n400,red,1\n",
    "range.slp": ":- use(growtree).\n:- feature(age, [range(0, 120)]).\n",
    "levels.csv": "age,colour,dose\n41,green,1\n",
}

_FOUND = re.compile(r"^(?:error|warning)\[([EW]\d{3})\]", re.MULTILINE)
_NOTE = re.compile(r"`([\w.]+)` (is|has)\s`([^`]*)`")
_COMMAND = re.compile(r"slp(-sample)? ")
_PYTHON = re.compile(r"(slp|program|edited|posterior|saved|of_numbers|tree|coin|numbers)\.[\w.]+\(")


def checked(text: str) -> Any:
    program, _, _ = read_text(SourceFile("program.slp", text))
    return program


@cache
def names() -> dict[str, Any]:
    """What the examples in Python speak of."""
    frame = polars.read_csv(DATA.encode())
    X, y = frame.drop("outcome"), frame["outcome"]
    program = slp.load("growtree")
    leaves = {"left": {"counts": {"yes": 1}}, "right": {"counts": {"no": 1}}}
    tree = slp.Tree.from_dict({"feature": "height", "threshold": 40, **leaves})
    sklearn = pytest.importorskip("sklearn.tree")
    fitted = sklearn.DecisionTreeClassifier().fit([[1, 2], [3, 4]], [0, 1])
    day = numpy.array(["2024-03-01"], dtype="datetime64[D]")
    return {
        "__name__": "example",  # without a name of its module, a warning is not told
        "slp": slp,
        "numpy": numpy,
        "polars": polars,
        "DecisionTreeClassifier": sklearn.DecisionTreeClassifier,
        "fitted": fitted,
        "frame": frame,
        "dates": polars.DataFrame({"day": numpy.repeat(day, 2), "y": [0, 1]}),
        "X": X,
        "y": y,
        "rows": [[1.5], [2.0]],
        "stream": Stream(),
        "program": program,
        "posterior": program.posterior(X, y, seed=1, draws=10),
        "of_numbers": program.posterior(X.drop("dose"), frame["dose"], seed=1, draws=10),
        "table": table_of(checked(":- use(growtree)."), X, y),
        "binned": table_of(checked(":- use(growtree). :- feature(age, [cuts([40, 50])])."), X, y),
        "tree": tree,
        "edited": slp.load("edittree", tree=slp.Tree.from_dict({})),
        "coin": slp.parse(COIN),
        "saved": saved(program, X, y),
        "numbers": slp.parse("0.5 :: n(X) :- n(Y), X is Y + 1. 0.5 :: n(0)."),
    }


class Stream:
    """Rows of which one more comes whenever an array is asked for."""

    rows = 1

    def __array__(self, *_: Any, **__: Any) -> numpy.ndarray:
        self.rows += 1
        return numpy.ones((self.rows, 1))


def saved(program: slp.Program, X: Any, y: Any) -> slp.Posterior:
    """A run that was saved without its table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.slpz")
        program.posterior(X, y, engine="modal", seed=1).save(path)
        return slp.load_posterior(path)


def codes_of_command(text: str, capsys: pytest.CaptureFixture[str]) -> Iterable[str]:
    name, *words = shlex.split(text)
    run(slp_command, ["sample", *words] if name == "slp-sample" else words)
    said = capsys.readouterr()
    return _FOUND.findall(f"{said.out}\n{said.err}")


def codes_of_python(text: str) -> Iterable[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            eval(text, dict(names()))
        except slp.SlpError as error:
            return [found.code for found in error.diagnostics]
    return [w.message.diagnostic.code for w in caught if isinstance(w.message, slp.SlpWarning)]


def make_files(note: str) -> None:
    for name, text in FILES.items():
        Path(name).write_text(text)
    for name in ("latin1.csv", "latin1.slp"):
        Path(name).write_bytes("p(é).\n".encode("latin-1"))
    for name, how, text in _NOTE.findall(note):
        before = FILES[name] if how == "has" else ""
        Path(name).write_text(f"{before}{text}\n")


def codes(entry: Entry, capsys: pytest.CaptureFixture[str]) -> Iterable[str]:
    """The codes that the example of an entry gives, in the working directory."""
    text, _, note = re.sub(r"\n\(", "   (", entry.example).partition("   (")
    make_files(note)
    if entry.code in BEFORE:
        codes_of_command(BEFORE[entry.code], capsys)
    if _COMMAND.match(text):
        return codes_of_command(text, capsys)
    if _PYTHON.match(text):
        return codes_of_python(text)
    if entry.code[1] == "4" and not text.startswith(":-"):
        Path("table.csv").write_text(f"{text}\n")
        return codes_of_command("slp-sample growtree table.csv --seed 1 -n 10", capsys)
    Path("program.slp").write_text(f"{LONG.get(entry.code, text)}\n")
    command = (
        "slp check program.slp" if entry.code[1] in "012" else "slp-sample program.slp data.csv"
    )
    return codes_of_command(command, capsys)


@pytest.mark.thinned(24)
@pytest.mark.parametrize(
    "entry",
    [entry for entry in entries().values() if entry.code not in NOT_RUN],
    ids=lambda entry: entry.code,
)
def test_an_example_gives_its_code(
    entry: Entry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    if entry.code in OF_SWIPL:
        request.getfixturevalue("janus")
    monkeypatch.chdir(tmp_path)
    assert entry.code in codes(entry, capsys)


def test_what_is_not_run_has_an_entry() -> None:
    assert (NOT_RUN.keys() | OF_SWIPL | LONG.keys() | BEFORE.keys()) <= entries().keys()
