"""Trees in files, as JSON."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

from slp.errors import DataError, UsageError
from slp.folders import open_regular
from slp.messages.trees import TREE_FILE_UNREAD
from slp.trees.tree import Tree

#: The longest text of a tree.
_MOST_CHARACTERS = 10_000_000


def text_of_file(path: str | Path) -> str:
    """The text of a file of a tree.

    Raises
    ------
    OSError, ValueError
        It cannot be read, is no text, or is too long.
    """
    with os.fdopen(open_regular(path), encoding="utf-8") as stream:
        text = stream.read(_MOST_CHARACTERS + 1)
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(f"it has more than {_MOST_CHARACTERS:,} characters")
    return text


def read_tree(path: str | Path) -> Tree:
    """The tree of a JSON file (docs/api.md).

    Raises
    ------
    UsageError
        E619: the file cannot be read, or is no JSON.
    DataError
        E601 to E605: it has no tree.
    """
    try:
        text = text_of_file(path).removeprefix("\ufeff")
        data = json.loads(text, parse_float=_finite, parse_constant=_finite)
    except DataError:  # before ValueError, which it is too
        raise
    except (OSError, ValueError, RecursionError) as error:
        told = error.strerror if isinstance(error, OSError) else None
        reason = (told or str(error)).lower()
        raise UsageError(TREE_FILE_UNREAD(path=str(path), reason=reason)) from None
    return Tree.from_dict(data)


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text} is no number of JSON")
    return number
