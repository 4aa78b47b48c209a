"""Runs of programs on one table and on parts of it, one after the other or as tasks of a
cluster."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from slp.budgets import Deadline, format_seconds
from slp.cluster import in_tasks, tasks_at_once
from slp.data.frames import Frame
from slp.errors import Diagnostic, SlpError, SlpWarning, TimeOverError, UsageError, warn
from slp.messages.comparing import ONE_RUN_EACH
from slp.program.program import Program
from slp.program.progress import Progress
from slp.results import Posterior
from slp.runner import check_count
from slp.runner.options import fresh_seed


@dataclass(frozen=True, eq=False)
class RunOnTable:
    """A program on a table, X and y, and a question to its posterior. `what` names it for people.
    The question can be pickled, and so can its answer. If the run `may_fail`, an `SlpError` is its
    answer."""

    what: str
    program: Program
    part: tuple[Frame, Any]
    seed: int
    question: Callable[[Posterior], Any]
    may_fail: bool = False


@dataclass(frozen=True, eq=False)
class AnswerOfRun:
    """What a run told: the answer, and the warnings on the way."""

    value: Any
    warnings: tuple[Warning | str, ...]


def checked_seed(seed: int | None, options: Mapping[str, Any]) -> int:
    """The seed of many runs; None takes one from the system.

    Raises
    ------
    UsageError
        E505: the seed is not a whole number from 0; E552: the options name a checkpoint.
    """
    if "checkpoint" in options or "resume" in options:
        raise UsageError(ONE_RUN_EACH())
    if seed is None:
        return fresh_seed()
    check_count("seed", seed, most=math.inf)
    return seed


def answers(
    runs: Sequence[RunOnTable],
    options: Mapping[str, Any],
    deadline: Deadline,
    progress: Progress | None,
) -> list[AnswerOfRun]:
    """The answer of each run. Runs share the time that is left equally. Where a cluster is at hand
    (`slp.cluster`), they are its tasks.

    Raises
    ------
    KeyboardInterrupt
        A run of chains was interrupted: what it drew is no basis for a comparison.
    SlpError
        As `slp.Program.posterior`; E540 names the time that all runs share.
    """
    seconds, n = deadline.seconds, len(runs)
    try:
        told = _told(runs, options, deadline, progress)
    except TimeOverError as error:
        if seconds is None or n == 1:
            raise
        raise TimeOverError([_shared(d, seconds, n) for d in error.diagnostics]) from error
    if seconds is None or n == 1:
        return told

    def shared(message: Warning | str) -> Warning | str:
        if isinstance(message, SlpWarning) and message.diagnostic.of_time == "ended":
            return SlpWarning(_shared(message.diagnostic, seconds, n))
        return message

    return [replace(answer, warnings=tuple(map(shared, answer.warnings))) for answer in told]


def _told(
    runs: Sequence[RunOnTable],
    options: Mapping[str, Any],
    deadline: Deadline,
    progress: Progress | None,
) -> list[AnswerOfRun]:
    """The answers, each with the warnings of its own run."""
    at_once = tasks_at_once()
    if at_once is None:
        told = []
        for i, run in enumerate(runs):
            teller = None if progress is None else partial(_tell, progress, run.what)
            told.append(_answer(run, options, _share(deadline, len(runs) - i), teller))
        return told
    time = _share(deadline, math.ceil(len(runs) / at_once))

    def done(k: int) -> None:
        if progress is not None:
            progress(k, f"runs on the cluster, of {len(runs)}")

    return in_tasks(_answer, [(run, options, time) for run in runs], done)


def _shared(finding: Diagnostic, seconds: float, runs: int) -> Diagnostic:
    """The finding of a run at the end of its share of the time, with the remedy for all runs."""
    more = math.ceil(4 * seconds)
    return replace(
        finding,
        message=f"{finding.message}; {runs} runs share {format_seconds(seconds)}",
        help=f"give all runs together more: --time {more}s (in Python: time={more})",
    )


def _share(deadline: Deadline, runs: int) -> float | None:
    left = deadline.left()
    return None if math.isinf(left) else left / runs


def _tell(progress: Progress, what: str, done: int, phase: str) -> None:
    """Progress that says which run this is."""
    head, comma, more = phase.partition(", ")
    progress(done, phase if more == "done" else f"{head}, {what}{comma}{more}")


def _answer(
    run: RunOnTable,
    options: Mapping[str, Any],
    time: float | None,
    progress: Progress | None = None,
) -> AnswerOfRun:
    """The answer of one run."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SlpWarning)
        try:
            posterior = run.program.posterior(
                *run.part, seed=run.seed, time=time, progress=progress, **options
            )
            if posterior.interrupted and not posterior.out_of_time:
                raise KeyboardInterrupt
            value = run.question(posterior)
        except SlpError as error:
            if not run.may_fail:
                raise
            value = error
    return AnswerOfRun(value, tuple(w.message for w in caught))


def tell_warnings(name: str, told: Sequence[AnswerOfRun]) -> None:
    """Tell the warnings of a program's runs, each code once, with the program's name and in how
    many of several runs it was found."""
    found: dict[str, tuple[SlpWarning, set[int]]] = {}
    for number, answer in enumerate(told):
        for message in answer.warnings:
            if isinstance(message, SlpWarning):
                code = message.diagnostic.code
                found.setdefault(code, (message, set()))[1].add(number)
            else:
                warnings.warn(message, stacklevel=2)
    for warning, runs in found.values():
        where = f"{name}, {len(runs)} of {len(told)} folds" if len(told) > 1 else name
        finding = warning.diagnostic
        warn(replace(finding, message=f"{where}: {finding.message}"))
