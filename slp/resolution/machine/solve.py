"""`solve`: the answers to a goal, one for each SLD proof, as they are found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from slp.resolution.machine.database import Database
from slp.resolution.machine.loop import DEFAULT_LIMITS, Limits, Machine, Meter
from slp.resolution.machine.store import Store
from slp.source import SourceSpan
from slp.terms import Term, Var, substitute, variables


@dataclass(frozen=True)
class Bindings:
    """An answer: a value for each variable of the goal. It stays valid while the search continues.

    A free variable stands for itself. Variables that a proof made (`id` above those of the goal)
    are the same in all terms of one answer. Do not mix those of different queries.
    """

    terms: Mapping[Var, Term]

    def resolve(self, term: Term) -> Term:
        """`term` with the goal's variables replaced by their values."""
        return substitute(term, self.terms)


def solve(
    goal: Term,
    database: Database,
    limits: Limits | Meter = DEFAULT_LIMITS,
    *,
    span: SourceSpan | None = None,
) -> Iterator[Bindings]:
    """Prove a goal: one answer for each proof, depth first, clauses in order, found on demand.

    Several queries can share limits through one `Meter`. `span` is the place to report for parts of
    the goal without a span.

    Raises
    ------
    ProgramError
        E201 to E218, with the span of the faulty goal: an error of arithmetic, an unknown
        predicate, an argument that is unbound or of the wrong type, a limit that is reached.
    """
    meter = limits if isinstance(limits, Meter) else Meter(limits)
    asked = dict.fromkeys(variables(goal))
    store = Store(first=1 + max((v.id for v in asked), default=0))
    own = {v: store.fresh(v) for v in asked}
    original = {mine: v for v, mine in own.items()}
    machine = Machine(database.definitions, database.parameters, meter, store)
    for _ in machine.prove([substitute(goal, own)], span):
        yield Bindings({v: substitute(store.resolve(own[v]), original) for v in asked})
