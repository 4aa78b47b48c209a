"""What the declaration of a feature means: which parts go together, which kind of column they make.

Entry points: `clashes`, what is found of parts that do not go together; `NAMED_SPLITS` and
`splits_up_to`, how levels are split; `kind_of_levels`, `kind_of_numbers` and `kind_with_side`, the
kinds. `slp.analysis.declarations.features` reads the terms of a program, `slp.data.features` the
column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slp.columns.concepts import Concepts
from slp.columns.formula import Formula
from slp.columns.kind import ColumnKind
from slp.columns.levels import Nominal
from slp.columns.numeric import Binned, Numeric
from slp.columns.ordered_subsets import OrderedSubsets, SplitsInOrder
from slp.columns.ordinal import Ordinal
from slp.columns.sides import Sided
from slp.columns.subsets import MOST_PARTED, SplitsBySubsets, Subsets
from slp.errors import DataError
from slp.ir.program import FeatureDeclaration, LevelSplits
from slp.messages import Wording
from slp.messages import directives as words
from slp.messages.names import atom
from slp.messages.new_rows import TOO_MANY_LEVELS

#: The kinds of columns of levels.
KINDS_OF_LEVELS = (Nominal, Subsets, OrderedSubsets, Concepts)

#: What declares how levels are split, and what may stand in its brackets in place of a number.
SPLITS = "subsets"
NAMED_SPLITS: Mapping[str, LevelSplits] = {"ordered": SplitsInOrder()}

#: The most levels where the declaration has no number.
_SOME_LEVELS = 8


def splits_up_to(most: int = _SOME_LEVELS) -> LevelSplits | None:
    """How `most` levels are split; None if there are too many."""
    return SplitsBySubsets(most) if most <= MOST_PARTED else None


def clashes(name: str | None, said: Mapping[str, Any]) -> Iterator[Wording]:
    """What is found of parts of a declaration, of a feature or of all (None), that do not go
    together. `said` has them by the fields of `FeatureDeclaration`; ordered levels are the
    kind."""
    kind = said.get("kind")
    ordered = isinstance(kind, tuple)
    if "coding" in said and (kind == "categorical" or ordered):
        yield words.ORDINAL_AND_CUT if ordered else words.CATEGORICAL_AND_CUT
    if said.keys() & {"unit", "range", "decimal"} and (kind == "categorical" or ordered):
        yield words.LEVELS_WITH_UNIT
    numeric = kind == "numeric" or ordered or said.keys() & {"coding", "unit", "range", "decimal"}
    if name is not None and numeric and said.get("missing") == "level":
        yield words.NUMBERS_WITH_MISSING_LEVEL
    if "splits" in said:
        if numeric and name is not None:
            yield words.SUBSETS_AND_NUMBERS
        if said.get("missing") == "side":
            yield words.SUBSETS_AND_SIDES
    elif "new" in said and not _may_be_new(name, said):
        yield words.NEW_WITHOUT_SIDE
    elif said.get("new") == "larger":
        yield words.LARGER_WITHOUT_SUBSETS
    if name is None and said.keys() - {"coding", "missing", "new"}:
        yield words.TYPE_OF_ALL


def _may_be_new(name: str | None, said: Mapping[str, Any]) -> bool:
    """Whether a split on one level or a threshold may not say the side of a new row."""
    of_levels = name is None or said.get("kind") == "categorical"
    return of_levels or said.get("missing") in ("level", "side")


def kind_said(said: Mapping[str, Any]) -> Any:
    """The kind of the column, which the splits of levels say too."""
    return "categorical" if "splits" in said else said.get("kind")


# --- the kind of a column ------------------------------------------------------------------------


def has_levels(declared: FeatureDeclaration, *, numeric: bool) -> bool:
    """Whether a column has levels without an order: one of numbers (`numeric`), or another."""
    if declared.levels is not None:
        return False
    return declared.kind == "categorical" or (not declared.of_numbers and not numeric)


def kind_of_levels(
    declared: FeatureDeclaration, levels: tuple[str, ...], missing: Literal["level"] | None = None
) -> ColumnKind:
    """The kind of a column of levels, of which missing values are one, or not. Raises DataError
    E446 if there are too many for its splits."""
    if declared.splits is None:
        return Nominal(levels, declared.new, missing)
    most, name = declared.splits.most, str(declared.name)
    if most is not None and len(levels) > most:
        raise DataError(TOO_MANY_LEVELS(name=name, atom=atom(name), levels=len(levels), most=most))
    kind: ColumnKind = declared.splits.kind(levels, declared.new, missing)
    return kind


def kind_of_numbers(
    declared: FeatureDeclaration,
    numbers: NDArray[np.float64] | None = None,
    formula: Formula | None = None,
) -> ColumnKind:
    """The kind of a column with these cuts, if some are declared, or these distinct values, both
    ascending, which a `formula` made of other columns, or none; of ordered levels, which need
    neither."""
    if declared.levels is not None:
        return Ordinal(declared.levels)
    kind = Numeric if declared.coding is None else Binned
    return kind(numbers, declared.unit, declared.range, formula)


def kind_with_side(declared: FeatureDeclaration, inner: ColumnKind, *, holes: bool) -> ColumnKind:
    """The kind of a column whose missing values take a side, if there are any (`holes`)."""
    return Sided(inner, holes, declared.new)
