"""`slp check`, `expand`, `explain`, `fmt`, `map`, `predict`, `prior`."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

GROWTREE_UNTIDY = (
    "% mine\n0.5::tree-->leaf.  % stop\n0.5::tree-->split(_F,_V),tree,tree.\n:-start(tree).\n"
)


def test_check_sound_program(slp_run) -> None:
    result = slp_run("check", "growtree")
    assert (result.code, result.out) == (0, "growtree: no errors\n")


def test_check_reports_every_mistake_on_standard_output(slp_run, tmp_path: Path) -> None:
    program = tmp_path / "bad.slp"
    program.write_text(":- use(growtre).\n:- constrain(first(a)).\n")
    result = slp_run("check", program)
    assert result.code == 1
    assert result.out.count("error[") == 2
    assert "growtree" in result.out and "constraint" in result.out


def test_check_as_json(slp_run, tmp_path: Path) -> None:
    program = tmp_path / "bad.slp"
    program.write_text(":- use(growtre).\n")
    found = json.loads(slp_run("check", program, "--format", "json").out)["diagnostics"]
    assert [d["severity"] for d in found] == ["error"]
    assert json.loads(slp_run("check", "growtree", "--format", "json").out) == {"diagnostics": []}


def test_check_against_a_table(slp_run, table: Path, tmp_path: Path) -> None:
    program = tmp_path / "p.slp"
    program.write_text(":- use(growtree).\n:- constraint(first(agee)).\n")
    assert slp_run("check", program).code == 0
    result = slp_run("check", program, table)
    assert result.code == 1
    assert "agee" in result.out and "`age`" in result.out


def test_expand_prints_clauses_that_the_parser_reads(slp_run) -> None:
    from slp.source import SourceFile
    from slp.syntax import parse_program

    result = slp_run("expand", "growtree")
    assert result.code == 0
    items = parse_program(SourceFile("expanded", result.out)).items
    assert "alpha * (1+D)^(-beta) :: tree(D, Box, split(F, V, Left, Right)) :-" in result.out
    assert len(items) == 5


def test_expand_on_a_table_prints_a_program_to_query(slp_run, table: Path, tmp_path: Path) -> None:
    result = slp_run("expand", "growtree", table)
    assert result.code == 0
    program = tmp_path / "expanded.slp"
    program.write_text(result.out)
    found = slp_run("query", program, "prior(Tree)", "--draws", 1, "--seed", 1)
    assert found.code == 0 and "Tree = " in found.out


def test_explain_with_and_without_a_table(slp_run, table: Path) -> None:
    without = slp_run("explain", "growtree")
    assert without.code == 0 and "Exact inference is possible" in without.out
    with_table = slp_run("explain", "growtree", table)
    assert with_table.code == 0 and "6 states" in with_table.out


def test_explain_says_why_exact_is_impossible(slp_run, table: Path, tmp_path: Path) -> None:
    program = tmp_path / "p.slp"
    program.write_text(":- use(growtree).\n:- constraint(max_features(2)).\n")
    result = slp_run("explain", program, table)
    assert "max_features" in result.out + result.err
    assert "`auto` takes the engine `mh`" in result.out
    for engine in ("exact", "chart", "enumerate"):
        refused = slp_run("slp-sample", program, table, "--engine", engine)
        assert refused.code == 1
        assert refused.err.startswith(
            "error[E301]: `max_features(2)` is decided at the finished tree, and trees cannot be "
            "summed exactly under it\n"
        )
        assert "^" in refused.err


def test_fmt_rewrites_once(slp_run, tmp_path: Path) -> None:
    program = tmp_path / "p.slp"
    program.write_text(GROWTREE_UNTIDY)
    assert slp_run("fmt", "--check", program).code == 1
    assert program.read_text() == GROWTREE_UNTIDY
    difference = slp_run("fmt", "--diff", program)
    assert difference.code == 1 and difference.out.startswith("--- ")
    assert slp_run("fmt", program).code == 0
    text = program.read_text()
    assert "% mine" in text and "% stop" in text and text != GROWTREE_UNTIDY
    again = slp_run("fmt", "--check", program)
    assert (again.code, again.out) == (0, "")


def test_fmt_standard_input(slp_run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a:-b."))
    result = slp_run("fmt", "-")
    assert (result.code, result.out) == (0, "a :- b.\n")


def test_fmt_leaves_a_file_with_mistakes_alone(slp_run, tmp_path: Path) -> None:
    program = tmp_path / "p.slp"
    program.write_text("a :- (b.\n")
    assert slp_run("fmt", program).code == 1
    assert program.read_text() == "a :- (b.\n"


@pytest.mark.slow
def test_prior_ignores_the_response(slp_run, table: Path, tmp_path: Path) -> None:
    first = slp_run("prior", "growtree", table, "--json", "--seed", 1)
    other = tmp_path / "other.csv"
    other.write_text(table.read_text().replace(",b\n", ",c\n").replace("5,a\n", "5,c\n", 1))
    second = slp_run("prior", "growtree", other, "--json", "--seed", 1)
    have, want = json.loads(second.out), json.loads(first.out)
    assert have == want
    assert sum(have["leaves"].values()) == pytest.approx(1)
    text = slp_run("prior", "growtree", table, "-n", 2, "--seed", 1)
    assert text.code == 0 and text.out.count("draw ") == 2


@pytest.mark.parametrize("name", ["check", "expand", "explain", "fmt", "map", "predict", "prior"])
def test_help(slp_run, name: str) -> None:
    result = slp_run(name, "--help")
    assert result.code == 0 and result.out.startswith("Usage: ")


SHORT = ("--engine", "mh", "--warmup", "10", "--thin", "1", "--seed", "1")


@pytest.mark.parametrize("command", ["sample", "map", "prior", "predict"])
def test_commands_stopped_from_the_keyboard_say_so_by_their_exit_code(
    slp_run, table: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """What was drawn until then is summarised all the same."""

    def interrupted(watch: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("slp.runner.watch.Watch.write_if_due", interrupted)
    result = slp_run(command, "growtree", table, *[table] * (command == "predict"), *SHORT)
    assert result.code == 130
    assert "warning[W510]: interrupted: " in result.err
    assert result.out


LONG = "a" * 300


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("check", f"{LONG}.slp"), 1, f"error[E001]: cannot read {LONG}.slp: File name too long"),
        (("check", LONG), 1, f"error[E003]: there is no library prior '{LONG}'"),
        (
            ("sample", "growtree", "TABLE", "-o", LONG),
            2,
            f"error[E701]: cannot write {LONG}: File name too long",
        ),
        (
            ("sample", "growtree", "TABLE", "--engine", "mh", "--checkpoint", LONG),
            1,
            f"error[E511]: the checkpoint {LONG} cannot be written: File name too long",
        ),
        (
            ("sample", "growtree", "TABLE", "--engine", "mh", "--checkpoint", LONG, "--resume"),
            2,
            f"error[E513]: there is no checkpoint {LONG} to resume",
        ),
    ],
)
def test_names_that_no_file_can_have(
    slp_run, table: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    result = slp_run(*(str(table) if word == "TABLE" else word for word in words))
    assert result.code == code
    assert (result.out + result.err).splitlines()[0] == message


def test_draws_of_a_prior_that_was_stopped_are_not_shown_twice(
    slp_run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(watch: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("slp.runner.watch.Watch.write_if_due", interrupted)
    file = tmp_path / "draws"
    options = ("-n", "5000", "-o", file, "--json", *SHORT)
    result = slp_run("prior", "growtree", table, *options)
    n = len(file.read_text().splitlines())
    found = json.loads(result.out)
    assert 0 < n < 5000 and found["interrupted"]
    assert found["draws"] == n == sum(found["diagnostics"]["draws_by_chain"])


@pytest.mark.slow
def test_time_that_is_over_in_the_search_for_a_start(slp_run, table: Path, tmp_path: Path) -> None:
    """It is an error, with the exit code of a budget that was reached."""
    (tmp_path / "refusing.py").write_text(
        "import time\ndef never(tree):\n    time.sleep(0.05)\n    return False\n"
    )
    program = tmp_path / "prior.slp"
    program.write_text(':- use(growtree).\n:- constraint(python("refusing:never")).\n')
    result = slp_run("sample", program, table, "--allow-code", "--time", "3s")
    assert result.code == 1 and "\nbest tree  none was looked at\ndata " in result.out
    assert (
        "error[E540]: the time of 3 s is over, and nothing was drawn: no tree to start from was "
        "found that satisfies the program; the Python predicate refusing:never refused "
    ) in result.err
    assert result.err.endswith("  help: give it more time, or looser constraints\n")


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", "0<&- >&- 2>&-"])
def test_closed_streams(closed: str, table: Path, tmp_path: Path) -> None:
    """What would be written there goes nowhere; files are whole and exit codes are as ever."""
    main = f"'{sys.executable}' -P -c 'from slp.cli import main; main()'"
    for command, code in [
        (f"sample growtree '{table}' -n 9 -o draws", 0),
        ("check nowhere.slp", 1),
    ]:
        words = ["sh", "-c", f"{main} {command} {closed}"]
        run = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
        assert (run.returncode, "bug" in run.stderr) == (code, False), run.stderr
    assert len((tmp_path / "draws").read_text().splitlines()) == 9


def test_check_warns_of_a_table_without_names(slp_run, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("71,3,5,absent\n158,3,14,absent\n128,4,5,present\n")
    result = slp_run("check", "growtree", rows)
    assert result.code == 0 and result.out.startswith("warning[W407]")


def test_a_folder_is_no_table(slp_run, tmp_path: Path) -> None:
    result = slp_run("check", "growtree", tmp_path)
    assert result.code == 1 and "Is a directory" in result.out


def test_a_run_is_saved_under_a_name_that_says_so(slp_run, table: Path) -> None:
    result = slp_run("sample", "growtree", table, "--save", "run.zip")
    assert result.code == 2 and "--save FILE ends in .slpz" in result.err
    assert not Path("run.zip").exists()


def test_a_misspelt_command_and_a_misspelt_picture(slp_run, table: Path) -> None:
    result = slp_run("sampel", "growtree", table)
    assert result.code == 2 and "did you mean `sample`?" in result.err
    result = slp_run("plot", "treee", "growtree", table, "-o", "p.svg")
    assert result.code == 2 and "did you mean `tree`?" in result.err


def test_a_dash_is_no_file(slp_run, table: Path) -> None:
    result = slp_run("predict", "growtree", table, table, "-o", "-")
    assert result.code == 2 and "/dev/stdout" in result.err
    assert not Path("-").exists()


def test_predictions_in_a_file_are_told(slp_run, table: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    result = slp_run("predict", "growtree", table, table, "-o", path)
    assert (result.code, result.out) == (0, "") and result.err.endswith(f"{path} written\n")


def test_a_misspelt_ignored_column_is_told_beside_its_missing_values(
    slp_run, tmp_path: Path
) -> None:
    rows, program = tmp_path / "rows.csv", tmp_path / "p.slp"
    rows.write_text("age,horsepower,y\n1,,a\n2,3,b\n")
    program.write_text(":- use(growtree).\n:- ignore(horse_power).\n")
    result = slp_run("check", program, rows)
    assert "E420" in result.out and "W154" in result.out
    assert "did you mean `horsepower`?" in result.out


GUARD_OF_CODE = """:- start(t).
1/2 :: t --> { prolog(shell('touch ran')) }, split(F, V), { prolog(call(F, V)) }, t, t.
1/2 :: t --> leaf.
"""


def test_a_program_for_allow_code_is_checked_and_not_run(
    slp_run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("code.slp").write_text(GUARD_OF_CODE)
    for more in ((), (table,)):
        result = slp_run("check", "code.slp", *more)
        assert result.code == 0 and result.out.startswith("warning[E264]")
        assert "--engine prolog --allow-code" in result.out
        result = slp_run("explain", "code.slp", *more)
        assert result.code == 0 and "code.slp:2:16: `prolog(...)` needs SWI-Prolog" in result.out
    Path("code.slp").write_text(f":- constraint(forbid(agee)).\n{GUARD_OF_CODE}")
    result = slp_run("check", "code.slp", table)
    assert result.code == 1 and "did you mean `age`?" in result.out
    assert not Path("ran").exists()


def test_a_table_for_a_program_and_the_reverse(slp_run, table: Path, tmp_path: Path) -> None:
    program = tmp_path / "p.slp"
    program.write_text(":- use(growtree).\n")
    swapped = "are the two swapped? the program comes first, then the table"
    for name in ("check", "compare", "expand", "explain", "map", "prior", "report", "sample"):
        for other in (program, "growtree"):
            result = slp_run(name, table, other)
            said = result.out + result.err
            assert (result.code, said.count(swapped) > 0) == (1, True), (name, other)
    for words in (
        ("predict", table, program, table),
        ("plot", "depth", table, program, "-o", "p.svg"),
    ):
        result = slp_run(*words)
        assert result.code == 1 and swapped in result.err
    for words in (("sample", "growtree", program), ("sample", "growtree", "denison")):
        result = slp_run(*words)
        assert result.code == 1 and "and a table belongs here" in result.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("sample", "-n", "ten"), "'ten' is not a whole number: write it in digits, such as 10"),
        (("sample", "-n", "1,000"), "'1,000' is not a whole number: write 1000"),
        (("sample", "--seed", "1e3"), "'1e3' is not a whole number: write 1000"),
        (("sample", "--chains", "0"), "0 is too small: the least is 1"),
        (("sample", "--smoothing", "much"), "'much' is not a number: write it in digits, such as"),
        (("sample", "--first-h", "-1"), "-1 is too small: the least is 0"),
        (("map", "--best", "inf"), "'inf' is not a whole number: write it in digits, such as 10"),
        (("predict", "--interval", "90"), "90 is not between 0 and 1: write 0.9 for 90 %"),
        (("predict", "--interval", "90%"), "'90%' is not a number: write 0.9"),
        (("predict", "--interval", "nan"), "nan is not between 0 and 1\n"),
    ],
)
def test_a_number_that_is_none(slp_run, table: Path, words: tuple[str, ...], said: str) -> None:
    name, *option = words
    tables = [table] * (2 if name == "predict" else 1)
    result = slp_run(name, "growtree", *tables, *option)
    assert result.code == 2 and said in result.err
