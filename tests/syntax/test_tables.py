"""The parser as read from the tables that are made when slp is built."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from slp.resources import prior_file, prior_names
from slp.syntax import lark_parser

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(autouse=True)
def fresh_parser() -> Iterator[None]:
    lark_parser.syntax_parser.cache_clear()
    yield
    lark_parser.syntax_parser.cache_clear()


@pytest.fixture
def made() -> list[str]:
    """Notes whenever a parser is made from the grammar's text."""
    return []


@pytest.fixture
def watch(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    make = lark_parser._made_parser
    monkeypatch.setattr(lark_parser, "_made_parser", lambda: (made.append("made"), make())[1])


def as_texts(found: Iterator[lark_parser.Token]) -> list[tuple[str, str, int | None]]:
    return [(token.type, str(token), token.start_pos) for token in found]


@pytest.mark.usefixtures("watch")
def test_tables_that_were_read_give_the_same_tokens(
    made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [prior_file(name) for name in prior_names()]
    monkeypatch.setattr(lark_parser, "grammar_tables", lambda name: None)
    want = [as_texts(lark_parser.Tokens(file)) for file in files]
    assert made == ["made"]

    lark_parser.write_tables(str(tmp_path / "tables"))
    written = (tmp_path / "tables").read_bytes()
    made.clear()
    lark_parser.syntax_parser.cache_clear()
    monkeypatch.setattr(lark_parser, "grammar_tables", lambda name: written)
    assert [as_texts(lark_parser.Tokens(file)) for file in files] == want
    assert made == []


@pytest.mark.usefixtures("watch")
def test_tables_of_another_lark_or_grammar_are_not_read(
    made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lark_parser.write_tables(str(tmp_path / "tables"))
    written = (tmp_path / "tables").read_bytes()
    monkeypatch.setattr(lark_parser, "grammar_tables", lambda name: written)
    text = lark_parser.grammar_text("slp")
    for name, other in [("grammar_text", lambda _: text + "\n"), ("lark.__version__", "0.0")]:
        made.clear()
        lark_parser.syntax_parser.cache_clear()
        with monkeypatch.context() as patch:
            patch.setattr(f"slp.syntax.lark_parser.{name}", other)
            lark_parser.syntax_parser()
        assert made == ["made"]


def test_tables_are_made_where_lark_alone_is_installed(tmp_path: Path) -> None:
    """The build makes them, in an environment that has nothing else of what slp needs."""
    code = (
        "import sys\n"
        "for name in ('numpy', 'polars', 'scipy', 'click', 'arviz'):\n"
        "    sys.modules[name] = None\n"
        "from slp.syntax.lark_parser import write_tables\n"
        f"write_tables({str(tmp_path / 'tables')!r})\n"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True, cwd=tmp_path)
    assert (tmp_path / "tables").stat().st_size > 1000
