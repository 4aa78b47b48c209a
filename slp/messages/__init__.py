"""The catalogue of messages: every code, what it means, what to do about it, and how it is worded.

One module for each first digit of the codes. A place that finds a fault imports its wording and
gives the values: `raise UsageError(NOT_A_TIME(time=time))`. `slp explain CODE` prints an entry.
"""

from __future__ import annotations

from importlib import import_module

from slp.messages.entry import Entry, Wording

__all__ = ["Entry", "Wording", "entries"]

#: The modules, by the first digit of their codes.
_MODULES = ("syntax", "checker", "proofs", "lowering", "tables", "inference", "trees", "commands")


def entries() -> dict[str, Entry]:
    """All entries by their codes, in the order of the catalogue."""
    found: dict[str, Entry] = {}
    for name in _MODULES:
        module = import_module(f"slp.messages.{name}")
        found |= {e.code: e for e in vars(module).values() if isinstance(e, Entry)}
    return found
