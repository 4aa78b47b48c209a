"""Queries on a stochastic logic program: answers with probabilities, and best proofs.

For a goal G, with `mass(r)` the product of the labels of the stochastic clauses in the SLD proof r,

    mass(answer) = sum of mass(r) over the proofs r that give it
    success      = Z = sum of mass(r) over all proofs
    probability  = mass(answer) / Z     (log-linear semantics: Cussens 2001, section 3)

A condition is one more goal behind G: the distribution is over the proofs of both together, which
share their variables, and Z is that of both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from slp.messages.proofs import TOO_MANY_INFERENCES
from slp.messages.queries import SEARCH_INTERRUPTED
from slp.resolution.answers.found import MassOfAnswer, ProofOfAnswer, ProofSearchResult
from slp.resolution.answers.tabled import answers_by_tables
from slp.resolution.machine.loop import DEFAULT_LIMITS, Limits, Meter
from slp.resolution.proofs.best_first import BestFirst, FoundProof, Progress
from slp.resolution.proofs.choices import fired_clauses
from slp.resolution.proofs.failures import FailedGoal, FailureTrace, tracing_machine
from slp.resolution.proofs.masses import ONE, Mass, total
from slp.resolution.proofs.query import Query, canonical, database_of, linked, prepared
from slp.resolution.proofs.search import ProofSearch, SearchMachine
from slp.terms import Term

#: The parts of the limits that a search, and tables after it, have in each round.
_ROUNDS = ((100, 10), (1, 1))

#: Makes a search for the proofs of a query, from the tolerance, the limits and whether nodes with
#: the same goals left to prove are merged.
Searcher: TypeAlias = Callable[[Query, float, Limits, bool], BestFirst[Any, Any]]


def answers_of_query(
    query: Query,
    *,
    best: int = 0,
    tolerance: float = 1e-12,
    limits: Limits = DEFAULT_LIMITS,
    searcher: Searcher | None = None,
    progress: Progress | None = None,
) -> ProofSearchResult:
    """Search for the proofs of a goal until the open mass is at most `tolerance` times the mass
    found.

    `searcher` makes the searches; None for those of this package. Other searches do not tell which
    goals failed. The budgets that are held (`slp.budgets`) end the search, as do the limits and
    Ctrl-C. Where a search of this package does not end, tables are asked (`answers_by_tables`):
    first within a small part of the limits, then both within the limits, as one of them may be
    much shorter than the other.

    Raises
    ------
    ProgramError
        E201 to E243, with the span of the faulty goal. A limit that is reached is not an error; it
        is in `ProofSearchResult.stopped`.
    """
    if searcher is not None:
        found = _searched(query, searcher, tolerance, limits, progress)
        wanted = 0 if found.interrupted else best
        return _with_best(query, found, wanted, tolerance, limits, searcher)
    found = _by_search_or_tables(query, best, tolerance, limits, progress)
    if found.answers or found.interrupted:
        return found
    ended = found.stopped is None and not found.by_tables
    traced = limits if ended else Limits(limits.inferences // 10, limits.depth // 10)
    return replace(found, failed=_failed_goals(query, tolerance, traced))


def _by_search_or_tables(
    query: Query, best: int, tolerance: float, limits: Limits, progress: Progress | None
) -> ProofSearchResult:
    """The first that ends: a search, tables, and both again with all of the limits; else the bounds
    of the longer search. Best proofs of labels above 1 are those of a search in any case."""
    before: ProofSearchResult | None = None
    for searching, tabling in _ROUNDS:
        within = Limits(limits.inferences // searching, limits.depth)
        found = _with_more(before, _searched(query, _search, tolerance, within, progress))
        if found.interrupted:
            return found
        if not _gave_up(found):
            found = _with_best(query, found, best, tolerance, within, _search)
            if found.best_certified:
                return found
        within = Limits(limits.inferences // tabling, limits.depth)
        try:
            told = answers_by_tables(
                query, best=best, tolerance=tolerance, limits=within, progress=progress
            )
        except KeyboardInterrupt:
            return replace(found, stopped=SEARCH_INTERRUPTED(), interrupted=True)
        if not isinstance(told, str):
            if told.best_certified:
                return told
            return _with_best(query, told, best, tolerance, limits, _search)
        found = before = replace(found, untabled=told)
    return _with_best(query, found, best, tolerance, limits, _search) if _gave_up(found) else found


def _with_more(before: ProofSearchResult | None, now: ProofSearchResult) -> ProofSearchResult:
    """A search, with what an earlier one found where that is more: tables between them may have
    left no memory."""
    if before is None or now.success >= before.success:
        return now
    return replace(before, stopped=now.stopped, interrupted=now.interrupted)


def _gave_up(found: ProofSearchResult) -> bool:
    """Whether a search came to an end at the limit of inferences."""
    return found.stopped is not None and found.stopped.code == TOO_MANY_INFERENCES.entry.code


def _with_best(
    query: Query,
    found: ProofSearchResult,
    best: int,
    tolerance: float,
    limits: Limits,
    searcher: Searcher,
) -> ProofSearchResult:
    """With the best proofs, which take a search of their own."""
    proofs, certified = _best_proofs(query, best, tolerance, limits, searcher)
    return replace(found, best=proofs, best_certified=certified)


def _searched(
    query: Query,
    searcher: Searcher,
    tolerance: float,
    limits: Limits,
    progress: Progress | None,
) -> ProofSearchResult:
    """The answers that one search finds, without best proofs and the goals that failed."""
    search = searcher(query, tolerance, limits, True)
    search.progress = progress
    masses: dict[tuple[Term, ...], list[Mass]] = {}
    interrupted = False
    try:
        for proof in search.run():
            masses.setdefault(canonical(proof.answer), []).append(proof.mass)
    except KeyboardInterrupt:
        search.give_up(SEARCH_INTERRUPTED())
        interrupted = True
    summed = [MassOfAnswer(key, total(found)) for key, found in masses.items()]
    success = total(mass for found in masses.values() for mass in found)
    left = search.open
    weights = query.program.weights
    return ProofSearchResult(
        answers=tuple(sorted(summed, key=lambda a: a.mass, reverse=True)),
        best=(),
        best_certified=True,
        success=success,
        failure=None if weights else search.failure,
        open=left,
        upper=_upper(success, left, unbounded=weights or search.branches),
        complete=search.is_complete,
        stopped=search.stopped,
        interrupted=interrupted,
        failed=(),
    )


def _upper(success: Mass, left: Mass, *, unbounded: bool) -> Mass | None:
    if not left:
        return success
    return None if unbounded else min(success.plus(left), ONE)


def _best_proofs(
    query: Query, count: int, tolerance: float, limits: Limits, searcher: Searcher
) -> tuple[tuple[ProofOfAnswer, ...], bool]:
    """The proofs with the largest masses, and whether it is certain that they are.

    A separate search, because the other one merges proofs. It stops as soon as no open node has as
    much mass as the last of them: labels are at most 1, unless they are weights.
    """
    if count == 0:
        return (), True
    search = searcher(query, tolerance, limits, False)
    kept: list[FoundProof] = []
    certain = False
    for proof in search.run():
        kept.append(proof)
        kept.sort(key=lambda p: p.mass, reverse=True)  # stable, and all but the last are sorted
        del kept[count:]
        certain = len(kept) == count and not query.program.weights
        if certain and kept[-1].mass >= search.largest_open:
            break
    else:
        certain = search.is_complete and search.stopped is None
    found = (ProofOfAnswer(canonical(p.answer), p.mass, tuple(fired_clauses(p.last))) for p in kept)
    return tuple(found), certain


def _failed_goals(query: Query, tolerance: float, limits: Limits) -> tuple[FailedGoal, ...]:
    """The same search again, recording failures."""
    trace = FailureTrace()
    for _ in _search(query, tolerance, limits, True, tracing_machine(trace)).run():
        pass
    return tuple(trace.deepest)


# --- preparing ---------------------------------------------------------------------------------


def _search(
    query: Query,
    tolerance: float,
    limits: Limits,
    merges: bool,
    machine: type[SearchMachine] = SearchMachine,
) -> ProofSearch:
    goals, answer, first = prepared(query)
    database = database_of(query.program)
    return ProofSearch(
        database,
        linked(goals),
        answer,
        first,
        Meter(limits),
        tolerance,
        weights=query.program.weights,
        merges=merges,
        machine_type=machine,
    )
