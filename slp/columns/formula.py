"""Features that formulas make of columns: `:- define(bmi, weight / (height/100)^2).`

A formula has its definitions written out, so that its names are columns of a table. Where it has no
value (division by 0, the logarithm of a number that is not positive, an overflow) its `undefined`
tells whether that is an error or a missing value. Where a column misses the value, so does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.errors import ProgramError
from slp.ir.made import Made
from slp.source import SourceSpan
from slp.syntax import parse_term, term_to_text
from slp.terms import Atom, Number, Struct, Term, subterms

#: What becomes of a row for which a formula has no value.
Undefined: TypeAlias = Literal["error", "missing"]

_Floats: TypeAlias = NDArray[np.float64]

#: The most parts of a formula with its definitions written out, so that each reader can take it.
MOST_PARTS = 200

#: The arithmetic of formulas, on 64-bit floating point numbers.
FUNCTIONS: Mapping[tuple[str, int], Callable[..., Any]] = {
    ("+", 2): np.add,
    ("-", 2): np.subtract,
    ("*", 2): np.multiply,
    ("/", 2): np.divide,
    ("^", 2): np.power,
    ("**", 2): np.power,
    ("-", 1): np.negative,
    ("+", 1): np.positive,
    ("abs", 1): np.abs,
    ("min", 2): np.minimum,
    ("max", 2): np.maximum,
    ("sqrt", 1): np.sqrt,
    ("exp", 1): np.exp,
    ("log", 1): np.log,
    ("log10", 1): np.log10,
}


@dataclass(frozen=True)
class Formula:
    """A formula.

    Attributes
    ----------
    term : arithmetic of `FUNCTIONS` over numbers and columns, which are atoms.
    undefined : what becomes of a row for which it has no value.
    """

    term: Term
    undefined: Undefined = "error"

    @property
    def text(self) -> str:
        """The formula as Prolog text."""
        return term_to_text(self.term)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it takes, each once, in the order of their first places."""
        return names_of(self.term)

    def values(self, columns: Mapping[str, _Floats]) -> _Floats:
        """Its value in each of n rows, (n,), by the numbers of its columns, NaN where one is
        missing: NaN there and where it has none."""
        with np.errstate(all="ignore"):
            return np.asarray(_value(self.term, columns), np.float64)

    def to_plain(self) -> dict[str, str]:
        """The formula as JSON data."""
        more = {} if self.undefined == "error" else {"undefined": self.undefined}
        return {"defined": self.text, **more}


@dataclass(frozen=True)
class DefinedFeature:
    """`:- define(name, formula).`

    Attributes
    ----------
    formula : with the definitions that it names written out.
    names : those in it as it is declared: of columns and definitions, each once.
    """

    name: str
    formula: Formula
    names: tuple[str, ...]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


def made_by(definitions: Iterable[DefinedFeature]) -> Made:
    """What each defined feature is made of."""
    return Made(tuple((d.name, d.names) for d in definitions))


def formula_of_plain(data: Mapping[str, Any]) -> Formula | None:
    """A formula of its JSON data; None if these are no such data."""
    text, undefined = data.get("defined"), data.get("undefined", "error")
    if not isinstance(text, str) or undefined not in ("error", "missing"):
        return None
    try:
        term = parse_term(text)
    except ProgramError:
        return None
    if wrong_part(term) is not None or sum(1 for _ in subterms(term)) > MOST_PARTS:
        return None
    return Formula(term, undefined) if names_of(term) else None


def names_of(term: Term) -> tuple[str, ...]:
    """The names in a formula, each once, in the order of their first places."""
    return tuple(dict.fromkeys(t.name for t in subterms(term) if isinstance(t, Atom)))


def wrong_part(term: Term) -> Term | None:
    """The first part of a term that no formula may have; None if there is none."""
    for part in subterms(term):
        match part:
            case Atom():
                continue
            case Number(value):
                if _is_finite(value):
                    continue
            case Struct(name, args):
                if (name, len(args)) in FUNCTIONS:
                    continue
        return part
    return None


def _is_finite(value: float) -> bool:
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:
        return False


def _value(term: Term, columns: Mapping[str, _Floats]) -> Any:
    """The value of a term of at most `MOST_PARTS` parts."""
    match term:
        case Number(value):
            return np.float64(value)
        case Atom(name):
            return columns[name]
        case Struct(name, args):
            values = [_value(arg, columns) for arg in args]
            # NumPy makes 1 of NaN^0 and of 1^NaN, but what is missing or undefined stays so; an
            # infinite part may become finite again, as 1/(1/0) would.
            found = FUNCTIONS[name, len(args)](*values)
            told = reduce(np.logical_and, map(np.isfinite, (*values, found)))
            return np.where(told, found, np.nan)
    raise AssertionError(term)
