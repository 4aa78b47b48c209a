"""How a leaf model is written in a program: its name, its hyperparameters, its lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slp.errors import Diagnostic

#: A finding that lacks its place alone.
Finding = Callable[[Any], Diagnostic]


@dataclass(frozen=True)
class NumberList:
    """The list of numbers above 0 that ends the arguments of a model, or (`alone`) stands in place
    of all of them. `one` is what each number is. `fault` is what a list lacks, None if nothing."""

    one: str
    fault: Callable[[tuple[float, ...]], Finding | None]
    alone: bool = False


@dataclass(frozen=True)
class Signature:
    """The form of a model and its hyperparameters. Those in `real` may be any finite number; the
    others are above 0. Where `most_columns` is above 0 the first argument is a list of as many
    columns at most, and the hyperparameters may be left out: then the response gives them. `make`
    is of a model that the user registered. `stands_for` is the model and the hyperparameters that a
    name is short for. Where numbers are `named`, there are the sets that are given together, each
    with its default, None where it must be given; `shares` are those below 1."""

    written: str
    parameters: tuple[str, ...]
    real: tuple[str, ...] = ()
    most_columns: int = 0
    numbers: NumberList | None = None
    make: Callable[..., Any] | None = None
    stands_for: tuple[str, tuple[float, ...]] | None = None
    named: tuple[Mapping[str, float | None], ...] = ()
    shares: tuple[str, ...] = ()
