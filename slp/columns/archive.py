"""Kinds of columns from the JSON data of a saved run (`ColumnKind.to_plain`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from slp.columns.kind import ColumnKind
from slp.columns.levels import Nominal
from slp.columns.numeric import Binned, Numeric
from slp.columns.ordered_subsets import OrderedSubsets
from slp.columns.ordinal import Ordinal
from slp.columns.sides import Sided
from slp.columns.subsets import Subsets

#: The most levels of splits by subsets.
_MOST_PARTED = 12


def kind_of_plain(f: Mapping[str, Any]) -> ColumnKind:
    """A kind without its numbers, but with the levels of an ordinal column. Raises ValueError for
    data that no column has."""
    missing, holes, new = f.get("missing"), f.get("holes", False), f.get("new")
    _check(missing in (None, "level", "side") and new in (None, "error", "average", "larger"))
    _check(type(holes) is bool and (missing == "side" or not holes))
    inner = _kind_of_values(f)
    return Sided(inner, holes, new) if missing == "side" else inner


def _kind_of_values(f: Mapping[str, Any]) -> ColumnKind:
    levels, subsets, new = f["levels"], f.get("subsets", False), f.get("new")
    _check(type(subsets) is bool and (f["kind"] == "levels") == (levels is not None))
    ordered = f.get("ordered", False)
    _check(new != "larger" or subsets)
    _check(type(ordered) is bool and (subsets or not ordered))
    if levels is not None:
        level: Literal["level"] | None = "level" if f.get("missing") == "level" else None
        names = _texts(levels)
        _check(not subsets or f.get("missing") != "side")
        _check(not subsets or ordered or len(names) <= _MOST_PARTED)
        if ordered:
            return OrderedSubsets(names, new, level)
        return Subsets(names, new, level) if subsets else Nominal(names, new, level)
    _check(f.get("missing") != "level" and not subsets and f["kind"] in ("numbers", "cuts"))
    if "order" in f:
        order = _texts(f["order"])
        _check(len(order) > 1 and len(set(order)) == len(order) and f["kind"] == "cuts")
        return Ordinal(order)
    unit, found = f.get("unit"), f.get("range")
    _check(unit is None or isinstance(unit, str))
    if found is not None:
        low, high = found
        _check(isinstance(low, float) and isinstance(high, float))
        found = low, high
    return (Numeric if f["kind"] == "numbers" else Binned)(None, unit, found)


def _texts(names: Any) -> tuple[str, ...]:
    _check(isinstance(names, list) and all(isinstance(name, str) for name in names))
    return tuple(names)


def _check(sound: bool) -> None:
    if not sound:
        raise ValueError("no column is like that")
