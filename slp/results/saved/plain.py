"""Frozen dataclasses as plain data for JSON, and back by the types of their fields."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

T = TypeVar("T")

#: JSON has no numbers for these.
_NOT_FINITE = ("nan", "inf", "-inf")


def to_plain(value: Any) -> Any:
    """Plain data. A float that is not finite becomes its text; what is unknown becomes text too."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, np.ndarray):
        return to_plain(value.tolist())
    if is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return str(value)


def from_plain(kind: type[T], data: Any) -> T:
    """The dataclass that `to_plain` made the data from. Fields that are not there have their
    defaults.

    Raises
    ------
    ValueError
        The data do not have the types of the fields.
    """
    found: T = _from(kind, data)
    return found


def _from(kind: Any, data: Any) -> Any:
    origin, inside = get_origin(kind) or kind, get_args(kind)
    if origin in (Union, types.UnionType):
        return _first_that_takes(inside, data)
    if origin is Literal:
        return _checked(data, data in inside)
    if origin is tuple or origin is np.ndarray:
        if origin is np.ndarray:
            return np.array([_float(x) for x in _checked(data, isinstance(data, list))])
        each = inside if inside[-1] is not Ellipsis else inside[:1] * len(data)
        return tuple(
            _from(one, item)
            for one, item in zip(each, _checked(data, isinstance(data, list)), strict=True)
        )
    if isinstance(origin, type) and issubclass(origin, Mapping):
        _checked(data, isinstance(data, dict))
        return {key: _from(inside[1], item) for key, item in data.items()}
    if is_dataclass(origin):
        return _dataclass_from(origin, data)
    return _SIMPLE[origin](data)


def _first_that_takes(kinds: tuple[Any, ...], data: Any) -> Any:
    for kind in sorted(kinds, key=lambda kind: kind is float):  # whole numbers stay whole
        try:
            return _from(kind, data)
        except (ValueError, TypeError):
            continue
    raise ValueError


def _dataclass_from(kind: Any, data: Any) -> Any:
    _checked(data, isinstance(data, dict))
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(kind) if field.init}
    _checked(data, data.keys() <= known.keys())
    for name, field in known.items():
        _checked(data, name in data or field.default is not MISSING)
    return kind(**{name: _from(hints[name], item) for name, item in data.items()})


def _checked(data: Any, sound: bool) -> Any:
    if not sound:
        raise ValueError("the data have another type")
    return data


def _float(data: Any) -> float:
    number = isinstance(data, int | float) and not isinstance(data, bool)
    return float(_checked(data, number or data in _NOT_FINITE))


_SIMPLE: dict[Any, Callable[[Any], Any]] = {
    float: _float,
    int: lambda data: _checked(data, isinstance(data, int) and not isinstance(data, bool)),
    bool: lambda data: _checked(data, isinstance(data, bool)),
    str: lambda data: _checked(data, isinstance(data, str)),
    type(None): lambda data: _checked(data, data is None),
}
