"""The catalogue of messages: every code is defined once, used, and documented."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

import slp
from slp.cli import slp_command
from slp.cli.common import run
from slp.errors import ExitCode
from slp.messages import Entry, Wording, entries
from slp.source import draw_diagnostic
from tests.docs.messages_page import PAGE, with_tables
from tests.docs.pages import PAGES

PACKAGE = Path(slp.__file__).parent
CODE = re.compile(r'"([EW]\d{3})"')


def _wordings() -> dict[str, Wording]:
    import slp.messages as catalogue

    found = {}
    for path in sorted((PACKAGE / "messages").glob("*.py")):
        module = __import__(f"{catalogue.__name__}.{path.stem}", fromlist=["x"])
        for name, value in vars(module).items():
            if isinstance(value, Wording):
                assert name not in found or found[name] is value, f"two wordings are named {name}"
                found[name] = value
    return found


def _sources() -> dict[str, str]:
    return {
        path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.parent.name != "messages"
    }


def test_every_wording_is_used() -> None:
    names = _wordings().keys()
    texts = [text for text in _sources().values() if names & set(re.findall(r"\w+", text))]
    nodes = [n for text in texts for n in ast.walk(ast.parse(text))]
    used = {n.id for n in nodes if isinstance(n, ast.Name)}  # what an import names is none
    used |= {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    assert sorted(names - used) == []


def test_every_entry_has_a_wording() -> None:
    worded = {wording.entry.code for wording in _wordings().values()}
    assert set(entries()) == worded


def test_codes_are_written_in_the_catalogue_alone() -> None:
    elsewhere = {name: CODE.findall(text) for name, text in _sources().items()}
    assert {name: codes for name, codes in elsewhere.items() if codes} == {}


def test_findings_are_worded_in_the_catalogue_alone() -> None:
    calls = [
        name
        for name, text in _sources().items()
        if "Diagnostic" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "Diagnostic"
    ]
    assert calls == []


def test_every_code_that_docstrings_and_pages_name_is_defined() -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in PAGES}
    named = {
        name: set(re.findall(r"\b[EW]\d{3}\b", text)) - entries().keys()
        for name, text in (_sources() | pages).items()
    }
    assert {name: codes for name, codes in named.items() if codes} == {}


@pytest.mark.parametrize("entry", entries().values(), ids=lambda entry: entry.code)
def test_an_entry_says_all(entry: Entry) -> None:
    assert re.fullmatch(r"[EW]\d{3}", entry.code)
    assert all([entry.title, entry.cause, entry.remedy, entry.example])
    assert not entry.title[0].isupper() and not entry.title.endswith(".")
    assert entry.cause.endswith(".") and entry.remedy.endswith(".")
    assert entry.code in entry.to_text()


@pytest.mark.parametrize("wording", _wordings().values(), ids=_wordings().keys())
def test_a_wording_takes_the_values_that_it_names(wording: Wording) -> None:
    texts = [wording.message, wording.help or ""]
    names = {name for text in texts for _, name, _, _ in Formatter().parse(text) if name}
    found = wording(**dict.fromkeys(names, 7))
    assert found.code == wording.entry.code and found.severity == wording.entry.severity
    assert wording.entry.code in draw_diagnostic(found)
    assert wording.help, "it says what to do"


def test_the_command_explains_every_code(capsys: pytest.CaptureFixture[str]) -> None:
    for code, entry in entries().items():
        assert run(slp_command, ["explain", code]) == ExitCode.OK
        assert capsys.readouterr().out == f"{entry.to_text()}\n"


def test_the_page_of_messages_has_the_tables_of_the_catalogue() -> None:
    page = PAGE.read_text("utf-8")
    assert page == with_tables(page)
    assert set(re.findall(r"^\| ([EW]\d{3}) \|", page, re.MULTILINE)) == entries().keys()
