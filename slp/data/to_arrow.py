"""Reads Parquet from standard input and writes it as Arrow IPC to a file: the program of a child
process.

`slp.data.parquet` starts it, with the name of the file to write, the bytes of memory that there
are, and the folders in which modules are looked for. Exit code 0: the file is complete. Exit code
4: the cells take more memory, standard output has the bytes. Exit code 3: the table cannot be read;
standard output has the name of the first column that cannot, or nothing if the list of columns
cannot. The messages of polars are about its own code and are not shown.
"""

from __future__ import annotations

import io
import sys
from typing import Any


def main(target: str, memory: str, *folders: str) -> int:
    """Exit code; see the module."""
    sys.path[:] = folders
    import polars  # late: its folder is known now

    content = sys.stdin.buffer.read()
    try:
        need = _least_bytes(polars, content)
        if need > int(memory):
            sys.stdout.write(str(need))
            return 4
        frame = polars.read_parquet(io.BytesIO(content))
    except BaseException:  # polars raises a panic that is not an Exception
        sys.stdout.buffer.write(_unreadable_column(polars, content).encode(errors="replace"))
        return 3
    frame.write_ipc(target)
    return 0


def _least_bytes(polars: Any, content: bytes) -> int:
    """Bytes that the table takes at least, by the numbers of its rows and columns: a file of equal
    cells is short, however many they are."""
    frame = polars.scan_parquet(io.BytesIO(content))
    rows = frame.select(polars.len()).collect().item()
    return int(rows) * sum(map(_bytes_per_cell, frame.collect_schema().dtypes()))


def _bytes_per_cell(dtype: Any) -> int:
    if dtype.is_numeric() or dtype.is_temporal():
        return 8
    return 1 if dtype.base_type().__name__ in ("Boolean", "Null") else 16


def _unreadable_column(polars: Any, content: bytes) -> str:
    try:
        names = list(polars.read_parquet_schema(io.BytesIO(content)))
    except BaseException:
        return ""
    for name in names:
        try:
            polars.read_parquet(io.BytesIO(content), columns=[name])
        except BaseException:
            return str(name)
    return ""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
