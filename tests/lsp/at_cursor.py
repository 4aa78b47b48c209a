"""Texts with a cursor, `|`."""

from __future__ import annotations

from pathlib import Path

from slp.lsp.checks import Job
from slp.source import SourceFile

#: The mark of the cursor. Programs of these tests have no other `|`.
CURSOR = "|"


def split_at_cursor(text: str, folder: Path | None = None) -> tuple[SourceFile, int]:
    """The text without its cursor, as a file of the folder, and the cursor's offset."""
    offset = text.index(CURSOR)
    job = Job(text.replace(CURSOR, ""), None if folder is None else folder / "p.slp")
    return job.source, offset
