"""Reads Parquet from standard input and writes it as Arrow IPC to a file: the program of a child
process.

`slp.data.parquet` starts it, with the name of the file to write and the folders in which modules
are looked for. Exit code 0: the file is complete. Exit code 3: standard output has the error.
"""

from __future__ import annotations

import io
import sys


def main(target: str, *folders: str) -> int:
    """Exit code; see the module."""
    sys.path[:] = folders
    import polars  # late: its folder is known now

    try:
        polars.read_parquet(io.BytesIO(sys.stdin.buffer.read())).write_ipc(target)
    except BaseException as e:  # polars raises a panic that is not an Exception
        sys.stdout.buffer.write((str(e).splitlines() or [""])[0].encode(errors="replace"))
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
