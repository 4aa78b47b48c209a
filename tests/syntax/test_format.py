"""The formatter: examples of its layout, and that nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from slp.errors import ProgramError
from slp.source import SourceFile
from slp.syntax import format_program, parse_program, term_to_text
from slp.syntax.ast import Comment
from slp.terms import Term
from tests.syntax.strategies import terms
from tests.syntax.test_swi_prolog import PROGRAMS, ROOT

TOUR = Path(__file__).parent / "programs" / "tour.slp"


def formatted(text: str) -> str:
    return format_program(parse_program(SourceFile("p.slp", text)))


@pytest.mark.parametrize(
    "path", sorted((ROOT / "priors").glob("*.slp")), ids=lambda path: str(path.stem)
)
def test_library_priors_are_fixed_points(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert formatted(text) == text


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_programs_keep_their_terms_and_comments(path: Path) -> None:
    check(path.read_text(encoding="utf-8"))


EXAMPLES = {
    "blank lines": ("a.\n\n\n\nb.\nc.\n", "a.\n\nb.\nc.\n"),
    "no blank line at the ends": ("\n\n a.\n\n\n", "a.\n"),
    "clauses on one line": ("a. b. /* x */ c.", "a.\nb.  /* x */\nc.\n"),
    "full stop after a sign": ("a(X):-X= * .", "a(X) :- X = (*).\n"),
    "signs as facts": ("- . * .", "- .\n* .\n"),
    "as written": (
        "a(1.0e-3,1_000,0x1F,'b',\"c\"\"d\",0'e,0' ).",
        "a(1.0e-3, 1_000, 0x1F, 'b', \"c\"\"d\", 0'e, 0' ).\n",
    ),
    "columns": (
        "1/2::t(D)-->leaf.\n% between\n1-1/(D+1)::t(long)-->{D>1},leaf.\n\n"
        "1::t(1)-->leaf.\n1::s-->t.",
        "1/2           :: t(D)    --> leaf.\n"
        "% between\n"
        "1 - 1 / (D+1) :: t(long) --> { D > 1 }, leaf.\n"
        "\n"
        "1 :: t(1) --> leaf.\n"
        "1 :: s --> t.\n",
    ),
    "comments in one column": (
        "a.%x\nbb. % y  \nc.\nd. %z",
        "a.   %x\nbb.  % y\nc.\nd.  %z\n",
    ),
    "comments inside": (
        "a(% in the head\n X) :- % behind the arrow\n  b, % behind b\n  % before c\n"
        "  c(% in c\n  Y) % last\n.",
        "% in the head\n"
        "a(X) :-  % behind the arrow\n"
        "    b,   % behind b\n"
        "    % before c\n"
        "    % in c\n"
        "    c(Y).  % last\n",
    ),
    "comments around the full stop": (
        "a :- b % behind b\n . % behind the full stop\nc % one\n % two\n .\n",
        "a :-\n    % behind b\n    b.  % behind the full stop\n% two\nc.  % one\n",
    ),
    "long clause": (
        "p(X) :- " + ", ".join(f"goal_number_{i}(X)" for i in range(8)) + ".",
        "p(X) :-\n" + ",\n".join(f"    goal_number_{i}(X)" for i in range(8)) + ".\n",
    ),
    "long list": (
        ":- feature(age, [cuts([" + ", ".join(str(i) for i in range(10, 45)) + "])]).",
        ":- feature(age, [cuts(["
        + ", ".join(str(i) for i in range(10, 29))
        + ",\n    "
        + ", ".join(str(i) for i in range(29, 45))
        + "])]).\n",
    ),
    "operators of the file": (
        ":- op(700,xfx,===>).\na:-b===>c.",
        ":- op(700, xfx, ===>).\na :- b ===> c.\n",
    ),
    "empty": ("", ""),
    "only a comment": ("  % a", "% a\n"),
}


@pytest.mark.parametrize(("text", "want"), EXAMPLES.values(), ids=EXAMPLES)
def test_layout(text: str, want: str) -> None:
    assert formatted(text) == want
    assert formatted(want) == want


def check(text: str) -> None:
    """Formatting keeps terms and comments, and is idempotent."""
    before = parse_program(SourceFile("p.slp", text))
    have = format_program(before)
    after = parse_program(SourceFile("p.slp", have))
    assert [item.term for item in after.items] == [item.term for item in before.items]
    assert sorted(map(_words, after.comments)) == sorted(map(_words, before.comments))
    assert format_program(after) == have


def _words(comment: Comment) -> list[str]:
    return comment.text.split()


comments = st.sampled_from(
    ["% own\n", "%\n", "/* block */", "/* two\n   lines */", " ", "\n", "\n\n\n", "\t% x  \n"]
)
heads = st.sampled_from(["p", "t(D)", "t(D, [a | X])", "'q r'(X)", "long_name(Argument, Another)"])
labels = st.sampled_from(["", "0.5 :: ", "1 - a*(1+D)^(-b)::", "Long_label * Long_label / 2 ::"])
goals = st.sampled_from(
    ["leaf", "{D>1, X=2}", "split(F,V)", "(a->b;c)", "X is 1.0e-3*Y", "call_something(Long, 'A')"]
) | terms.map(lambda term: f"f(({term_to_text(term)} ))")


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Program text with comments and layout in every place that allows them."""
    gaps = st.lists(comments, max_size=2).map(lambda parts: " " + "".join(parts))
    text = draw(gaps)
    for _ in range(draw(st.integers(0, 5))):
        text += draw(labels) + draw(gaps) + draw(heads)
        arrow = draw(st.sampled_from([":-", "-->", ""]))
        if arrow:
            body = draw(st.lists(goals, min_size=1, max_size=6))
            text += draw(gaps) + arrow + (draw(gaps) + "," + draw(gaps)).join(["", *body][1:])
        text += draw(gaps) + "." + draw(st.sampled_from(["\n", " "])) + draw(gaps)
    return text


@pytest.mark.slow
@given(programs())
@example(TOUR.read_text(encoding="utf-8"))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_formatting_keeps_terms_and_comments(text: str) -> None:
    check(text)


@given(st.lists(terms, min_size=1, max_size=3))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_formatting_keeps_random_clauses(clauses: list[Term]) -> None:
    texts = []
    for term in clauses:
        text = term_to_text(term) + " .\n"
        try:
            parse_program(SourceFile("p.slp", text))
        except ProgramError:
            continue
        texts.append(text)
    check("".join(texts))
