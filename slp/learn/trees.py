"""Learning the parameters of a tree program from tables: maximum marginal likelihood.

Let theta be the parameters that labels use and the feature weights. The log evidence of a table is

    l(theta) = log sum over trees of w(tree; theta) L(tree)  -  log sum over trees of w(tree; theta)

The log evidence of several tables is the sum over them. w is the product of the weights of the
steps of the tree's derivation. The weight of a step is a label, renormalised over the rules that
apply in the box, times the split probability. Let c(e) be the expected number of uses of step e
(inside-outside: Baker 1979; `slp.engines.chart.chart`), under the posterior and under the prior.
Then

    d l / d theta = sum over steps e of  [c(e | posterior) - c(e | prior)]  d log w(e) / d theta

(Fisher's identity). Salakhutdinov, Roweis & Ghahramani, "Optimization with EM and
Expectation-Conjugate-Gradient", ICML 2003, show that an ascent by this gradient needs far fewer
sums over all trees than EM. The zeros of the gradient are the fixed points of EM. d log w(e) / d
theta is computed by differences of the labels. The prior's term accounts for failure, as in
Cussens' failure-adjusted maximisation. It is 0 if no derivation can fail.

If the chart of all steps is too large for the memory, the gradient comes from differences of l,
which the compiled engine computes without storing the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from slp.budgets import check_room_for_bit_sets
from slp.data.table import Table
from slp.engines.chart import Chart, Forest, build_forest
from slp.engines.chart.build import forest_of_reach
from slp.engines.chart.reach import find_boxes
from slp.engines.exact import CompiledChart, compiled_is_there
from slp.errors import BudgetError, SlpError, UsageError
from slp.ir import program as ir
from slp.ir.tree_grammar import SplitRule, TreeGrammar
from slp.learn import faults
from slp.learn.ascent import Interval, climb, intervals_of, slope
from slp.learn.result import Change, Learned
from slp.learn.text import ProgramText, edited
from slp.lower import program_to_tree_grammar
from slp.messages.learning import NO_PARAMETER_TO_LEARN, NO_TABLE
from slp.problem.boxes import Geometry
from slp.problem.row_labels import telling_label_faults
from slp.results.averages import TreeDistribution

_Vector = NDArray[np.float64]

#: Largest memory of a chart of all steps, in bytes. Above it, differences are used.
_CHART_MEMORY = 256 * 2**20
#: Step of numeric derivatives of log weights, in a coordinate u.
_STEP = 1e-5
#: A coordinate beyond this bound is outside the range of sensible values.
_FAR = 10.0


def learn_parameters(
    program: ir.Program,
    text: ProgramText,
    tables: Sequence[Table],
    *,
    only: Collection[str] = (),
    compiles: Callable[[Mapping[str, float]], bool],
    memory: int,
    tolerance: float = 1e-9,
    iterations: int = 1000,
) -> Learned:
    """Maximise the evidence of tables over the parameters that labels use, and feature weights.

    Parameters
    ----------
    program, text : the same program, checked and as text. If the program declares no response, each
        table uses its own.
    only : parameters and features to learn; if empty, all that can be learned.
    compiles : whether the program is sound with given values of some parameters.
    memory : budget of each table's sums, in bytes.
    tolerance : stop when an iteration gains no more than this in log evidence.

    Raises
    ------
    SlpError
        E286 to E288, and the errors of inference.
    """
    if not tables:
        raise UsageError(NO_TABLE())
    unknowns = Unknowns.of(program, text, only, compiles)
    sums = [_sums_of(program, table, memory) for table in tables]
    evidence = _Evidence(unknowns, sums)
    path, converged = climb(evidence, unknowns.start, iterations=iterations, tolerance=tolerance)
    values = tuple(point.value for point in path)
    return unknowns.learned(path[-1].point, values, converged, evidence.method)


@dataclass(frozen=True, eq=False)
class _Evidence:
    """The log evidence of all tables, as a function of the coordinates."""

    unknowns: Unknowns
    sums: Sequence[Sums]

    @property
    def method(self) -> str:
        """How the evidence is summed."""
        return " and ".join(sorted({s.name for s in self.sums}))

    def value(self, u: _Vector) -> float:
        """The value; -inf if the labels are invalid."""
        if not self.unknowns.is_sound(u):
            return -np.inf
        try:
            return sum(s.value(self.unknowns, u) for s in self.sums)
        except OtherStepsError:
            return -np.inf

    def slope(self, u: _Vector) -> _Vector:
        """The gradient."""
        return np.asarray(sum(s.slope(self.unknowns, u) for s in self.sums))


# --- what is learned ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Unknowns:
    """The parameters, then the feature weights, with their intervals. They give the coordinates of
    theta."""

    program: ir.Program
    text: ProgramText
    parameters: dict[str, Interval]
    features: dict[str, Interval]
    compiles: Callable[[Mapping[str, float]], bool]

    @classmethod
    def of(
        cls,
        program: ir.Program,
        text: ProgramText,
        only: Collection[str],
        compiles: Callable[[Mapping[str, float]], bool],
    ) -> Unknowns:
        names = text.learnable(program.parameters)
        features = list(text.feature_weights())
        faults.check_names(only, [*names, *features])
        names = [n for n in names if not only or n in only]
        intervals = intervals_of(names, program.parameters, compiles)
        weights = {f: Interval(0.0, np.inf) for f in features if not only or f in only}
        if not intervals and not weights:
            raise SlpError(NO_PARAMETER_TO_LEARN())
        return cls(program, text, intervals, weights, compiles)

    @property
    def _before(self) -> list[float]:
        own = [self.program.parameters[n] for n in self.parameters]
        return own + [self.program.feature_weights[f] for f in self.features]

    @property
    def _intervals(self) -> list[Interval]:
        return [*self.parameters.values(), *self.features.values()]

    @property
    def start(self) -> list[float]:
        """The coordinates of the given program."""
        return [i.to_free(x) for i, x in zip(self._intervals, self._before, strict=True)]

    def values(self, u: _Vector) -> list[float]:
        """The values of theta at a point."""
        return [i.to_value(float(x)) for i, x in zip(self._intervals, u, strict=True)]

    def parameters_at(self, u: _Vector) -> dict[str, float]:
        """The parameters among theta."""
        return dict(zip(self.parameters, self.values(u), strict=False))

    def weights_at(self, u: _Vector) -> dict[str, float]:
        """The feature weights among theta."""
        return dict(zip(self.features, self.values(u)[len(self.parameters) :], strict=True))

    def is_sound(self, u: _Vector) -> bool:
        """Whether the labels are valid in all states that the checker looks at."""
        return not self.parameters or self.compiles(self.parameters_at(u))

    def program_at(self, u: _Vector) -> ir.Program:
        """The program with these parameters and feature weights."""
        return replace(
            self.program,
            parameters=self.text.parameters({**self._given, **self.parameters_at(u)}),
            feature_weights={**self.program.feature_weights, **self.weights_at(u)},
        )

    @cached_property
    def _given(self) -> dict[str, float]:
        """The parameters that the program's caller set; they may differ from the text."""
        parameters = self.program.parameters
        return {n: x for n, x in parameters.items() if not self.text.is_computed(n)}

    def learned(self, u: _Vector, path: tuple[float, ...], converged: bool, method: str) -> Learned:
        """The program with theta written into its text."""
        own = {n: self.parameters[n].rounded(x) for n, x in self.parameters_at(u).items()}
        weights = {f: self.features[f].rounded(x) for f, x in self.weights_at(u).items()}
        edits = self.text.parameter_edits(own)
        edits += [self.text.feature_weight_edit(f, x) for f, x in weights.items()]
        kinds = ["parameter"] * len(own) + ["feature_weight"] * len(weights)
        changes = tuple(
            Change(kind, name, before, after)
            for kind, name, before, after in zip(
                kinds,
                [*own, *weights],
                self._before,
                [*own.values(), *weights.values()],
                strict=True,
            )
        )
        notes = tuple(
            f"the evidence rises towards the end of the range of {change.name}"
            for change, x in zip(changes, u, strict=True)
            if abs(x) > _FAR
        )
        return Learned(edited(self.text.file, edits), changes, path, converged, method, notes)


