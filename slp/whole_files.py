"""Files that are written whole or not at all: every file that slp writes for a user.

Entry points: `whole_file`, and `cannot_write`, the error of a file that cannot be written.

The content goes into a file of a name of its own beside the target, which replaces the target at
the end. The writer holds a lock (flock) on that file, which the system frees when the writer dies.
So the next writer in the folder knows the files that killed runs have left, and removes them.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from slp.errors import SlpError, UsageError
from slp.folders import check_regular
from slp.messages.commands import FILE_NOT_WRITTEN

__all__ = ["cannot_write", "whole_file"]

# Locks of one machine need not hold on another one that shares the folder, so files have the name
# of their machine.
_OURS = f".slp-{hashlib.sha256(platform.node().encode()).hexdigest()[:8]}-"
_UNFINISHED = re.compile(re.escape(_OURS) + r"[0-9a-f]{16}\.part")


def cannot_write(path: str | Path, error: OSError) -> UsageError:
    """E701: the file cannot be written."""
    return UsageError(FILE_NOT_WRITTEN(path=path, reason=error.strerror))


@contextmanager
def whole_file(
    path: str | Path,
    *,
    streams: bool = False,
    fault: Callable[[str | Path, OSError], SlpError] = cannot_write,
) -> Iterator[IO[bytes]]:
    """Open a file to replace it: after a kill it is the old file or the new one. A symbolic link
    stays, and the file that it points to is replaced.

    With `streams`, what is no regular file (a device or a pipe, such as /dev/stdout), and the file
    that standard output or standard error goes to, is written directly.

    Raises
    ------
    SlpError
        What `fault` makes of the operating system's error (E701 unless told otherwise): it cannot
        be written, or it is no regular file (without `streams`). The old file, if there is one, is
        as it was.
    """
    try:
        with _replaced(path, streams) as file:
            yield file
    except OSError as e:
        raise fault(path, e) from e


@contextmanager
def _replaced(path: str | Path, streams: bool) -> Iterator[IO[bytes]]:
    found = _stat(path)
    if streams and found is not None and not stat.S_ISDIR(found.st_mode):
        standard = _standard_stream(found)
        if standard is not None or not stat.S_ISREG(found.st_mode):
            with open(path if standard is None else standard, "wb") as file:
                yield file
            return
    if found is not None:
        check_regular(found.st_mode)
    target = Path(os.path.realpath(path))
    _remove_unfinished(target.parent)
    with _locked_beside(target) as (file, beside):
        yield file
        file.flush()
        os.fsync(file.fileno())
        beside.replace(target)


def _stat(path: str | Path) -> os.stat_result | None:
    """None for a file that is not there yet."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _standard_stream(file: os.stat_result) -> int | None:
    """A new descriptor of the standard stream that goes to this file. If the file were replaced,
    what the stream gets later would be lost."""
    for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
        with suppress(OSError):
            if os.path.samestat(file, os.fstat(number)):
                stream.flush()
                return os.dup(number)
    return None


@contextmanager
def _locked_beside(target: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """A new file in the target's folder, with its path. It is removed unless it is renamed."""
    file, beside = _new_file(target.parent)
    try:
        with file:
            yield file, beside
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def _new_file(folder: Path) -> tuple[IO[bytes], Path]:
    while True:
        beside = folder / f"{_OURS}{secrets.token_hex(8)}.part"
        file = beside.open("xb")
        if _lock(file.fileno()) is not False and _is_at(file.fileno(), beside):
            return file, beside
        file.close()  # another writer took it for the file of a killed run


def _lock(descriptor: int) -> bool | None:
    """Whether the lock is ours now; None if the file system has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the open file still has this name."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False


def _remove_unfinished(folder: Path) -> None:
    """Remove the files of ours that no process writes any more. What cannot be removed stays."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _UNFINISHED.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_if_left(Path(entry.path))


def _remove_if_left(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
        if ours and _lock(descriptor) and _is_at(descriptor, path):
            path.unlink()
    finally:
        os.close(descriptor)
