"""Derivatives of the log evidence, of P(feature used) and of predictions by numbers of a program.

With W(e) the log weights of edges and x a number,

    d q / d x = sum over edges e of  d q / d W(e)  d W(e) / d x

where q is a sum over trees: d q / d W(e) are its adjoints (`slp.reference.chart.adjoints`), and
d W(e) / d x is in `slp.sensitivity.varied`. The log evidence is the log of the sum with the
likelihood, less that of the prior's weights (`slp.learn.trees`). What a row is told also changes by
its leaf: a concentration moves the class probabilities of boxes themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slp.budgets import check_time
from slp.data.table import Table
from slp.errors import UsageError
from slp.ir.program import CheckedProgram
from slp.ir.tree_grammar import TreeGrammar
from slp.learn.text import ProgramText
from slp.messages.results import NO_MEAN
from slp.problem.new_rows import rows_as_numbers
from slp.results.averages.rows_in_leaves import design_of_rows
from slp.sensitivity.edges import Edges
from slp.sensitivity.numbers import STEPS_CHANGE, NotVaried, Varied
from slp.sensitivity.varied import all_varied, slope_of_likelihood, slope_of_values

_Floats = NDArray[np.float64]
_Tell = Callable[[int, str], None]

#: Numbers of each edge that are kept at a time, beside a derivative for each number that varies.
_HELD = 16


@dataclass(frozen=True, eq=False)
class VariedProgram:
    """What is asked of a program on a table: `rows` as `Table.new_rows` gives them, shape (m, d),
    the sound values of parameters (`compiles`), the limits, and the function to tell progress."""

    program: CheckedProgram
    text: ProgramText
    compiles: Callable[[Mapping[str, float]], bool]
    table: Table
    grammar: TreeGrammar
    rows: NDArray[np.object_]
    memory: int
    progress: _Tell | None


@dataclass(frozen=True, eq=False)
class Found:
    """The derivatives by the numbers that vary.

    Attributes
    ----------
    edges : the chart that they are of.
    log_evidence, used, told : the numbers themselves: P(used) of each feature, float64 (d,), and
        what each row is told, float64 (m, J).
    varied : the numbers that vary.
    of_evidence, of_used, of_told : the derivatives, float64 (numbers,), (numbers, d) and (numbers,
        m, J).
    not_varied : the numbers that do not, and why.
    """

    edges: Edges
    log_evidence: float
    used: _Floats
    told: _Floats
    varied: tuple[Varied, ...]
    of_evidence: _Floats
    of_used: _Floats
    of_told: _Floats
    not_varied: tuple[NotVaried, ...]


def sensitivities(asked: VariedProgram) -> Found:
    """All derivatives.

    Raises
    ------
    BudgetError
        E501, E540: they do not fit into the memory, or the time.
    """
    table = asked.table
    most = len(asked.program.parameters) + len(asked.program.rules) + len(table.leaf.concentration)
    held = _HELD + 2 * (most + len(asked.program.feature_weights))
    edges = Edges.of(asked.grammar, table, asked.memory, held, asked.progress)
    varied, left = all_varied(asked.program, asked.text, asked.compiles, edges)
    moving: list[Varied] = []
    of_prior: list[_Floats] = []
    for one in varied:
        check_time("while derivatives were summed")
        slope = one.slope(edges)
        if slope is None:
            left.append(NotVaried(one.name, STEPS_CHANGE))
            continue
        moving.append(one)
        of_prior.append(slope)
    of_posterior = [
        prior if one.concentrations is None else prior + _of_leaves(edges, one.concentrations)
        for one, prior in zip(moving, of_prior, strict=True)
    ]
    whole, prior = edges.adjoints.total(), edges.prior.total()
    evidence = [
        float(whole.slope @ p - prior.slope @ q)
        for p, q in zip(of_posterior, of_prior, strict=True)
    ]
    used, of_used = _usage(edges, of_posterior)
    told, of_told = _rows(asked, edges, moving, of_posterior)
    return Found(
        edges,
        whole.value - prior.value,
        used,
        told,
        tuple(moving),
        np.array(evidence, np.float64),
        of_used,
        of_told,
        tuple(left),
    )


def _of_leaves(edges: Edges, unit: _Floats) -> _Floats:
    of_boxes = slope_of_likelihood(edges.table, edges.adjoints.statistics, unit)
    return np.asarray(edges.adjoints.at_leaves(of_boxes))


def _usage(edges: Edges, of_posterior: list[_Floats]) -> tuple[_Floats, _Floats]:
    """P(used) of each feature, shape (d,), and its derivatives, shape (numbers, d)."""
    d = len(edges.table.features)
    used, slopes = np.empty(d), np.empty((len(of_posterior), d))
    for f in range(d):
        check_time("while derivatives were summed")
        used[f], slope = edges.adjoints.usage(f)
        slopes[:, f] = [slope @ p for p in of_posterior]
    return used, slopes


def _rows(
    asked: VariedProgram, edges: Edges, moving: list[Varied], of_posterior: list[_Floats]
) -> tuple[_Floats, _Floats]:
    """What rows are told, shape (m, J), and the derivatives, shape (numbers, m, J).

    Raises
    ------
    UsageError
        E527: a row can reach a leaf without a mean.
    """
    leaf, adjoints = edges.table.leaf, edges.adjoints
    width, m = len(leaf.classes) or 1, len(asked.rows)
    told, slopes = np.empty((m, width)), np.empty((len(moving), m, width))
    if not m:
        return told, slopes
    of_boxes, designs = _values(asked, edges)
    lacking = ~np.isfinite(of_boxes).all(axis=1)
    if leaf.mean_needs >= 0:
        lacking |= adjoints.statistics[:, 0] <= leaf.mean_needs
    of_boxes[lacking] = 0.0
    for r, shares in enumerate(adjoints.shares(asked.rows)):
        check_time("while derivatives were summed")
        values = of_boxes if designs is None else (of_boxes @ designs[r])[:, None]
        for j in range(width):
            told[r, j], slope, ends = adjoints.followed(shares, values[:, j])
            if ends @ adjoints.at_leaves(lacking.astype(np.float64)) > 0:
                raise UsageError(NO_MEAN(row=r + 1))
            for i, (one, p) in enumerate(zip(moving, of_posterior, strict=True)):
                slopes[i, r, j] = slope @ p
                if one.concentrations is not None:
                    own = slope_of_values(edges.table, adjoints.statistics, one.concentrations)
                    slopes[i, r, j] += ends @ adjoints.at_leaves(own[:, j])
    return told, slopes


def _values(asked: VariedProgram, edges: Edges) -> tuple[_Floats, _Floats | None]:
    """The numbers that boxes predict by, shape (B, J), and what rows weigh them by, (m, J); None
    where they tell all rows the same."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.array(edges.table.leaf.values(edges.adjoints.statistics))
    return values, design_of_rows(edges.table, rows_as_numbers(edges.table, asked.rows))
