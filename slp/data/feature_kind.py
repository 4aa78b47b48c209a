"""A feature of a coded table, and its kind."""

from __future__ import annotations

from dataclasses import dataclass

from slp.columns import ColumnKind
from slp.data.conversion import CellType
from slp.ir.thresholds import NormalThresholds


@dataclass(frozen=True, eq=False)
class Feature:
    """One feature column: its kind, and the type of its cells, None if it is not known. `comma`:
    text is read with a decimal comma. `density` is that of its thresholds, where one is
    declared."""

    name: str
    kind: ColumnKind
    cells: CellType | None = None
    comma: bool = False
    density: NormalThresholds | None = None
