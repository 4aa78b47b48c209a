"""Answers of a query by tables, for where a search does not come to an end.

Tables have the masses with bounds that are proved, so the open mass is what lies between them.
Bounds that differ by rounding alone leave none; `upper` stays the bound that is proved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from slp.budgets import Deadline, held, time_left
from slp.errors import BudgetError, ProgramError
from slp.resolution.answers.found import MassOfAnswer, ProofOfAnswer, ProofSearchResult
from slp.resolution.machine.loop import Limits
from slp.resolution.proofs.best_first import Progress
from slp.resolution.proofs.choices import Fired
from slp.resolution.proofs.masses import ZERO, Mass, total
from slp.resolution.proofs.query import Query, canonical
from slp.resolution.tables.build import hypergraph_of_query
from slp.resolution.tables.hypergraph import Hypergraph
from slp.resolution.tables.solved import Bounds, ProofOfTables, solver
from slp.terms import Term, list_term

#: Bounds that lie no further apart than this share of the mass differ by rounding alone.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class SolvedTables:
    """The tables of a query, the masses of their variables, and that of all proofs. `weights`:
    whether labels are weights."""

    weights: bool
    graph: Hypergraph
    masses: Sequence[Bounds]
    whole: Bounds

    @classmethod
    def of(cls, query: Query, limits: Limits, progress: Progress | None = None) -> SolvedTables:
        """Build and solve them. Raises as `hypergraph_of_query`."""
        graph = hypergraph_of_query(query, limits, progress)
        masses = solver().bounds_of(graph)
        return cls(query.program.weights, graph, masses, solver().success_of(graph, masses))

    def terms(self, variable: int) -> tuple[Term, ...]:
        """The terms of an answer."""
        return canonical(list_term(self.graph.variables[variable].terms))

    @property
    def own(self) -> list[Bounds]:
        """The masses of the answers."""
        return [self.masses[i] for i in self.graph.answers]

    @property
    def unbounded(self) -> str | None:
        """Why there is no upper bound; None where there is one."""
        if self.whole.infinite:
            return "the sum over all proofs is infinite"
        return "they find no upper bound" if self.whole.upper is None else None

    @property
    def exact(self) -> bool:
        """Whether the bounds of answers differ by rounding alone."""
        return all(_is_exact(bounds) for bounds in (self.whole, *self.own))

    @property
    def failure(self) -> Mass | None:
        """The mass that fails; None where labels are weights, or a logical goal has several
        results."""
        if self.weights or self.graph.branches:
            return None
        return ZERO if self.graph.failure is None else self.masses[self.graph.failure].value


def half_of_time() -> Deadline:
    """Half of the time that is left, for what may be in vain."""
    left = time_left()
    return Deadline(None if math.isinf(left) else left / 2)


def answers_by_tables(
    query: Query, *, best: int, tolerance: float, limits: Limits, progress: Progress | None
) -> ProofSearchResult | str:
    """The answers, or why tables do not tell them: a limit or budget, a fault at a goal that a
    search need not meet, no bound. Tables take at most half of the time that is left."""
    try:
        with held(half_of_time()):
            tables = SolvedTables.of(query, limits, progress)
            if tables.unbounded is not None:
                return tables.unbounded
            graph, masses = tables.graph, tables.masses
            above = graph.has_label_above_one
            proofs = () if above else solver().best_proofs(graph, best)
    except (BudgetError, ProgramError) as e:
        return e.diagnostics[0].message
    whole, own, exact = tables.whole, tables.own, tables.exact
    assert whole.upper is not None
    summed = [
        MassOfAnswer(tables.terms(i), masses[i].value if exact else masses[i].lower)
        for i in graph.answers
    ]
    success = whole.value if exact else total(bounds.lower for bounds in own)
    left_open = ZERO if exact else _less(whole.upper, success)
    return ProofSearchResult(
        answers=tuple(sorted(summed, key=lambda a: a.mass, reverse=True)),
        best=tuple(_proof(tables, proof) for proof in proofs),
        best_certified=not above,
        success=success,
        failure=tables.failure,
        open=left_open,
        upper=whole.upper,
        complete=left_open <= success.times(tolerance),
        stopped=None,
        interrupted=False,
        failed=(),
        by_tables=True,
    )


def _is_exact(bounds: Bounds) -> bool:
    """Whether the bounds differ by rounding alone."""
    upper = bounds.upper
    return upper is not None and _less(upper, bounds.lower) <= bounds.value.times(_ROUNDING)


def _less(mass: Mass, other: Mass) -> Mass:
    """A mass less one that is no larger."""
    own = math.ldexp(other.mantissa, max(other.exponent - mass.exponent, -2000))
    return Mass.of(max(mass.mantissa - own, 0.0), mass.exponent)


def _proof(tables: SolvedTables, proof: ProofOfTables) -> ProofOfAnswer:
    fired = tuple(
        Fired(edge.clause, edge.label, None) for edge in proof.begun() if edge.clause is not None
    )
    return ProofOfAnswer(tables.terms(proof.root), proof.mass, fired)
