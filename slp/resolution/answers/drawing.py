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
from dataclasses import replace
from random import Random
from typing import Any

from slp.budgets import held
from slp.errors import BudgetError, ProgramError, warn
from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.messages.names import plural
from slp.messages.queries import NO_WEIGHTED_PROOF, PROOFS_LEFT_OUT
from slp.resolution.answers.batches import UsedClauses, by_core, by_tables, cut_short, words_of
from slp.resolution.answers.found import DrawnProofs
from slp.resolution.answers.tabled import SolvedTables, half_of_time
from slp.resolution.machine import faults
from slp.resolution.machine.loop import DEFAULT_LIMITS, Limits
from slp.resolution.proofs.derivations import SLDDerivation
from slp.resolution.proofs.draws import DrawnPath, Failure, Sampler
from slp.resolution.proofs.query import Query, canonical, database_of, linked, prepared
from slp.resolution.proofs.runs import MachineRuns, RunsOneByOne
from slp.resolution.proofs.weighted import WeightedProof, WeightedSampler
from slp.resolution.tables.encoder import encoded_query
from slp.resolution.tables.forward import ForwardSampler
from slp.terms import list_term

#: The parts of the limits that tables have, one after the other.
_ROUNDS = (100, 10, 1)

#: Tables are asked no more where so many tries are accepted.
_MANY = 0.5


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
        in_core = _sampler_in_core(query, limits)
        tables = _tables_that_end(query, count, seed, limits)
        if isinstance(tables, SolvedTables):
            if not tables.whole.value:
                raise faults.nothing_to_draw(query.goal.span)
            return by_tables(tables, count, seed)
        untabled = tables
        if in_core is not None:
            return replace(by_core(in_core, count, seed), untabled=untabled)
    sampler = _sampler(query, failure, Random(seed), limits)
    drawn: list[DrawnPath] = []
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
    runs: RunsOneByOne[Any, Any] | None,
    count: int,
    *,
    method: str,
    seed: int,
    limits: Limits = DEFAULT_LIMITS,
) -> DrawnProofs:
    """`count` weighted draws, of which some may have no proof. If a budget or Ctrl-C ends the
    drawing, those made so far. `runs` opens the runs; None for those of this package's machine.
    Proofs beyond the limits of one draw are left out (W250).

    Raises
    ------
    ProgramError
        As `answers_of_query`, and E247 if no draw has a proof.
    """
    sampler = WeightedSampler(runs or MachineRuns(query, limits), limits)
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
    drawn = [DrawnPath(list_term(one.proof.answer), _path(one.proof)) for one in found]
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


def _sampler_in_core(query: Query, limits: Limits) -> ForwardSampler | None:
    """What draws in the core; None where the program cannot run there."""
    encoded = None if query.program.weights else encoded_query(query)
    return None if encoded is None else ForwardSampler(query, encoded, limits)


def _one_by_one(
    method: str, drawn: Sequence[DrawnPath], tries: int, interrupted: bool
) -> DrawnProofs:
    clauses = UsedClauses()
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
    sampler: Sampler | ForwardSampler
    in_core = _sampler_in_core(query, limits)
    if in_core is not None:
        sampler, accepted = in_core, in_core.accepted(count, words_of(seed, 0, 1))
    else:
        sampler = _sampler(query, "rejection", Random(f"{seed} in trial"), limits)
        accepted = _accepted(sampler, count)
    if accepted is None:
        return math.inf
    if accepted >= _MANY * sampler.tries:
        return 0.0
    return sampler.inferences / accepted * count if accepted else math.inf


def _accepted(sampler: Sampler, count: int) -> int | None:
    """How many of up to `count` draws are accepted within the limits, for all together; None where
    one is at fault."""
    accepted = 0
    try:
        while accepted < count and sampler.inferences < sampler.limits.inferences:
            sampler.draw()
            accepted += 1
    except faults.LimitError:
        pass
    except ProgramError:  # several proofs, or what the draws will meet and tell
        return None
    return accepted
