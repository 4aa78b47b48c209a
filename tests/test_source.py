"""How diagnostics are drawn: spans of one line and of many, tabs, very long lines and spans."""

from __future__ import annotations

from slp.errors import Diagnostic, Related
from slp.source import SourceFile, SourceSpan, draw_diagnostic


def drawn(text: str, start: int, end: int) -> list[str]:
    span = SourceSpan(SourceFile("p.slp", text), start, end)
    return draw_diagnostic(Diagnostic("E999", "wrong", span)).splitlines()


def test_one_line_with_two_lines_of_context() -> None:
    want = ["error[E999]: wrong", " --> p.slp:4:3", "2 | b", "3 | c", "4 | d e f", "  |   ^"]
    assert drawn("a\nb\nc\nd e f\ng", 8, 9) == want


def test_several_lines_are_each_underlined_without_their_indentation() -> None:
    want = ["error[E999]: wrong", " --> p.slp:1:1", "1 | a,", "  | ^^", "2 |   b.", "  |   ^^"]
    assert drawn("a,\n  b.\nc", 0, 7) == want


def test_tabs_keep_marks_below_their_characters() -> None:
    assert drawn("\tab c", 4, 5)[-2:] == ["1 |     ab c", "  |        ^"]


def test_a_very_long_line_is_cut_around_the_span() -> None:
    text = "x" * 5000 + "HERE" + "y" * 5000
    line, marks = drawn(text, 5000, 5004)[-2:]
    assert len(line) < 200 and line.startswith("1 | ...x") and line.endswith("y...")
    assert [c for c, mark in zip(line, marks.ljust(len(line)), strict=True) if mark == "^"] == list(
        "HERE"
    )


def test_a_span_over_all_of_a_very_long_line_is_underlined_as_far_as_it_is_shown() -> None:
    line, marks = drawn("x" * 5000, 0, 5000)[-2:]
    assert line == "1 | " + "x" * 160 + "..." and marks == "  | " + "^" * 163


def test_a_span_of_many_lines_shows_its_beginning_and_its_end() -> None:
    text = "\n".join(f"line{i}" for i in range(1, 1001))
    lines = drawn(text, 0, len(text))
    assert "  20 | line20" in lines and "     ..." in lines and "1000 | line1000" in lines
    assert len(lines) == 2 + 2 * 20 + 1 + 2


def test_a_second_place_carries_its_words() -> None:
    file = SourceFile("p.slp", "a.\na.\n")
    first, second = SourceSpan(file, 0, 1), SourceSpan(file, 3, 4)
    text = draw_diagnostic(Diagnostic("E999", "twice", second, "once", (Related("first", first),)))
    assert text.splitlines()[-4:] == [" --> p.slp:1:1", "1 | a.", "  | ^ first", "  help: once"]
