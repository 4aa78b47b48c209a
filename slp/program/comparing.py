"""`compare`: the evidence and the held-out predictions of several programs on one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slp.budgets import Deadline
from slp.data import SharedTable
from slp.errors import UsageError
from slp.leaves import taken_note
from slp.messages.comparing import AGAINST_WHAT, NO_PROGRAMS
from slp.program.folds import (
    AnswerOfRun,
    RunOnTable,
    answers,
    checked_seed,
    tell_warnings,
)
from slp.program.held_out import fold_runs, scores_of
from slp.program.program import Program
from slp.program.progress import Progress, shown_progress
from slp.results import Posterior, refuse_stacking
from slp.results.comparison import ComparedProgram, Comparison, bayes_factor
from slp.results.estimate import Estimate
from slp.results.leave_one_out import LeaveOneOut
from slp.results.paired import fold_differences, loo_differences
from slp.results.trust.judgement import Standing


def compare(
    programs: Sequence[Program] | Mapping[str, Program],
    X: Any,
    y: Any = None,
    *,
    folds: int = 5,
    loo: bool = False,
    against: Literal["best", "first"] = "best",
    seed: int | None = None,
    time: float | str | Deadline | None = None,
    progress: Progress | bool | None = None,
    **options: Any,
) -> Comparison:
    """Compare programs on one table: log evidence, log Bayes factors, leaves and held-out
    predictions. The result is an `slp.Comparison`.

    Parameters
    ----------
    programs : the programs, or a mapping from names to programs. Without names they have those of
        their files.
    X, y : the table, as for `slp.Program.posterior`. All programs must have the same response, and
        read it in the same way.
    folds : of cross-validation, stratified by class; 0 for none. Each program is run once on the
        whole table and once for each fold.
    loo : whether to leave each row out too (`Posterior.loo`), by the run on the whole table.
    against : the program that Bayes factors are against: `"best"`, the one of the highest log
        evidence, or `"first"`. Differences of predictions are against the one that predicts best,
        or the first one.
    seed : of the folds and of every run; None takes one from the system.
    time : limit for all runs together, which share it.
    progress, options : as for `slp.Program.posterior`: `engine`, `draws`, `memory`, `threads`,
        `allow_code`, and the options of the engine, except checkpoints.

    Raises
    ------
    UsageError
        E550 the programs cannot be compared, E551 the folds, E559 the engine is `stacked`; and as
        `slp.Program.posterior`.
    SlpError
        As `slp.Program.posterior`.
    """
    named = _named(programs)
    if against not in ("best", "first"):
        raise UsageError(AGAINST_WHAT(against=against))
    refuse_stacking(options.get("engine"), "evidence, and what trees have in common")
    seed = checked_seed(seed, options)
    table = SharedTable.of({name: program.ir for name, program in named.items()}, X, y)
    parts = table.folds(folds, seed)
    runs = [
        _runs_of(table, i, name, program, seed, parts, loo)
        for i, (name, program) in enumerate(named.items())
    ]
    with shown_progress(progress) as shown:
        told = answers(list(chain.from_iterable(runs)), options, Deadline.of(time), shown)
    each = 1 + len(parts)
    found = [
        _compared(table, name, program, runs[i][0].seed, told[i * each : (i + 1) * each], parts)
        for i, (name, program) in enumerate(named.items())
    ]
    reference = _reference(found, against)
    return Comparison(
        table.response.name,
        table.frame.n_rows,
        tuple(_with_differences([_with_factor(one, reference) for one in found], against)),
        None if reference is None else reference.name,
        folds,
        seed,
    )


def _named(programs: Sequence[Program] | Mapping[str, Program]) -> dict[str, Program]:
    """Programs by their names; the second of a name is `name (2)`."""
    if not programs:
        raise UsageError(NO_PROGRAMS())
    if isinstance(programs, Mapping):
        return dict(programs)
    out: dict[str, Program] = {}
    for program in programs:
        name = own = program.source.name
        number = 1
        while name in out:
            number += 1
            name = f"{own} ({number})"
        out[name] = program
    return out


# --- runs ----------------------------------------------------------------------------------------


def _runs_of(
    table: SharedTable,
    number: int,
    name: str,
    program: Program,
    seed: int,
    parts: Sequence[NDArray[np.intp]],
    loo: bool,
) -> list[RunOnTable]:
    """The run on the whole table, then those of the folds."""
    seeds = np.random.SeedSequence([seed, 1 + number]).generate_state(1 + len(parts)).tolist()
    whole = RunOnTable(name, program, (table.frame, table.y), seeds[0], partial(_about, loo=loo))
    return [whole, *fold_runs(table, name, program, seeds[1:], parts)]


@dataclass(frozen=True)
class _About:
    """What a comparison asks of a posterior on the whole table."""

    engine: str
    reason: str
    log_evidence: Estimate | None
    expected_leaves: Estimate
    standing: Standing
    by_clock: bool
    no_bayes_factor: str | None
    notes: tuple[str, ...]
    loo: LeaveOneOut | None
    no_loo: str | None


def _about(posterior: Posterior, loo: bool) -> _About:
    no_loo = posterior.no_loo if loo else None
    left_out = posterior.loo() if loo and no_loo is None else None
    return _About(
        posterior.engine,
        posterior.reason,
        posterior._result.evidence.estimate(),
        _leaves(posterior),
        posterior.trust.standing,
        posterior.trust.by_clock,
        posterior.no_bayes_factor,
        tuple(_notes(posterior)),
        left_out,
        no_loo,
    )


def _compared(
    table: SharedTable,
    name: str,
    program: Program,
    seed: int,
    told: Sequence[AnswerOfRun],
    parts: Sequence[NDArray[np.intp]],
) -> ComparedProgram:
    """All but what is told against another program."""
    tell_warnings(name, told[:1])
    tell_warnings(name, told[1:])
    found: _About = told[0].value
    return ComparedProgram(
        name,
        found.engine,
        found.reason,
        seed,
        found.log_evidence,
        None,
        found.expected_leaves,
        found.standing,
        found.by_clock,
        scores_of(table, [answer.value for answer in told[1:]], parts) if parts else None,
        found.no_bayes_factor,
        (*found.notes, *_notes_of_program(table, program)),
        loo=found.loo,
        no_loo=found.no_loo,
    )


def _leaves(posterior: Posterior) -> Estimate:
    value, error = posterior.expected_leaves(), posterior.expected_leaves_error()
    if posterior.trust.kind == "found":
        return Estimate.of_trees_found(value)
    if posterior.trust.kind == "exact" and not posterior.uses_are_drawn:
        return Estimate.exact(value)
    return Estimate.drawn(value, error)


def _notes(found: Posterior) -> Iterator[str]:
    if found.log_evidence is None:
        yield f"the evidence is not known: {found.no_evidence}"
        if found.log_evidence_bounds is not None:
            low, high = found.log_evidence_bounds
            yield f"the log evidence lies between {low:.6g} and {high:.6g}"


def _notes_of_program(table: SharedTable, program: Program) -> Iterator[str]:
    if any(c.by_code for c in program.ir.constraints):
        yield "its predicates can look at the response; if they do, there is no Bayes factor"
    of_sums = program.ir.sum_of is not None
    taken = taken_note(program.ir.leaf, table.read.leaf.classes, sums=of_sums)
    if taken is not None:
        yield taken


# --- against another program ---------------------------------------------------------------------


def _reference(
    programs: Sequence[ComparedProgram], against: Literal["best", "first"]
) -> ComparedProgram | None:
    """The program that Bayes factors are against; None if it has no evidence that makes one."""
    if against == "first":
        return programs[0] if programs[0].has_factor else None

    def evidence(program: ComparedProgram) -> float:
        assert program.log_evidence is not None
        return program.log_evidence.value

    return max((p for p in programs if p.has_factor), key=evidence, default=None)


def _with_factor(program: ComparedProgram, reference: ComparedProgram | None) -> ComparedProgram:
    if reference is None or not program.has_factor:
        return program
    assert program.log_evidence is not None and reference.log_evidence is not None
    if program is reference:
        return replace(program, log_bayes_factor=Estimate.exact(0.0))
    factor = bayes_factor(program.log_evidence, reference.log_evidence)
    return replace(program, log_bayes_factor=factor)


def _with_differences(
    programs: Sequence[ComparedProgram], against: Literal["best", "first"]
) -> list[ComparedProgram]:
    """The same with the differences of their predictions."""
    by_folds = fold_differences(
        {p.name: p.held_out.by_row for p in programs if p.held_out is not None}, against
    )
    by_loo = loo_differences({p.name: p.loo for p in programs if p.loo is not None}, against)
    return [
        replace(
            program,
            held_out_difference=by_folds.get(program.name),
            loo_difference=by_loo.get(program.name),
        )
        for program in programs
    ]
