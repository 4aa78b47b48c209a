"""Kinds of columns from the JSON data of a saved run (`ColumnKind.to_plain`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from slp.columns.concepts import Concepts, Span
from slp.columns.declared import KINDS_OF_LEVELS
from slp.columns.formula import formula_of_plain
from slp.columns.kind import ColumnKind
from slp.columns.numeric import Binned, Numeric
from slp.columns.ordinal import Ordinal
from slp.columns.sides import Sided

#: The kinds of levels by what their data say of splits, and all that such data may say.
_OF_LEVELS = {kind.flags: kind for kind in KINDS_OF_LEVELS}
_FLAGS = tuple(dict.fromkeys(flag for flags in _OF_LEVELS for flag in flags))


def kind_of_plain(f: Mapping[str, Any]) -> ColumnKind:
    """A kind without its numbers, but with the levels of an ordinal column. Raises ValueError for
    data that no column has."""
    missing, holes, new = f.get("missing"), f.get("holes", False), f.get("new")
    _check(missing in (None, "level", "side") and new in (None, "error", "average", "larger"))
    _check(type(holes) is bool and (missing == "side" or not holes))
    inner = _kind_of_values(f)
    return Sided(inner, holes, new) if missing == "side" else inner


def _kind_of_values(f: Mapping[str, Any]) -> ColumnKind:
    levels, new, missing = f["levels"], f.get("new"), f.get("missing")
    _check(all(type(f.get(flag, False)) is bool for flag in _FLAGS))
    flags = tuple(flag for flag in _FLAGS if f.get(flag, False))
    _check((f["kind"] == "levels") == (levels is not None) and (new != "larger" or bool(flags)))
    if levels is not None:
        level: Literal["level"] | None = "level" if missing == "level" else None
        names, kind = _texts(levels), _OF_LEVELS.get(flags)
        if kind is None or len(names) > (kind.most_levels or len(names)):
            raise ValueError("no levels are split like that")
        _check(not flags or missing != "side")
        if kind is Concepts:
            return Concepts(names, new, level, _spans_of(f.get("spans"), len(names)))
        return kind(names, new, level)
    _check(missing != "level" and not flags and f["kind"] in ("numbers", "cuts"))
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
    formula = None
    if "defined" in f:
        formula = formula_of_plain(f)
        _check(formula is not None)
    return (Numeric if f["kind"] == "numbers" else Binned)(None, unit, found, formula)


def _spans_of(spans: Any, n_levels: int) -> tuple[Span, ...]:
    """The concepts above levels."""
    _check(isinstance(spans, list))
    out = []
    for span in spans:
        _check(isinstance(span, list) and list(map(type, span)) == [str, int, int])
        _check(0 <= span[1] < span[2] < n_levels)
        out.append((span[0], span[1], span[2]))
    return tuple(out)


def _texts(names: Any) -> tuple[str, ...]:
    _check(isinstance(names, list) and all(isinstance(name, str) for name in names))
    return tuple(names)


def _check(sound: bool) -> None:
    if not sound:
        raise ValueError("no column is like that")
