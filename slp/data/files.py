"""Reading a table from a file. polars reads it; what polars lets pass in silence is checked here.

polars renames columns of the same name, fills up short lines and makes rows of blank lines; and it
takes numbers padded with spaces, or `inf` among numbers, for text.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from slp.data.cells import read_number
from slp.data.frames import check_names
from slp.data.words import data_error, plural

__all__ = ["read_frame"]

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}
_LEADING_BLANK_LINES = re.compile(r"\A(?:[ \t]*\r?\n)+")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")  # surely an int64
_PARQUET = (".parquet", ".pq")
_POLARS_FAULTS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


def read_frame(path: str | Path) -> pl.DataFrame:
    """Read a table with a header line from `.csv`, `.tsv` (each also with `.gz`) or `.parquet`.

    Text is UTF-8. Cells and names are stripped of spaces around them; blank cells are missing; a
    column of text is numeric if all its cells are numbers (`inf` is one, `nan` is missing).

    Raises
    ------
    DataError
        E401 cannot be read, E402 unknown kind of file, E403 empty, E404 no rows, E405 lines of
        unequal length, E406 not UTF-8, E407 and E408 column names, E409 not what its name says.
    """
    path = Path(path)
    name = path.name.lower()
    separator = next((s for end, s in _SEPARATORS.items() if name.endswith(end)), None)
    if separator is None and not name.endswith(_PARQUET):
        raise data_error(
            "E402",
            f"{path}: unknown kind of file",
            "name it .csv, .tsv, .csv.gz, .tsv.gz or .parquet, as what it is",
        )
    content = _read_bytes(path)
    if not content:
        raise data_error("E403", f"{path} is empty", _EXPECTED)
    if separator is None:
        frame = _read_parquet(path, content)
    else:
        frame = _read_text(_TextFile(str(path), _decode(path, content), separator))
    if frame.height == 0:
        raise data_error("E404", f"{path} has a header but no rows", _EXPECTED)
    return frame


_EXPECTED = "the table needs a line of column names and at least one row"


def _read_bytes(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or str(e)
        raise data_error("E401", f"cannot read {path}: {reason}") from e
    if not path.name.lower().endswith(".gz") or not content:
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as e:
        message = f"{path} is not gzip-compressed, or is damaged: {e}"
        raise data_error("E409", message, "if it is plain text, drop .gz from its name") from e


def _read_parquet(path: Path, content: bytes) -> pl.DataFrame:
    try:
        frame = pl.read_parquet(io.BytesIO(content))
    except _POLARS_FAULTS as e:
        raise _unreadable(str(path), "Parquet", e) from e
    check_names(frame.columns)
    return frame


def _unreadable(name: str, kind: str, reason: BaseException) -> Exception:
    first_line = (str(reason).splitlines() or [""])[0]
    return data_error("E409", f"{name} cannot be read as {kind}: {first_line}")


def _decode(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = content.count(b"\n", 0, e.start) + 1
        message = f"{path} is not UTF-8 text (line {line}, byte {e.start})"
        raise data_error("E406", message, "save the file as UTF-8") from e


# --- separated text ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _TextFile:
    name: str
    text: str
    separator: str

    def records(self) -> Sequence[tuple[int, list[str]]]:
        """Line number (from 1) and cells of each record; a blank line has one cell or none."""
        reader = csv.reader(io.StringIO(self.text, newline=""), delimiter=self.separator)
        try:
            return [(reader.line_num, cells) for cells in reader]
        except csv.Error as e:
            raise _unreadable(self.name, "separated text", e) from e


def _read_text(file: _TextFile) -> pl.DataFrame:
    names = _header(file)
    check_names(names)
    text = _LEADING_BLANK_LINES.sub("", file.text)
    try:
        frame = pl.read_csv(text.encode(), separator=file.separator, infer_schema_length=None)
    except _POLARS_FAULTS as e:
        _check_lines(file, len(names))
        raise _unreadable(file.name, "separated text", e) from e
    if frame.width != len(names):
        _check_lines(file, len(names))
        raise _unreadable(file.name, "separated text", ValueError("its header is not clear"))
    frame.columns = names
    # Short lines and blank ones leave the last cell empty.
    if frame.height and frame[names[-1]].null_count():
        frame = _without_blank_lines(frame, _check_lines(file, len(names)))
    return frame.with_columns(_retyped(s) for s in frame.get_columns() if s.dtype == pl.String)


def _is_blank(cells: Sequence[str]) -> bool:
    """Whether a record is a blank line (`,` is none: it has two blank cells)."""
    return len(cells) <= 1 and not "".join(cells).strip()


def _header(file: _TextFile) -> list[str]:
    reader = csv.reader(io.StringIO(file.text, newline=""), delimiter=file.separator)
    try:
        first = next(itertools.dropwhile(_is_blank, reader), None)
    except csv.Error as e:
        raise _unreadable(file.name, "separated text", e) from e
    if first is None:
        raise data_error("E403", f"{file.name} is empty", _EXPECTED)
    return [name.strip() for name in first]


def _check_lines(file: _TextFile, width: int) -> list[bool]:
    """E405 for the first record that is too long or too short; else which records are blank."""
    body = list(itertools.dropwhile(lambda record: _is_blank(record[1]), file.records()))[1:]
    for line, cells in body:
        if not _is_blank(cells) and len(cells) != width:
            have = plural(len(cells), "cell")
            message = f"{file.name}, line {line}: {have}, but the header has {width}"
            help = "give every line one cell for each column; quote cells that hold separators"
            raise data_error("E405", message, help)
    return [_is_blank(cells) for _, cells in body]


def _without_blank_lines(frame: pl.DataFrame, blank: Sequence[bool]) -> pl.DataFrame:
    """In a table of one column a blank line is a missing cell."""
    if frame.width == 1 or len(blank) != frame.height:
        return frame
    return frame.filter(~np.array(blank))


def _retyped(series: pl.Series) -> pl.Series:
    """Text without spaces around it, blank ones null; as numbers if all cells are numbers."""
    series = series.str.strip_chars().replace("", None)
    cells = series.drop_nulls().unique().to_list()
    numbers = {cell: read_number(cell) for cell in cells}
    if not cells or None in numbers.values():
        return series
    if all(_WHOLE.fullmatch(cell) for cell in cells):
        exact = {cell: int(cell) for cell in cells}
        return series.replace_strict(exact, return_dtype=pl.Int64)
    return series.replace_strict(numbers, return_dtype=pl.Float64)
