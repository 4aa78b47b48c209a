"""Each syntax message: its examples bring it about, and its exact words."""

from __future__ import annotations

import pytest

from slp.source import SourceFile, draw_diagnostic
from slp.syntax import parse_recovering
from slp.syntax.messages import MESSAGES, excerpt

EXAMPLES = [(m.code, example) for m in MESSAGES for example in m.examples]

# The message and the underlined text for the first example of each code.
WORDING = {
    "E010": ("this ' is never closed", "'b)."),
    "E011": ("this comment is never closed", "/*"),
    "E012": ("text in backquotes has no meaning here", "`b`"),
    "E013": ("the character U+0000 cannot stand here", "\x00"),
    "E014": ("1x is no number", "1x"),
    "E015": ("this number is too large", "1.0e400"),
    "E016": ("\\q is no escape sequence", "\\q"),
    "E017": ("the quoted atom '[]' is not the empty list", "'[]'"),
    "E018": ("a full stop cannot stand inside a clause", "."),
    "E019": ("a{...} would be a dict in SWI-Prolog, which programs do not have", "a"),
    "E020": ("this ( is never closed", "("),
    "E021": ("this ) closes nothing", ")"),
    "E022": ("] cannot close (", "]"),
    "E023": ("brackets are nested more than 500 deep here", "("),
    "E024": ("there is nothing between these brackets", "a()"),
    "E025": ("there is nothing between these brackets", "()"),
    "E026": ("an argument is missing here", ","),
    "E027": ("a list has one tail, after one bar", "|"),
    "E030": ("a and b stand side by side with no operator between them", "b"),
    "E031": ("a blank parts p from its arguments", "(x)"),
    "E032": ("the clause before this line does not end", "b"),
    "E033": ("the program ends in the middle of a clause", "a"),
    "E034": ("the label 0.5 is not followed by ::", "0.5"),
    "E035": (
        "= (priority 700) cannot stand beside = (which takes up to 699) without brackets",
        "=",
    ),
    "E036": ("a clause has one label, so :: cannot stand twice", "::"),
    "E039": ("a clause has one label and one head, so :: cannot stand on both sides of ;", "::"),
    "E037": ("there is no term after :-", ":-"),
    "E038": ("op/3 cannot do this: its priority is no integer from 0 to 1200", "1300"),
    "E051": ("a comment begins inside a comment", "/*"),
    "E040": ("this full stop ends nothing", "."),
    "E041": (
        "Tree begins with a capital or _, which makes it a variable, "
        "and a variable has no arguments",
        "Tree",
    ),
    "E042": (
        "Tree begins with a capital or _, which makes it a variable, and a variable is no head",
        "Tree",
    ),
    "E043": ("1 is no head: a clause is about an atom or about name(arguments)", "1"),
    "E044": ("a label is followed by two colons, not by one", "0.5 : t"),
    "E045": ("this directive says nothing", ":-"),
    "E046": ("?- asks a question, which a program cannot do", "?- a"),
    "E047": ("clauses with => are not part of the language", "a => b"),
    "E048": (":: belongs before the head, not into the body", "1 :: leaf"),
    "E049": ("a directive has no label", "1 :: a"),
}

HELP = {
    "E020": "close it with ) before the clause ends",
    "E022": "close first what was opened last, here with )",
    "E031": "write the opening bracket right after the name: p(",
    "E032": "put a full stop after a",
    "E034": "write 0.5 :: t",
    "E037": "put a term there, or take :- away",
    "E044": "write 0.5 :: t",
}


@pytest.mark.parametrize(("code", "text"), EXAMPLES, ids=lambda value: str(value)[:30])
def test_example_brings_about_its_message_alone(code: str, text: str) -> None:
    _, diagnostics = parse_recovering(SourceFile("p.slp", text))
    assert [d.code for d in diagnostics] == [code]
    assert diagnostics[0].help


@pytest.mark.parametrize("message", [m for m in MESSAGES if m.examples], ids=lambda m: m.code)
def test_wording_and_place(message) -> None:  # type: ignore[no-untyped-def]
    _, (diagnostic,) = parse_recovering(SourceFile("p.slp", message.examples[0]))
    assert diagnostic.span is not None
    assert (diagnostic.message, diagnostic.span.text) == WORDING[message.code]
    assert "{" not in message.help.replace("{{", "") or diagnostic.help != message.help
    if message.code in HELP:
        assert diagnostic.help == HELP[message.code]


def test_codes_are_unique_and_all_are_tested() -> None:
    codes = [m.code for m in MESSAGES]
    assert len(codes) == len(set(codes))
    # E050 has its test in test_parse_term, those of size have theirs in test_bounds.
    assert set(codes) == {*WORDING, "E050", "E052", "E053", "W053"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (":- op(700, xxx, a).", "its type is none of xfx, xfy, yfx, fy, fx"),
        (":- op(700, xfx, ',').", "the meaning of , is fixed"),
        (":- op(700, xfx, 1).", "the operator is no atom"),
    ],
)
def test_reasons_of_op(text: str, reason: str) -> None:
    _, (diagnostic,) = parse_recovering(SourceFile("p.slp", text))
    assert diagnostic.message == f"op/3 cannot do this: {reason}"


def test_drawing_shows_both_brackets() -> None:
    _, (diagnostic,) = parse_recovering(SourceFile("p.slp", "p(a,\n  [b)).\n"))
    assert draw_diagnostic(diagnostic) == (
        "error[E022]: ) cannot close [\n"
        " --> p.slp:2:5\n"
        "1 | p(a,\n"
        "2 |   [b)).\n"
        "  |     ^\n"
        " --> p.slp:2:3\n"
        "1 | p(a,\n"
        "2 |   [b)).\n"
        "  |   ^ opened here\n"
        "  help: close first what was opened last, here with ]"
    )


def test_excerpt_keeps_both_ends() -> None:
    assert excerpt("a\n  b") == "a b"
    assert excerpt("x" * 50 + "y" * 50) == "x" * 18 + " ... " + "y" * 17
