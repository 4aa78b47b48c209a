"""The parts that need polars: its series as columns, and reading of files.

This module is imported late. Only it and `to_arrow`, which runs in a child process, import
polars. It checks what polars accepts silently in text: polars renames columns of the same name,
fills short lines and makes rows of blank lines. It also reads numbers padded with spaces, or `inf`
among numbers, as text.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slp.budgets import ReadingRoom
from slp.data.cells import read_number
from slp.data.columns import (
    Column,
    column_of_array,
    column_of_objects,
    column_of_times,
    unusable,
)
from slp.data.frames import check_names
from slp.data.times import Times
from slp.errors import DataError
from slp.messages.names import plural
from slp.messages.table_files import (
    EMPTY_FILE,
    NOT_SEPARATED_TEXT,
    UNEQUAL_LINES,
    UNREADABLE_TABLE,
    WRONG_SEPARATOR,
)

_LEADING_BLANK_LINES = re.compile(rb"(?:[ \t]*\r?\n)*")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")  # surely an int64
_POLARS_FAULTS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
#: Records between two looks at the time.
_RECORDS = 4096
#: Bytes of a large text that are read together.
PIECE = 1 << 22
#: Bytes of a cell in polars: a view of a text, or a number twice.
_BYTES_PER_CELL = 16
_TYPES_OF_TEXT = frozenset([pl.Int64, pl.Float64, pl.Boolean, pl.String])
_MACHINE_INTEGERS = frozenset(
    [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64]
)


class _NotPlainError(Exception):
    """The text cannot be read in pieces; it must be read as a whole."""


#: Errors from a piece of a file. The file is then read as a whole, which reports the fault.
_LEFT_TO_THE_WHOLE = (
    *(_NotPlainError, DataError, UnicodeDecodeError, OSError, EOFError, zlib.error),
    *_POLARS_FAULTS,
)


def column_of_polars(name: str, series: pl.Series) -> Column:
    """One column from a series."""
    dtype = series.dtype
    missing = np.zeros(len(series), bool)
    if series.null_count():  # a question to polars takes as long as coding some thousand cells
        missing = series.is_null().to_numpy()
    if dtype == pl.Null:
        return Column(name, "number", np.zeros(len(series)), missing)
    if dtype == pl.Boolean:
        return Column(name, "boolean", _without_nulls(series, False).to_numpy(), missing)
    if dtype.is_float():
        cells = _without_nulls(series, 0.0).cast(pl.Float64).to_numpy()
        return Column(name, "number", cells, missing | np.isnan(cells))
    if dtype in _MACHINE_INTEGERS:
        return column_of_array(name, _without_nulls(series, 0).to_numpy(), missing)
    if isinstance(dtype, pl.Enum):
        column = _column_of_text(name, series.cast(pl.String), missing)
        return column.with_categories(dtype.categories.to_list(), ordered=False)
    if isinstance(dtype, pl.Categorical):
        series = series.cast(pl.String)
    elif dtype.is_temporal():
        sort = "time" if dtype == pl.Time else "duration" if dtype == pl.Duration else "date"
        return column_of_times(name, len(series), Times(sort, "polars"))
    elif dtype.is_nested() or dtype == pl.Binary:
        return unusable(name, len(series), str(dtype))
    if series.dtype == pl.String:
        return _column_of_text(name, series, missing)
    return column_of_objects(name, series.to_list(), missing)


def frame_of_arrow(table: Any) -> pl.DataFrame:
    """An Arrow table, or whatever gives one. Raises DataError E407, E408 and E410."""
    names = getattr(getattr(table, "schema", None), "names", ())
    check_names([] if callable(names) else names)
    try:
        return pl.DataFrame(table)
    except _POLARS_FAULTS as e:
        raise DataError(UNREADABLE_TABLE(what="Arrow table", reason=_first_line(e))) from e


def collected(frame: pl.LazyFrame) -> pl.DataFrame:
    """A lazy frame with its rows computed. Raises DataError E410 if that fails."""
    try:
        return frame.collect()
    except _POLARS_FAULTS as e:
        raise DataError(UNREADABLE_TABLE(what="lazy frame", reason=_first_line(e))) from e


def _column_of_text(name: str, series: pl.Series, missing: NDArray[np.bool_]) -> Column:
    """A column of texts. Equal texts are one object."""
    texts = series.drop_nulls().unique(maintain_order=True)
    if not 0 < 2 * len(texts) < len(series):
        return column_of_objects(name, series.to_list(), missing)
    distinct = column_of_objects(name, [None, *texts.to_list()])
    places = pl.Series(range(1, len(texts) + 1), dtype=pl.UInt32)
    codes = series.replace_strict(texts, places, default=0, return_dtype=pl.UInt32).to_numpy()
    return distinct.rows(codes)


def _without_nulls(series: pl.Series, value: float) -> pl.Series:
    return series.fill_null(value) if series.null_count() else series


def _bytes_of_text(content: bytes, width: int) -> int:
    """Bytes of a text and of its table of so many columns. Short cells take more than their text,
    and a blank line is a row."""
    return len(content) + _BYTES_PER_CELL * width * (content.count(b"\n") + 1)


def frame_bytes(frame: pl.DataFrame) -> int:
    """Bytes of a frame. Polars does not count the views of texts."""
    n_texts = sum(kind == pl.String for kind in frame.dtypes)
    return int(frame.estimated_size()) + _BYTES_PER_CELL * frame.height * n_texts


def read_arrow(path: Path) -> pl.DataFrame:
    """A table in an Arrow IPC file that polars wrote."""
    return pl.read_ipc(path)


def _unreadable(name: str, reason: BaseException) -> DataError:
    return DataError(NOT_SEPARATED_TEXT(path=name, reason=_first_line(reason)))


def _first_line(reason: BaseException) -> str:
    return (str(reason).splitlines() or [""])[0]


# --- separated text ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _TextFile:
    """A file by its bytes, which are UTF-8."""

    name: str
    content: bytes
    separator: str
    room: ReadingRoom

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Line number (from 1) and cells of each record, one at a time; a blank line has one cell
        or none."""
        lines = io.TextIOWrapper(io.BytesIO(self.content), encoding="utf-8", newline="")
        reader = csv.reader(lines, delimiter=self.separator)
        try:
            for i, cells in enumerate(reader):
                if i % _RECORDS == 0:
                    self.room.check_text(len(self.content))
                yield reader.line_num, cells
        except csv.Error as e:
            raise _unreadable(self.name, e) from e


