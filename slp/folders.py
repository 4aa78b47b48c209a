"""The files that a program may use, and how files are opened.

Entry points: `Folders` (folders that a program's `use` and trees may refer to), `folders_of` (from
the arguments of a caller), `open_regular` (opens regular files only), `check_regular` (refuses
other kinds).

A program may come from a stranger. It can name files only below the folder of the program that the
user named, or below the folders that the user included. The names must have the extension of their
kind.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from slp.errors import ProgramError, UsageError
from slp.messages.commands import NO_FOLDER
from slp.messages.files import NO_FOLDER_OF_TEXT, NULL_IN_NAME, OUTSIDE_FOLDER, WRONG_ENDING

__all__ = ["Folders", "RefusedError", "check_regular", "folders_of", "included", "open_regular"]

#: Flags for opening. If a pipe has replaced the file, opening does not block.
_CAREFULLY = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC"))

_KINDS = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISFIFO, "it is a pipe"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
    (stat.S_ISSOCK, "it is a socket"),
)


class RefusedError(ProgramError):
    """E166: a program names a file that it is not allowed to name."""


@dataclass(frozen=True)
class Folders:
    """The folders of the files that a program may name.

    Attributes
    ----------
    own : names are looked up here first: the folder of the file that contains them; None for text
        without a file.
    root : the folder of the program that the user named, None for text.
    include : the folders that the user included; names are looked up here next.
    """

    own: Path | None = None
    root: Path | None = None
    include: tuple[Path, ...] = ()

    def find(self, name: str, suffix: str) -> tuple[Path, Path]:
        """The path of a file that a program names, and the same path without symbolic links, to be
        used for opening. Whether a file exists is revealed only for allowed paths.

        Raises
        ------
        RefusedError
            The name is not allowed: it does not end in `suffix`, or leads out of the folders
            (symbolic links are followed first).
        """
        if "\0" in name:
            raise RefusedError(NULL_IN_NAME(name=name))
        if not name.endswith(suffix):
            raise RefusedError(WRONG_ENDING(name=name, ending=suffix))
        bases = (*([] if self.own is None else [self.own]), *self.include)
        if not bases:
            raise RefusedError(NO_FOLDER_OF_TEXT(name=name))
        found = [(base / name, Path(os.path.realpath(base / name))) for base in bases]
        allowed = [(path, real) for path, real in found if self._allows(real, suffix)]
        if not allowed:
            raise RefusedError(OUTSIDE_FOLDER(name=name))
        return next((pair for pair in allowed if os.path.exists(pair[1])), allowed[0])

    def _allows(self, real: Path, suffix: str) -> bool:
        folders = (*([] if self.root is None else [self.root]), *self.include)
        return real.suffix == suffix and any(
            real.is_relative_to(os.path.realpath(folder)) for folder in folders
        )

    def beside(self, path: Path) -> Folders:
        """The folders for a file that is used by this one."""
        return replace(self, own=path.parent)


def folders_of(path: str | Path, include: str | Path | Iterable[str | Path]) -> Folders:
    """The folders for a program in a file.

    Raises
    ------
    UsageError
        E725: one of `include` is no folder.
    """
    folder = Path(path).parent
    return Folders(folder, folder, included(include))


def included(include: str | Path | Iterable[str | Path]) -> tuple[Path, ...]:
    """The folders that a user includes. Raises as `folders_of`."""
    folders = [include] if isinstance(include, str | Path) else list(include)
    for folder in folders:
        if not os.path.isdir(folder):
            raise UsageError(NO_FOLDER(folder=folder))
    return tuple(map(Path, folders))


def open_regular(path: str | Path, *, follow: bool = True) -> int:
    """A descriptor of a regular file, open for reading. Other kinds of files are not read, and
    opening them does not block. Without `follow`, a symbolic link is refused.

    Raises
    ------
    OSError
        As `os.open`, or it is no regular file.
    ValueError
        The name is invalid, such as one with a null character.
    """
    check_regular(os.stat(path, follow_symlinks=follow).st_mode)
    flags = os.O_RDONLY | _CAREFULLY | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
    descriptor = os.open(path, flags)
    try:
        check_regular(os.fstat(descriptor).st_mode)  # again: it may have been replaced
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def check_regular(mode: int) -> None:
    """Raise OSError (EINVAL), with the kind of file in words, unless a mode is that of a regular
    file."""
    if stat.S_ISREG(mode):
        return
    kind = next((words for holds, words in _KINDS if holds(mode)), "it is something else")
    raise OSError(errno.EINVAL, f"{kind}, where a file is needed")
