"""Mistakes in the text of a program: how many are reported, and how messages quote the text."""

from __future__ import annotations

from slp.errors import Diagnostic
from slp.messages.sources import TOO_MANY_MISTAKES, TOO_MANY_WARNINGS

_EXCERPT_LENGTH = 40
_READ_LENGTH = 1000  # characters of each end of a long text that an excerpt may use

#: Largest number of mistakes that are reported for one program.
MOST_MISTAKES = 1000


def excerpt(text: str) -> str:
    """`text` on one line, shortened in the middle, for a message."""
    if len(text) > 2 * _READ_LENGTH:
        text = f"{text[:_READ_LENGTH]} ... {text[-_READ_LENGTH:]}"
    line = " ".join(text.split())
    if len(line) <= _EXCERPT_LENGTH:
        return line
    half = _EXCERPT_LENGTH // 2
    return f"{line[: half - 2]} ... {line[-half + 3 :]}"


def too_many(further: Diagnostic) -> Diagnostic:
    """The diagnostic in place of `further` and all later mistakes."""
    wording = TOO_MANY_MISTAKES if further.severity == "error" else TOO_MANY_WARNINGS
    return wording(further.span, limit=f"{MOST_MISTAKES:,}")
