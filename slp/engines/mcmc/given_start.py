"""The given tree that chains begin at (`start`)."""

from __future__ import annotations

import json
from pathlib import Path

from slp.data.table import Table
from slp.errors import DataError, UsageError
from slp.messages.chains import NO_FILE_OF_START, NOT_A_START
from slp.source import SourceFile
from slp.trees import Tree, TreeText, text_of_file

#: How a JSON file begins, and the text of no tree.
_JSON = ("{", "[")


def read_start(start: object, table: Table) -> Tree:
    """A tree, or that of a file, in JSON or as text, which is read on the table.

    Raises
    ------
    UsageError
        E549: it is neither, or the file cannot be read.
    DataError
        E601 to E605, E615, E616: the file has no tree of the table.
    """
    if isinstance(start, Tree):
        return start
    if not isinstance(start, str | Path):
        raise UsageError(NOT_A_START(kind=type(start).__name__))
    try:
        text = text_of_file(start)
        if not text.lstrip("\ufeff \t\r\n").startswith(_JSON):
            return TreeText.read(SourceFile(str(start), text)).on(table)
        data = json.loads(text)
    except DataError:  # before ValueError, which it is too
        raise
    except (OSError, ValueError, RecursionError) as error:
        told = error.strerror if isinstance(error, OSError) else None
        reason = (told or str(error)).lower()
        raise UsageError(NO_FILE_OF_START(path=str(start), reason=reason)) from None
    return Tree.from_dict(data)
