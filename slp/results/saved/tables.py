"""The table of a saved run: what predictions need of it, and on request its rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from slp.columns import kind_of_plain
from slp.data.conversion import CellType
from slp.data.feature_kind import Feature
from slp.data.row_weights import RowWeights
from slp.data.table import Table, code_type
from slp.errors import UnsupportedError
from slp.ir.thresholds import NormalThresholds
from slp.leaves import LeafModel, leaf_from_plain, leaf_to_plain
from slp.messages.saved import ROWS_NOT_SAVED
from slp.results.saved.archive import Archive, DamagedError

_OF_ROWS = frozenset(("codes", "counts", "statistics", "row_of", "without_weight", "weights"))
#: As for tables that are read: sums of counts stay whole.
_LARGEST_COUNT = 1e12


class TableWithoutRows(Table):
    """The table of a run that was saved without it: names, levels and the leaf model.

    Raises
    ------
    UnsupportedError
        E562: from `codes`, `counts`, `statistics`, `row_of`, `without_weight` and `weights`, which
        it does not have.
    """

    def __init__(self, **known: Any) -> None:
        for name, value in known.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name in _OF_ROWS:
            raise UnsupportedError(ROWS_NOT_SAVED(what="what depends on its rows"))
        raise AttributeError(name)


def table_to_members(table: Table, *, rows: bool) -> dict[str, Any]:
    """`table.json`: response, number of rows, digest, notes, features (name, kind, levels), leaf
    model. With `rows` the coding of `slp.columns` too: `rows/codes.npy` (n, d),
    `rows/counts.npy` (n,), `rows/statistics.npy` (n, k), and the values or cuts of all features one
    after the other in `rows/values.npy`, as many of each as `rows/n_values.npy` (d,) says."""
    features = [
        {
            "name": f.name,
            **f.kind.to_plain(),
            **({"cells": f.cells} if f.cells else {}),
            **({"comma": True} if f.comma else {}),
            **({} if f.density is None else {"thresholds": [f.density.mean, f.density.sd]}),
        }
        for f in table.features
    ]
    about = {
        "response": table.response,
        "n_rows": table.n_rows,
        "digest": table.digest,
        "notes": list(table.notes),
        "features": features,
        "leaf": leaf_to_plain(table.leaf),
        "weighted": table.weighted,
    }
    if not rows:
        return {"table.json": about}
    kinds = [f.kind for f in table.features]
    numbers = [np.zeros(0) if kind.numbers is None else kind.numbers for kind in kinds]
    weights = table.weights
    units = {} if weights is None else {"rows/units.npy": weights.units.astype(np.int64)}
    about["weight_unit"] = None if weights is None else [weights.scale, weights.exact]
    return {
        **units,
        "table.json": about,
        "rows/codes.npy": table.codes.astype(np.int32),
        "rows/counts.npy": table.counts.astype(np.int64),
        "rows/statistics.npy": table.statistics.astype(np.float64),
        "rows/values.npy": np.concatenate(numbers).astype(np.float64),
        "rows/n_values.npy": np.array([len(own) for own in numbers], np.int64),
    }


def table_of_members(archive: Archive) -> Table:
    """The table of a file; a `TableWithoutRows` if its rows are not there."""
    about = archive.json("table.json")
    leaf = leaf_from_plain(about["leaf"])
    features = tuple(map(_feature, about["features"]))
    names = {f.name for f in features}
    n_rows = about["n_rows"]
    if type(n_rows) is not int or n_rows < 1 or len(names) < len(features) or not features:
        raise DamagedError("its table is not sound")
    known = {
        "features": features,
        "leaf": leaf,
        "response": _text(about["response"]),
        "n_rows": n_rows,
        "notes": tuple(map(_text, about["notes"])),
        "weighted": _weighted(about.get("weighted")),
    }
    leaf.weighted = known["weighted"] is not None
    if "rows/codes.npy" not in archive.contents:
        return TableWithoutRows(**known, digest=_text(about["digest"]))
    known["features"] = tuple(map(_with_numbers, features, _split(archive, len(features))))
    table = _with_rows(archive, known, leaf, about.get("weight_unit"))
    if table.digest != about["digest"]:
        raise DamagedError("its table has another digest")
    return table


def _feature(f: Any) -> Feature:
    """A feature without its numbers, but with the levels of an ordinal one."""
    cells, comma = f.get("cells"), f.get("comma", False)
    if (cells is not None and cells not in get_args(CellType)) or type(comma) is not bool:
        raise DamagedError("a feature of its table is not sound")
    try:
        density = _density(f.get("thresholds"))
        return Feature(_text(f["name"]), kind_of_plain(f), cells, comma, density)
    except ValueError as e:
        raise DamagedError("a feature of its table is not sound") from e


def _density(numbers: Any) -> NormalThresholds | None:
    """The density of the thresholds of a feature."""
    if numbers is None:
        return None
    sound = isinstance(numbers, list) and len(numbers) == 2 and set(map(type, numbers)) == {float}
    if not sound or not np.isfinite(numbers).all() or numbers[1] <= 0:
        raise DamagedError("a feature of its table is not sound")
    return NormalThresholds(*numbers)


def _weighted(value: Any) -> Literal["whole", "real"] | None:
    if value not in (None, "whole", "real"):
        raise DamagedError("the weights of its rows are neither whole nor real")
    return cast('Literal["whole", "real"] | None', value)


def _split(archive: Archive, d: int) -> list[NDArray[np.float64]]:
    lengths = archive.array("rows/n_values.npy", np.int64, d)
    if (lengths < 0).any():
        raise DamagedError("its table is not sound")
    numbers = archive.array("rows/values.npy", np.float64, int(lengths.sum()))
    return np.split(numbers, np.cumsum(lengths)[:-1])


def _with_numbers(feature: Feature, numbers: NDArray[np.float64]) -> Feature:
    try:
        return replace(feature, kind=feature.kind.with_numbers(numbers))
    except ValueError as e:
        raise DamagedError("a feature of its table is not sound") from e


def _with_rows(archive: Archive, known: dict[str, Any], leaf: LeafModel, unit: Any) -> Table:
    d = len(known["features"])
    codes = archive.array("rows/codes.npy", np.int32, None, d)
    counts = archive.array("rows/counts.npy", np.int64, len(codes))
    statistics = archive.array("rows/statistics.npy", np.float64, len(codes), leaf.n_statistics)
    n_codes = np.array([f.kind.n_codes for f in known["features"]])
    own = statistics.sum(axis=1) if leaf.classes else statistics[:, 0]
    sound = (
        ((codes >= 0) & (codes < n_codes)).all()
        and len(np.unique(codes, axis=0)) == len(codes)
        and ((counts >= 1) & (counts <= _LARGEST_COUNT)).all()
        and int(counts.sum()) == known["n_rows"]
        and statistics_are_sound(leaf, statistics)
        and (own > 0).all()  # rows may have weights
    )
    if not sound:
        raise DamagedError("the rows of its table are not sound")
    archive.check_room(8 * known["n_rows"])
    row_of = np.repeat(np.arange(len(codes)), counts)  # the order of equal rows is not kept
    # Where no row was merged or left out, the order is that of the data.
    told = known["weighted"] is None and len(codes) == known["n_rows"]
    weights = None
    if "rows/units.npy" in archive.contents:
        units = archive.array("rows/units.npy", np.int64, len(codes))
        scale, exact = unit
        sound = (units >= 1).all() and int(units.sum()) < 2**32
        if not (sound and type(scale) is float and 0 < scale < np.inf and type(exact) is bool):
            raise DamagedError("the weights of its rows are not sound")
        weights = RowWeights(units, scale, exact)
    return Table(
        codes=codes.astype(code_type(int(n_codes.max(initial=1)))),
        counts=counts,
        statistics=statistics,
        row_of=row_of,
        without_weight=np.zeros(0, np.int64) if told else None,
        weights=weights,
        **known,
    )


def statistics_are_sound(leaf: LeafModel, statistics: NDArray[np.float64]) -> bool:
    """Whether statistics (..., k) are those that rows can have under a leaf model, roughly."""
    return bool(np.isfinite(statistics).all()) and leaf.are_sound(statistics)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise DamagedError("a name is no text")
    return value
