"""No text makes the parser do anything but read it or report what is wrong with it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from slp.errors import ProgramError
from slp.source import SourceFile, draw_diagnostic
from slp.syntax import format_program, parse_program, parse_recovering, parse_term
from tests.syntax.test_swi_prolog import PROGRAMS, WORDS

LIBRARY = [path.read_text(encoding="utf-8") for path in PROGRAMS]
SPICE = [
    "'",
    '"',
    "`",
    "/*",
    "*/",
    "%",
    "\\",
    "0'",
    "1.",
    "1e",
    "0x",
    "\x00",
    "\n",
    ".",
    ". ",
    "\ud800",
]

words = st.sampled_from(
    [*WORDS, *SPICE, "`", "0''", "op(", "\u00c9", "\u0663", "a\u00b2", "\u2028"]
)
soups = st.lists(words, max_size=30).map(" ".join) | st.lists(words, max_size=30).map("".join)


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """A program of ours with a few pieces cut out, doubled or replaced."""
    text = draw(st.sampled_from(LIBRARY))
    for _ in range(draw(st.integers(1, 4))):
        a, b = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        b = min(b, a + 40)
        text = text[:a] + draw(st.sampled_from(["", text[a:b] * 2, *SPICE])) + text[b:]
    return text


@given(st.text(max_size=60) | soups | mutations())
@settings(max_examples=400, deadline=2000, derandomize=True)
def test_any_text_is_read_or_reported(text: str) -> None:
    file = SourceFile("p.slp", text)
    program, diagnostics = parse_recovering(file)
    for diagnostic in diagnostics:
        assert diagnostic.span is not None
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
        assert draw_diagnostic(diagnostic)
    assert [c.span.text for c in program.comments] == [c.text for c in program.comments]
    if not diagnostics:
        again = parse_program(SourceFile("p.slp", format_program(program)))
        assert [item.term for item in again.items] == [item.term for item in program.items]


@given(st.text(max_size=20) | soups)
@settings(max_examples=200, deadline=2000, derandomize=True)
def test_any_goal_is_read_or_reported(text: str) -> None:
    try:
        parse_term(text)
    except ProgramError as error:
        assert error.diagnostics
