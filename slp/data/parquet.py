"""Tables in Parquet, read in a child process.

On damaged files the readers of polars panic, which prints a backtrace, or abort the process. Here
both end only the child process, and the user sees one error. docs/design/large-tables.md has the
cost, and the alternatives that were refused.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from slp.budgets import ReadingRoom
from slp.errors import DataError, Diagnostic
from slp.late import late_import
from slp.messages.table_files import (
    EMPTY_FILE,
    NO_END_OF_PARQUET,
    NOT_PARQUET,
    PARQUET_COLUMN_DAMAGED,
    PARQUET_COLUMNS_DAMAGED,
    PARQUET_READER_FAILED,
    TABLE_NOT_READ,
)

if TYPE_CHECKING:
    import polars as pl

_CHILD = Path(__file__).with_name("to_arrow.py")
_SAID_WHERE, _TOO_LARGE = 3, 4
_LOOK_SECONDS = 0.05
#: Bytes of an interpreter with polars, which are not part of a budget.
_INTERPRETER = 150 << 20
_MARK = b"PAR1"  # a Parquet file begins and ends with it


def read_parquet(path: Path, room: ReadingRoom) -> pl.DataFrame:
    """The table in a Parquet file. The child ends where it takes more memory than there is room
    for, or the time is over.

    Raises
    ------
    DataError
        E401 it cannot be read, or no process be started; E403 it is empty; E409 it is damaged, or
        no Parquet.
    BudgetError, TimeOverError
        As `ReadingRoom`.
    """
    with tempfile.TemporaryDirectory(prefix="slp-", ignore_cleanup_errors=True) as folder:
        target = Path(folder) / "table.arrow"
        with _start(path, target, room.memory) as child:
            try:
                # Late: polars is as slow to import here as in the child.
                polars_frames = late_import("slp.data.polars_frames")
                said = _output(child, room)
            except BaseException:
                child.kill()
                raise
        if child.returncode == _TOO_LARGE:
            room.check(int(said))
        if child.returncode != 0:
            raise DataError(_fault(path, child.returncode, said.decode()))
        frame: pl.DataFrame = polars_frames.read_arrow(target)
        return frame


def _output(child: subprocess.Popen[bytes], room: ReadingRoom) -> bytes:
    """What the child prints until its end, a few bytes. Its memory counts as ours."""
    while True:
        try:
            return child.communicate(timeout=_LOOK_SECONDS)[0]
        except subprocess.TimeoutExpired:
            room.check(max(0, _resident(child.pid) - _INTERPRETER))


def _resident(process: int) -> int:
    """Bytes of memory of a process; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _fault(path: Path, code: int, column: str) -> Diagnostic:
    """The message for a file that the child did not read; `column` is the child's output."""
    with path.open("rb") as content:
        first = content.read(len(_MARK))
        content.seek(-len(first), os.SEEK_END)
        last = content.read()
    if first != _MARK:
        return NOT_PARQUET(path=path)
    if last != _MARK:
        return NO_END_OF_PARQUET(path=path)
    if code != _SAID_WHERE:
        return PARQUET_READER_FAILED(path=path)
    if not column:
        return PARQUET_COLUMNS_DAMAGED(path=path)
    return PARQUET_COLUMN_DAMAGED(path=path, name=column)


def _start(path: Path, target: Path, memory: int) -> subprocess.Popen[bytes]:
    """The process that reads `path` and writes `target`."""
    try:
        with path.open("rb", buffering=0) as source:  # the child continues reading at our position
            if not source.read(1):
                raise DataError(EMPTY_FILE(path=path))
            source.seek(0)
            return subprocess.Popen(
                [_python(), "-I", str(_CHILD), str(target), str(memory), *sys.path],
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
    except DataError:  # a ValueError too
        raise
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or str(e)
        raise DataError(TABLE_NOT_READ(path=path, reason=reason)) from e


def _python() -> str:
    """The interpreter that runs this process. If another program embeds Python, the interpreter of
    that installation."""
    own = Path(sys.executable or "")
    if own.name.lower().startswith(("python", "pypy")):
        return str(own)
    name = f"python{sysconfig.get_python_version()}{sysconfig.get_config_var('EXE') or ''}"
    return str(Path(sysconfig.get_config_var("BINDIR") or "") / name)
