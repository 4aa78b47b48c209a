"""The log evidence of a table and its gradient, by sums over all trees; the formulas are in
`slp.learn.trees`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from slp.data.memory import check_room_for_bit_sets
from slp.data.table import Table
from slp.engines.exact import CompiledChart
from slp.engines.registry import plain_engine
from slp.errors import BudgetError, UnsupportedError
from slp.ir import program as ir
from slp.ir.tree_grammar import SplitRule, TreeGrammar
from slp.learn.ascent import slope
from slp.learn.unknowns import Unknowns
from slp.lower import program_to_tree_grammar
from slp.messages.inference import BACKTRACKING_DRAWS_ALONE
from slp.problem.core import core_for
from slp.problem.row_labels import telling_label_faults
from slp.resolution import StateRules
from slp.results.averages.over_trees import TreeDistribution

_Vector = NDArray[np.float64]

#: Largest memory of a chart of all steps, in bytes. Above it, differences are used.
_CHART_MEMORY = 256 * 2**20

#: Step of numeric derivatives of log weights, in a coordinate u.
_STEP = 1e-5


class OtherStepsError(Exception):
    """A label became 0 by rounding, so a step is missing."""


class EvidenceSums(Protocol):
    """The log evidence of one table. `name` says how it is summed."""

    @property
    def name(self) -> str: ...

    def value(self, unknowns: Unknowns, u: _Vector) -> float:
        """The value at a point of the coordinates.

        Raises
        ------
        OtherStepsError
            The point is too close to an end of the range.
        """
        ...

    def slope(self, unknowns: Unknowns, u: _Vector) -> _Vector:
        """The gradient at a point. It is fastest at the point of the last call of `value`."""
        ...


def sums_of(program: ir.CheckedProgram, table: Table, memory: int) -> EvidenceSums:
    """The sums of a table: on the chart where that fits, else by differences."""
    grammar = grammar_on(program, table)
    if any(rule.rows is not None for _, rule in grammar.rules()):
        return Differences(table, memory)  # in some box a step may appear or disappear
    if core_for(table) is not None:
        try:
            return InsideOutside(grammar, table, min(memory, _CHART_MEMORY))
        except BudgetError:
            return Differences(table, memory)
    return InsideOutside(grammar, table, memory)


def grammar_on(
    program: ir.CheckedProgram, table: Table, states: StateRules | None = None
) -> TreeGrammar:
    """The tree grammar of a program on a table, with all of its states, whose rules may be those of
    `states`.

    Raises
    ------
    UnsupportedError
        E548: derivations backtrack.
    """
    schema = table.schema(program.support.min_leaf)
    grammar = program_to_tree_grammar(program, schema, states=states).listed()
    if grammar.backtracks:
        raise UnsupportedError(BACKTRACKING_DRAWS_ALONE(what="learning"))
    return grammar


class InsideOutside:
    """The log evidence by expected counts on the chart of all steps (see the module's docstring).

    Raises
    ------
    BudgetError
        The chart would need more than `memory` bytes.
    """

    name = "inside-outside on the chart"

    def __init__(self, grammar: TreeGrammar, table: Table, memory: int) -> None:
        check_room_for_bit_sets(table, memory)
        self._grammar, self._table = grammar, table
        self._plain = plain_engine("exact")
        self._reach = self._plain.reach_of(grammar, table, memory)
        self._last: tuple[bytes, Any] | None = None

    def value(self, unknowns: Unknowns, u: _Vector) -> float:
        """See `EvidenceSums`."""
        chart = self._chart(unknowns, u)
        prior = 0.0 if chart.forest.grammar.normalised else chart.other(False).log_total
        return float(chart.log_total - prior)

    def slope(self, unknowns: Unknowns, u: _Vector) -> _Vector:
        """See `EvidenceSums`."""
        chart = self._chart(unknowns, u)
        counts = _expected_uses(chart)
        if not chart.forest.grammar.normalised:
            counts = counts - _expected_uses(chart.other(False))
        out = np.empty(len(u))
        for i, step in enumerate(_STEP * np.eye(len(u))):
            down, up = self._log_weights(unknowns, u - step), self._log_weights(unknowns, u + step)
            # Near an end of the range one side lacks steps, and the other side alone counts.
            width = ((down is not None) + (up is not None)) * _STEP
            here = chart.forest.log_weight
            change = (here if up is None else up) - (here if down is None else down)
            out[i] = counts @ change / width if width else 0.0
        return out

    def _chart(self, unknowns: Unknowns, u: _Vector) -> Any:
        """The posterior's chart; the last one is cached."""
        if self._last is None or self._last[0] != u.tobytes():
            self._last = u.tobytes(), self._plain.Chart(self._forest(unknowns, u), likelihood=True)
        return self._last[1]

    def _log_weights(self, unknowns: Unknowns, u: _Vector) -> _Vector | None:
        """The log weights of all edges, None where a label became 0 by rounding."""
        try:
            return np.asarray(self._forest(unknowns, u).log_weight)
        except OtherStepsError:
            return None

    def _forest(self, unknowns: Unknowns, u: _Vector) -> Any:
        grammar = grammar_on(unknowns.program_at(u), self._table)
        if steps_of(grammar) != steps_of(self._grammar):
            raise OtherStepsError
        return self._plain.forest_of_reach(grammar, self._reach)


def steps_of(grammar: TreeGrammar) -> list[tuple[int, type, object]]:
    """The parts of a grammar except its weights."""
    return [
        (
            state,
            type(rule),
            [t.tobytes() for t in rule.transitions] if isinstance(rule, SplitRule) else None,
        )
        for state, rule in grammar.rules()
    ]


def _expected_uses(chart: Any) -> _Vector:
    """Expected number of uses of each edge, shape (E,)."""
    sizes = np.diff(chart.forest.first_edge)
    return np.asarray(np.repeat(chart.visits, sizes) * chart.edge_probability)


@dataclass(frozen=True, eq=False)
class Differences:
    """The log evidence by the compiled engine, and its gradient by differences."""

    table: Table
    memory: int
    name: str = "differences of exact sums"

    def value(self, unknowns: Unknowns, u: _Vector) -> float:
        """See `EvidenceSums`."""
        grammar = grammar_on(unknowns.program_at(u), self.table)
        with telling_label_faults(grammar, self.table):
            chart = self._chart(grammar)
            prior = 0.0 if grammar.normalised else chart.other(False).log_total
        return chart.log_total - prior

    def _chart(self, grammar: TreeGrammar) -> TreeDistribution:
        if core_for(self.table) is not None:
            return CompiledChart.of(grammar, self.table, True, self.memory)
        check_room_for_bit_sets(self.table, self.memory)
        plain = plain_engine("exact")
        reach = plain.reach_of(grammar, self.table, self.memory)
        chart: TreeDistribution = plain.Chart(plain.forest_of_reach(grammar, reach), True)
        return chart

    def slope(self, unknowns: Unknowns, u: _Vector) -> _Vector:
        """See `EvidenceSums`."""
        return slope(lambda point: self.value(unknowns, point), u)
