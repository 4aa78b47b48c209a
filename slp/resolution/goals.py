"""Queries as text and plain values, for `slp.Program.query` and `slp.Program.draw`.

The mathematics is in `slp.resolution.queries`. This module reads goals and checks options. It turns
terms into numbers and Prolog text, and masses into probabilities with bounds.
"""

from __future__ import annotations

import math
import numbers
import secrets
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from slp.errors import Diagnostic, UsageError
from slp.ir import program as ir
from slp.late import optional_module
from slp.messages import commands as words
from slp.messages.queries import GOAL_FAILED, NOTHING_PROVED
from slp.resolution import (
    Failure,
    Limits,
    Query,
    SearchResult,
    answers_of_query,
    draw_answers,
    named_variables,
)
from slp.resolution.notes import notes_on_masses
from slp.source import SourceSpan
from slp.syntax import parse_term, term_to_text
from slp.terms import Atom, Number, Term

#: A number, or any other term as Prolog text.
Value: TypeAlias = int | float | str

#: The engines of queries: the interpreter in Python, or SWI-Prolog.
ENGINES = ("python", "prolog")

#: What happens after a failed draw. It determines the distribution of the draws.
FAILURES: Mapping[str, str] = {
    "rejection": "draws that fail are thrown away: answers have the probabilities of the query",
    "backtracking": "a draw that fails goes on from its last choice: other probabilities",
}


@dataclass(frozen=True)
class Bound(Mapping[str, Value]):
    """A mapping from a goal's named variables to their values."""

    bindings: Mapping[str, Value]

    def __getitem__(self, name: str) -> Value:
        return self.bindings[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.bindings)

    def __len__(self) -> int:
        return len(self.bindings)


@dataclass(frozen=True)
class Answer(Bound):
    """One answer: a mapping from the goal's named variables to values.

    `mass` is the sum of the weights of the proofs found. `probability` is `mass` divided by the
    mass of all proofs found. `lower` and `upper` bound the probability if the search was cut off;
    None if no bound is known. Free variables are called `_A`, `_B`, ...
    """

    probability: float
    mass: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True)
class FiredClause:
    """A labelled clause that was used in a proof: its text and place, and its label's value."""

    text: str
    label: float
    span: SourceSpan | None


@dataclass(frozen=True)
class Proof:
    """A proof: its answer, probability and mass, and the labelled clauses used, in order."""

    bindings: Mapping[str, Value]
    probability: float
    mass: float
    clauses: tuple[FiredClause, ...]