def read_text(path: Path, content: bytes, separator: str, room: ReadingRoom) -> pl.DataFrame:
    """A table in separated text, UTF-8 without a mark of its byte order; raises DataError E403 to
    E409 as `slp.data.read_frame` does, and as `ReadingRoom`."""
    file = _TextFile(str(path), content, separator, room)
    names = _header(file)
    _check_separator(file)
    check_names(names)
    blank = _LEADING_BLANK_LINES.match(content)
    if blank is not None and blank.end():
        content = content[blank.end() :]
    room.check(_bytes_of_text(content, len(names)))
    try:
        frame = pl.read_csv(content, separator=file.separator, infer_schema_length=None)
    except _POLARS_FAULTS as e:
        _check_lines(file, len(names))
        raise _unreadable(file.name, e) from e
    if frame.width != len(names):
        _check_lines(file, len(names))
        raise _unreadable(file.name, ValueError("its header is not clear"))
    frame.columns = names
    # Short lines and blank ones leave the last cell empty.
    if frame.height and frame[names[-1]].null_count():
        frame = _without_blank_lines(frame, _check_lines(file, len(names)))
    return frame.with_columns(_retyped(s) for s in frame.get_columns() if s.dtype == pl.String)


def read_in_pieces(
    path: Path, separator: str, room: ReadingRoom, size: int = PIECE
) -> pl.DataFrame | None:
    """Does the same as `read_text`, but reads the file piece by piece: `size` bytes and the rest of
    a line. So memory holds only the columns and one piece of the text. Returns None where the text
    must be read as a whole: with quotes, nulls in the last column, one column, or any fault.

    Polars finds the types of columns in each piece. The type of a column is then what it would have
    found in the whole text: whole numbers among others are numbers, and what differs otherwise is
    text, for which the file is read once more.
    """
    try:
        names, frames = _read_pieces(path, separator, room, size)
        kinds = {name: _common_type([frame[name] for frame in frames]) for name in names}
        texts = [name for name, kind in kinds.items() if kind is None]
        as_texts = _read_pieces(path, separator, room, size, texts)[1] if texts else []
    except _LEFT_TO_THE_WHOLE:
        return None
    columns = []
    for name, kind in kinds.items():  # one after the other, so that only one is there twice
        room.check(0)
        parts = [frame.drop_in_place(name) for frame in (frames if kind else as_texts)]
        columns.append(pl.concat([p.cast(kind or pl.String) for p in parts], rechunk=True))
        for frame in frames if kind is None else ():
            frame.drop_in_place(name)
    return pl.DataFrame([_retyped(s) if s.dtype == pl.String else s for s in columns])


