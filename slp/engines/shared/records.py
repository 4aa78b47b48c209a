"""Chains whose records are those of other chains, with the same trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from slp.data.table import Table
from slp.ir.tree_grammar import TreeGrammar
from slp.results.averages.over_trees import ScoredTrees
from slp.runner import Json, Stop, never
from slp.trees import Tree

if TYPE_CHECKING:
    from slp.results.record.sampler import ToResult, TreeSampler
    from slp.results.trust.tempering import Scan, TemperingFigures

B = TypeVar("B", bound="TreeSampler[Any]")


class RecordsOf(Generic[B]):
    """The methods of `TreeSampler` other than those of `Stepper`, delegated to `base`."""

    def __init__(self, base: B) -> None:
        self.base = base

    @property
    def to_result(self) -> ToResult:
        """See `TreeSampler`."""
        return self.base.to_result

    @property
    def in_core(self) -> bool:
        """See `TreeSampler`."""
        return self.base.in_core

    @property
    def over_edits(self) -> bool:
        """See `TreeSampler`."""
        return self.base.over_edits

    @property
    def table(self) -> Table:
        """See `TreeSampler`."""
        return self.base.table

    @property
    def normalised(self) -> bool:
        """See `TreeSampler`."""
        return self.base.normalised

    @property
    def derivations_are_trees(self) -> bool:
        """See `TreeSampler`."""
        return self.base.derivations_are_trees

    @property
    def evidence_note(self) -> str | None:
        """See `TreeSampler`."""
        return self.base.evidence_note

    def scored(self, records: Iterable[Json], stop: Stop = never) -> ScoredTrees:
        """See `TreeSampler`."""
        return self.base.scored(records, stop)

    @property
    def scan(self) -> Scan | None:
        """See `TreeSampler`."""
        return self.base.scan

    def tempering(self, states: Sequence[Any], share: float) -> TemperingFigures | None:
        """See `TreeSampler`."""
        return self.base.tempering(states, share)

    @property
    def rule_grammar(self) -> TreeGrammar | None:
        """See `TreeSampler`."""
        return self.base.rule_grammar

    def n_nodes(self, record: Json) -> int:
        """See `TreeSampler`."""
        return self.base.n_nodes(record)

    def rules_taken(self, record: Json) -> list[tuple[int, int]]:
        """See `TreeSampler`."""
        return self.base.rules_taken(record)

    def log_weight(self, tree: Tree) -> float:
        """See `TreeSampler`."""
        return self.base.log_weight(tree)
