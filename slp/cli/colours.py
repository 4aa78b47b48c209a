"""Colours: labels and doubts of a summary, codes and marks of messages.

All text is made first and coloured last, so that colours change no width and no wrapping. A line of
a summary has its label in the first ten columns. In a drawn message only lines of marks begin with
blanks and a bar.
"""

from __future__ import annotations

import os
import re
from typing import IO

import click

from slp.program import obeys_controls

_LABEL = re.compile(r"^\w+(?: tree)? +(?<=^.{10})(?=\S)")
_DOUBT = re.compile(r"NOT (?:CONVERGED|KNOWN)|\bnot converged|\bdo not use")
_SEVERITY = re.compile(r"\A(error|warning)\[\w+\]")
_MARKS = re.compile(r"^( +\| )(.+)$", re.MULTILINE)
_HELP = re.compile(r"^  help:", re.MULTILINE)


def wants_colour(stream: IO[str]) -> bool:
    """Whether to write colours to a stream: to a terminal that obeys control sequences. NO_COLOR
    (no-color.org) prevents it, else FORCE_COLOR (force-color.org) brings it about; an empty value
    counts as none."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or obeys_controls(stream)


def coloured_line(line: str) -> str:
    """A line for a person, with its label in bold and words of doubt in red."""
    line = _LABEL.sub(lambda found: click.style(found[0], bold=True), line)
    return _DOUBT.sub(lambda found: click.style(found[0], fg="red", bold=True), line)


def coloured_message(drawn: str) -> str:
    """A message by `slp.source.draw_diagnostic`: its code and the marks under its text have the
    colour of its severity."""
    severity = _SEVERITY.match(drawn)
    colour = "red" if severity is None or severity[1] == "error" else "magenta"
    head = drawn[: 0 if severity is None else severity.end()]
    rest = _MARKS.sub(lambda m: m[1] + click.style(m[2], fg=colour, bold=True), drawn[len(head) :])
    rest = _HELP.sub(lambda found: click.style(found[0], bold=True), rest)
    return click.style(head, fg=colour, bold=True) + rest