def _read_pieces(
    path: Path, separator: str, room: ReadingRoom, size: int, as_text: Sequence[str] | None = None
) -> tuple[list[str], list[pl.DataFrame]]:
    """The names of a file's columns, and a frame of each piece of its lines; of the columns
    `as_text` alone, as text, if they are given."""
    names: list[str] = []
    frames: list[pl.DataFrame] = []
    kept = 0
    for piece in _pieces(path, size, room):
        body = piece
        if not names:
            file = _TextFile(str(path), piece, separator, room)
            names = _header(file)
            _check_separator(file)
            check_names(names)
            body = _LEADING_BLANK_LINES.sub(b"", piece, count=1).partition(b"\n")[2]
        if b'"' in piece or len(names) < 2:
            raise _NotPlainError
        room.check(2 * kept + _bytes_of_text(piece, len(names)))  # a column is there twice
        piece.decode()
        if not body:
            continue
        own = {} if as_text is None else {name: pl.String for name in as_text}
        frame = pl.read_csv(
            body,
            has_header=False,
            separator=separator,
            infer_schema_length=None,
            new_columns=names,
            schema_overrides=own,
        )
        if frame.width != len(names) or frame[names[-1]].null_count():
            raise _NotPlainError
        frames.append(frame if as_text is None else frame.select(as_text))
        kept += frame_bytes(frames[-1])
    if not frames:
        raise _NotPlainError
    return names, frames


def _pieces(path: Path, size: int, room: ReadingRoom) -> Iterator[bytes]:
    opened = gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb")
    with cast(BinaryIO, opened) as file:
        piece = file.read(len(BOM_UTF8)).removeprefix(BOM_UTF8)
        while more := file.read(size):
            piece += more
            while not piece.endswith(b"\n") and (more := file.readline(size)):
                room.check_text(len(piece) + len(more))
                piece += more
            yield piece
            piece = b""


def _common_type(parts: Sequence[pl.Series]) -> type[pl.DataType] | None:
    """The type of a column that polars read in parts; None where it has to be read as text."""
    kinds = {part.dtype for part in parts if part.null_count() < len(part)}
    if not kinds <= _TYPES_OF_TEXT:
        raise _NotPlainError
    if len(kinds) <= 1:
        return kinds.pop().base_type() if kinds else pl.String
    return pl.Float64 if kinds == {pl.Int64, pl.Float64} else None


def _is_blank(cells: Sequence[str]) -> bool:
    """Whether a record is a blank line (`,` is none: it has two blank cells)."""
    return len(cells) <= 1 and not "".join(cells).strip()


def _header(file: _TextFile) -> list[str]:
    end = file.content.find(b"\n", len(file.content) - len(file.content.lstrip()))
    line = file.content if end < 0 else file.content[:end]
    file.room.check_columns(line.count(file.separator.encode()))
    first = next((cells for _, cells in file.records() if not _is_blank(cells)), None)
    if first is None:
        raise DataError(EMPTY_FILE(path=file.name))
    return [name.strip() for name in first]


def _check_separator(file: _TextFile) -> None:
    """Raise E409 if the header is one cell, and another separator parts it and the next line into
    equally many."""
    header, *rows = itertools.islice((r for _, r in file.records() if not _is_blank(r)), 2)
    lines = [file.separator.join(cells) for cells in (header, *rows)]
    for other in {";", "\t", ","} - {file.separator}:
        parts = {line.count(other) for line in lines}
        if len(header) == 1 and len(parts) == 1 and parts != {0}:
            found, wanted = repr(other), repr(file.separator)
            raise DataError(WRONG_SEPARATOR(path=file.name, found=found, wanted=wanted))


def _check_lines(file: _TextFile, width: int) -> NDArray[np.bool_]:
    """E405 for the first record that is too long or too short; else which records are blank."""
    body = itertools.dropwhile(lambda record: _is_blank(record[1]), file.records())
    blank = bytearray()
    for line, cells in itertools.islice(body, 1, None):
        blank.append(_is_blank(cells))
        if not blank[-1] and len(cells) != width:
            have = plural(len(cells), "cell")
            raise DataError(UNEQUAL_LINES(path=file.name, line=line, cells=have, width=width))
    return np.frombuffer(blank, np.bool_)


def _without_blank_lines(frame: pl.DataFrame, blank: NDArray[np.bool_]) -> pl.DataFrame:
    """In a table of one column a blank line is a missing cell."""
    if frame.width == 1 or len(blank) != frame.height:
        return frame
    return frame.filter(~blank)


def _retyped(series: pl.Series) -> pl.Series:
    """Text without spaces around it, blank ones null; as numbers if all cells are numbers."""
    texts = series.drop_nulls().unique()
    stripped = texts.str.strip_chars()
    if not stripped.equals(texts) or (texts == "").any():
        series = series.str.strip_chars().replace("", None)
    cells = stripped.filter(stripped != "").unique().to_list()
    numbers = {cell: read_number(cell) for cell in cells}
    if not cells or None in numbers.values():
        return series
    if all(_WHOLE.fullmatch(cell) for cell in cells):
        exact = {cell: int(cell) for cell in cells}
        return series.replace_strict(exact, return_dtype=pl.Int64)
    return series.replace_strict(numbers, return_dtype=pl.Float64)
