"""The lexer of Pygments."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from pygments.token import Comment, Error, Keyword, Name, Number, Punctuation, String

from slp.highlight import SlpLexer
from slp.source import SourceFile
from slp.syntax import parse_recovering
from slp.terms import Number as NumberTerm
from slp.terms import Var, subterms

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted(
    path
    for folder in ("priors", "examples", "tests/programs/good")
    for path in (ROOT / folder).rglob("*.slp")
)


def kinds(text: str) -> dict[str, object]:
    """The kind of each token, by its text."""
    return {part: kind for kind, part in SlpLexer().get_tokens(text)}


def test_words_are_told_apart() -> None:
    have = kinds(
        "% note\n:- constraint([first(age)]).\n:- use(growtree).\n"
        "0.5 :: t(D) --> { D < 3 }, split(_F, V), 'a b', leaf.\n"
    )
    want = {
        "% note": Comment.Single,
        "constraint": Keyword.Declaration,
        "use": Keyword.Declaration,
        "first": Name.Builtin,
        "growtree": Name,
        "::": Keyword,
        "-->": Keyword,
        "t": Name.Function,
        "D": Name.Variable,
        "_F": Name.Variable,
        "0.5": Number.Float,
        "3": Number.Integer,
        "split": Keyword.Reserved,
        "leaf": Keyword.Reserved,
        "'a b'": String.Symbol,
        ".": Punctuation,
    }
    assert {part: have[part] for part in want} == want


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: "/".join(p.parts[-2:]))
def test_the_lexer_reads_programs_as_the_parser_does(path: Path) -> None:
    file = SourceFile.read(path)
    places: list[object] = []
    for _, kind, part in SlpLexer().get_tokens_unprocessed(file.text):
        assert kind is not Error, part
        places += [kind] * len(part)
    assert len(places) == len(file.text)
    program, _ = parse_recovering(file)
    for comment in program.comments:
        assert {places[i] for i in range(comment.span.start, comment.span.end)} <= {
            Comment.Single,
            Comment.Multiline,
        }
    for item in program.items:
        for term in subterms(item.term):
            if term.span is not None and isinstance(term, Var):
                assert places[term.span.start] is Name.Variable
            if isinstance(term, NumberTerm) and term.span and not term.span.text.startswith("-"):
                assert places[term.span.start] in Number or places[term.span.start] in String
    assert all(places[item.span.end - 1] is Punctuation for item in program.items)


@pytest.mark.parametrize("text", ["'open", '"open', "/* open", "a(", "\x00é", "0'", ")."])
def test_unfinished_texts_have_tokens_too(text: str) -> None:
    assert "".join(part for _, _, part in SlpLexer().get_tokens_unprocessed(text)) == text


def test_pygments_is_told_where_the_lexer_is() -> None:
    points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    module, name = points["pygments.lexers"]["slp"].split(":")
    assert (module, name) == (SlpLexer.__module__, SlpLexer.__name__)
