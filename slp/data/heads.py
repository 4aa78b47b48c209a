"""The first rows of a table in text, for whoever must not wait for all of them."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from slp.data.frames import Frame
from slp.data.small_text import MOST_BYTES, find_columns

_SEPARATORS = {".csv": ",", ".tsv": "\t"}


def read_head(path: str | Path) -> Frame | None:
    """The table in the first 64 KiB of a file, whole lines alone. None if it is no CSV or TSV,
    cannot be read, or has quotes or other characters that `small_text` leaves to polars."""
    path = Path(path)
    packed = path.suffix == ".gz"
    separator = _SEPARATORS.get(Path(path.stem).suffix if packed else path.suffix)
    if separator is None or not path.is_file():  # a pipe would wait
        return None
    try:
        with open(path, "rb") as file:
            stream = gzip.GzipFile(fileobj=file) if packed else file
            text = stream.read(MOST_BYTES).decode("utf-8-sig", errors="replace")
    except (OSError, EOFError, zlib.error):
        return None
    whole, line_end, _ = text.rpartition("\n")
    return find_columns(whole + line_end, separator)
