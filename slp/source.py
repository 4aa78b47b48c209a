"""Program text and places in it: `SourceFile`, `SourceSpan`, and the drawing of diagnostics.

Offsets count characters (not bytes) from 0. Lines and columns count from 1, as in editors.
"""

from __future__ import annotations

import bisect
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from slp.errors import Diagnostic, ProgramError
from slp.folders import Folders, folders_of, open_regular
from slp.messages.sources import (
    NOT_UTF_8,
    PROGRAM_NOT_READ,
    SAVED_RUN_FOR_A_PROGRAM,
    TABLE_FOR_A_PROGRAM,
)

__all__ = [
    "MOST_CHARACTERS",
    "SourceFile",
    "SourceSpan",
    "draw_diagnostic",
    "visible",
    "visible_lines",
]

#: Largest number of characters of a program. A longer one is not read (E052).
MOST_CHARACTERS = 10_000_000

_CONTEXT_LINES = 2
_TAB = "    "
_BLANKS = re.compile(r"\s*")
_LONGEST_LINE = 160  # characters shown of one source line
#: Name extensions of tables. Programs never have them.
_TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".pq")

_MOST_LINES = 20  # lines shown of one span, besides its last


@dataclass(frozen=True)
class SourceFile:
    """The text of one program, and its name in messages.

    `saved` : the files that it and they use, by the name of the user and what its `use` says, of a
    program in a saved run; None for others, which find files in `folders`.
    """

    name: str
    text: str = field(repr=False)
    folders: Folders = field(default=Folders(), repr=False, compare=False)
    saved: Mapping[tuple[str, str], SourceFile] | None = field(
        default=None, repr=False, compare=False
    )

    @classmethod
    def read(cls, path: str | Path, include: str | Path | Iterable[str | Path] = ()) -> SourceFile:
        """Read a UTF-8 file that a user names. It can use files below its folder, and below the
        folders of `include`.

        Raises
        ------
        ProgramError
            E001 to E003: the file is missing, is not readable, is not UTF-8, is a table.
        UsageError
            E725: one of `include` is no folder.
        """
        folders = folders_of(path, include)
        return cls._read(Path(path), folders, lambda: open_regular(path))

    def used(self, name: str) -> SourceFile:
        """Read a file that this one uses.

        Raises
        ------
        ProgramError
            As `read`.
        RefusedError
            This file is not allowed to use that one.
        """
        path, real = self.folders.find(name, ".slp")
        folders = self.folders.beside(path)
        return type(self)._read(path, folders, lambda: open_regular(real, follow=False))

    @classmethod
    def _read(cls, path: Path, folders: Folders, opened: Callable[[], int]) -> SourceFile:
        if path.name.lower().endswith(_TABLES):
            raise ProgramError(TABLE_FOR_A_PROGRAM(path=path))
        if path.name.lower().endswith(".slpz"):
            raise ProgramError(SAVED_RUN_FOR_A_PROGRAM(path=path))
        try:
            with os.fdopen(opened(), encoding="utf-8-sig") as stream:
                # One character more than allowed is read, so that the parser reports the text as
                # too long.
                return cls(str(path), stream.read(MOST_CHARACTERS + 1), folders)
        except UnicodeDecodeError as e:
            raise ProgramError(NOT_UTF_8(path=path, byte=e.start)) from e
        except (OSError, ValueError) as e:
            reason = getattr(e, "strerror", None) or str(e)
            raise ProgramError(PROGRAM_NOT_READ(path=path, reason=reason)) from e

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of each line."""
        return [0] + [match.end() for match in re.finditer("\n", self.text)]

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character."""
        line = bisect.bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line_range(self, number: int) -> tuple[int, int]:
        """Start and end of a line (from 1), without its line end."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] - 1 if number < len(self.line_starts) else len(self.text)
        if end > start and self.text[end - 1] == "\r":
            end -= 1
        return start, end


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """The characters `start <= i < end` of a file."""

    file: SourceFile = field(repr=False)
    start: int
    end: int

    def cover(self, other: SourceSpan) -> SourceSpan:
        """The smallest span that contains both."""
        return SourceSpan(self.file, min(self.start, other.start), max(self.end, other.end))

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.file.text[self.start : self.end]

    def __str__(self) -> str:
        line, column = self.file.line_column(self.start)
        return f"{visible(self.file.name)}:{line}:{column}"

    def to_dict(self) -> dict[str, object]:
        """The place as plain data: file name, lines and columns from 1 (the end exclusive)."""
        line, column = self.file.line_column(self.start)
        end_line, end_column = self.file.line_column(self.end)
        return {
            "file": self.file.name,
            "line": line,
            "column": column,
            "end_line": end_line,
            "end_column": end_column,
        }


def visible(text: str) -> str:
    """`text` on one line, with unprintable characters as escapes such as `\\x1b`.

    All names, values and texts from outside pass through here before they reach a terminal. A
    terminal would obey their control characters: line ends, escapes, marks that change the
    direction of writing. Halves of surrogate pairs cannot be written.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _spelled(c) for c in text)