# --- sums over all trees -----------------------------------------------------------------------


class OtherStepsError(Exception):
    """A label became 0 by rounding, so a step is missing."""


class Sums(Protocol):
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


def _sums_of(program: ir.Program, table: Table, memory: int) -> Sums:
    grammar = _grammar(program, table)
    if any(rule.rows is not None for _, rule in grammar.rules()):
        return Differences(table, memory)  # in some box a step may appear or disappear
    if compiled_is_there():
        try:
            return InsideOutside(grammar, table, min(memory, _CHART_MEMORY))
        except BudgetError:
            return Differences(table, memory)
    return InsideOutside(grammar, table, memory)


def _grammar(program: ir.Program, table: Table) -> TreeGrammar:
    schema = table.schema(program.support.min_leaf)
    return program_to_tree_grammar(program, schema).listed()


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
        self._reach = find_boxes(grammar, Geometry(grammar, table), memory)
        self._last: tuple[bytes, Chart] | None = None

    def value(self, unknowns: Unknowns, u: _Vector) -> float:
        """See `Sums`."""
        chart = self._chart(unknowns, u)
        prior = 0.0 if chart.forest.grammar.normalised else chart.other(False).log_total
        return chart.log_total - prior

    def slope(self, unknowns: Unknowns, u: _Vector) -> _Vector:
        """See `Sums`."""
        chart = self._chart(unknowns, u)
        counts = _expected_uses(chart)
        if not chart.forest.grammar.normalised:
            counts = counts - _expected_uses(chart.other(False))
        out = np.empty(len(u))
        for i, step in enumerate(_STEP * np.eye(len(u))):
            up, down = self._forest(unknowns, u + step), self._forest(unknowns, u - step)
            out[i] = counts @ (up.log_weight - down.log_weight) / (2 * _STEP)
        return out

    def _chart(self, unknowns: Unknowns, u: _Vector) -> Chart:
        """The posterior's chart; the last one is cached."""
        if self._last is None or self._last[0] != u.tobytes():
            self._last = u.tobytes(), Chart(self._forest(unknowns, u), likelihood=True)
        return self._last[1]

    def _forest(self, unknowns: Unknowns, u: _Vector) -> Forest:
        grammar = _grammar(unknowns.program_at(u), self._table)
        if _shape(grammar) != _shape(self._grammar):
            raise OtherStepsError
        return forest_of_reach(grammar, self._reach)


