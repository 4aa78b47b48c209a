"""Learning the parameters of a tree program from tables: maximum marginal likelihood.

With theta the parameters that labels use and the feature weights, the log evidence of a table is

    l(theta) = log sum over trees of w(tree; theta) L(tree)  -  log sum over trees of w(tree; theta)

and that of several tables the sum over them. w is the product of the weights of the steps of the
tree's derivation, each a label, renormalised over the rules that apply in the box, times the share
of a split. With c(e) the expected number of times that step e is taken (inside-outside: Baker 1979;
`slp.infer.exact.chart`), under the posterior and under the prior, the derivative is

    d l / d theta = sum over steps e of  [c(e | posterior) - c(e | prior)]  d log w(e) / d theta

(Fisher's identity; Salakhutdinov, Roweis & Ghahramani, "Optimization with EM and
Expectation-Conjugate-Gradient", ICML 2003, who show that climbing it needs far fewer sums over all
trees than EM, whose fixed points are its zeros). d log w(e) / d theta is taken by differences of
the labels alone. The prior's part accounts for failure, as in Cussens' failure-adjusted
maximisation; it is 0 where no derivation can fail.

Where the chart of all steps is too large to keep, the derivative is taken by differences of l
itself, which the compiled engine sums without keeping them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import BudgetError, SlpError
from slp.infer.boxes import Geometry
from slp.infer.compiled import CompiledChart, compiled_is_there
from slp.infer.exact import Chart, Forest
from slp.infer.exact.build import forest_of_reach
from slp.infer.exact.reach import Reach, find_boxes
from slp.ir import program as ir
from slp.ir.tree_grammar import SplitRule, TreeGrammar
from slp.learn import faults
from slp.learn.ascent import Interval, climb, intervals_of, slope
from slp.learn.result import Change, Learned
from slp.learn.text import ProgramText, edited
from slp.lower import program_to_tree_grammar

__all__ = ["learn_parameters"]

_Vector = NDArray[np.float64]

#: Memory that a chart of all steps may take before sums without one are taken instead.
_CHART_MEMORY = 256 * 2**20
#: Step of numeric derivatives of log weights, in a coordinate u.
_STEP = 1e-5
#: A coordinate beyond this has left all values that one would choose.
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
    program, text : the same program, checked and as text; without `response` of its own the tables
        have theirs.
    only : parameters and features to learn; all that can be if empty.
    compiles : whether the program is sound with some parameters set so.
    memory : budget of each table's sums, in bytes.
    tolerance : stop when an iteration gains no more than this in log evidence.

    Raises
    ------
    SlpError
        E286 to E288, and what inference raises.
    """
    if not tables:
        raise faults.no_data("there is no table")
    unknowns = _Unknowns.of(program, text, only, compiles)
    sums = [_sums_of(program, table, memory) for table in tables]
    names = {s.name for s in sums}

    def climbed(u: _Vector) -> tuple[float, _Vector]:
        try:
            parts = [s.value_and_slope(unknowns, u) for s in sums]
        except BudgetError:
            raise
        except (SlpError, _OtherStepsError):  # labels that are none
            return -np.inf, np.zeros(len(u))
        return sum(v for v, _ in parts), np.sum([g for _, g in parts], axis=0)

    path = climb(climbed, unknowns.start, iterations=iterations, tolerance=tolerance)
    values = tuple(point.value for point in path)
    converged = len(path) <= iterations
    return unknowns.learned(text, path[-1].point, values, converged, " and ".join(sorted(names)))


# --- what is learned ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Unknowns:
    """Parameters, then feature weights, with their intervals: the coordinates of theta."""

    program: ir.Program
    text: ProgramText
    parameters: dict[str, Interval]
    features: dict[str, Interval]

    @classmethod
    def of(
        cls,
        program: ir.Program,
        text: ProgramText,
        only: Collection[str],
        compiles: Callable[[Mapping[str, float]], bool],
    ) -> _Unknowns:
        names = text.learnable(program.parameters)
        features = list(text.feature_weights())
        known = [*names, *features]
        for name in only:
            if name not in known:
                raise faults.unknown_name(name, known)
        names = [n for n in names if not only or n in only]
        intervals = intervals_of(names, program.parameters, compiles)
        weights = {f: Interval(0.0, np.inf) for f in features if not only or f in only}
        if not intervals and not weights:
            raise faults.nothing_to_learn("no parameter of the labels can change by itself")
        return cls(program, text, intervals, weights)

    @property
    def _before(self) -> list[float]:
        own = [self.program.parameters[n] for n in self.parameters]
        return own + [self.program.feature_weights[f] for f in self.features]

    @property
    def _intervals(self) -> list[Interval]:
        return [*self.parameters.values(), *self.features.values()]

    @property
    def start(self) -> list[float]:
        """The coordinates of the program as it is."""
        return [i.to_free(x) for i, x in zip(self._intervals, self._before, strict=True)]

    def values(self, u: _Vector) -> list[float]:
        """Theta at a point."""
        return [i.to_value(float(x)) for i, x in zip(self._intervals, u, strict=True)]

    def program_at(self, u: _Vector) -> ir.Program:
        """The program with these parameters and feature weights."""
        values = self.values(u)
        own = dict(zip(self.parameters, values, strict=False))
        weights = dict(zip(self.features, values[len(own) :], strict=True))
        return replace(
            self.program,
            parameters=self.text.parameters({**self._given, **own}),
            feature_weights={**self.program.feature_weights, **weights},
        )

    @cached_property
    def _given(self) -> dict[str, float]:
        """What the program's caller set: it may differ from what the text says."""
        parameters = self.program.parameters
        return {n: x for n, x in parameters.items() if not self.text.is_computed(n)}

    def learned(
        self,
        text: ProgramText,
        u: _Vector,
        path: tuple[float, ...],
        converged: bool,
        engine: str,
    ) -> Learned:
        """The program with theta written into it."""
        values = self.values(u)
        own = dict(zip(self.parameters, values, strict=False))
        weights = dict(zip(self.features, values[len(own) :], strict=True))
        edits = text.parameter_edits(own)
        edits += [text.feature_weight_edit(f, x) for f, x in weights.items()]
        kinds = ["parameter"] * len(own) + ["feature_weight"] * len(weights)
        changes = tuple(
            Change(kind, name, before, after)
            for kind, name, before, after in zip(
                kinds, [*own, *weights], self._before, values, strict=True
            )
        )
        notes = tuple(
            f"the evidence rises towards the end of the range of {change.name}"
            for change, x in zip(changes, u, strict=True)
            if abs(x) > _FAR
        )
        return Learned(edited(text.file, edits), changes, path, converged, engine, notes)


