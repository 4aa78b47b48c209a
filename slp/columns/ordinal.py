"""Columns of ordered levels.

`code = i` says that the value is `order[i]`. Numbers stand for the levels (`level_numbers`), and
the cuts are those of all levels but the first: a column of bins with a cut between any two levels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from slp.columns.kind import ColumnKind
from slp.columns.names import name_text
from slp.columns.numeric import Binned
from slp.columns.quantities import level_numbers, quantity_text
from slp.columns.tests import Below, Side, Test
from slp.columns.words import BoxRows, TestWords
from slp.messages.tree_texts import NO_LEVEL_OF_NUMBERS, NO_LEVEL_OF_ORDER
from slp.source import visible


class Ordinal(Binned):
    """Levels in a declared order."""

    word: ClassVar[str] = "ordinal"
    order: tuple[str, ...]

    def __init__(self, order: Sequence[str]) -> None:
        super().__init__(np.array(level_numbers(order)[1:]))
        object.__setattr__(self, "order", tuple(order))

    @property
    def names(self) -> tuple[str, ...]:
        """See `ColumnKind`."""
        return self.order

    @property
    def shown(self) -> NDArray[np.object_]:
        """See `ColumnKind`: the levels."""
        return np.array(self.order, np.object_)

    @property
    def numbers_by_name(self) -> Mapping[str, float]:
        """See `ColumnKind`."""
        return dict(zip(self.order, level_numbers(self.order), strict=True))

    def below(self, number: float, side: Side | None = None) -> Below:
        """See `ThresholdKind`: with the levels."""
        return Below(number, side, order=self.order)

    def test_of_words(self, words: TestWords, box: BoxRows) -> Test:
        """See `ColumnKind`: with a level, or a number between those that stand for levels."""
        words.check_no_side()
        form = f"{name_text(words.feature)} < {name_text(self.order[-1])}"
        if words.sign != "<":
            words.fail("sign", NO_LEVEL_OF_NUMBERS, form=form)
        numbers = dict(zip(self.order[1:], level_numbers(self.order)[1:], strict=True))
        if words.level in numbers:
            return self.below(numbers[words.level])
        if words.number is None or words.number[1] is not None or words.level in self.order:
            levels = " < ".join(map(name_text, self.order))
            words.fail("operand", NO_LEVEL_OF_ORDER, levels=levels)
        return self.below(words.number[0])

    def words(self, number: float) -> str:
        """See `ColumnKind`: as its level."""
        return quantity_text(number, order=self.order)

    @property
    def description(self) -> tuple[str, str]:
        """See `ColumnKind`."""
        return "ordinal", " < ".join(map(visible, self.order))

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """See `ColumnKind`."""
        return (("ordinal features", " < ".join(self.order)),)

    def with_numbers(self, numbers: NDArray[np.float64]) -> ColumnKind:
        """See `ColumnKind`: they are known."""
        if not np.array_equal(numbers, self._known):
            raise ValueError("levels have other numbers")
        return self

    def to_plain(self) -> dict[str, Any]:
        """See `ColumnKind`."""
        return {"kind": "cuts", "levels": None, "order": list(self.order)}
