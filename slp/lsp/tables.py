"""The table of a program: named by a comment `% data: patients.csv`, or by a setting of the editor.

The comment names a file in or below the folder of the program, as `use` does. Of a large table the
first rows alone are read.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

from slp.data import Column, numbers_of, read_columns, read_head
from slp.errors import Diagnostic, SlpError, SlpWarning
from slp.folders import Folders
from slp.messages.names import plural
from slp.messages.numbers import interval_text
from slp.source import SourceFile, SourceSpan, visible
from slp.syntax import parse_recovering

#: Bytes of the largest file of which all rows are read.
MOST_BYTES = 1 << 21
#: A packed file may be many times as large when it is read.
_PACKED = 20

#: Endings of the names of tables; the first one stands for all in messages.
ENDINGS = (".csv", ".tsv", ".gz", ".parquet", ".pq")
#: Number of values of a column, and of characters of each, that are shown.
_SHOWN, _LONGEST = 8, 30
_NAMED = re.compile(r"%+\s*data:\s*(\S.*?)\s*")


@dataclass(frozen=True)
class ReadTable:
    """What was read of a table: its columns (a frame of `slp.data`; None where nothing could be
    read), whether these have all rows, and what was found in it."""

    frame: Any
    whole: bool
    found: tuple[Diagnostic, ...] = ()


def named_in(source: SourceFile) -> tuple[str, SourceSpan] | None:
    """The name of the table in the first comment that names one, and the comment's place."""
    for comment in parse_recovering(source)[0].comments:
        named = _NAMED.fullmatch(comment.text)
        if named is not None:
            return named[1], comment.span
    return None


def find_table(folders: Folders, name: str) -> Path:
    """The path of a table, without symbolic links.

    Raises
    ------
    RefusedError
        It does not lie in or below the folder, or its name is not that of a table.
    """
    ending = PurePath(name).suffix
    _, real = folders.find(name, ending if ending in ENDINGS else ENDINGS[0])
    return real


def read_table(path: Path) -> ReadTable:
    """What a file has. It is read again only where it has changed."""
    try:
        state = path.stat()
    except OSError:
        return _read(path, 0, 0)  # reading says why
    return _read(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=4)
def _read(path: Path, size: int, changed: int) -> ReadTable:
    packed = path.suffix not in (".csv", ".tsv")
    if size * (_PACKED if packed else 1) > MOST_BYTES:
        return ReadTable(read_head(path), whole=False)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", SlpWarning)
        try:
            frame = read_columns(path)
        except SlpError as e:
            return ReadTable(None, True, tuple(e.diagnostics))
    return ReadTable(frame, True, _diagnostics(warned))


def columns_in_words(table: ReadTable) -> dict[str, str]:
    """What each column has: `numbers, 3 to 72, 6 different values`, `text, 2 different values: no,
    yes`."""
    if table.frame is None:
        return {}
    part = "" if table.whole else " (in the first rows)"
    return {column.name: f"{_in_words(column)}{part}" for column in table.frame.columns}


def _in_words(column: Column) -> str:
    if column.kind == "unusable":
        return f"values of the type {column.type_name}, which is not used"
    missing = int(column.missing.sum())
    missed = f", {missing} missing" if missing else ""
    if column.kind == "number":
        numbers, _ = numbers_of(column)
        present = numbers[~column.missing]
        if not len(present):
            return f"numbers{missed}"
        ends = interval_text(float(present.min()), float(present.max()))
        return f"numbers, {ends}, {plural(len(set(present.tolist())), 'different value')}{missed}"
    values = sorted({str(cell) for cell in column.cells[~column.missing].tolist()})
    shown = [visible(value[:_LONGEST]) for value in values[:_SHOWN]]
    more = ", ..." if len(values) > _SHOWN else ""
    kind = "text" if column.kind == "text" else "truth values"
    return f"{kind}, {plural(len(values), 'different value')}: {', '.join(shown)}{more}{missed}"


def _diagnostics(warned: Iterable[warnings.WarningMessage]) -> tuple[Diagnostic, ...]:
    return tuple(w.message.diagnostic for w in warned if isinstance(w.message, SlpWarning))