def visible_lines(text: str) -> str:
    """A text of several lines, each as by `visible`. Tabs stay."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else _spelled(c) for c in text)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _shown(text: str) -> str:
    return visible(text.replace("\t", _TAB))


def _window(line: tuple[int, int], a: int) -> tuple[int, int]:
    """The range of characters of a line to show, which contains `a`; the whole line unless it is
    long."""
    first, last = line
    if last - first <= _LONGEST_LINE:
        return line
    start = max(first, min(a - _LONGEST_LINE // 3, last - _LONGEST_LINE))
    return start, min(last, start + _LONGEST_LINE)


def _draw_line(file: SourceFile, line: tuple[int, int], a: int, b: int) -> tuple[str, str]:
    """The source line between two offsets, and marks under its characters `a <= i < b`. Both are
    cut to a readable width."""
    start, end = _window(line, a)
    head, tail = "..." * (start > line[0]), "..." * (end < line[1])
    shown = head + _shown(file.text[start:end]) + tail
    # Each shown character gets one mark, so that marks stay aligned with escapes.
    lead = len(head) + len(_shown(file.text[start:a]))
    marks = len(_shown(file.text[a : min(b, end)])) + len(tail) * (b > end)
    return shown, " " * lead + "^" * max(1, marks)


def _draw_span(span: SourceSpan, note: str = "") -> list[str]:
    """Source lines around a span, with every line of the span underlined."""
    file = span.file
    first, _ = file.line_column(span.start)
    last, _ = file.line_column(max(span.start, span.end - 1))
    width = len(str(last))
    out = [f"{' ' * width}--> {span}"]
    numbers = list(range(max(1, first - _CONTEXT_LINES), min(last + 1, first + _MOST_LINES)))
    for number in [*numbers, last] if numbers[-1] < last else numbers:
        if number == last > first + _MOST_LINES:
            out.append(f"{' ' * width} ...")
        line = file.line_range(number)
        a, b = max(span.start, line[0]), min(span.end, line[1])
        if number > first:  # the indentation of further lines is not underlined
            a = _BLANKS.match(file.text, a, line[1]).end()  # type: ignore[union-attr]  # matches
        shown, marks = _draw_line(file, line, a if number >= first else line[0], b)
        out.append(f"{number:>{width}} | {shown}".rstrip())
        if number == first or (number > first and b > a):
            tail = f" {visible(note)}" if note and number == last else ""
            out.append(f"{' ' * width} | {marks}{tail}")
    return out


def draw_diagnostic(diagnostic: Diagnostic) -> str:
    """A diagnostic as text for a person: message, source lines with the span underlined, help."""
    out = [f"{diagnostic.severity}[{diagnostic.code}]: {visible(diagnostic.message)}"]
    if diagnostic.span is not None:
        out += _draw_span(diagnostic.span)
    for related in diagnostic.related:
        out += _draw_span(related.span, related.message)
    if diagnostic.help:
        # What follows a colon at the end of a line is a tree, whose lines stay. Other line ends are
        # part of a name.
        lines = diagnostic.help.split("\n") if ":\n" in diagnostic.help else [diagnostic.help]
        out.append(f"  help: {visible(lines[0])}")
        out += [f"    {visible(line)}" for line in lines[1:]]
    return "\n".join(out)
