"""The tables of docs/messages.md, made from the catalogue of messages.

`python tests/docs/messages_page.py` writes them; a test asserts that the page has them. A table
follows a comment `<!-- codes: 1 -->`, which names the first digit of its codes.
"""

from __future__ import annotations

import re
from pathlib import Path

from slp.messages import entries

PAGE = Path(__file__).resolve().parents[2] / "docs" / "messages.md"

_TABLE = re.compile(r"(<!-- codes: (\d) -->\n)(?:\|.*\n)*")


def with_tables(page: str) -> str:
    """The page with the tables that the catalogue gives."""
    return _TABLE.sub(lambda match: match[1] + _table(match[2]), page)


def _table(digit: str) -> str:
    found = [entry for code, entry in sorted(entries().items()) if code[1] == digit]
    rows = [("code", "what is wrong", "what to do"), ("---", "---", "---")]
    rows += [(entry.code, entry.title, entry.remedy) for entry in found]
    return "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
