"""Places in a text, as an editor counts them.

An editor counts lines and characters from 0, the latter in units of an encoding that the two sides
agree on: UTF-16 unless the client offers another one. slp counts characters (`slp.source`).
"""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol.types import Position, PositionEncodingKind, Range

from slp.source import SourceFile, SourceSpan

_ENCODINGS = {
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


@dataclass(frozen=True)
class Places:
    """Offsets of a file in the units of an editor, and back."""

    file: SourceFile
    encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16

    def position(self, offset: int) -> Position:
        """The place of the character at an offset."""
        line, column = self.file.line_column(offset)
        return Position(line - 1, self._units(self.file.text[offset - column + 1 : offset]))

    def range(self, start: int, end: int) -> Range:
        """The characters `start <= i < end`."""
        return Range(self.position(start), self.position(end))

    def of_span(self, span: SourceSpan) -> Range:
        """The place of a span of this file."""
        return self.range(span.start, span.end)

    def offset(self, position: Position) -> int:
        """The offset of a place; the end of the line or of the text where it lies behind it."""
        lines = self.file.line_starts
        if position.line >= len(lines):
            return len(self.file.text)
        start, end = self.file.line_range(position.line + 1)
        units = 0
        for offset in range(start, end):
            if units >= position.character:
                return offset
            units += self._units(self.file.text[offset])
        return end

    def whole(self) -> Range:
        """The whole text."""
        return self.range(0, len(self.file.text))

    def _units(self, text: str) -> int:
        codec, size = _ENCODINGS[PositionEncodingKind(self.encoding)]
        return len(text.encode(codec, errors="surrogatepass")) // size
