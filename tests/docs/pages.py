"""The pages of documentation as data: their fenced blocks, links and headings.

What a block is follows from the word behind its fence: `python` runs, `prolog` is a program without
faults, `console` are commands and what they print, everything else is read by people only. A block
below the comment `<!-- file: NAME -->` is also a file in the folder in which its page's commands
and Python code run.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"<!-- file: (\S+) -->\s*\Z")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_IN_FULL = re.compile(r"-?\d+\.\d{11,}(?:e[-+]\d+)?")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, its first line in the page (from 1), its file."""

    language: str
    text: str
    line: int
    file: str | None


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    out = []
    for match in _FENCE.finditer(text):
        before = text[: match.start()]
        file = _FILE.search(before)
        line = before.count("\n") + 2
        out.append(Block(match[1], match[2], line, file[1] if file else None))
    return out


def prose_of(page: Path) -> str:
    """A page without its blocks."""
    return _FENCE.sub("", page.read_text("utf-8"))


def links_of(page: Path) -> list[str]:
    """Targets of a page's links, those to other sites left out."""
    return [link for link in _LINK.findall(prose_of(page)) if "://" not in link]


def anchors_of(page: Path) -> set[str]:
    """Names under which the headings of a page can be linked to."""
    return {_slug(heading) for heading in _HEADING.findall(prose_of(page))}


def _slug(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", heading.lower())
    return kept.replace(" ", "-")


def commands_of(block: Block) -> list[tuple[str, str]]:
    """Commands of a `console` block, each with what it is said to print."""
    parts = re.split(r"^\$ (.+)\n", block.text, flags=re.MULTILINE)
    assert parts[0] == "", "a console block begins with a command"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def prints(want: str, have: str) -> bool:
    """Whether a command printed what a page says, `...` standing for any lines. Numbers in full
    differ in their last digits between processors."""
    pattern = "".join(
        r"(?:.*\n)*?"
        if line == "...\n"
        else r"(-?\d+\.\d+(?:e[-+]\d+)?)".join(map(re.escape, _IN_FULL.split(line)))
        for line in want.splitlines(keepends=True)
    )
    found = re.fullmatch(pattern, have)
    return found is not None and all(
        math.isclose(float(said), float(printed), rel_tol=1e-9)
        for said, printed in zip(_IN_FULL.findall(want), found.groups(), strict=True)
    )
