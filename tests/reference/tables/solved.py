"""Queries by tables, for tests: the hypergraph with its masses, without the core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import slp
from slp.reference.tables.bounds import bounds_of, success_of
from slp.resolution import DEFAULT_LIMITS, Limits, Query
from slp.resolution.tables.build import built_by_machine
from slp.resolution.tables.hypergraph import Hypergraph
from slp.resolution.tables.solved import Bounds
from slp.syntax import parse_term, term_to_text


@dataclass(frozen=True)
class Solved:
    """A query by tables."""

    program: slp.Program
    graph: Hypergraph
    masses: list[Bounds]

    @property
    def success(self) -> Bounds:
        return success_of(self.graph, self.masses)

    @property
    def failure(self) -> float | None:
        """None where tables do not tell it."""
        if self.graph.branches or self.program.ir.weights:
            return None
        return 0.0 if self.graph.failure is None else float(self.masses[self.graph.failure].value)

    def answers(self) -> dict[tuple[str, ...], Bounds]:
        """The mass of each answer; its terms as text."""
        return dict(self._answers())

    def _answers(self) -> Iterator[tuple[tuple[str, ...], Bounds]]:
        for i in self.graph.answers:
            yield tuple(map(term_to_text, self.graph.variables[i].terms)), self.masses[i]


def solved(
    program: slp.Program, goal: str, given: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Solved:
    condition = None if given is None else parse_term(given)
    graph = built_by_machine(Query(program.ir, parse_term(goal), condition), limits)
    return Solved(program, graph, bounds_of(graph))
