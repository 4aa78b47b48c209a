"""`:- prefer(Constraint, Weight).`: each split or leaf that the constraint would forbid multiplies
the weight of the tree by exp(-Weight). A constraint of the finished tree does so once."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from slp.errors import Diagnostic
from slp.ir.automaton import Paying
from slp.ir.boxes import Box, BoxEnd
from slp.ir.constraints import Constraint, TableFacts
from slp.messages.lowering import PREFERENCE_AT_TREE
from slp.messages.numbers import number_text
from slp.source import SourceSpan


@dataclass(frozen=True)
class Prefer(Constraint):
    """Trees that break `constraint` are allowed: each split or leaf that breaks it costs a factor
    exp(-`cost`), or the tree does, once, if the finished tree decides it. What hard constraints ask
    of others, or leave no room for, it does not."""

    name: ClassVar[str] = "prefer"
    constraint: Constraint
    cost: float
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def fewer_states(self) -> str:  # type: ignore[override]  # of its constraint
        return self.constraint.fewer_states

    @property
    def is_preference(self) -> bool:
        return True

    def words(self) -> str:
        told = self.constraint.words()
        if math.isinf(self.cost):
            return f"As under `condition`: {told}"
        factor = number_text(float(f"{math.exp(-self.cost):.4g}"))
        where = "each split"
        if self.constraint.at_finished_tree:
            where = "a tree"
        elif self.constraint.decided_at == "decided at the leaf":
            where = "each leaf"
        return f"Preferred, {where} against it costs a factor {factor}: {told}"

    def to_plain(self) -> dict[str, Any]:
        cost = None if math.isinf(self.cost) else self.cost
        return {"kind": self.name, "cost": cost, "constraint": self.constraint.to_plain()}

    def named_features(self) -> Iterator[tuple[str, SourceSpan | None]]:
        return self.constraint.named_features()

    def named_classes(self) -> Iterator[tuple[str, str, SourceSpan | None]]:
        return self.constraint.named_classes()

    @property
    def about(self) -> Box | None:
        return self.constraint.about

    @property
    def decided_at(self) -> str:
        return self.constraint.decided_at

    @property
    def by_more_than_features(self) -> str:
        return "`prefer`"

    @property
    def at_finished_tree(self) -> bool:
        return self.constraint.at_finished_tree

    @property
    def by_code(self) -> bool:
        return self.constraint.by_code

    @property
    def by_predictions(self) -> bool:
        return self.constraint.by_predictions

    def beyond_grammar(self) -> Diagnostic | None:
        if not self.at_finished_tree:
            return None
        return PREFERENCE_AT_TREE(self.span, name=self.constraint.name)

    def automaton(self) -> Paying | None:
        decides = self.constraint.automaton()
        return None if decides is None else Paying(decides.remembering(), self.cost)

    def can_be_broken(self, features: Collection[str]) -> bool:
        return self.cost > 0 and self.constraint.can_be_broken(features)

    def check_on_table(self, table: TableFacts) -> Iterator[Diagnostic]:
        found = self.constraint.check_on_table(table)
        return (one for one in found if one.severity == "error")

    def missed_end(self, end: BoxEnd) -> Diagnostic | None:
        return self.constraint.missed_end(end)


def without_preference(constraint: Constraint) -> Constraint:
    """The constraint that a preference is for; another one as it is."""
    return constraint.constraint if isinstance(constraint, Prefer) else constraint
