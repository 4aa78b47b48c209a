"""The TextMate grammar, by the engine of VS Code itself."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from slp.analysis import CONSTRAINTS, DIRECTIVES
from slp.source import SourceFile
from slp.syntax import Clause, parse_recovering
from slp.terms import Atom, Number, Struct, Var, functor, subterms

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
GRAMMAR = ROOT / "grammars" / "slp.tmLanguage.json"
#: Programs as people write them.
PROGRAMS = sorted(
    path
    for folder in ("priors", "examples", "tests/programs/good")
    for path in (ROOT / folder).rglob("*.slp")
)

pytestmark = pytest.mark.slow


def tokens(texts: list[str], node_modules: Path) -> list[list[tuple[str, str]]]:
    """The tokens of each text: what it says, and its innermost scope."""
    done = subprocess.run(
        ["node", HERE / "tokens.js", GRAMMAR],
        input=json.dumps(texts),
        env={**os.environ, "NODE_PATH": str(node_modules)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    return [[(text, (scopes or [""])[-1]) for text, *scopes in own] for own in found]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("% a 'b", [("%", "punctuation.definition.comment"), (" a 'b", "comment.line.percentage")]),
        (
            "% data: my file.csv",
            [("%", "punctuation.definition.comment"), (" ", "comment.line.percentage")]
            + [("data:", "keyword.other.data"), (" ", "comment.line.percentage")]
            + [("my file.csv", "string.unquoted.data")],
        ),
        (
            ":- constraint(constant(infant)).",
            [(":-", "keyword.control.directive"), (" ", "source")]
            + [("constraint", "keyword.other.directive"), ("(", "punctuation.section.parens")]
            + [("constant", "support.function.constraint"), ("(", "punctuation.section.parens")]
            + [("infant", "constant.other.symbol"), (")", "punctuation.section.parens")]
            + [(")", "punctuation.section.parens"), (".", "punctuation.terminator.clause")],
        ),
        (
            "0.5 :: t(D) --> { D < 3 }, leaf.",
            [("0.5", "constant.numeric.float"), (" ", "source")]
            + [("::", "keyword.operator.label"), (" ", "source")]
            + [("t", "entity.name.function"), ("(", "punctuation.section.parens")]
            + [("D", "variable.other"), (")", "punctuation.section.parens"), (" ", "source")]
            + [("-->", "keyword.operator.arrow"), (" ", "source")]
            + [("{", "punctuation.section.guard"), (" ", "source"), ("D", "variable.other")]
            + [(" ", "source"), ("<", "keyword.operator"), (" ", "source")]
            + [("3", "constant.numeric.integer"), (" ", "source")]
            + [("}", "punctuation.section.guard"), (",", "punctuation.separator"), (" ", "source")]
            + [("leaf", "keyword.control.tree"), (".", "punctuation.terminator.clause")],
        ),
        (
            "'it''s % no'(0'%, 1.5e3)",
            [("'", "string.quoted.single"), ("it", "string.quoted.single")]
            + [("''", "constant.character.escape"), ("s % no", "string.quoted.single")]
            + [("'", "string.quoted.single"), ("(", "punctuation.section.parens")]
            + [("0'%", "constant.character"), (",", "punctuation.separator"), (" ", "source")]
            + [("1.5e3", "constant.numeric.float"), (")", "punctuation.section.parens")],
        ),
    ],
)
def test_scopes(node_modules: Path, text: str, want: list[tuple[str, str]]) -> None:
    (have,) = tokens([text], node_modules)
    joined: list[tuple[str, str]] = []
    for part, scope in have:
        if joined and joined[-1][1] == scope == "source.slp" and not part.strip():
            part = joined.pop()[0] + part
        joined.append((part, scope))
    assert joined == [(part, f"{scope}.slp") for part, scope in want]


def test_every_directive_and_constraint_is_marked(node_modules: Path) -> None:
    directives = [f":- {name}(x)." for name in DIRECTIVES]
    constraints = [f":- {name}({c}(x))." for c in CONSTRAINTS for name in ("constraint", "prefer")]
    found = tokens(directives + constraints, node_modules)
    for name, own in zip(DIRECTIVES, found, strict=False):
        assert (name, "keyword.other.directive.slp") in own
    names = [c for c in CONSTRAINTS for _ in range(2)]
    for name, own in zip(names, found[len(directives) :], strict=True):
        assert (name, "support.function.constraint.slp") in own


def test_the_parser_and_the_grammar_read_programs_alike(node_modules: Path) -> None:
    """What the parser says of each place: a comment, a quoted atom, a variable, a number, a name,
    the end of a clause."""
    assert len(PROGRAMS) > 20
    files = [SourceFile.read(path) for path in PROGRAMS]
    for file, own in zip(files, tokens([f.text for f in files], node_modules), strict=True):
        assert "".join(text for text, _ in own) == file.text
        scopes: list[str] = []
        for text, scope in own:
            scopes += [scope] * len(text)
        program, faults = parse_recovering(file)
        assert faults == ()
        for comment in program.comments:
            for i in range(comment.span.start, comment.span.end):
                assert file.text[i] == "\n" or re.search("comment|data", scopes[i]), comment
        for item in program.items:
            last = item.span.end - 1
            if file.text[last] == ".":
                assert scopes[last] == "punctuation.terminator.clause.slp", item
            if isinstance(item, Clause) and item.head.span is not None:
                assert "comment" not in scopes[item.head.span.start]
            for term in subterms(item.term):
                if term.span is not None:
                    assert_scope(term, scopes[term.span.start], term.span.text)


def assert_scope(term: object, scope: str, text: str) -> None:
    match term:
        case Var():
            assert scope == "variable.other.slp", text
        case Number() if not text.startswith("-"):
            assert scope.startswith("constant."), text
        case Atom() if text.startswith("'"):
            assert scope == "string.quoted.single.slp", text
        case Atom() if text[:1].isalpha():
            assert re.match("constant|keyword|support|entity", scope), (text, scope)
        case Struct() if re.match(rf"{re.escape((functor(term) or ('',))[0])}\(", text):
            assert re.match("entity|keyword|support|string", scope), (text, scope)
