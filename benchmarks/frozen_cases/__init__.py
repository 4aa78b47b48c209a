"""The cases of `benchmarks/frozen.py`: what must not change, asked through public names alone.

Entry points: `all_cases`, `write_files` (what the cases read, into the current folder).
"""

from __future__ import annotations

from frozen_cases import commands, edits, faults, proofs, trees
from frozen_cases.cases import Case
from frozen_cases.files import write_files

__all__ = ["Case", "all_cases", "write_files"]


def all_cases() -> dict[str, Case]:
    """Every case by its name, in a fixed order."""
    out: dict[str, Case] = {}
    for module in (trees, edits, proofs, faults, commands):
        for name, case in module.cases():
            if name in out:
                raise ValueError(f"two cases are called {name}")
            out[name] = case
    return out
