"""Pages of a library's code that are given back to the system after use.

Reading a table touches some 22 MiB of the code of polars, which a run needs no more. The system
would take such pages of a file back under pressure, but they count for the peak of the memory of
the process (docs/design/memory.md). Code that is called again is mapped again.
"""

from __future__ import annotations

import ctypes
import os

__all__ = ["give_back_code"]

_MADV_DONTNEED = 4  # Linux, on every processor that wheels of polars are made for


def give_back_code(library: str) -> None:
    """Give back the pages with code of the shared libraries with `library` in their file name.

    Only Linux says where they are; elsewhere nothing is done. Data of these libraries stay, as the
    process may have changed them.
    """
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            lines = maps.readlines()
    except OSError:
        return
    advise = ctypes.CDLL(None).madvise
    for line in lines:
        places, rights, _offset, _device, _inode, *path = line.split(maxsplit=5)
        if rights == "r-xp" and path and library in os.path.basename(path[0]):
            first, end = (int(place, 16) for place in places.split("-"))
            advise(ctypes.c_void_p(first), ctypes.c_size_t(end - first), _MADV_DONTNEED)
