"""Control characters in names, values, texts and options never reach the terminal."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click
import polars as pl
import pytest

import slp
from slp.cli import slp_command
from slp.cli.common import run
from slp.source import visible, visible_lines

ROOT = Path(__file__).resolve().parents[2]

#: Colours, a bell, the same by a C1 control, delete, a turn of the direction, a line of its own.
BAD = "x\x1b[31m\x07\x9b31m\x7f\u202e\u2028\x85\r\nFORGED"
ATOM = "'" + BAD.replace("\n", "\\n").replace("\r", "\\r") + "'"
PRIOR = f"""%  a  comment \x1b[31m \u202e
:- use(growtree, [alpha  =  0.5]).
:- feature_weight({ATOM}, 3).
box({ATOM}, {ATOM}, 0, 5).
:- constraint(constant({ATOM})).
"""
FACTS = f"""0.5 :: p({ATOM}). % \x1b[31m
0.5 :: p("\x1b[31m \u202e").
q(X) :- p(X), {ATOM}.
{ATOM}.
"""
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

#: A command, its arguments, and its exit code.
COMMANDS = {
    "check": (["check", "prior.slp", "table.csv"], 0),
    "check without data": (["check", "prior.slp"], 0),
    "check of a mistake": (["check", "wrong.slp"], 1),
    "check of a syntax error": (["check", "unread.slp"], 1),
    "check of a name": (["check", BAD], 1),
    "check for GitHub": (["check", "wrong.slp", "--format", "github"], 1),
    "check as SARIF": (["check", "wrong.slp", "--format", "sarif"], 1),
    "check of bytes": (["check", "\udcff\udcfe.slp"], 1),
    "fmt": (["fmt", "-"], 0),
    "fmt --diff": (["fmt", "--diff", "prior.slp"], 1),
    "fmt --check": (["fmt", "--check", "prior.slp"], 1),
    "explain": (["explain", "prior.slp", "table.csv"], 0),
    "explain without data": (["explain", "prior.slp"], 0),
    "engines": (["engines"], 0),
    "demo": (["demo"], 0),
    "demo into a bad folder": (["demo", "-o", BAD], 2),
    "expand": (["expand", "growtree", "table.csv"], 0),
    "prior": (["prior", "prior.slp", "table.csv", "-n", "2", "--seed", "1"], 0),
    "new": (["new", "table.csv", "-y", "class" + BAD], 0),
    "new into a file": (["new", "table.csv", "-o", f"first{BAD}.slp"], 0),
    "new over a file": (["new", "table.csv", "-o", BAD + ".slp"], 2),
    "report": (["report", "prior.slp", "table.csv", "-o", "page.html", "--seed", "1"], 0),
    "report into a folder that is not there": (
        ["report", "prior.slp", "table.csv", "-o", f"none/{BAD}"],
        2,
    ),
    "map": (["map", "prior.slp", "table.csv"], 0),
    "sample": (["sample", "prior.slp", "table.csv", "-n", "5", "--seed", "1"], 0),
    "sample by mh": (
        ["sample", "prior.slp", "table.csv", "-n", "50", "--seed", "1", "--engine", "mh"],
        0,
    ),
    "compare": (["compare", "prior.slp", BAD + ".slp", "table.csv", "--folds", "2"], 0),
    "cv": (["cv", "prior.slp", "table.csv", "--folds", "2", "--seed", "1"], 0),
    "cv of a bad column": (["cv", "prior.slp", "table.csv", "-y", BAD + "?"], 1),
    "cv on no cluster": (["cv", "prior.slp", "table.csv", "--scheduler", BAD], 2),
    "certify": (["certify", "tree.json", "prior.slp", "table.csv"], 0),
    "certify of a bad tree": (["certify", BAD, "prior.slp"], 2),
    "price": (["price", "prior.slp", "table.csv", "--seed", "1"], 0),
    "sensitivity": (["sensitivity", "prior.slp", "table.csv", "--row", "0"], 0),
    "tune": (["tune", "prior.slp", "table.csv", "--grid", "alpha=0.5,0.9", "--seed", "1"], 0),
    "tune by a bad name": (["tune", "prior.slp", "table.csv", "--grid", f"{BAD}=1"], 1),
    "tune by bad values": (["tune", "prior.slp", "table.csv", "--grid", f"alpha={BAD}"], 2),
    "compare of a bad column": (["compare", "prior.slp", "table.csv", "-y", BAD + "?"], 1),
    "plot": (["plot", "tree", "prior.slp", "table.csv", "-o", f"{BAD}.svg", "--feature", "a"], 2),
    "plot of a bad feature": (
        ["plot", "dependence", "prior.slp", "table.csv", "-o", "p.svg", "--feature", BAD + "?"],
        2,
    ),
    "plot of a class": (
        ["plot", "heat-map", "run.slpz", "-o", "p.svg", "--class", BAD + "?"],
        2,
    ),
    "plot into a bad file": (["plot", "tree", "run.slpz", "-o", f"none/{BAD}.svg"], 2),
    "predict": (["predict", "prior.slp", "table.csv", "table.csv"], 0),
    "predict by a saved run": (["predict", "run.slpz", "table.csv"], 0),
    "show": (["show", "run.slpz"], 0),
    "show of a table": (["show", "table.csv"], 1),
    "query": (["query", "facts.slp", "p(X)", "--best", "2"], 0),
    "query of draws": (["query", "facts.slp", "q(X)", "--draws", "5", "--seed", "1"], 0),
    "query by mh": (
        ["query", "facts.slp", "q(X)", "--proposal", "q_uc", "--draws", "20", "--seed", "1"],
        0,
    ),
    "query of a bad goal": (["query", "facts.slp", f"q({ATOM}"], 1),
    "learn": (["learn", "facts.slp", "observed.slp"], 0),
    "a bad option": (["check", f"--{BAD}"], 2),
    "a bad command": ([BAD], 2),
    "a bad parameter": (["check", "prior.slp", "--param", f"{BAD}=1"], 1),
    "a parameter that is none": (["check", "prior.slp", "--param", BAD], 2),
    "a bad column": (["map", "prior.slp", "table.csv", "-y", BAD + "?"], 1),
    "a bad engine": (["map", "prior.slp", "table.csv", "--engine", BAD], 2),
    "a bad table": (["map", "prior.slp", "words.csv"], 1),
    "a bad output": (["sample", "prior.slp", "table.csv", "-o", f"none/{BAD}"], 2),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("prior.slp").write_text(PRIOR, "utf-8", newline="")
    Path(BAD + ".slp").write_text(":- use(growtree).")
    Path("facts.slp").write_text(FACTS, "utf-8", newline="")
    wrong = f":- response({ATOM}).\n:- {ATOM}(a).\n:- use({ATOM}).\n0.5 :: t --> {ATOM}.\n"
    wrong += f":- constraint(within({ATOM})).\n:- feature({ATOM}, {ATOM}).\np :- {ATOM}.\n"
    Path("wrong.slp").write_text(wrong, "utf-8", newline="")
    Path("unread.slp").write_text(f"p {ATOM} \x1b[31m\u202e.\nq(\x9b).\n'\x1b[31m\n", "utf-8")
    n = 12
    table = pl.DataFrame(
        {
            BAD: [float(i) for i in range(n)],
            "level" + BAD: ["a" + BAD, "b", "c"] * 4,
            "class" + BAD: ["no" + BAD] * 6 + ["yes"] * 6,
        }
    )
    table.write_csv("table.csv")
    table.with_columns(pl.Series(BAD, ["1", "2" + BAD] * 6)).write_csv("words.csv")
    slp.load("prior.slp").posterior(table, "class" + BAD, draws=2).save("run.slpz")
    tree = {"feature": BAD, "threshold": 3.5, "left": {}, "right": {}}
    Path("tree.json").write_text(json.dumps(tree))
    Path("observed.slp").write_text(f"p({ATOM}).\nq(X).\n", "utf-8", newline="")
    return tmp_path


@pytest.mark.thinned(10)
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_prints_what_a_terminal_obeys(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    arguments, want = COMMANDS[name]
    monkeypatch.setattr(sys, "stdin", io.StringIO(PRIOR))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    code = run(slp_command, arguments)
    out, err = capsys.readouterr()
    seen = OBEYED.search(out + err)
    assert seen is None, (out + err)[max(0, seen.start() - 80) : seen.end() + 20]
    if arguments[0] != "predict":  # a table has lines in quotes
        assert not re.search(r"^\W*FORGED", out + err, re.MULTILINE), out + err
    assert "Traceback" not in err, err
    assert code == want, out + err
    assert out + err


def test_every_command_is_tried() -> None:
    tried = {arguments[0] for arguments, _ in COMMANDS.values()}
    context = click.Context(slp_command)
    assert set(slp_command.list_commands(context)) <= tried | {
        "report",
        "lsp",
    }


def test_nothing_is_printed_past_the_one_place() -> None:
    prints = re.compile(r"click\.(?:s?echo|secho)|\bprint\(|std(?:out|err)\.write")
    for path in (ROOT / "slp" / "cli").glob("*.py"):
        if path.name != "common.py":
            assert not prints.search(path.read_text("utf-8")), path


@pytest.mark.usefixtures("folder")
def test_what_programs_read_is_exact_where_no_terminal_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(slp_command, ["fmt", "-"])  # nothing on standard input
    capsys.readouterr()
    run(slp_command, ["predict", "prior.slp", "table.csv", "table.csv"])
    assert BAD in capsys.readouterr().out


def test_spelling() -> None:
    assert (
        visible("a\tb\x1b\x9b\u202e\udcff\u00e9\u6f22 c")
        == "a\\tb\\x1b\\x9b\\u202e\\udcff\u00e9\u6f22 c"
    )
    assert visible_lines("a\tb\nc\r") == "a\tb\nc\\r"
