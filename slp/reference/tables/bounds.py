"""The masses of all variables of a hypergraph, with bounds that hold.

The equations of each strongly connected component are solved after those it needs. A variable that
does not need itself is a sum. Others are solved together (`slp.reference.tables.components`).
Rounding is outward: each computed value is moved by more than its operations can be wrong.

Where labels are probabilities and runs of logical goals have one result at most, an answer and a
failure have at most mass 1. So has a prefix, unless a proof can pass it twice. Probabilities that
sum to 1 but for rounding are taken to sum to 1. Weights are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slp.budgets import check_time
from slp.reference.tables.components import Component, Term
from slp.reference.tables.equations import components, edges_by_target, visits_once
from slp.resolution.proofs.masses import ONE, ZERO, Mass, total
from slp.resolution.tables.hypergraph import NONE, Edge, Hypergraph
from slp.resolution.tables.solved import Bounds

#: More than the relative error of a sum of products of four factors: each factor and the sum is
#: rounded once.
_ERROR = 2.0**-49


#: Unknowns of a component above which its dense matrices are too large: no bound is found.
_MOST_TOGETHER = 2000


_ONE = Bounds(ONE, ONE, ONE)
_ZERO = Bounds(ZERO, ZERO, ZERO)


def bounds_of(graph: Hypergraph) -> list[Bounds]:
    """The mass of each variable."""
    into = edges_by_target(graph)
    found: list[Bounds] = [_ZERO] * len(into)
    most = _at_most_one(graph)
    for part in components(into):
        inside = set(part)
        edges = [edge for i in part for edge in into[i]]
        if not any(edge.prefix in inside or edge.answer in inside for edge in edges):
            found[part[0]] = _sum(edges, found)
        elif len(part) > _MOST_TOGETHER:
            for i in part:
                found[i] = Bounds(ZERO, ZERO, None)
        else:
            check_time("while the equations of tables were solved")
            _solve_together(part, edges, found)
        for i in part:
            if most[i]:
                found[i] = _capped(found[i])
    return found


def success_of(graph: Hypergraph, found: Sequence[Bounds]) -> Bounds:
    """The sum of the masses of the query's answers."""
    whole = _total(found[i] for i in graph.answers)
    return _capped(whole) if _are_probabilities(graph) else whole


def _total(bounds: Iterable[Bounds]) -> Bounds:
    bounds = list(bounds)
    upper = [b.upper for b in bounds]
    known = [u for u in upper if u is not None]
    return Bounds(
        total(b.lower for b in bounds).times(1 - _ERROR),
        total(b.value for b in bounds),
        total(known).times(1 + _ERROR) if len(known) == len(upper) else None,
        any(b.infinite for b in bounds),
    )


def _capped(mass: Bounds) -> Bounds:
    """The bounds of a mass of at most 1."""
    upper = ONE if mass.upper is None else min(mass.upper, ONE)
    return Bounds(min(mass.lower, ONE), min(mass.value, ONE), upper)


def _are_probabilities(graph: Hypergraph) -> bool:
    """Whether the masses of a call's answers are probabilities, as those of its failure."""
    return not graph.above_one and not graph.branches


def _at_most_one(graph: Hypergraph) -> list[bool]:
    """Of each variable, whether its mass is a probability."""
    if not _are_probabilities(graph):
        return [False] * len(graph.variables)
    once = visits_once(graph)
    return [once or variable.kind != "prefix" for variable in graph.variables]


def _sum(edges: Sequence[Edge], found: Sequence[Bounds]) -> Bounds:
    terms = [_factor(edge, _at(found, edge.prefix), _at(found, edge.answer)) for edge in edges]
    return _total(terms) if terms else _ZERO


def _at(found: Sequence[Bounds], i: int) -> Bounds:
    return _ONE if i == NONE else found[i]


def _factor(edge: Edge, a: Bounds, b: Bounds) -> Bounds:
    """The product of an edge's label and two masses; `_total` counts its rounding."""

    def product(x: Mass, y: Mass) -> Mass:
        one = Mass.of(x.mantissa * y.mantissa, x.exponent + y.exponent)
        return one.times(edge.label * edge.proofs)

    upper = None if a.upper is None or b.upper is None else product(a.upper, b.upper)
    lower, value = product(a.lower, b.lower), product(a.value, b.value)
    return Bounds(lower, value, upper, a.infinite or b.infinite)


def _solve_together(part: Sequence[int], edges: Sequence[Edge], found: list[Bounds]) -> None:
    """Solve the equations of variables that need each other."""
    place = {variable: i for i, variable in enumerate(part)}
    terms = []
    for edge in edges:
        i, j = place.get(edge.prefix), place.get(edge.answer)
        a = _at(found, edge.prefix) if i is None else _ONE
        b = _at(found, edge.answer) if j is None else _ONE
        coefficient = _factor(edge, a, b)
        terms.append(
            Term(
                place[edge.target],
                coefficient.lower.times(1 - _ERROR),
                coefficient.value,
                None if coefficient.upper is None else coefficient.upper.times(1 + _ERROR),
                i,
                j,
            )
        )
    # The least solution grows with its coefficients, so a factor without end leaves it without.
    infinite = any(
        _at(found, needed).infinite
        for edge in edges
        for needed in (edge.prefix, edge.answer)
        if needed not in place
    )
    solved = Component(len(part), terms).solution()
    for variable, (lower, value, upper) in zip(part, solved.masses, strict=True):
        value = max(value, lower) if upper is None else min(max(value, lower), upper)
        found[variable] = Bounds(lower, value, upper, solved.infinite or infinite)
