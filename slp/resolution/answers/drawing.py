"""Draws of a query's proofs, each with its answer, its path and its mass.

Draws with the probabilities of the query come from tables where these end: none is rejected. Else
each is made by the program and rejected where it fails (`slp.resolution.proofs.draws`). Which of
the two it is, is settled before the first draw, by tables within a part of the limits and by a few
tries of rejection, which are thrown away. To settle it by the draws themselves would prefer short
ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any

from slp.budgets import held
from slp.errors import BudgetError, ProgramError, warn
from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.late import late_import
from slp.messages.names import plural
from slp.messages.queries import DRAWS_CUT_SHORT, NO_WEIGHTED_PROOF, PROOFS_LEFT_OUT
from slp.resolution.answers.found import DrawnProofs
from slp.resolution.answers.tabled import SolvedTables, half_of_time
from slp.resolution.machine import faults
from slp.resolution.machine.loop import DEFAULT_LIMITS, Limits
from slp.resolution.proofs.best_first import check_budgets
from slp.resolution.proofs.draws import Drawn, Failure, Sampler
from slp.resolution.proofs.query import Query, canonical, database_of, linked, prepared
from slp.resolution.tables.solved import DrawsFromTables, solver
from slp.terms import list_term

if TYPE_CHECKING:
    from slp.resolution.proofs.derivations import SLDDerivation
    from slp.resolution.proofs.runs import RunsOneByOne
    from slp.resolution.proofs.weighted import WeightedProof

#: The parts of the limits that tables have, one after the other.
_ROUNDS = (100, 10, 1)

#: Tables are asked no more where so many tries are accepted.
_MANY = 0.5

#: Draws that tables make at once: then the budgets are looked at.
_AT_ONCE = 4096


def draw_answers(
    query: Query, count: int, *, failure: Failure, seed: int, limits: Limits = DEFAULT_LIMITS
) -> DrawnProofs:
    """`count` independent draws. If a budget or Ctrl-C ends the drawing, those made so far.

    `limits` are those of one draw, and of the tables.

    Raises
    ------
    ProgramError
        As `answers_of_query`, and E244 to E246; E214 to E216 if a draw reaches a limit.
    """
    untabled = None
    if failure == "rejection" and count:
        tables = _tables_that_end(query, count, seed, limits)
        if isinstance(tables, SolvedTables):
            if not tables.whole.value:
                raise faults.nothing_to_draw(query.goal.span)
            return _by_tables(query, tables, count, seed)
        untabled = tables
    sampler = _sampler(query, failure, Random(seed), limits)
    drawn: list[Drawn] = []
    interrupted = False
    try:
        while len(drawn) < count:
            drawn.append(sampler.draw())
    except (BudgetError, KeyboardInterrupt) as e:
        interrupted = cut_short(e, len(drawn), count)
    made = _one_by_one(failure, drawn, sampler.tries, interrupted)
    return replace(made, untabled=untabled)


def draw_weighted(
    query: Query,
    runs: RunsOneByOne[Any, Any],
    count: int,
    *,
    method: str,
    seed: int,
    limits: Limits = DEFAULT_LIMITS,
) -> DrawnProofs:
    """`count` weighted draws, of which some may have no proof. If a budget or Ctrl-C ends the
    drawing, those made so far. Proofs beyond the limits of one draw are left out (W250).

    Raises
    ------
    ProgramError
        As `answers_of_query`, and E247 if no draw has a proof.
    """
    sampler = late_import("slp.resolution.proofs.weighted").WeightedSampler(runs, limits)
    making = sampler.weighting if method == "weighting" else sampler.filters
    found: list[WeightedProof] = []
    tries, interrupted = 0, False
    try:
        for size, proofs in making(count, seed):
            tries += size
            found += proofs
    except (BudgetError, KeyboardInterrupt) as e:
        interrupted = cut_short(e, len(found), count)
    if sampler.stopped is not None:
        warn(PROOFS_LEFT_OUT(sampler.stopped.span, reason=sampler.stopped.message))
    if not found and count:
        raise ProgramError(NO_WEIGHTED_PROOF(query.goal.span, draws=plural(tries, "draw")))
    drawn = [Drawn(list_term(one.proof.answer), _path(one.proof)) for one in found]
    made = _one_by_one(method, drawn, tries, interrupted)
    log_weights, origins = [one.log_weight for one in found], [one.origin for one in found]
    return replace(made, log_weights=log_weights, origins=origins)


def _path(proof: SLDDerivation) -> list[tuple[ir.LogicClause, float]]:
    taken = (step.alternative for step in proof.steps)
    return [(one.clause, one.weight) for one in taken if one.clause is not None]


def _sampler(query: Query, failure: Failure, random: Random, limits: Limits) -> Sampler:
    goals, answer, first = prepared(query)
    database, weights = database_of(query.program), query.program.weights
    return Sampler(database, linked(goals), answer, first, limits, failure, weights, random)


@dataclass
class _Clauses:
    """The different clauses of paths, with the values of their labels, in the order met."""

    fired: list[tuple[ir.LogicClause, float]] = field(default_factory=list)
    _numbers: dict[tuple[int, float], int] = field(default_factory=dict)

    def number(self, clause: ir.LogicClause, label: float) -> int:
        """The number of one."""
        found = self._numbers.setdefault((id(clause), label), len(self.fired))
        if found == len(self.fired):
            self.fired.append((clause, label))
        return found


def _one_by_one(method: str, drawn: Sequence[Drawn], tries: int, interrupted: bool) -> DrawnProofs:
    clauses = _Clauses()
    paths = [[clauses.number(clause, label) for clause, label in one.path] for one in drawn]
    logs = [math.log(label) for _, label in clauses.fired]
    return DrawnProofs(
        method,
        [canonical(one.answer) for one in drawn],
        range(len(drawn)),
        paths,
        clauses.fired,
        [math.fsum(logs[i] for i in path) for path in paths],
        tries,
        interrupted,
    )


# --- tables --------------------------------------------------------------------------------------


def _tables_that_end(query: Query, count: int, seed: int, limits: Limits) -> SolvedTables | str:
    """The tables, or why rejection draws: they do not end within the limits, do not tell the
    masses, or have tried in vain what rejection needs for all draws."""
    expected = math.inf
    reason = ""
    for part in _ROUNDS:
        within = replace(limits, inferences=limits.inferences // part)
        if expected <= within.inferences:
            break
        try:
            with held(half_of_time()):
                tables = SolvedTables.of(query, within)
            if tables.unbounded is None and tables.exact:
                return tables
            return tables.unbounded or "they bound the masses no closer"
        except (BudgetError, ProgramError) as e:
            reason = e.diagnostics[0].message
            if not (isinstance(e, faults.LimitError) and e.ends_search):
                break
        if part == _ROUNDS[0]:
            expected = _inferences_of_rejection(query, count, seed, within)
    return reason


def _inferences_of_rejection(query: Query, count: int, seed: int, limits: Limits) -> float:
    """How many inferences `count` draws take by rejection, roughly, from tries within the limits;
    0 where many tries are accepted, and infinity where none is."""
    sampler = _sampler(query, "rejection", Random(f"{seed} in trial"), limits)
    accepted = 0
    try:
        while accepted < count and sampler.inferences < limits.inferences:
            sampler.draw()
            accepted += 1
    except faults.LimitError:
        pass
    except ProgramError:  # several proofs, or a fault that the draws will meet and tell
        return math.inf
    if accepted >= _MANY * sampler.tries:
        return 0.0
    return sampler.inferences / accepted * count if accepted else math.inf


def _by_tables(query: Query, tables: SolvedTables, count: int, seed: int) -> DrawnProofs:
    """Draws from tables: independent, and none is rejected."""
    np = late_import("numpy")
    graph = tables.graph
    parts: list[DrawsFromTables] = []
    made, interrupted = 0, False
    try:
        while made < count:
            check_budgets()
            words = np.random.SeedSequence([seed, len(parts)]).generate_state(4, np.uint64)
            n = min(_AT_ONCE, count - made)
            parts.append(solver().draws_of(graph, tables.masses, n, words))
            made += n
    except (BudgetError, KeyboardInterrupt) as e:
        interrupted = cut_short(e, made, count)
    used, begun = np.unique(np.concatenate([p.begun for p in parts]), return_inverse=True)
    own, answer_of = np.unique(np.concatenate([p.answers for p in parts]), return_inverse=True)
    sizes_of_paths = np.concatenate([np.diff(p.first) for p in parts])
    clauses = _Clauses()
    edges = (graph.edges[e] for e in used.tolist())
    numbers = [clauses.number(e.clause, e.label) for e in edges if e.clause is not None]
    paths = np.split(np.array(numbers, np.int32)[begun], np.cumsum(sizes_of_paths)[:-1])
    weights = query.program.weights
    return DrawnProofs(
        "tables",
        [canonical(list_term(graph.variables[i].terms)) for i in own.tolist()],
        answer_of.tolist(),
        paths,
        clauses.fired,
        np.concatenate([p.log_masses for p in parts]).tolist(),
        len(answer_of),
        interrupted,
        success=tables.whole.value,
        failure=None if weights else tables.failure,
    )


# --- budgets -------------------------------------------------------------------------------------


def cut_short(cause: BudgetError | KeyboardInterrupt, kept: int, wanted: int) -> bool:
    """Warn that a budget or Ctrl-C ended the drawing (W243), and tell whether it was Ctrl-C. If
    nothing was drawn, raise `cause`."""
    if not kept:
        raise cause
    reason = cause.diagnostics[0].message if isinstance(cause, BudgetError) else "interrupted"
    warn(DRAWS_CUT_SHORT(reason=reason, kept=kept, wanted=wanted))
    return not isinstance(cause, BudgetError)
