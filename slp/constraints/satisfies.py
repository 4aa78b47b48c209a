"""`Satisfies`: that a tree satisfies another constraint, as a condition (docs/pricing.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from slp.ir.automaton import Losing
from slp.ir.constraints import Constraint
from slp.source import SourceSpan


@dataclass(frozen=True)
class Satisfies(Constraint):
    """The tree satisfies `constraint`, which splits decide. As with `Avoids`, no program writes it:
    it takes trees out of a distribution and leaves all weights as they are, under either
    `failure`."""

    name: ClassVar[str] = "satisfies"
    constraint: Constraint

    @property
    def span(self) -> SourceSpan | None:  # type: ignore[override]  # a field of others
        """See `Constraint`."""
        return self.constraint.span

    @property
    def by_more_than_features(self) -> str | None:
        """See `Constraint`."""
        return self.constraint.by_more_than_features

    def words(self) -> str:
        """See `Constraint`."""
        return self.constraint.words()

    def automaton(self) -> Losing:
        """See `Constraint`."""
        decides = self.constraint.automaton()
        assert decides is not None, "splits decide it"
        return Losing(decides)
