"""Program text and places in it: `SourceFile`, `SourceSpan`, and how a diagnostic is drawn.

Offsets count characters (not bytes) from 0; lines and columns are counted from 1, as editors do.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from slp.errors import Diagnostic, ProgramError

__all__ = ["MOST_CHARACTERS", "SourceFile", "SourceSpan", "draw_diagnostic"]

#: Characters of one program, at most: a longer one is not read (E052).
MOST_CHARACTERS = 10_000_000

_CONTEXT_LINES = 2
_TAB = "    "
_LONGEST_LINE = 160  # characters shown of one source line
#: How names of tables end, none of which a program has.
_TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".pq")

_MOST_LINES = 20  # lines shown of one span, apart from its last


@dataclass(frozen=True)
class SourceFile:
    """The text of one program and the name to call it by."""

    name: str
    text: str = field(repr=False)

    @classmethod
    def read(cls, path: str | Path) -> SourceFile:
        """Read a UTF-8 file.

        Raises
        ------
        ProgramError
            If the file is missing, is not readable or is not UTF-8.
        """
        path = Path(path)
        if path.name.lower().endswith(_TABLES):
            message = f"{path} is a table by its name, and a program belongs here"
            help = "the program comes first, then the table: slp-sample prior.slp data.csv"
            raise ProgramError(Diagnostic("E003", message, help=help))
        try:
            with path.open(encoding="utf-8-sig") as stream:
                # One more than may be: the parser tells that it is too large.
                return cls(str(path), stream.read(MOST_CHARACTERS + 1))
        except UnicodeDecodeError as e:
            message = f"{path} is not UTF-8 text (byte {e.start})"
            raise ProgramError(Diagnostic("E002", message, help="save the file as UTF-8")) from e
        except (OSError, ValueError) as e:
            reason = getattr(e, "strerror", None) or str(e)
            raise ProgramError(Diagnostic("E001", f"cannot read {path}: {reason}")) from e

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of each line."""
        return [0] + [match.end() for match in re.finditer("\n", self.text)]

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character."""
        line = bisect.bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Text of a line (from 1), without its end."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] - 1 if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r")


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """The characters `start <= i < end` of a file."""

    file: SourceFile = field(repr=False)
    start: int
    end: int

    def cover(self, other: SourceSpan) -> SourceSpan:
        """The smallest span that holds both."""
        return SourceSpan(self.file, min(self.start, other.start), max(self.end, other.end))

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.file.text[self.start : self.end]

    def __str__(self) -> str:
        line, column = self.file.line_column(self.start)
        return f"{self.file.name}:{line}:{column}"

    def to_dict(self) -> dict[str, object]:
        """Place as plain data: file name, and lines and columns from 1 (the end exclusive)."""
        line, column = self.file.line_column(self.start)
        end_line, end_column = self.file.line_column(self.end)
        return {
            "file": self.file.name,
            "line": line,
            "column": column,
            "end_line": end_line,
            "end_column": end_column,
        }


def _window(length: int, a: int, b: int) -> tuple[int, int]:
    """Which characters of a long line to show, so that the start of `a <= i < b` is among them."""
    if length <= _LONGEST_LINE:
        return 0, length
    start = max(0, min(a - _LONGEST_LINE // 3, length - _LONGEST_LINE))
    return start, min(length, start + _LONGEST_LINE)


def _draw_line(text: str, a: int, b: int) -> tuple[str, str]:
    """A source line and the marks under its characters `a <= i < b`, cut to a readable width."""
    start, end = _window(len(text), a, b)
    head, tail = "..." * (start > 0), "..." * (end < len(text))
    shown = head + text[start:end].replace("\t", _TAB) + tail
    # One mark for each character that the line shows, so that tabs stay aligned.
    lead = len(head) + len(text[start:a].replace("\t", _TAB))
    marks = len(text[a : min(b, end)].replace("\t", _TAB)) + len(tail) * (b > end)
    return shown, " " * lead + "^" * max(1, marks)


def _draw_span(span: SourceSpan, note: str = "") -> list[str]:
    """Source lines around a span, with every line of the span underlined."""
    first, _ = span.file.line_column(span.start)
    last, _ = span.file.line_column(max(span.start, span.end - 1))
    width = len(str(last))
    out = [f"{' ' * width}--> {span}"]
    for number in range(max(1, first - _CONTEXT_LINES), last + 1):
        if first + _MOST_LINES <= number < last:
            if number == first + _MOST_LINES:
                out.append(f"{' ' * width} ...")
            continue
        text = span.file.line(number)
        line_start = span.file.line_starts[number - 1]
        a = max(span.start - line_start, 0)
        b = min(span.end - line_start, len(text))
        if number > first:  # do not underline the indentation of further lines
            a = max(a, len(text) - len(text.lstrip()))
        shown, marks = _draw_line(text, a if number >= first else 0, b)
        out.append(f"{number:>{width}} | {shown}".rstrip())
        if number == first or (number > first and b > a):
            tail = f" {note}" if note and number == last else ""
            out.append(f"{' ' * width} | {marks}{tail}")
    return out


def draw_diagnostic(diagnostic: Diagnostic) -> str:
    """A diagnostic as text for a person: message, source lines with the span underlined, help."""
    out = [f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"]
    if diagnostic.span is not None:
        out += _draw_span(diagnostic.span)
    for related in diagnostic.related:
        out += _draw_span(related.span, related.message)
    if diagnostic.help:
        out.append(f"  help: {diagnostic.help}")
    return "\n".join(out)
