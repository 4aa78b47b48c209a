"""Queries as text and plain values, for `slp.Program.query` and `slp.Program.draw`.

The mathematics is in `slp.resolution.answers.queries`. This module reads goals and checks options.
It turns masses into probabilities with bounds. The results are in `slp.resolution.answers.results`.
"""

from __future__ import annotations

import math
import numbers
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from slp.budgets import Deadline, held
from slp.errors import Diagnostic, UsageError
from slp.ir import program as ir
from slp.late import late_import, optional_module
from slp.messages import commands as words
from slp.messages.inference import MEMORY_USED_UP, TIME_OVER
from slp.messages.queries import GOAL_FAILED, NOTHING_PROVED, NOTHING_PROVED_IN_BUDGET
from slp.resolution.answers.drawn import Draws
from slp.resolution.answers.found import ProofOfAnswer, ProofSearchResult
from slp.resolution.answers.notes import notes_on_condition, notes_on_masses
from slp.resolution.answers.queries import answers_of_query
from slp.resolution.answers.results import (
    Answer,
    Proof,
    QueryResult,
    fired_clause,
    values_of,
)
from slp.resolution.machine.loop import Limits
from slp.resolution.proofs.best_first import Progress
from slp.resolution.proofs.masses import Mass
from slp.resolution.proofs.query import Query, named_variables, read_goal
from slp.source import SourceSpan
from slp.syntax import term_to_text
from slp.terms import Atom, Term

#: The engines of queries: the interpreter in Python, or SWI-Prolog.
ENGINES = ("python", "prolog")

#: Share of the time that is kept for the writing of answers.
_TO_WRITE = 0.1

#: Codes of budgets that are used up: memory, time.
_OF_BUDGETS = (MEMORY_USED_UP.entry.code, TIME_OVER.entry.code)

#: What happens after a failed draw. It determines the distribution of the draws.
FAILURES: Mapping[str, str] = {
    "rejection": "draws that fail are thrown away: answers have the probabilities of the query",
    "backtracking": "a draw that fails goes on from its last choice: other probabilities",
    "weighting": "independent draws with weights; one that fails has weight 0",
    "filter": "draws with weights that share their beginnings, by particle filters over goals",
}

#: Those of which a draw has a weight.
WEIGHTED = ("weighting", "filter")

#: How draws are made, with what they are.
METHODS: Mapping[str, str] = {
    "tables": "independent draws with the probabilities of the query, none of which fails",
    **FAILURES,
}


def run_query(
    program: ir.CheckedProgram,
    goal: str,
    *,
    given: str | None,
    best: int,
    tolerance: float,
    limits: Limits,
    engine: str,
    allow_code: bool,
    deadline: Deadline,
    progress: Progress | None,
) -> QueryResult:
    """See `slp.Program.query`. The search ends a share of the time before the `deadline`, so that
    its answers can be written."""
    check_number("best", best, whole=True)
    check_number("tolerance", tolerance)
    query = read_query(program, goal, given)
    asked: dict[str, Any] = {
        "best": best,
        "tolerance": tolerance,
        "limits": limits,
        "progress": progress,
    }
    with held(deadline.before(_TO_WRITE * (0 if deadline.seconds is None else deadline.left()))):
        if runs_in_prolog(engine):
            with optional_module("swipl.prolog").PrologProgram(
                program, allow_code=allow_code
            ) as loaded:
                found = answers_of_query(query, searcher=loaded.search, **asked)
        else:
            found = answers_of_query(query, **asked)
    return _result(query, found, deadline)


def _result(query: Query, found: ProofSearchResult, deadline: Deadline) -> QueryResult:
    """The result as text and values. Answers that there is no time to write are left out."""
    names = [v.name for v in named_variables(query.goal)]
    answers: list[Answer] = []
    for a in found.answers:
        if answers and deadline.over():
            break
        answers.append(_answer(names, a.terms, a.mass, found))
    program, failure, upper = query.program, found.failure, found.upper
    return QueryResult(
        answers=tuple(answers),
        success=float(found.success),
        log_success=found.success.log,
        upper=None if upper is None else float(upper),
        log_upper=None if upper is None else upper.log,
        failure=None if failure is None else float(failure),
        log_failure=None if failure is None else failure.log,
        open=float(found.open),
        log_open=found.open.log,
        complete=found.complete,
        reason=None if found.complete else _reason(found),
        best=tuple(_proof(names, p, found.success) for p in found.best if found.success),
        best_certified=found.best_certified,
        failed=(*(_failed(f.goal, f.span) for f in found.failed), *_where_given_up(found)),
        notes=(
            *notes_on_condition(program, query.goal, query.given),
            *notes_on_masses(program, query.goal, found.success, failure),
        ),
        interrupted=found.interrupted,
        unwritten=len(found.answers) - len(answers),
    )


