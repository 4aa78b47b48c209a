"""Numbers of columns in words: with their unit, or as the names of ordered levels."""

from __future__ import annotations

import re
from collections.abc import Sequence

from slp.columns.names import name_text
from slp.messages.numbers import number_text

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.I | re.A)


def numbers_in(levels: Sequence[str]) -> tuple[float, ...] | None:
    """The levels as numbers, None if one of them is no number."""
    if not all(_NUMBER.fullmatch(level) for level in levels):
        return None
    return tuple(map(float, levels))


def level_numbers(levels: Sequence[str]) -> tuple[float, ...]:
    """The number that stands for each level of an ordinal feature: its own where all levels are
    numbers, which then increase, else its place from 0."""
    return numbers_in(levels) or tuple(map(float, range(len(levels))))


def level_of(number: float, order: Sequence[str]) -> str | None:
    """The level of an ordinal feature for which a number stands, None if there is none."""
    numbers = level_numbers(order)
    return order[numbers.index(number)] if number in numbers else None


def quantity_text(number: float, unit: str | None = None, order: Sequence[str] = ()) -> str:
    """A number of a column: the name of the level for which it stands in the `order` of an ordinal
    feature, or the number with its declared unit."""
    level = level_of(number, order)
    if level is not None:
        return name_text(level)
    shown = number_text(number)
    return shown if unit is None else f"{shown} {name_text(unit)}"