def _shape(grammar: TreeGrammar) -> list[tuple[int, type, object]]:
    """The parts of a grammar except its weights."""
    return [
        (
            state,
            type(rule),
            [t.tobytes() for t in rule.transitions] if isinstance(rule, SplitRule) else None,
        )
        for state, rule in grammar.rules()
    ]


def _expected_uses(chart: Chart) -> _Vector:
    """Expected number of uses of each edge, shape (E,)."""
    sizes = np.diff(chart.forest.first_edge)
    return np.asarray(np.repeat(chart.visits, sizes) * chart.share)


@dataclass(frozen=True, eq=False)
class Differences:
    """The log evidence by the compiled engine, and its gradient by differences."""

    table: Table
    memory: int
    name: str = "differences of exact sums"

    def value(self, unknowns: Unknowns, u: _Vector) -> float:
        """See `Sums`."""
        grammar = _grammar(unknowns.program_at(u), self.table)
        geometry = Geometry(grammar, self.table)
        with telling_label_faults(grammar, self.table):
            chart = self._chart(grammar, geometry)
            prior = 0.0 if grammar.normalised else chart.other(False).log_total
        return chart.log_total - prior

    def _chart(self, grammar: TreeGrammar, geometry: Geometry) -> TreeDistribution:
        if compiled_is_there():
            return CompiledChart.of(grammar, geometry, True, self.memory)
        check_room_for_bit_sets(self.table, self.memory)
        return Chart(build_forest(grammar, geometry, self.memory), likelihood=True)

    def slope(self, unknowns: Unknowns, u: _Vector) -> _Vector:
        """See `Sums`."""
        return slope(lambda point: self.value(unknowns, point), u)
