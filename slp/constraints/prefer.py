"""`:- prefer(Constraint, Weight).`: each split or leaf that the constraint would forbid multiplies
the weight of the tree by exp(-Weight)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from slp.errors import Diagnostic
from slp.ir.automaton import Paying
from slp.ir.constraints import Box, BoxEnd, Constraint, TableFacts
from slp.messages.numbers import number_text
from slp.source import SourceSpan


@dataclass(frozen=True)
class Prefer(Constraint):
    """Trees that break `constraint` are allowed: each split or leaf that breaks it costs a factor
    exp(-`cost`). What hard constraints ask of others, or leave no room for, it does not."""

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
        where = "leaf" if self.constraint.decided_at == "decided at the leaf" else "split"
        return f"Preferred, each {where} against it costs a factor {factor}: {told}"

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
