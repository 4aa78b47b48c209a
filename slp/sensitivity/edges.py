"""The chart of all trees of a program on a table, whose edges get other weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.budgets import check_time
from slp.budgets.memory import format_bytes
from slp.data.memory import check_room_for_bit_sets
from slp.data.table import Table
from slp.engines.registry import plain_engine
from slp.errors import BudgetError
from slp.ir.tree_grammar import TreeGrammar
from slp.learn.evidence import steps_of
from slp.messages.inference import MEMORY_USED_UP

_Floats = NDArray[np.float64]

#: The part of the memory for the chart; the rest is for the numbers of its edges.
_FOR_CHART = 2


@dataclass(frozen=True, eq=False)
class Edges:
    """E edges: the steps of all trees.

    Attributes
    ----------
    grammar, table : of the chart.
    adjoints : the derivatives of what the posterior's chart says, a
        `slp.reference.chart.adjoints.Adjoints`.
    prior : those of the prior's chart.
    """

    grammar: TreeGrammar
    table: Table
    adjoints: Any
    prior: Any
    _reach: Any
    _steps: list[Any]

    @classmethod
    def of(
        cls,
        grammar: TreeGrammar,
        table: Table,
        memory: int,
        held: int,
        progress: Callable[[int, str], None] | None,
    ) -> Edges:
        """The chart of a listed grammar, where `held` numbers are kept beside for each edge.

        Raises
        ------
        BudgetError
            E501, E540: it would take more than `memory` bytes, or more time than there is.
        """
        check_room_for_bit_sets(table, memory)
        plain = plain_engine("exact")

        def tell(done: int, phase: str) -> None:
            check_time("while boxes were found")
            if progress is not None:
                progress(done, phase)

        reach = plain.reach_of(grammar, table, memory // _FOR_CHART, tell)
        forest = plain.forest_of_reach(grammar, reach)
        if 8 * held * forest.n_edges > memory - memory // _FOR_CHART:
            doing = f"by {held} numbers for each of {forest.n_edges:,} edges"
            raise BudgetError(MEMORY_USED_UP(memory=format_bytes(memory), doing=doing))
        chart = plain.Chart(forest, likelihood=True)
        prior = plain.Adjoints(chart.other(False))
        return cls(grammar, table, plain.Adjoints(chart), prior, reach, steps_of(grammar))

    @property
    def log_weight(self) -> _Floats:
        """Log weights of the edges under the program as it is, without likelihood, shape (E,)."""
        return np.asarray(self.prior.chart.edge_weight)

    def under(self, grammar: TreeGrammar) -> _Floats | None:
        """Log weights of the edges under a grammar that differs in weights; None where a step
        appears or disappears."""
        if steps_of(grammar) != self._steps:
            return None
        forest = self.adjoints.chart.forest
        other = plain_engine("exact").forest_of_reach(grammar, self._reach)
        same = all(
            np.array_equal(getattr(other, name), getattr(forest, name))
            for name in ("first_edge", "left", "right", "cut", "rule")
        )
        return np.asarray(other.log_weight) if same else None
