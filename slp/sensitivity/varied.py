"""The numbers of a program that vary, each with the weights of steps at another value.

- a parameter, or a feature weight: as learning varies them (`slp.learn.unknowns`);
- a label: the factor on the labels of a clause (`labels`);
- a concentration of the leaf model `dirichlet`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import BudgetError, SlpError
from slp.ir.program import CheckedProgram
from slp.late import late_import
from slp.learn.ascent import Interval, intervals_of
from slp.learn.evidence import grammar_on
from slp.learn.text import ProgramText
from slp.learn.unknowns import Unknowns
from slp.results.sensitivity import VariedKind
from slp.sensitivity.edges import Edges
from slp.sensitivity.labels import labels
from slp.sensitivity.numbers import NotVaried, Varied

_Floats: TypeAlias = NDArray[np.float64]

NOT_IN_LABELS = "no label and no feature weight uses it, or guards, arguments or directives do too"
AT_END = "it is at an end of its range, where labels are invalid on the other side"
OF_A_BOX = "the prior of a box is not varied"
COMPUTED = "it is computed from other parameters"


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
        *labels(program, edges),
        *_concentrations(edges),
    ):
        if isinstance(one, Varied):
            varied.append(one)
        else:
            left.append(one)
    return varied, left


# --- parameters and feature weights --------------------------------------------------------------


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
    except BudgetError:
        raise
    except SlpError:  # a label became invalid in a state that the checker does not look at
        return None


# --- concentrations ------------------------------------------------------------------------------


def _concentrations(edges: Edges) -> Iterator[Varied | NotVaried]:
    """Those of the leaves that are in no box."""
    leaf = edges.table.leaf
    for name in dict.fromkeys(own.box.name for own, _ in leaf.in_boxes):
        yield NotVaried(f"the leaves of {name}", OF_A_BOX)
    concentration, n = leaf.concentration, len(leaf.concentration)
    units = [(f"a({label})", unit) for label, unit in zip(leaf.classes, np.eye(n), strict=True)]
    if n and leaf.one_concentration:  # declared once, for all
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
            lambda: np.zeros_like(edges.log_weight),
            likelihood,
            unit,
        )


def slope_of_likelihood(table: Table, statistics: _Floats, unit: _Floats) -> _Floats:
    """The derivatives of the log marginal likelihoods of boxes by concentrations that move
    together, shape (B,)."""
    digamma = late_import("scipy.special").digamma
    a = table.leaf.concentration
    counts = statistics[:, : len(a)]
    own = (digamma(counts + a) - digamma(a)) @ unit
    total = digamma(a.sum()) - digamma(counts.sum(axis=1) + a.sum())
    return np.where(table.leaf.prior_of(statistics) == 0, own + total * unit.sum(), 0.0)


def slope_of_values(table: Table, statistics: _Floats, unit: _Floats) -> _Floats:
    """The derivatives of the class probabilities of boxes by concentrations that move together,
    shape (B, C)."""
    a = table.leaf.concentration
    values = table.leaf.values(statistics)
    total = statistics[:, : len(a)].sum(axis=1) + a.sum()
    slope = (unit - values * unit.sum()) / total[:, None]
    return np.where(table.leaf.prior_of(statistics)[:, None] == 0, slope, 0.0)