# --- sums over all trees -----------------------------------------------------------------------


class _OtherStepsError(Exception):
    """Some label has become 0 by rounding: a step is missing."""


class _Sums(Protocol):
    """The log evidence of one table."""

    @property
    def name(self) -> str: ...

    def value_and_slope(self, unknowns: _Unknowns, u: _Vector) -> tuple[float, _Vector]:
        """At a point of the coordinates.

        Raises
        ------
        SlpError
            The labels are none there.
        """
        ...


def _sums_of(program: ir.Program, table: Table, memory: int) -> _Sums:
    grammar = _grammar(program, table)
    if compiled_is_there():
        try:
            return InsideOutside.of(grammar, table, min(memory, _CHART_MEMORY))
        except BudgetError:
            return Differences(table, memory)
    return InsideOutside.of(grammar, table, memory)


def _grammar(program: ir.Program, table: Table) -> TreeGrammar:
    return program_to_tree_grammar(program, table.schema(program.support.min_leaf))


@dataclass(frozen=True, eq=False)
class InsideOutside:
    """By expected counts on the chart of all steps."""

    table: Table
    grammar: TreeGrammar
    geometry: Geometry
    reach: Reach
    name: str = "inside-outside on the chart"

    @classmethod
    def of(cls, grammar: TreeGrammar, table: Table, memory: int) -> InsideOutside:
        """Find the boxes.

        Raises
        ------
        BudgetError
            The chart would need more than `memory` bytes.
        """
        geometry = Geometry(grammar, table)
        return cls(table, grammar, geometry, find_boxes(grammar, geometry, memory))

    def value_and_slope(self, unknowns: _Unknowns, u: _Vector) -> tuple[float, _Vector]:
        """See the module's docstring."""
        forest = self._forest(unknowns, u)
        posterior = Chart(forest, likelihood=True)
        value, counts = posterior.log_total, _expected_uses(posterior)
        if not forest.grammar.normalised:
            prior = posterior.other(likelihood=False)
            value, counts = value - prior.log_total, counts - _expected_uses(prior)
        out = np.empty(len(u))
        for i in range(len(u)):
            step = np.zeros(len(u))
            step[i] = _STEP
            up, down = self._forest(unknowns, u + step), self._forest(unknowns, u - step)
            out[i] = counts @ (up.log_weight - down.log_weight) / (2 * _STEP)
        return value, out

    def _forest(self, unknowns: _Unknowns, u: _Vector) -> Forest:
        grammar = _grammar(unknowns.program_at(u), self.table)
        if _shape(grammar) != _shape(self.grammar):
            raise _OtherStepsError
        return forest_of_reach(grammar, self.geometry, self.reach)


def _shape(grammar: TreeGrammar) -> list[tuple[int, type, object]]:
    """All of a grammar but its weights."""
    return [
        (
            state,
            type(rule),
            [t.tobytes() for t in rule.transitions] if isinstance(rule, SplitRule) else None,
        )
        for state, rule in grammar.rules()
    ]


def _expected_uses(chart: Chart) -> _Vector:
    """Expected number of times that each edge is taken, shape (E,)."""
    sizes = np.diff(chart.forest.first_edge)
    return np.asarray(np.repeat(chart.visits, sizes) * chart.share)


@dataclass(frozen=True, eq=False)
class Differences:
    """By differences of the log evidence, which the compiled engine sums."""

    table: Table
    memory: int
    name: str = "differences of exact sums"

    def value_and_slope(self, unknowns: _Unknowns, u: _Vector) -> tuple[float, _Vector]:
        """See the module's docstring."""

        def value(u: _Vector) -> float:
            grammar = _grammar(unknowns.program_at(u), self.table)
            geometry = Geometry(grammar, self.table)
            chart = CompiledChart.of(grammar, geometry, True, self.memory)
            prior = 0.0 if grammar.normalised else chart.other(False).log_total
            return chart.log_total - prior

        return value(u), slope(value, u)
