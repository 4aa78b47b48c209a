"""The chart of all trees of a program on a table, whose edges get other weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

    def of_ratio(self, own: Sequence[Sequence[bool]], steep: Sequence[float]) -> _Floats:
        """The derivatives (E,) of the log weights of edges where in each state the labels of its
        `own` rules grow against those of the others: the logarithm of their ratio by `steep`.

        With Q the share of the own rules that apply in a box, these edges have (1 - Q) steep, and
        the others - Q steep. 1 - Q is the sum of the other shares, which are tiny where steep is
        huge.
        """
        forest = self.adjoints.chart.forest
        ours, others = np.zeros(forest.n_items), np.zeros(forest.n_items)
        rules = plain_engine("exact").weights_of_rules(self.grammar, self._reach)
        for state, weights in rules.items():
            items = np.flatnonzero(forest.item_state == state)
            place = np.searchsorted(self._reach.reached[state], forest.item_box[items])
            for is_own, weight in zip(own[state], weights, strict=True):
                (ours if is_own else others)[items] += steep[state] * np.exp(weight[place])
        item = np.repeat(np.arange(forest.n_items), np.diff(forest.first_edge))
        return np.asarray(np.where(self._is_own(own, item), others[item], -ours[item]))

    def of_own(self, own: Sequence[Sequence[bool]]) -> _Floats:
        """The same where the labels of `own` rules grow, and nothing is renormalised."""
        forest = self.adjoints.chart.forest
        item = np.repeat(np.arange(forest.n_items), np.diff(forest.first_edge))
        return np.asarray(self._is_own(own, item), np.float64)

    def _is_own(self, own: Sequence[Sequence[bool]], item: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether the rule of each edge is one of `own`."""
        forest = self.adjoints.chart.forest
        most = max(map(len, own), default=0)
        known = np.array([[*rules, *[False] * (most + 1 - len(rules))] for rules in own], np.bool_)
        # The edges of item 0 have state -1 and rule -1: the last place, which is False.
        return np.asarray(known[forest.item_state[item], forest.rule])
