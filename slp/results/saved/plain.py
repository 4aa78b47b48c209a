"""Frozen dataclasses as plain data for JSON, and back by the types of their fields.

What is computed when it is asked for (`Later`) is asked for when it is written, and is known when
it is read, and so is what a function without parameters gives. A tree is its number in a list of
trees, which is saved apart.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from slp.results.record.later import Later
from slp.trees import SoftTree, Tree

T = TypeVar("T")

#: JSON has no numbers for these.
_NOT_FINITE = ("nan", "inf", "-inf")


def to_plain(value: Any, number_of: Callable[[Any], int] | None = None) -> Any:
    """Plain data. A float that is not finite becomes its text; what is unknown becomes text too.
    `number_of` tells the number of a tree; without it trees are data like any other."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, np.ndarray):
        return to_plain(value.tolist())
    if isinstance(value, Later):
        return to_plain(value(), number_of)
    if number_of is not None and isinstance(value, Tree | SoftTree):
        return number_of(value)
    if is_dataclass(value):
        return {f.name: to_plain(getattr(value, f.name), number_of) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item, number_of) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item, number_of) for item in value]
    return str(value)


def from_plain(kind: type[T], data: Any, trees: Sequence[Tree] = ()) -> T:
    """What `to_plain` made the data from. Fields that are not there have their defaults. `trees`
    are those that have numbers.

    Raises
    ------
    ValueError
        The data do not have the types of the fields.
    """
    found: T = _Reader(trees).read(kind, data)
    return found


class _Reader:
    """Reads plain data that has numbers of these trees."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self._trees = trees

    def read(self, kind: Any, data: Any) -> Any:
        """See `from_plain`."""
        origin, inside = get_origin(kind) or kind, get_args(kind)
        if origin in (Union, types.UnionType):
            return self._first_that_takes(inside, data)
        if origin is Literal:
            return _checked(data, data in inside)
        if origin is Tree:
            number = _SIMPLE[int](data)
            _checked(data, 0 <= number < len(self._trees))
            return self._trees[number]
        if origin in (Later, Callable):
            return Later.known(self.read(inside[-1], data))
        if origin in (tuple, list, Iterator, np.ndarray):
            return self._listed(origin, inside, _checked(data, isinstance(data, list)))
        if isinstance(origin, type) and issubclass(origin, Mapping):
            _checked(data, isinstance(data, dict))
            return {key: self.read(inside[1], item) for key, item in data.items()}
        if is_dataclass(origin):
            return self._dataclass_from(origin, data)
        return _SIMPLE[origin](data)

    def _listed(self, origin: Any, inside: tuple[Any, ...], data: list[Any]) -> Any:
        if origin is np.ndarray:
            return np.array([_float(x) for x in data])
        alike = origin is not tuple or inside[-1] is Ellipsis
        each = inside[:1] * len(data) if alike else inside
        found = [self.read(one, item) for one, item in zip(each, data, strict=True)]
        return found if origin is list else tuple(found)

    def _first_that_takes(self, kinds: tuple[Any, ...], data: Any) -> Any:
        for kind in sorted(kinds, key=lambda kind: kind is float):  # whole numbers stay whole
            try:
                return self.read(kind, data)
            except (ValueError, TypeError):
                continue
        raise ValueError

    def _dataclass_from(self, kind: Any, data: Any) -> Any:
        _checked(data, isinstance(data, dict))
        hints = get_type_hints(kind)
        known = {field.name: field for field in fields(kind) if field.init}
        _checked(data, data.keys() <= known.keys())
        for name, field in known.items():
            _checked(data, name in data or field.default is not MISSING)
        return kind(**{name: self.read(hints[name], item) for name, item in data.items()})


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
