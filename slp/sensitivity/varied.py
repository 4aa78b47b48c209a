"""The numbers of a program that vary, each with the weights of steps at another value.

- a parameter, or a feature weight: as learning varies them (`slp.learn.unknowns`);
- a label: the factor on the labels that one clause has, where those of the other clauses of the
  state are rescaled, so that all sum to what they did. Under `:- weights.` others stay;
- a concentration of the leaf model `dirichlet`.

The derivative of the log weight of an edge by a concentration is a difference of digammas. Those by
the others are of formulas of labels: central differences of fourth order, within 1e-9 of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import SlpError
from slp.ir.program import CheckedProgram, TreeRule
from slp.ir.tree_grammar import State, TreeGrammar
from slp.late import late_import
from slp.learn.ascent import Interval, intervals_of
from slp.learn.evidence import grammar_on
from slp.learn.text import ProgramText
from slp.learn.unknowns import Unknowns
from slp.results.sensitivity import VariedKind
from slp.sensitivity.edges import Edges
from slp.source import SourceSpan
from slp.syntax import term_to_text

_Floats: TypeAlias = NDArray[np.float64]

#: The step of differences, as a share of the way to the nearer end of the interval, or of the size
#: of the value.
_STEP = 1e-3

STEPS_CHANGE = "near it some step of a tree appears or disappears"
NOT_IN_LABELS = "guards, arguments or other directives use it, and not labels alone"
AT_END = "it is at an end of its range, where labels are invalid on the other side"
COMPUTED = "it is computed from other parameters"
OF_ROWS = "labels or guards of its states ask for the rows of the box"


@dataclass(frozen=True, eq=False)
class Varied:
    """A number that varies.

    Attributes
    ----------
    kind, name : what it is.
    value : the number as it is; 1 of the factor on a label.
    interval : its valid values, others as they are.
    said : a label as the program writes it; else empty.
    edges : the log weights of edges (E,) at a value, without likelihood; None where steps differ.
    likelihood : log marginal likelihoods of boxes (B,) at a value; None where it has no part in
        them.
    concentrations : of the leaf model, which of them it is, shape (C,), as ones and zeros.
    """

    kind: VariedKind
    name: str
    value: float
    interval: Interval
    said: str
    edges: Callable[[float], _Floats | None]
    likelihood: Callable[[float], _Floats] | None = None
    concentrations: _Floats | None = None

    def slope(self, edges: Edges) -> _Floats | None:
        """The derivatives (E,) of the log weights of edges, without likelihood; None where a step
        appears or disappears near the value."""
        if self.likelihood is not None:
            return np.zeros_like(edges.log_weight)
        low, high, x = self.interval.low, self.interval.high, self.value
        h = _STEP * min(x - low, high - x, abs(x) or 1.0)
        ends = [self.edges(x + k * h) for k in (-2, -1, 1, 2)]
        far, near, near_up, far_up = ends
        if far is None or near is None or near_up is None or far_up is None:
            return None
        return np.asarray((8 * (near_up - near) - (far_up - far)) / (12 * h))


@dataclass(frozen=True)
class NotVaried:
    """A number that does not vary, and why."""

    name: str
    reason: str


def all_varied(
    program: CheckedProgram,
    text: ProgramText,
    compiles: Callable[[Mapping[str, float]], bool],
    edges: Edges,
) -> tuple[list[Varied], list[NotVaried]]:
    """Every parameter, feature weight, label and concentration."""
    varied: list[Varied] = []
    left: list[NotVaried] = []
    for one in (
        *_parameters(program, text, compiles, edges),
        *_labels(program, edges),
        *_concentrations(edges),
    ):
        if isinstance(one, Varied):
            varied.append(one)
        else:
            left.append(one)
    return varied, left


# --- parameters and feature weights ----------------------------------------------------------------


def _parameters(
    program: CheckedProgram,
    text: ProgramText,
    compiles: Callable[[Mapping[str, float]], bool],
    edges: Edges,
) -> Iterator[Varied | NotVaried]:
    names = text.learnable(program.parameters)
    intervals = intervals_of(names, program.parameters, compiles)
    weights = {f: Interval(0.0, math.inf) for f in program.feature_weights}
    own = set(text.feature_weights())
    unknowns = Unknowns(program, text, intervals, weights, compiles)
    start = np.array(unknowns.start, np.float64)
    for i, (name, interval) in enumerate([*intervals.items(), *weights.items()]):

        def at(x: float, i: int = i, interval: Interval = interval) -> _Floats | None:
            point = start.copy()
            point[i] = interval.to_free(x)
            return _under(unknowns.program_at(point), edges)

        kind: VariedKind = "parameter" if i < len(intervals) else "feature_weight"
        value = program.parameters[name] if i < len(intervals) else program.feature_weights[name]
        if kind == "parameter" or name in own:
            yield Varied(kind, name, value, interval, "", at)
        else:
            yield NotVaried(f"the weight of {name}", "it is no number of the program's own file")
    for name in program.parameters:
        if name in intervals:
            continue
        reason = COMPUTED if text.is_computed(name) else NOT_IN_LABELS
        yield NotVaried(name, AT_END if name in names else reason)


def _under(program: CheckedProgram, edges: Edges) -> _Floats | None:
    try:
        return edges.under(grammar_on(program, edges.table))
    except SlpError:  # a label became invalid in a state that the checker does not look at
        return None


# --- labels ----------------------------------------------------------------------------------------


def _labels(program: CheckedProgram, edges: Edges) -> Iterator[Varied | NotVaried]:
    grammar = edges.grammar
    for rule in program.rules:
        own = [
            (state, _shares(state, rule.span))
            for state in grammar.all_states()
            if any(r.span == rule.span for r in state.rules)
        ]
        if not own:
            continue
        name = _clause_text(rule)
        if any(r.rows is not None for state, _ in own for r in state.rules):
            yield NotVaried(f"the label of `{name}`", OF_ROWS)
            continue
        most = math.inf
        if grammar.normalise:
            most = min((1 / share for _, share in own if share < 1), default=math.inf)
        yield Varied(
            "label",
            name,
            1.0,
            Interval(0.0, most),
            term_to_text(rule.label),
            lambda x, span=rule.span: edges.under(_with_label(grammar, span, x)),
        )


def _shares(state: State, span: SourceSpan) -> float:
    """What a clause has of the sum of the labels of a state."""
    labels = [(r.span == span, math.exp(r.log_weight)) for r in state.rules]
    return math.fsum(x for own, x in labels if own) / math.fsum(x for _, x in labels)


def _with_label(grammar: TreeGrammar, span: SourceSpan, factor: float) -> TreeGrammar:
    """The grammar where the labels of a clause have a factor, and others of each state another, so
    that the sum stays; under `:- weights.` others stay."""

    def moved(state: State) -> State:
        if all(rule.span != span for rule in state.rules):
            return state
        share = _shares(state, span)
        others = 0.0
        if grammar.normalise:
            if share >= 1:
                return state
            others = math.log((1 - share * factor) / (1 - share))
        rules = (
            replace(
                r, log_weight=r.log_weight + (math.log(factor) if r.span == span else others)
            )
            for r in state.rules
        )
        return replace(state, rules=tuple(rules))

    return replace(grammar, states=tuple(map(moved, grammar.all_states())))


def _clause_text(rule: TreeRule) -> str:
    """The clause in one line, without its label."""
    span = rule.span
    words = " ".join(span.file.text[span.start : span.end].split())
    _, _, body = words.partition("::")
    return (body or words).strip().removesuffix(".")


# --- concentrations --------------------------------------------------------------------------------


def _concentrations(edges: Edges) -> Iterator[Varied]:
    leaf = edges.table.leaf
    concentration, n = leaf.concentration, len(leaf.concentration)
    units = [(f"a({label})", unit) for label, unit in zip(leaf.classes, np.eye(n), strict=True)]
    if n and leaf.describe().count(",") == 0:
        units.insert(0, ("a", np.ones(n)))
    for name, unit in units:
        value = float(concentration[np.flatnonzero(unit)[0]])

        def likelihood(x: float, unit: _Floats = unit, value: float = value) -> _Floats:
            other = leaf.with_added(unit * (x - value))
            return np.asarray(other.log_marginal(edges.adjoints.statistics))

        yield Varied(
            "concentration",
            name,
            value,
            Interval(0.0, math.inf),
            "",
            lambda _: edges.log_weight,
            likelihood,
            unit,
        )


def slope_of_likelihood(table: Table, statistics: _Floats, unit: _Floats) -> _Floats:
    """The derivatives of the log marginal likelihoods of boxes by concentrations that move
    together, shape (B,)."""
    digamma = late_import("scipy.special").digamma
    a = table.leaf.concentration
    own = (digamma(statistics + a) - digamma(a)) @ unit
    total = digamma(a.sum()) - digamma(statistics.sum(axis=1) + a.sum())
    return np.asarray(own + total * unit.sum())


def slope_of_values(table: Table, statistics: _Floats, unit: _Floats) -> _Floats:
    """The derivatives of the class probabilities of boxes by concentrations that move together,
    shape (B, C)."""
    values = table.leaf.values(statistics)
    total = statistics.sum(axis=1) + table.leaf.concentration.sum()
    return np.asarray((unit - values * unit.sum()) / total[:, None])

