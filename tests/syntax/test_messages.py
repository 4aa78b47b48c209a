"""Each syntax message: its examples bring it about, and its exact words."""

from __future__ import annotations

import pytest

from slp.messages import sources, syntax, tokens
from slp.messages.entry import Entry
from slp.source import SourceFile, draw_diagnostic
from slp.syntax import parse_recovering
from slp.syntax.mistakes import excerpt

#: More programs that contain one mistake, and nothing else, by its code.
MORE = {
    "E010": ('a("b).\n', "a('b\nc').\n", "a(`b).\n"),
    "E011": ("a :- b, /* c.",),
    "E051": ("a /* /* */.", "a. /* b /*/"),
    "E013": ("a :- \x00.", "p(x²)."),
    "E014": (
        "a(0xg).",
        "a(1.5e).",
        "a(1_000.5).",
        "a(0'ab).",
        "a(1r3).",
        "a(16'fg).",
        "a(-16'f).",
        "a(37'1).",
        "a(1'0).",
        "a(2'12).",
        "a(0'\\x41).",
    ),
    "E015": ("a(1" + 1000 * "0" + ").", "a(0x" + 1000 * "f" + ")."),
    "E016": ('a("\\xg").', "a('\\x41').", "a('\\u12').", "a('\\x110000\\').", "a('\\8')."),
    "E018": ("p(x.y) :- q.", "p(1.e5)."),
    "E019": ("p :- X{b}.", "p :- \\+{b}."),
    "E020": ("a :- [b, c.", "a --> {b, c.", "a(b). c(d. e."),
    "E021": ("a :- b]. c.", "a --> b}, c."),
    "E022": ("a([b)].", "a --> {b)."),
    "E023": ("a" + 1000 * "(" + "b" + 1000 * ")" + ".",),
    "E024": ("a :- b().",),
    "E026": ("a(b,,c).", "a(b,).", "a([,b]).", "a([b,])."),
    "E027": ("a([b|c,d]).", "a([|b]).", "a([b|])."),
    "E030": (
        "p :- q r.",
        "p(X Y).",
        "a :- b, c d.",
        "p('x' 'y').",
        "p(1 '+' 2).",
        "p('\\\\+' a).",
        "p('-' 1).",
        "p([a b]).",
    ),
    "E031": ("p :- q (x).", "1 :: tree (D) --> leaf."),
    "E032": ("1 :: t --> leaf\n1 :: s --> leaf.", ":- start(t)\nt --> leaf."),
    "E033": ("a. b", "a :- b, % c", "a :-."),
    "E034": ("1/2 t(D) --> leaf.", "1 - x^(1+D) t(D) --> leaf."),
    "E035": ("a :- b :- c.", "a --> b --> c.", "p :- x is 2 ** 3 ** 4.", "p(a = \\+ b)."),
    "E036": ("1 :: 2 :: t --> leaf.",),
    "E039": ("0.3 :: a ; 0.3 :: b ; 0.4 :: c.",),
    "E037": ("a, .", "p(a + ).", ", a.", "a :- b, , c.", "p :- (a ; b, ).", "a --> b, {c, }."),
    "E038": (
        ":- op(700, xxx, a).",
        ":- op(700, xfx, ',').",
        ":- op(P, xfx, a).",
        ":- op(200, xf, a).",
        ":- op(700, xfx, [a, 1]).",
    ),
    "E040": ("a. . b.",),
    "E041": ("p :- X(a).", "_p(a)."),
    "E042": ("1 :: T --> leaf.", "X."),
    "E043": ("0.5 --> leaf.", "1 :: 2 --> leaf.", '"a" :- b.', "[a] --> b.", "{a}.", "a, b :- c."),
    "E044": ("1/2 : t(D) --> leaf.",),
    "E047": ("1 :: a => b.",),
    "E048": ("p :- 0.5 :: q.",),
}

#: Entries whose example is no program, and where it is tested.
NO_PROGRAM = {"E001", "E002", "E003"}  # test_source
NO_PROGRAM |= {"E052", "E053", "W053"}  # test_bounds
NO_PROGRAM |= {"E050"}  # test_parse_term

ENTRIES = [
    entry
    for module in (sources, syntax, tokens)
    for entry in vars(module).values()
    if isinstance(entry, Entry)
]
EXAMPLES = [(e.code, e.example) for e in ENTRIES if e.code not in NO_PROGRAM | {"E023"}]
EXAMPLES += [(code, text) for code, texts in MORE.items() for text in texts]

# The message and the underlined text for the first example of each code.
WORDING = {
    "E010": ("this ' is never closed", "'b)."),
    "E011": ("this comment is never closed", "/*"),
    "E012": ("text in backquotes has no meaning here", "`b`"),
    "E013": ("the character € (U+20AC) cannot stand here", "€"),
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


@pytest.mark.parametrize("code", WORDING)
def test_wording_and_place(code: str) -> None:
    text = next(text for known, text in EXAMPLES if known == code)
    _, (diagnostic,) = parse_recovering(SourceFile("p.slp", text))
    assert diagnostic.span is not None
    assert (diagnostic.message, diagnostic.span.text) == WORDING[code]
    if code in HELP:
        assert diagnostic.help == HELP[code]


def test_all_codes_are_tested() -> None:
    assert {entry.code for entry in ENTRIES} == {*WORDING} | NO_PROGRAM


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
