"""The catalogue of messages: the meaning, the remedy and the wording of every code.

A first digit of the codes has one module or several. A place that finds a fault imports its
wording and gives the values: `raise UsageError(NOT_A_TIME(time=time))`. `slp explain CODE` prints
an entry.
"""

from __future__ import annotations

from importlib import import_module

from slp.messages.entry import Entry, Wording

__all__ = ["Entry", "Wording", "entries"]

#: The modules, by the first digit of their codes.
_MODULES = (
    "syntax directives clauses constraints derivations on_table files proofs queries learning "
    "lowering tables inference trees commands"
).split()


def entries() -> dict[str, Entry]:
    """All entries by their codes, by the first digit, errors before warnings."""
    modules = [import_module(f"slp.messages.{name}") for name in _MODULES]
    found = [e for module in modules for e in vars(module).values() if isinstance(e, Entry)]
    return {e.code: e for e in sorted(found, key=lambda e: (e.code[1], e.code))}
