"""What a program declares of a column: all of its declarations together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from slp.data.columns import Column
from slp.ir.program import FeatureDeclaration


def declared_of(column: Column, declarations: Sequence[FeatureDeclaration]) -> FeatureDeclaration:
    """All that is declared of a column: by the declarations that name it; by those for all numeric
    columns, if none does; and what a missing value is of all columns, if none of its own says
    it. Categories that their type puts in order are ordinal unless the declarations say what the
    column is, which `missing(level)` does too: categorical."""
    own = [d for d in declarations if d.name == column.name]
    of_kind = [d for d in own if d.of_kind]
    of_all = [d for d in declarations if d.name is None]
    said = {part: v for d in of_all for part, v in d.said.items()}
    if of_kind or not column.numeric:
        said = {part: v for part, v in said.items() if part in ("missing", "new")}
    said |= {part: v for d in own for part, v in d.said.items()}
    if column.ordered and said.keys() <= {"missing", "new"} and said.get("missing") != "level":
        said |= {"kind": "ordinal", "levels": column.categories}
    return FeatureDeclaration(column.name, **said)


def with_missing(declared: FeatureDeclaration) -> FeatureDeclaration:
    """The declaration of a column with missing values, which take a side, or both where a split
    gives none, if it does not say what they are; of one split by subsets they are a level."""
    if declared.missing is not None:
        return declared
    if declared.splits is not None:
        return replace(declared, missing="level")
    return replace(declared, missing="side", new=declared.new or "average")
