"""The glossary is sorted, and its entries have one form."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT

_TITLE, _INTRODUCTION, *ENTRIES = (
    (ROOT / "docs" / "glossary.md").read_text("utf-8").strip().split("\n\n")
)
_ENTRY = re.compile(r"\*\*([^*]+)\*\*: \S")


def test_every_entry_begins_with_its_word() -> None:
    assert [entry for entry in ENTRIES if not _ENTRY.match(entry)] == []


def test_entries_are_sorted() -> None:
    heads = [match[1].casefold() for entry in ENTRIES if (match := _ENTRY.match(entry))]
    assert heads == sorted(heads)
    assert len(heads) == len(set(heads))