def run_draws(
    program: ir.CheckedProgram,
    goal: str,
    draws: int,
    *,
    given: str | None,
    failure: str,
    seed: int | None,
    limits: Limits,
    engine: str,
    allow_code: bool,
) -> Draws:
    """See `slp.Program.draw`."""
    check_number("draws", draws, whole=True)
    if failure not in FAILURES:
        raise UsageError(words.NO_FAILURE_OF_DRAWS(failure=failure, known=", ".join(FAILURES)))
    query = read_query(program, goal, given)
    if seed is None:
        seed = secrets.randbits(32)
    check_number("seed", seed, whole=True)
    asked: dict[str, Any] = {"seed": seed, "limits": limits}
    in_prolog, drawing = runs_in_prolog(engine), late_import("slp.resolution.answers.drawing")
    if failure in WEIGHTED:
        runs = None
        if in_prolog:
            swipl = optional_module("swipl.runs")
            loaded = swipl.PrologProgram(program, allow_code=allow_code)
            runs = swipl.PrologRuns(loaded, query, limits)
        drawn = drawing.draw_weighted(query, runs, draws, method=failure, **asked)
    elif in_prolog:
        prolog = optional_module("swipl.prolog")
        with prolog.PrologProgram(program, allow_code=allow_code) as loaded:
            drawn = loaded.draw_answers(query, draws, failure=failure, **asked)
    else:
        drawn = drawing.draw_answers(query, draws, failure=failure, **asked)
    names = [v.name for v in named_variables(query.goal)]
    return Draws.of(names, drawn, failure, seed)


def read_query(program: ir.CheckedProgram, goal: str, given: str | None) -> Query:
    """A query from Prolog text.

    Raises
    ------
    UsageError
        E726: a goal is no text.
    ProgramError
        The text has a fault.
    """
    condition = None if given is None else read_goal(given, "given")
    return Query(program, read_goal(goal), condition)


def runs_in_prolog(engine: str) -> bool:
    """Whether an engine for queries is SWI-Prolog.

    Raises
    ------
    UsageError
        E722: there is no such engine.
    """
    if engine not in ENGINES:
        raise UsageError(words.NO_ENGINE_FOR_QUERIES(engine=engine, known=", ".join(ENGINES)))
    return engine == "prolog"


def check_number(option: str, value: object, *, whole: bool = False) -> None:
    """Raise UsageError E720 unless `value` is a finite number from 0 up. With `whole` it must also
    be an integer that a list's length can be (for a seed, any integer)."""
    kind = numbers.Integral if whole else numbers.Real
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    most = sys.maxsize if whole and option != "seed" else math.inf
    if not (is_number and 0 <= value <= most and value < math.inf):  # type: ignore[operator]
        wording = words.NOT_A_WHOLE_NUMBER if whole else words.NO_NUMBER_FROM_0
        raise UsageError(wording(option=option, value=value))


# --- from terms and masses to values and probabilities -----------------------------------------


def _answer(
    names: list[str], terms: Sequence[Term], mass: Mass, found: ProofSearchResult
) -> Answer:
    """An answer with bounds: all or none of the open mass may belong to it."""
    share = mass.over(found.success)
    lower = upper = None
    if found.upper is not None:
        most = found.success.plus(found.open)
        lower, upper = mass.over(most), mass.plus(found.open).over(most)
    return Answer(
        values_of(names, terms),
        probability=float(share),
        log_probability=share.log,
        mass=float(mass),
        log_mass=mass.log,
        lower=None if lower is None else float(lower),
        log_lower=None if lower is None else lower.log,
        upper=None if upper is None else float(upper),
        log_upper=None if upper is None else upper.log,
    )


def _proof(names: list[str], proof: ProofOfAnswer, success: Mass) -> Proof:
    share = proof.mass.over(success)
    return Proof(
        values_of(names, proof.terms),
        probability=float(share),
        log_probability=share.log,
        mass=float(proof.mass),
        log_mass=proof.mass.log,
        clauses=tuple(fired_clause(f.clause, f.label) for f in proof.fired),
    )


def _reason(found: ProofSearchResult) -> str:
    why = "some of it needs more than the limits allow"
    if found.by_tables:
        why = "tables bound the masses no closer"
    if found.stopped is not None:
        why = found.stopped.message
    also = found.untabled
    return why if also is None or also == why else f"{why}; tables do not tell it: {also}"


def _where_given_up(found: ProofSearchResult) -> Iterator[Diagnostic]:
    """The goal that was being proved when a limit was reached, if nothing was proved before."""
    stopped = found.stopped
    if stopped is None or found.answers or found.interrupted:
        return
    if stopped.code in _OF_BUDGETS:
        yield NOTHING_PROVED_IN_BUDGET(reason=stopped.message, help=stopped.help)
    else:
        yield NOTHING_PROVED(stopped.span, reason=stopped.message)


def _failed(goal: Term, span: SourceSpan | None) -> Diagnostic:
    # A negation that does not hold fails with the goal `fail` at its place.
    text = span.text if span is not None and goal == Atom("fail") else term_to_text(goal)
    return GOAL_FAILED(span, goal=text)
