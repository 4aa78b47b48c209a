"""Reading a table from a file: the kind of file, its bytes and its text.

`slp.data.polars_frames` reads the content, `slp.data.small_text` that of small plain files, and
`slp.data.parquet` that of Parquet.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import zlib
from codecs import BOM_UTF8, getincrementaldecoder
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from slp.budgets import ReadingRoom, memory_budget
from slp.data.cells import read_number
from slp.data.code_pages import give_back_code
from slp.data.frames import Frame, frame_or_empty
from slp.data.parquet import read_parquet
from slp.data.small_text import MOST_BYTES, find_columns
from slp.data.words import listed
from slp.errors import DataError, warn
from slp.late import late_import
from slp.messages.table_files import (
    EMPTY_FILE,
    FILE_WITHOUT_ROWS,
    NOT_GZIP,
    NUMBERS_AS_NAMES,
    PRIOR_AS_TABLE,
    PROGRAM_AS_TABLE,
    TABLE_NOT_READ,
    TABLE_NOT_UTF8,
    UNKNOWN_KIND_OF_FILE,
)
from slp.resources import prior_names

if TYPE_CHECKING:
    import polars as pl

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}
_PARQUET = (".parquet", ".pq")
_PIECE = 1 << 20  # bytes decoded together
_LARGE = 1 << 25  # bytes of a file that is read in pieces


def read_columns(path: str | Path, *, rows: bool = True, memory: int | str | None = None) -> Frame:
    """The columns of the frame of `read_frame`. Small plain text is read without polars. With
    `rows` False the file may have no rows. `memory`: the budget (None: half of the free memory).

    Raises
    ------
    DataError, BudgetError, TimeOverError
        As `read_frame`.
    """
    path = Path(path)
    separator, room = _separator(path), _room(path, memory)
    if separator is None:
        return _columns_of(path, read_parquet(path, room), rows, room)
    large = _read_large(path, separator, room)
    if large is not None:
        return _with_names(path, _columns_of(path, large, rows, room))
    content = _read_bytes(path, room)
    if len(content) <= MOST_BYTES:
        columns = find_columns(_decode(path, content), separator)
        if columns is not None:
            return _with_names(path, columns)
    frame = _frame_of_text(path, separator, content, room)
    return _with_names(path, _columns_of(path, frame, rows, room))


def _room(path: Path, memory: int | str | None) -> ReadingRoom:
    """The room for a file. Its size is checked first: that of text, or of packed columns, which
    are larger when they are read."""
    room = ReadingRoom(str(path), memory_budget(memory))
    with suppress(OSError, ValueError):  # reading says why
        size = path.stat().st_size
        if _is_packed(path) or path.name.lower().endswith(_PARQUET):
            room.check(size)
        else:
            room.check_text(size)
    return room


def _columns_of(path: Path, frame: pl.DataFrame, rows: bool, room: ReadingRoom) -> Frame:
    """The columns of what polars has read, whose code is needed no more."""
    room.check(2 * late_import("slp.data.polars_frames").frame_bytes(frame))
    columns = frame_or_empty(_checked(path, frame) if rows else frame)
    give_back_code("polars")
    return columns


def _with_names(path: Path, frame: Frame) -> Frame:
    """The frame, with a warning if its first line seems to be a row (W407)."""
    numbers = [name for name in frame.names if read_number(name) is not None]
    if len(numbers) > len(frame.names) / 2:
        warn(NUMBERS_AS_NAMES(path=path, names=listed(numbers)))
    return frame


def read_frame(path: str | Path, *, memory: int | str | None = None) -> pl.DataFrame:
    """Read a table with a header line from `.csv`, `.tsv` (each also with `.gz`) or `.parquet`.

    Text is UTF-8. Cells and names are stripped of spaces around them; blank cells are missing; a
    column of text is numeric if all its cells are numbers (`inf` is one, `nan` is missing).
    `memory`: the budget (None: half of the free memory).

    Raises
    ------
    BudgetError
        E501: the table does not fit into the memory.
    TimeOverError
        E540: the deadline that is held is over (`slp.budgets.held`).
    DataError
        E401 cannot be read, E402 unknown kind of file, E403 empty, E404 no rows, E405 lines of
        unequal length, E406 not UTF-8, E407 and E408 column names, E409 not what its name says.
    """
    path = Path(path)
    separator, room = _separator(path), _room(path, memory)
    if separator is None:
        return _checked(path, read_parquet(path, room))
    large = _read_large(path, separator, room)
    if large is None:
        large = _frame_of_text(path, separator, _read_bytes(path, room), room)
    return _checked(path, large)


def _separator(path: Path) -> str | None:
    """The separator of cells in a file of that name; None for Parquet."""
    name = path.name.lower()
    separator = next((s for end, s in _SEPARATORS.items() if name.endswith(end)), None)
    if name.endswith(".slp"):
        raise DataError(PROGRAM_AS_TABLE(path=path))
    if name in (*prior_names(), "edittree") and not path.exists():
        raise DataError(PRIOR_AS_TABLE(path=path))
    if path.is_dir():
        raise DataError(TABLE_NOT_READ(path=path, reason=os.strerror(errno.EISDIR)))
    if separator is None and not name.endswith(_PARQUET):
        raise DataError(UNKNOWN_KIND_OF_FILE(path=path))
    return separator


def _is_packed(path: Path) -> bool:
    return path.name.lower().endswith(".gz")


def _read_large(path: Path, separator: str, room: ReadingRoom) -> pl.DataFrame | None:
    """The frame of a large file that can be read in pieces."""
    try:
        if (_size_unpacked(path) if _is_packed(path) else path.stat().st_size) < _LARGE:
            return None
    except (OSError, ValueError):
        return None  # reading says why
    found: pl.DataFrame | None
    found = late_import("slp.data.polars_frames").read_in_pieces(path, separator, room)
    return found


def _size_unpacked(path: Path) -> int:
    """The size at the end of a gzip file, modulo 2^32 (RFC 1952). It may be wrong."""
    with path.open("rb") as file:
        file.seek(-4, os.SEEK_END)
        return int.from_bytes(file.read(4), "little")


def _frame_of_text(path: Path, separator: str, content: bytes, room: ReadingRoom) -> pl.DataFrame:
    if not content:
        raise DataError(EMPTY_FILE(path=path))
    _check_text(path, content, room)
    # Late: polars takes longer to import than all of slp.
    polars_frames = late_import("slp.data.polars_frames")
    frame: pl.DataFrame
    frame = polars_frames.read_text(path, content.removeprefix(BOM_UTF8), separator, room)
    return frame


def _checked(path: Path, frame: pl.DataFrame) -> pl.DataFrame:
    if frame.height == 0:
        raise DataError(FILE_WITHOUT_ROWS(path=path))
    return frame


def _read_bytes(path: Path, room: ReadingRoom) -> bytes:
    try:
        with path.open("rb") as file:
            content = _read_checked(file, room)
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or str(e)
        raise DataError(TABLE_NOT_READ(path=path, reason=reason)) from e
    if not _is_packed(path) or not content:
        return content
    try:
        with gzip.open(io.BytesIO(content)) as unpacked:
            return _read_checked(unpacked, room)
    except (OSError, EOFError, zlib.error) as e:
        raise DataError(NOT_GZIP(path=path, reason=e)) from e


def _read_checked(file: IO[bytes] | gzip.GzipFile, room: ReadingRoom) -> bytes:
    """All bytes, with a look at the room and the time for each piece."""
    content = bytearray()
    while piece := file.read(_PIECE):
        room.check_text(len(content) + len(piece))
        content += piece
    return bytes(content)


def _check_text(path: Path, content: bytes, room: ReadingRoom) -> None:
    """Raise E406 unless it is UTF-8. A large file is not decoded as a whole, because the text would
    need as much memory again."""
    decoder = getincrementaldecoder("utf-8")()
    try:
        for a in range(0, len(content), _PIECE):
            room.check_text(len(content))
            decoder.decode(content[a : a + _PIECE], final=a + _PIECE >= len(content))
    except UnicodeDecodeError:
        _decode(path, content)  # says where


def _decode(path: Path, content: bytes) -> str:
    text = content.removeprefix(BOM_UTF8)
    try:
        return text.decode()
    except UnicodeDecodeError as e:
        line = text.count(b"\n", 0, e.start) + 1
        place = len(content) - len(text) + e.start
        raise DataError(TABLE_NOT_UTF8(path=path, line=line, byte=place)) from e
