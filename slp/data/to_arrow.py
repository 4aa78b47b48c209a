"""Reads Parquet from standard input and writes it as Arrow IPC to a file: the program of a child
process.

`slp.data.parquet` starts it, with the name of the file to write and the folders in which modules
are looked for. Exit code 0: the file is complete. Exit code 3: the table cannot be read; standard
output has the name of the first column that cannot, or nothing if the list of columns cannot. The
messages of polars are about its own code and are not shown.
"""

from __future__ import annotations

import io
import sys
from typing import Any


def main(target: str, *folders: str) -> int:
    """Exit code; see the module."""
    sys.path[:] = folders
    import polars  # late: its folder is known now

    content = sys.stdin.buffer.read()
    try:
        frame = polars.read_parquet(io.BytesIO(content))
    except BaseException:  # polars raises a panic that is not an Exception
        sys.stdout.buffer.write(_unreadable_column(polars, content).encode(errors="replace"))
        return 3
    frame.write_ipc(target)
    return 0


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
