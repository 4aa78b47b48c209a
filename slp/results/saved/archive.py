"""The file of a saved run: a zip of JSON and NPY members, none compressed, the manifest first.

    manifest.json   format, version of slp, what was run, and bytes and digest of each other member;
                    `digest` is the SHA-256 of the manifest without it, as JSON with sorted keys
    *.json          see `slp.results.saved.save`
    *.npy           arrays of NumPy, format 1.0, little-endian, rows first

A saved run is data from anywhere, so reading trusts nothing. Nothing is unpacked to disk and
nothing is unpickled. What a member claims is compared with the bytes that are there before memory
is taken for it, and the members together are no larger than the file.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.budgets.memory import format_bytes
from slp.errors import BudgetError, SlpError
from slp.folders import open_regular
from slp.messages.inference import SAVED_RUN_TOO_LARGE
from slp.messages.saved import NEWER_RUN, NO_SAVED_RUN, RUN_TOO_LARGE
from slp.version import __version__
from slp.whole_files import whole_file

#: The format that is written. All formats from 1 to this one are read.
FORMAT = 2
#: Largest file in bytes, largest number of members, and most bytes of the list of them.
_MOST_BYTES, _MOST_MEMBERS, _MOST_LISTED = 2**31, 64, 2**16
_MANIFEST = "manifest.json"
#: The most bytes in memory for a byte of JSON, and for a byte of an array; and measured ones for a
#: byte of the features of nodes, which become trees in Python, and of leaves and weights of soft
#: trees.
_BYTES_OF_JSON, _BYTES_OF_ARRAY, _BYTES_OF_NODES, _BYTES_OF_SOFT = 24, 3, 300, 40
#: The end of a zip: signature, disks, numbers of members, bytes and place of their list, comment.
_END = struct.Struct("<4s4H2LH")
_END_64 = b"PK\x06\x07"
_DATE = (1980, 1, 1, 0, 0, 0)  # the same run gives the same file
#: The longest header of an array that is read.
_MOST_HEADER = 256
_TYPES = ("<f8", "<i8", "<i4", "|u1")

#: Members by name: plain data, or an array.
Members: TypeAlias = Mapping[str, Any]


class DamagedError(Exception):
    """Why a file is no saved run."""


@contextmanager
def only_saved_runs(path: str | Path) -> Iterator[None]:
    """Around code that reads a file: every error of its content becomes E560."""
    try:
        yield
    except (SlpError, MemoryError):
        raise
    except OSError as e:
        raise SlpError(NO_SAVED_RUN(path=path, reason=e.strerror or e)) from e
    except DamagedError as e:
        raise SlpError(NO_SAVED_RUN(path=path, reason=e)) from e
    except Exception as e:
        raise SlpError(NO_SAVED_RUN(path=path, reason="its content is not sound")) from e


# --- writing -------------------------------------------------------------------------------------


def write_archive(path: str | Path, manifest: Mapping[str, Any], members: Members) -> None:
    """Write a file whole or not at all. `manifest` is without the list of members.

    Raises
    ------
    UsageError
        E701: it cannot be written.
    SlpError
        E563: it would be too large.
    """
    contents = {name: _bytes_of(member) for name, member in members.items()}
    kept = {
        "format": FORMAT,
        "slp": __version__,
        **manifest,
        "members": {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in contents.items()
        },
    }
    contents = {_MANIFEST: _bytes_of({**kept, "digest": _digest_of(kept)}), **contents}
    size = sum(map(len, contents.values())) + _MOST_LISTED
    if size > _MOST_BYTES:
        raise SlpError(RUN_TOO_LARGE(size=format_bytes(size), most=format_bytes(_MOST_BYTES)))

    with (
        whole_file(path) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=False) as archive,
    ):
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), content)


def _bytes_of(member: Any) -> bytes:
    if not isinstance(member, np.ndarray):
        return json.dumps(member, indent=1, allow_nan=False).encode()
    out = io.BytesIO()
    little = np.ascontiguousarray(member, member.dtype.newbyteorder("<"))
    np.lib.format.write_array(out, little, (1, 0), allow_pickle=False)
    return out.getvalue()


def _digest_of(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


# --- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Archive:
    """A file that was read within `memory` bytes: its manifest, and the bytes of its members."""

    path: str | Path
    memory: int
    manifest: Mapping[str, Any]
    contents: Mapping[str, bytes]

    def json(self, name: str) -> Any:
        """A member that is plain data."""
        return json.loads(self._content(name))

    def array(self, name: str, dtype: Any, *shape: int | None) -> NDArray[Any]:
        """A member that is an array of this type and shape (None: any length)."""
        found = _array_of(self._content(name))
        fits = len(found.shape) == len(shape) and all(
            want is None or have == want for have, want in zip(found.shape, shape, strict=True)
        )
        if found.dtype != np.dtype(dtype) or not fits:
            raise DamagedError(f"{name} has another shape or type")
        return found

    def check_room(self, need: int) -> None:
        """Raise BudgetError E501 if something takes more bytes than the budget has."""
        if need > self.memory:
            size, budget = format_bytes(need), format_bytes(self.memory)
            raise BudgetError(SAVED_RUN_TOO_LARGE(path=self.path, need=size, memory=budget))

    def _content(self, name: str) -> bytes:
        if name not in self.contents:
            raise DamagedError(f"there is no {name}")
        return self.contents[name]


def read_archive(path: str | Path, memory: int) -> Archive:
    """Read and check a file, within a budget of bytes. To be called within `only_saved_runs`.

    Raises
    ------
    SlpError
        E561: it has a newer format.
    BudgetError
        E501: it does not fit within the budget.
    OSError, DamagedError, and others
        It is no saved run.
    """
    with os.fdopen(open_regular(path), "rb") as file:
        _check_end(file)
        with zipfile.ZipFile(file) as archive:
            infos = archive.infolist()
            _check_list(infos, os.fstat(file.fileno()).st_size)
            contents: dict[str, bytes] = {}
            found = Archive(path, memory, {}, contents)
            found.check_room(_bytes_in_memory(infos))
            contents |= {info.filename: archive.read(info) for info in infos}
    manifest = json.loads(contents.pop(_MANIFEST))
    form = manifest["format"]
    if type(form) is int and form > FORMAT:
        version = str(manifest.get("slp", "?"))[:40]
        newer = NEWER_RUN(path=path, format=form, version=version, own=__version__, most=FORMAT)
        raise SlpError(newer)
    if type(form) is not int or form < 1:
        raise DamagedError("it has no format")
    if manifest.pop("digest") != _digest_of(manifest):
        raise DamagedError("its manifest was changed")
    listed = manifest["members"]
    for name in listed.keys() ^ contents.keys():
        raise DamagedError(f"{name} is missing" if name in listed else f"{name} is not listed")
    for name, content in contents.items():
        if listed[name]["sha256"] != hashlib.sha256(content).hexdigest():
            raise DamagedError(f"{name} was changed")
    return replace(found, manifest=manifest)


def _check_end(file: IO[bytes]) -> None:
    """Look at the end of a zip before anything is read: a long list of members takes memory."""
    size = file.seek(0, os.SEEK_END)
    if not _END.size < size <= _MOST_BYTES:
        raise DamagedError("it is not a zip of slp")
    file.seek(max(0, size - _END.size - 20))
    *before, last = file.read(20), file.read(_END.size)
    signature, *_, members, listed, place, comment = _END.unpack(last)
    sound = signature == b"PK\x05\x06" and members <= _MOST_MEMBERS and listed <= _MOST_LISTED
    if not sound or comment or place + listed + _END.size != size or _END_64 in before[0]:
        raise DamagedError("it is not a zip of slp, or its end is missing")
    file.seek(0)


def _check_list(infos: list[zipfile.ZipInfo], size: int) -> None:
    names = [info.filename for info in infos]
    if _MANIFEST not in names:
        raise DamagedError(f"there is no {_MANIFEST}")
    if len(set(names)) < len(names):
        raise DamagedError("two members have the same name")
    if any(name.startswith("/") or ".." in name or "\\" in name for name in names):
        raise DamagedError("a member has a name that is none of slp's")
    if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
        raise DamagedError("a member is compressed")
    if sum(info.file_size for info in infos) > size:
        raise DamagedError("its members claim to be larger than the file")


def _bytes_in_memory(infos: list[zipfile.ZipInfo]) -> int:
    endings = {
        ".json": _BYTES_OF_JSON,
        "/feature.npy": _BYTES_OF_NODES,
        "soft/leaves.npy": _BYTES_OF_SOFT,
        "soft/by_feature.npy": _BYTES_OF_SOFT,
        "": _BYTES_OF_ARRAY,
    }
    return sum(
        info.file_size * next(k for end, k in endings.items() if info.filename.endswith(end))
        for info in infos
    )


def _array_of(content: bytes) -> NDArray[Any]:
    """The array of a member, whose shape is compared with its bytes before it is made."""
    stream = io.BytesIO(content)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise DamagedError("an array has another format")
    if int.from_bytes(content[8:10], "little") > _MOST_HEADER:
        raise DamagedError("an array has a long header")
    shape, by_column, dtype = np.lib.format.read_array_header_1_0(stream)
    place, count = stream.tell(), 1
    for length in shape:
        count *= length
    if by_column or dtype.str not in _TYPES or min(shape, default=0) < 0:
        raise DamagedError("an array has another type")
    if place + count * dtype.itemsize != len(content):
        raise DamagedError("an array claims another size than it has")
    return (
        np.frombuffer(content, dtype, count, place).reshape(shape).astype(dtype.newbyteorder("="))
    )
