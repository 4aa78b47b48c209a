"""The given tree that chains begin at (`start`)."""

from __future__ import annotations

import json
import os
from pathlib import Path

from slp.errors import UsageError
from slp.folders import open_regular
from slp.messages.chains import NO_FILE_OF_START, NOT_A_START
from slp.trees import Tree

#: The longest text of a tree.
_MOST_CHARACTERS = 10_000_000


def read_start(start: object) -> Tree:
    """A tree, or that of a JSON file.

    Raises
    ------
    UsageError
        E549: it is neither, or the file cannot be read.
    DataError
        E601 to E605: the file has no tree.
    """
    if isinstance(start, Tree):
        return start
    if not isinstance(start, str | Path):
        raise UsageError(NOT_A_START(kind=type(start).__name__))
    try:
        with os.fdopen(open_regular(start), encoding="utf-8") as stream:
            text = stream.read(_MOST_CHARACTERS + 1)
        if len(text) > _MOST_CHARACTERS:
            raise ValueError(f"it has more than {_MOST_CHARACTERS:,} characters")
        data = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        told = error.strerror if isinstance(error, OSError) else None
        reason = (told or str(error)).lower()
        raise UsageError(NO_FILE_OF_START(path=str(start), reason=reason)) from None
    return Tree.from_dict(data)
