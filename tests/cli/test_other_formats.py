"""`slp check --format sarif` and `github`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest

from slp.cli.other_formats import github_lines, sarif
from slp.source import SourceFile
from slp.syntax import parse_recovering

#: The schema of SARIF 2.1.0 (OASIS), as npm's package @microsoft/jest-sarif has it (MIT), on one
#: line.
SCHEMA = json.loads((Path(__file__).parent / "sarif-2.1.0.json").read_text("utf-8"))

BAD = """\
:- use(growtree, [alfa = 0.9]).
:- constraint(first('år')). :- constraint(constant(child)).
:- start(tree(0)).
:- start(tree(1)).
"""


def checked(slp_run, *arguments: object) -> tuple[int, dict[str, Any]]:
    """The exit code and the log, which is valid."""
    result = slp_run("check", *arguments, "--format", "sarif")
    log = json.loads(result.out)
    jsonschema.Draft4Validator(SCHEMA).validate(log)
    return result.code, log


def regions(log: dict[str, Any]) -> list[tuple[str, str | None, int, int, int, int]]:
    """The rule and the place of each result: file and, from 1, lines and columns."""
    out = []
    for result in log["runs"][0]["results"]:
        (location,) = result["locations"]
        place = location["physicalLocation"]
        ends = ("startLine", "startColumn", "endLine", "endColumn")
        region = place.get("region", dict.fromkeys(ends, 0))
        uri = place["artifactLocation"]["uri"]
        out.append((result["ruleId"], uri, *(region[name] for name in ends)))
    return out


def test_the_schema_finds_a_fault() -> None:
    log = sarif(parse_recovering(SourceFile("p.slp", "a("))[1], "p.slp")
    log["runs"][0]["results"][0]["level"] = "fatal"  # type: ignore[index]
    with pytest.raises(jsonschema.ValidationError, match="fatal"):
        jsonschema.Draft4Validator(SCHEMA).validate(log)


def test_sarif_has_each_finding_with_its_place(slp_run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my prior.slp").write_text(BAD, "utf-8")
    code, log = checked(slp_run, "my prior.slp")
    told = json.loads(slp_run("check", "my prior.slp", "--format", "json").out)["diagnostics"]
    assert code == 1
    assert log["runs"][0]["columnKind"] == "unicodeCodePoints"
    want = [
        (d["code"], "my%20prior.slp", s["line"], s["column"], s["end_line"], s["end_column"])
        for d in told
        for s in [d["span"]]
    ]
    assert regions(log) == want
    assert {"E103", "E106", "E123"} <= {rule for rule, *_ in want}
    results = log["runs"][0]["results"]
    assert [r["level"] for r in results] == [d["severity"] for d in told]
    assert results[0]["message"]["text"] == f"{told[0]['message']}\n{told[0]['help']}"
    rules = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    assert [rules[r["ruleIndex"]] for r in results] == [d["code"] for d in told]
    (twice,) = (r for r in results if r.get("relatedLocations"))
    first = twice["relatedLocations"][0]["physicalLocation"]["region"]
    assert (twice["ruleId"], first["startLine"]) == ("E103", 3)


def test_sarif_of_a_sound_program_has_no_results(slp_run) -> None:
    assert checked(slp_run, "growtree") == (0, sarif([], "growtree"))


def test_sarif_names_a_file_that_cannot_be_read(slp_run, tmp_path: Path) -> None:
    path = tmp_path / "none: 50 %.slp"
    code, log = checked(slp_run, path)
    assert code == 1
    ((rule, uri, *region),) = regions(log)
    assert (rule, region) == ("E001", [0, 0, 0, 0])
    assert uri is not None and unquote(uri) == f"file://{path}"


def test_places_in_library_priors_are_no_files_of_the_user() -> None:
    (finding,) = parse_recovering(SourceFile("priors/own.slp", "a("))[1]
    (result,) = sarif([finding], "mine.slp")["runs"][0]["results"]  # type: ignore[index]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "own.slp", "uriBaseId": "SLP_PRIORS"}
    (line,) = github_lines([finding], "mine.slp")
    assert line.startswith("::error file=mine.slp,title=E")


def test_github_gets_one_command_for_each_finding(slp_run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a,b.slp").write_text(BAD, "utf-8")
    result = slp_run("check", "a,b.slp", "--format", "github")
    told = json.loads(slp_run("check", "a,b.slp", "--format", "json").out)["diagnostics"]
    lines = result.out.splitlines()
    assert result.code == 1 and len(lines) == len(told)
    assert lines[0] == (
        "::error file=a%2Cb.slp,line=1,endLine=1,col=19,endColumn=29,title=E106::"
        "`growtree` has no parameter `alfa`%0Adid you mean `alpha`?"
    )
    form = r"::(error|warning) file=a%2Cb\.slp,line=\d+,endLine=\d+,col=\d+,endColumn=\d+,title=.*"
    assert [line for line in lines if not re.fullmatch(form, line)] == []


def test_github_messages_are_one_line_without_control_characters() -> None:
    text = "'a\x1b[2J% b'(\n"
    found = parse_recovering(SourceFile("p.slp", f":- start({text}"))[1]
    lines = list(github_lines(found, "p.slp"))
    assert lines and all(line.isprintable() for line in lines)


def test_github_says_nothing_of_a_sound_program(slp_run) -> None:
    result = slp_run("check", "growtree", "--format", "github")
    assert (result.code, result.out) == (0, "")


def test_findings_on_a_table_are_there_too(slp_run, table: Path, tmp_path: Path) -> None:
    program = tmp_path / "p.slp"
    program.write_text(":- use(growtree).\n:- constraint(first(agee)).\n")
    code, log = checked(slp_run, program, table)
    assert (code, [rule for rule, *_ in regions(log)]) == (1, ["E150"])
