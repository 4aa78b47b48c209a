"""`price`: what each statement of a program costs on a table, by runs of the program without it.

The log evidence of a statement, beside all others, is that of the whole program less that of the
program without it; alone, that of the program with this statement and no other, less that of the
program with none. The probability that it is satisfied is a ratio of two sums over trees
(`slp.program.satisfied`) where the engine sums, else the share of draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from slp.budgets import Deadline
from slp.data import SharedTable
from slp.errors import SlpError
from slp.ir.program import CheckedProgram
from slp.messages.names import joined
from slp.program.chances import Chances, StatementOnTrees
from slp.program.folds import AnswerOfRun, RunOnTable, answers, checked_seed, tell_warnings
from slp.program.program import Program
from slp.program.progress import Progress, shown_progress
from slp.program.satisfied import conditions, satisfying, within_limit
from slp.program.statements import Statement, statements_of, with_only
from slp.program.wording import texts_of, words_of
from slp.results import Posterior
from slp.results.comparison import bayes_factor
from slp.results.estimate import Estimate
from slp.results.prices import Price, Prices, StatementKind
from slp.results.trust.judgement import Standing, standing_together
from slp.runner.effort import level_in

#: The options of a run that sums for a probability take over.
_OF_SUMS = ("memory", "threads", "allow_code")


def price(
    program: Program,
    X: Any,
    y: Any = None,
    *,
    seed: int | None = None,
    time: float | str | Deadline | None = None,
    progress: Progress | bool | None = None,
    **options: Any,
) -> Prices:
    """See `slp.Program.price`."""
    seed = checked_seed(seed, options)
    table = SharedTable.of({program.source.name: program.ir}, X, y)
    deadline = Deadline.of(time)
    statements = statements_of(program.ir)
    plan = _Plan(program, statements, table, seed, options, deadline)
    with shown_progress(progress) as shown:
        told = answers(plan.runs, options, deadline, shown)
    tell_warnings(program.source.name, told[:1])
    found = dict(zip(plan.kept, told, strict=True))
    whole = _told(found[plan.whole])
    assert isinstance(whole, _RunToPrice), "its fault was raised"
    return Prices(
        program.source.name,
        table.response.name,
        table.frame.n_rows,
        seed,
        whole.log_evidence,
        whole.standing,
        tuple(_price(plan, found, i) for i in range(len(statements))),
    )


# --- runs ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _RunToPrice:
    """What a run tells: its evidence, and how probable the statement is that it lacks."""

    engine: str
    log_evidence: Estimate | None
    no_evidence: str | None
    standing: Standing
    no_bayes_factor: str | None
    chances: Chances | None


@dataclass(frozen=True)
class _Question:
    """What is asked of a run; `lacks` is the statement that it lacks, None if that has no
    probability."""

    lacks: StatementOnTrees | None

    def __call__(self, posterior: Posterior) -> _RunToPrice:
        return _RunToPrice(
            posterior.engine,
            posterior._result.evidence.estimate(),
            posterior.no_evidence,
            posterior.trust.standing,
            posterior.no_bayes_factor,
            None if self.lacks is None else self.lacks.chances(posterior),
        )


class _Plan:
    """The runs that prices need, that of the whole program first; each has a set of numbers of
    statements that it keeps."""

    def __init__(
        self,
        program: Program,
        statements: list[Statement],
        table: SharedTable,
        seed: int,
        options: Mapping[str, Any],
        deadline: Deadline,
    ) -> None:
        self.program, self.statements = program, statements
        self.texts = texts_of(program.ir, statements)
        self.options, self.deadline = options, deadline
        self.table = table
        every = range(len(statements))
        self.whole, self.none = frozenset(every), frozenset[int]()
        self.without = [self.whole - {i} for i in every]
        self.alone = [frozenset({i}) for i in every]
        self.kept = list(dict.fromkeys([self.whole, *self.without, *self.alone, self.none]))
        if not statements:
            self.kept = [self.whole]
        seeds = np.random.SeedSequence([seed, 1]).generate_state(len(self.kept)).tolist()
        self.runs = [self._run(kept, own) for kept, own in zip(self.kept, seeds, strict=True)]

    def _run(self, kept: frozenset[int], seed: int) -> RunOnTable:
        program = self.program._with_ir(self._keeping([self.statements[i] for i in kept]))
        lacks = None
        if kept in self.without:
            lacks = self._lacks(program, self.statements[self.without.index(kept)], seed)
        return RunOnTable(
            self._words(kept),
            program,
            (self.table.frame, self.table.y),
            seed,
            _Question(lacks),
            may_fail=kept != self.whole,
        )

    def _words(self, kept: frozenset[int]) -> str:
        if kept == self.whole:
            return "all statements"
        if kept == self.none:
            return "no statement"
        if len(kept) == 1:
            return f"{self.texts[min(kept)]} alone"
        return f"without {self.texts[min(self.whole - kept)]}"

    def _keeping(self, kept: list[Statement]) -> CheckedProgram:
        return with_only(self.program.ir, self.statements, kept)

    def _lacks(self, without: Program, statement: Statement, seed: int) -> StatementOnTrees | None:
        """The statement that a program lacks, on its trees."""
        if statement.weight is not None or statement.group is not None:
            return None
        whole = self.program.ir
        satisfied = None
        if whole.rules and statement.limit is None:
            satisfied = satisfying(without.ir, *statement.constraints)
        elif whole.rules and statement.limit is not None:
            limit = getattr(whole.support, statement.limit)
            satisfied = within_limit(without.ir, statement.limit, limit)
        return StatementOnTrees(
            self._keeping([statement]),
            None if satisfied is None else without._with_ir(satisfied),
            (self.table.frame, self.table.y),
            seed,
            self.options.get("draws", 2000),
            {name: self.options[name] for name in _OF_SUMS if name in self.options},
            level_in(self.options).sums,
            self.deadline,
            len(self.kept),
        )

    def conditions(self, i: int) -> bool:
        """Whether a statement conditions (`slp.results.prices.Price`)."""
        return any(conditions(self.program.ir, c) for c in self.statements[i].constraints)


# --- prices --------------------------------------------------------------------------------------


def _told(answer: AnswerOfRun) -> _RunToPrice | SlpError:
    told: _RunToPrice | SlpError = answer.value
    return told


def _price(plan: _Plan, found: Mapping[frozenset[int], AnswerOfRun], i: int) -> Price:
    statement = plan.statements[i]
    runs = {
        "all": _told(found[plan.whole]),
        "without": _told(found[plan.without[i]]),
        "alone": _told(found[plan.alone[i]]),
        "none": _told(found[plan.none]),
    }
    whole = {name: run for name, run in runs.items() if isinstance(run, _RunToPrice)}
    removed, added = (
        (whole.get(one), whole.get(other)) for one, other in (("all", "without"), ("alone", "none"))
    )
    without = whole.get("without")
    chances = None if without is None else without.chances
    looks = [run.no_bayes_factor for run in whole.values() if run.no_bayes_factor is not None]
    return Price(
        plan.texts[i],
        words_of(plan.program.ir, statement),
        _kind(statement),
        None if chances is None else chances.prior,
        None if chances is None else chances.posterior,
        _gained(*added),
        _gained(*removed),
        plan.conditions(i),
        _standing(*added),
        _standing(*removed),
        next(iter(looks), None),
        {name: run.engine for name, run in whole.items()},
        tuple(_notes(runs, chances)),
    )


def _kind(statement: Statement) -> StatementKind:
    if statement.limit is not None:
        return "support"
    if statement.group is not None:
        return "group"
    return "constraint" if statement.constraints else "feature_weight"


def _gained(one: _RunToPrice | None, other: _RunToPrice | None) -> Estimate | None:
    """The log evidence of one run less that of another."""
    if one is None or other is None or one.log_evidence is None or other.log_evidence is None:
        return None
    return bayes_factor(one.log_evidence, other.log_evidence)


def _standing(*runs: _RunToPrice | None) -> Standing:
    return standing_together(run.standing for run in runs if run is not None)


_RUNS = {
    "all": "the program with all statements",
    "without": "the program without it",
    "alone": "the program with it alone",
    "none": "the program without any statement",
}


def _notes(runs: Mapping[str, _RunToPrice | SlpError], chances: Chances | None) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for name, run in runs.items():
        if isinstance(run, SlpError):
            fault = run.diagnostics[0]
            yield f"{_RUNS[name]} cannot be run: {fault.code}: {fault.message}"
        elif run.log_evidence is None:
            reasons.setdefault(f"not known: {run.no_evidence}", []).append(_RUNS[name])
        elif math.isnan(run.log_evidence.error):
            reasons.setdefault("known without its error", []).append(_RUNS[name])
    for why, names in reasons.items():
        of = "" if len(names) == len(runs) else f" of {joined(names)}"
        yield f"the evidence{of} is {why}"
    if chances is not None:
        yield from chances.notes
