"""Queries as text and plain values, for `slp.Program.query` and `slp.Program.draw`.

The mathematics is in `slp.resolution.queries`. This module reads goals and checks options. It turns
masses into probabilities with bounds. The results are in `slp.resolution.query_results`.
"""

from __future__ import annotations

import math
import numbers
import reprlib
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence

from slp.errors import Diagnostic, UsageError
from slp.ir import program as ir
from slp.late import optional_module
from slp.messages import commands as words
from slp.messages.queries import GOAL_FAILED, NOTHING_PROVED
from slp.resolution import (
    Failure,
    Limits,
    ProofSearchResult,
    Query,
    answers_of_query,
    draw_answers,
    named_variables,
)
from slp.resolution.notes import notes_on_condition, notes_on_masses
from slp.resolution.query_results import Answer, Draws, Proof, QueryResult, fired_clause, values_of
from slp.source import SourceSpan
from slp.syntax import parse_term, term_to_text
from slp.terms import Atom, Term

#: The engines of queries: the interpreter in Python, or SWI-Prolog.
ENGINES = ("python", "prolog")

#: What happens after a failed draw. It determines the distribution of the draws.
FAILURES: Mapping[str, str] = {
    "rejection": "draws that fail are thrown away: answers have the probabilities of the query",
    "backtracking": "a draw that fails goes on from its last choice: other probabilities",
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
) -> QueryResult:
    """See `slp.Program.query`."""
    check_number("best", best, whole=True)
    check_number("tolerance", tolerance)
    query = read_query(program, goal, given)
    if runs_in_prolog(engine):
        with optional_module("swipl.prolog").PrologProgram(
            program, allow_code=allow_code
        ) as loaded:
            found = answers_of_query(
                query, best=best, tolerance=tolerance, limits=limits, searcher=loaded.search
            )
    else:
        found = answers_of_query(query, best=best, tolerance=tolerance, limits=limits)
    names = [v.name for v in named_variables(query.goal)]
    return QueryResult(
        answers=tuple(_answer(names, a.terms, a.mass, found) for a in found.answers),
        success=found.success,
        upper=found.upper,
        failure=found.failure,
        open=found.open,
        complete=found.open <= tolerance,
        reason=None if found.open <= tolerance else _reason(found),
        best=tuple(
            Proof(
                values_of(names, p.terms),
                p.mass / found.success,
                p.mass,
                tuple(fired_clause(f.clause, f.label) for f in p.fired),
            )
            for p in found.best
        ),
        best_certified=found.best_certified,
        failed=(*(_failed(f.goal, f.span) for f in found.failed), *_where_given_up(found)),
        notes=(
            *notes_on_condition(program, query.goal, query.given),
            *notes_on_masses(program, query.goal, found.success, found.failure),
        ),
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
    way: Failure = "rejection" if failure == "rejection" else "backtracking"
    if seed is None:
        seed = secrets.randbits(32)
    check_number("seed", seed, whole=True)
    if runs_in_prolog(engine):
        with optional_module("swipl.prolog").PrologProgram(
            program, allow_code=allow_code
        ) as loaded:
            answers, tries = loaded.draw_answers(
                query, draws, failure=way, seed=seed, limits=limits
            )
    else:
        answers, tries = draw_answers(query, draws, failure=way, seed=seed, limits=limits)
    names = [v.name for v in named_variables(query.goal)]
    return Draws(tuple(values_of(names, terms) for terms in answers), failure, tries, seed)


def read_query(program: ir.CheckedProgram, goal: str, given: str | None) -> Query:
    """A query from Prolog text.

    Raises
    ------
    UsageError
        E726: a goal is no text.
    ProgramError
        The text has a fault.
    """
    for option, text in (("goal", goal), ("given", given)):
        if not isinstance(text, str) and (text is not None or option == "goal"):
            raise UsageError(words.GOAL_IS_NO_TEXT(option=option, value=reprlib.repr(text)))
    condition = None if given is None else parse_term(given, "<given>")
    return Query(program, parse_term(goal), condition)


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
    names: list[str], terms: Sequence[Term], mass: float, found: ProofSearchResult
) -> Answer:
    """An answer with bounds: all or none of the open mass may belong to it."""
    bounded = found.upper is not None
    most = found.success + found.open
    return Answer(
        values_of(names, terms),
        mass / found.success,
        mass,
        mass / most if bounded else None,
        (mass + found.open) / most if bounded else None,
    )


def _reason(found: ProofSearchResult) -> str:
    why = "some of it needs more than the limits allow"
    return why if found.stopped is None else found.stopped.message


def _where_given_up(found: ProofSearchResult) -> Iterator[Diagnostic]:
    """The goal that was being proved when a limit was reached, if nothing was proved before."""
    if found.stopped is not None and not found.answers:
        yield NOTHING_PROVED(found.stopped.span, reason=found.stopped.message)


def _failed(goal: Term, span: SourceSpan | None) -> Diagnostic:
    # A negation that does not hold fails with the goal `fail` at its place.
    text = span.text if span is not None and goal == Atom("fail") else term_to_text(goal)
    return GOAL_FAILED(span, goal=text)
