"""Options that many commands and methods take: counts and seeds."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from slp.errors import UsageError
from slp.messages.inference import NO_OPTION, NOT_A_COUNT
from slp.messages.names import nearest

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Options = TypeVar("_Options", bound="DataclassInstance")

#: Options of a run that are arguments by name.
_OTHERS = ("engine", "seed", "draws", "memory", "time", "threads", "progress", "allow_code")

#: No list is longer.
MOST_COUNTED = sys.maxsize

#: No machine holds more trees.
MOST_DRAWS = 100_000_000


def check_count(name: str, value: object, least: int = 0, most: int | float = MOST_COUNTED) -> None:
    """Raise UsageError E505 unless `value` is a whole number from `least` up, `most` at most."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= most:  # type: ignore[operator]
        shown = repr(value) if isinstance(value, str) else str(value)  # 2.0 is not 2
        too_many = whole and value > most  # type: ignore[operator]
        end = f"to {most:,}" if too_many else "up"
        raise UsageError(NOT_A_COUNT(name=name, value=shown, least=least, most=end))


def options_of(kind: type[_Options], given: Mapping[str, Any]) -> _Options:
    """Options of a dataclass by name. Raises UsageError E544 for a name that it does not have."""
    check_options([field.name for field in fields(kind)], given)
    return kind(**given)


def check_options(known: Iterable[str], given: Iterable[str]) -> None:
    """Raise UsageError E544 for a name among those given that is not known."""
    known = list(known)
    for name in given:
        if name not in known:
            near = nearest(name, [*known, *_OTHERS])
            raise UsageError(NO_OPTION(name=name, names=", ".join(known), nearest=near))


def fresh_seed() -> int:
    """A seed from the system."""
    return secrets.randbits(32)
