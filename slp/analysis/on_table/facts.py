"""What constraints ask of a table (`slp.ir.constraints.TableFacts`)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.errors import Diagnostic
from slp.ir.boxes import Box
from slp.ir.program import CheckedProgram
from slp.messages import Wording
from slp.source import SourceSpan
from slp.syntax import term_to_text
from slp.terms import Atom, Struct, list_term


class FactsOfTable:
    """A table under a program."""

    def __init__(self, program: CheckedProgram, table: Table) -> None:
        self._program = program
        self._table = table
        self._features: dict[str, Feature] = {f.name: f for f in table.features}

    @cached_property
    def most_leaves(self) -> int:
        return self._table.schema(self._program.support.min_leaf).most_leaves

    @property
    def means_on_lines(self) -> bool:
        return bool(self._table.leaf.regressors)

    @property
    def unordered_classes(self) -> tuple[str, str] | None:
        """Numbers, booleans and declared orders are an order."""
        named = [c for c in self._table.leaf.classes if isinstance(c, str)]
        if not named or self._program.class_order is not None:
            return None
        response = self._table.response
        goal = Struct("ordinal", (list_term(Atom(n) for n in named),))
        return response, term_to_text(Struct("response", (Atom(response), list_term([goal]))))

    def is_stuck(self, feature: str) -> bool:
        if feature not in self._features:
            return False
        codes = self._table.codes[:, list(self._features).index(feature)]
        return bool(np.all(codes == codes[:1]))

    def is_categorical(self, feature: str) -> bool:
        return feature in self._features and self._features[feature].kind.categorical

    def is_uncut(self, box: Box) -> bool:
        for feature in self._table.features:
            if self.is_stuck(feature.name):
                continue
            values, on_missing = feature.kind.values, feature.kind.missing_code is not None
            if feature.name not in box.bounds or values is None or on_missing:
                return False
            low, high = box.bounds[feature.name]
            # A threshold t lies between two values. It cuts the box if low < t < high.
            if low < values[-1] and high > values[0]:
                return False
        return True

    def untold(
        self, what: str, span: SourceSpan | None, instead: str | None = None
    ) -> Iterator[Diagnostic]:
        """`instead` says what else to do."""
        instead = instead or f"leave {what} out"
        found: dict[Wording, str] = {}  # with the first feature of each
        for feature in self._table.features:
            if feature.kind.not_with is not None:
                found.setdefault(feature.kind.not_with, feature.name)
        for wording, name in found.items():
            yield wording(span, what=what, name=name, instead=instead)
