"""The catalogue of messages: the meaning, the remedy and the wording of every code.

Each module has entries of one first digit. A place that finds a fault imports its wording and gives
the values: `raise UsageError(NOT_A_TIME(time=time))`. `slp explain CODE` prints an entry.
"""

from __future__ import annotations

from pkgutil import iter_modules

from slp.late import late_import
from slp.messages.entry import Entry, Wording

__all__ = ["Entry", "Wording", "entries"]


def entries() -> dict[str, Entry]:
    """All entries by their codes, by the first digit, errors before warnings."""
    modules = [late_import(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    found = [e for module in modules for e in vars(module).values() if isinstance(e, Entry)]
    return {e.code: e for e in sorted(found, key=lambda e: (e.code[1], e.code))}