@dataclass(frozen=True)
class QueryResult:
    """Answers by decreasing probability, with bounds.

    Attributes
    ----------
    success : mass of all proofs found, a lower bound on the mass of all proofs.
    upper : an upper bound on the mass of all proofs; None if none is known (see
        `slp.resolution.search`).
    failure : mass that is known to fail; None where labels are weights.
    open : mass that was not searched.
    complete : whether `open` is within the tolerance.
    reason : why not, in words; None if complete.
    best : the most probable proofs, if asked for; `best_certified` if no other is as probable.
    notes : what a person must know to read success and failure, in sentences.
    failed : if nothing was proved, the deepest goals that failed, and the place at which a limit
        was reached.
    """

    answers: tuple[Answer, ...]
    success: float
    upper: float | None
    failure: float | None
    open: float
    complete: bool
    reason: str | None
    best: tuple[Proof, ...]
    best_certified: bool
    failed: tuple[Diagnostic, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """As plain data for JSON."""
        out: dict[str, object] = {
            "answers": [
                {**a.bindings, "probability": a.probability, "mass": a.mass} for a in self.answers
            ],
            "success": self.success,
            "failure": self.failure,
            "open": self.open,
            "upper": self.upper,
            "complete": self.complete,
            "reason": self.reason,
            "notes": list(self.notes),
        }
        if not self.complete:
            bounds = [{"lower": a.lower, "upper": a.upper} for a in self.answers]
            out["probability_bounds"] = bounds
        if self.best:
            out["best"] = [_proof_to_dict(p) for p in self.best]
            out["best_certified"] = self.best_certified
        if self.failed:
            out["failed"] = [d.to_dict() for d in self.failed]
        return out


def _proof_to_dict(proof: Proof) -> dict[str, object]:
    fired = [
        {"text": c.text, "label": c.label, "span": None if c.span is None else c.span.to_dict()}
        for c in proof.clauses
    ]
    return {
        **proof.bindings,
        "probability": proof.probability,
        "mass": proof.mass,
        "clauses": fired,
    }


@dataclass(frozen=True)
class Draws(Sequence[Mapping[str, Value]]):
    """Independent draws: one mapping from variables to values for each.

    `failure` names the method for draws that failed. `tries` counts the draws begun, with those
    rejected.
    """

    answers: tuple[Mapping[str, Value], ...]
    failure: str
    tries: int
    seed: int

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # int or slice, as in a tuple
        return self.answers[index]

    def __len__(self) -> int:
        return len(self.answers)

    def frequencies(self) -> list[tuple[Mapping[str, Value], int]]:
        """The different answers and how often each was drawn, the most frequent first."""
        counts = Counter(tuple(a.items()) for a in self.answers)
        return [(dict(items), n) for items, n in counts.most_common()]

    def to_dict(self) -> dict[str, object]:
        """As plain data for JSON; `probability` is a relative frequency, `error` its standard
        error."""
        n = max(len(self), 1)
        answers = [
            {**a, "probability": k / n, "error": math.sqrt(k / n * (1 - k / n) / n)}
            for a, k in self.frequencies()
        ]
        rejects = self.failure == "rejection"
        accepted = len(self) / max(self.tries, 1)
        return {
            "answers": answers,
            "success": accepted if rejects else None,
            "failure": 1 - accepted if rejects else None,
            "semantics": self.failure,
            "draws": [dict(a) for a in self.answers],
            "tries": self.tries,
            "seed": self.seed,
        }


def run_query(
    program: ir.Program,
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
        notes=notes_on_masses(program, query.goal, found.success, found.failure),
    )


def run_draws(
    program: ir.Program,
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


def read_query(program: ir.Program, goal: str, given: str | None) -> Query:
    """A query from Prolog text.

    Raises
    ------
    ProgramError
        The text has a fault.
    """
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


def _answer(names: list[str], terms: Sequence[Term], mass: float, found: SearchResult) -> Answer:
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


def values_of(names: Sequence[str], terms: Sequence[Term]) -> dict[str, Value]:
    """An answer's terms by the names of its variables."""
    return {name: value_of(term) for name, term in zip(names, terms, strict=True)}


def value_of(term: Term) -> Value:
    """A number, or any other term as Prolog text."""
    if isinstance(term, Number) and (isinstance(term.value, int) or math.isfinite(term.value)):
        return term.value
    return term_to_text(term)


def fired_clause(clause: ir.LogicClause, label: float) -> FiredClause:
    """A clause that was used, as users see it."""
    text = term_to_text(clause.head) if clause.span is None else clause.span.text
    return FiredClause(text, label, clause.span)


def _reason(found: SearchResult) -> str:
    why = "some of it needs more than the limits allow"
    return why if found.stopped is None else found.stopped.message


def _where_given_up(found: SearchResult) -> Iterator[Diagnostic]:
    """The goal that was being proved when a limit was reached, if nothing was proved before."""
    if found.stopped is not None and not found.answers:
        yield NOTHING_PROVED(found.stopped.span, reason=found.stopped.message)


def _failed(goal: Term, span: SourceSpan | None) -> Diagnostic:
    # A negation that does not hold fails with the goal `fail` at its place.
    text = span.text if span is not None and goal == Atom("fail") else term_to_text(goal)
    return GOAL_FAILED(span, goal=text)
