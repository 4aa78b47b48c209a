"""Plain facts are read as the parser reads them: terms, places, comments, mistakes."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from slp.source import SourceFile
from slp.syntax import parse, parse_recovering
from slp.syntax.facts import count_tokens, find_fact
from slp.syntax.lark_parser import Tokens
from slp.terms import subterms

_CONSTANTS = (
    """a is dynamic n1 mod aB_9 e x0 0 7 007 12 -3 -0 1.5 -2.25 0.0 -0.0 123456789012345
'' '(' ').' 'x,y' '%' '/*' '-' 'É'""".split()
    + ["'a b'", "' . '"]
)
#: What is no constant of a plain fact, or no term.
_OTHERS = """X _ -a - + [] [a,b] f(a) '[]' 'it''s' 'a\\nb' "text" é aé 1e5 1.0Inf 0x1f 1_000 0'a 1.
--3 1.5.2 3x a+b (a) {a} 'open 1234567890123456 1.1234567890123456 ! ; , |""".split()
_BLANKS = ["", "", "", " ", "\n", "\t ", "\r\n", "\u00a0", "\u2003"]
_ENDS = [".\n", ". ", ".", " .\n", "\n.\n", ".%c\n", ". % c\n", ".\r\n", "..\n", "\n", ".a", ".\f"]
_BETWEEN = [
    *("% f(a).", "/* f(a). */", "/* /* */", "/* open", ":- op(700, xfx, edge).", ":- dynamic(a)."),
    *("0.5 :: p(X) :- q(X).", "a.", "'f'(a).", "f (a).", "f().", "s --> leaf.", "'f(a).", "f(a"),
    *("p(X, Y) :- q(X).", "edge(a, b) edge(c).", "f('.\n", "f(a, 'x\ny')."),
]


@st.composite
def _facts(draw: st.DrawFn) -> str:
    def blank() -> str:
        return draw(st.sampled_from(_BLANKS))

    words = st.sampled_from(_CONSTANTS) if draw(st.integers(0, 3)) else st.sampled_from(_OTHERS)
    args = draw(st.lists(words, min_size=1, max_size=3))
    name = draw(st.sampled_from(["edge", "is", "dynamic", "p_1", "-", "'q r'", "É", "box"]))
    inner = f"{blank()},{blank()}".join(args)
    return f"{blank()}{name}({blank()}{inner}{blank()}){draw(st.sampled_from(_ENDS))}"


_PROGRAMS = st.lists(_facts() | _facts() | st.sampled_from(_BETWEEN), max_size=8).map("\n".join)


def _everything(file: SourceFile) -> tuple[object, ...]:
    """What is read, the places of all its parts (equality of terms leaves them out) included."""
    program, found = parse_recovering(file)
    parts = [[(repr(t), t.span) for t in subterms(item.term)] for item in program.items]
    items = [(repr(item), item.span) for item in program.items]
    return items, parts, [(c.text, c.span) for c in program.comments], found


@pytest.mark.slow
@settings(max_examples=600, deadline=None, derandomize=True)
@given(_PROGRAMS)
@example("edge(a, b).edge(c).")
@example("f('a\nb').\ng(a).")
@example("f(" + ", ".join("a" * 60) + ").")
def test_facts_are_read_as_by_the_parser(text: str) -> None:
    file = SourceFile("p.slp", text)
    with mock.patch.object(parse, "find_fact", lambda text, start: None):
        want = _everything(file)
    assert _everything(file) == want


@settings(max_examples=300, deadline=None, derandomize=True)
@given(_PROGRAMS)
def test_the_tokens_of_facts_are_counted(text: str) -> None:
    fact = find_fact(text, 0)
    if fact is not None:
        assert count_tokens(fact) == len(list(Tokens(SourceFile("", fact[0]))))


@pytest.mark.parametrize("constant", _CONSTANTS)
def test_constants_make_plain_facts(constant: str) -> None:
    assert find_fact(f"  edge({constant},{constant} ).", 0)


@pytest.mark.parametrize("other", _OTHERS)
def test_other_terms_do_not(other: str) -> None:
    assert find_fact(f"edge({other}).", 0) is None
