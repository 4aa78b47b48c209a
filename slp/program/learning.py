"""`Program.learn`: distinguishes observed goals from tables, and learns from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from slp.budgets import Deadline, held, held_memory, memory_budget
from slp.compile import compile_problem, compile_program
from slp.data import Table, read_columns
from slp.errors import SlpError, UnsupportedError, UsageError
from slp.ir import program as ir
from slp.learn import (
    Learned,
    Observation,
    ProgramText,
    learn_labels,
    learn_parameters,
    observations_of_file,
    observations_of_text,
)
from slp.messages.learning import GOALS_AND_TABLES, OPTION_OF_GOALS
from slp.messages.sums import SUMS_ALONE
from slp.problem.uncertain import refuse_uncertain
from slp.program.program import Program
from slp.program.progress import Progress
from slp.resolution import Limits, read_goal
from slp.resolution.answers.goals import check_number
from slp.runner import check_count, fresh_seed
from slp.source import SourceFile

#: What JSON has of each change.
_OF_CHANGES = ("kind", "name", "before", "after", "error", "why_no_error")


@dataclass(frozen=True, kw_only=True)
class LearnResult(Learned):
    """A result of learning: the `program` with the labels, parameters and feature weights of
    maximum likelihood, its `text`, the `changes`, the `log_likelihoods` by iteration, and what is
    `not_learned`, with reasons. `seed` drew the starts, if there are several."""

    program: Program
    seed: int | None

    @property
    def text(self) -> str:
        """The learned program's text."""
        return self.file.text

    def to_dict(self) -> dict[str, object]:
        """The result as plain data for JSON."""
        return {
            "method": self.method,
            "converged": self.converged,
            "interrupted": self.interrupted,
            "notes": list(self.notes),
            "iterations": len(self.log_likelihoods) - 1,
            "log_likelihoods": list(self.log_likelihoods),
            "log_priors": list(self.log_priors),
            "starts": list(self.starts),
            "seed": self.seed,
            "learned": [
                {key: getattr(change, key) for key in _OF_CHANGES} for change in self.changes
            ],
            "not_learned": [{"name": one.name, "reason": one.reason} for one in self.not_learned],
            "program": self.text,
        }


def learn(
    program: Program,
    data: Iterable[Any],
    *,
    goal: str | None,
    given: str | None,
    concentration: float | Mapping[str, float],
    starts: int,
    seed: int | None,
    errors: bool,
    only: Sequence[str],
    failures: bool,
    tolerance: float,
    iterations: int,
    memory: int | str | None,
    limits: Limits,
    deadline: Deadline,
    progress: Progress | None,
) -> LearnResult:
    """See `slp.Program.learn`."""
    check_number("tolerance", tolerance)
    check_count("iterations", iterations)
    check_count("starts", starts, 1)
    if seed is None:
        seed = fresh_seed()
    check_number("seed", seed, whole=True)
    refuse_uncertain(program.ir, "learning")
    if program.text != program.source.text:  # the learned text keeps values that the caller set
        source = replace(program.source, text=program.text)
        program = Program(source)._with(program._required)
    text = ProgramText(program.source)
    own = {n: x for n, x in program.parameters.items() if not text.is_computed(n)}

    def compiles(parameters: Mapping[str, float]) -> bool:
        try:
            compile_program(program.source, {**own, **parameters})
        except SlpError:
            return False
        return True

    budget = memory_budget(memory)
    with held(deadline), held_memory(budget):
        goals, tables = _observed(program.ir, data)
        if tables:
            summed = program.ir.sum_of
            if summed is not None:
                what = "learning from a table"
                raise UnsupportedError(SUMS_ALONE(summed.span, count=summed.count, what=what))
            _check_no_goal_options(
                given=given is not None,
                concentration=concentration != 1,
                starts=starts > 1,
                errors=errors,
            )
            learned = learn_parameters(
                program.ir,
                text,
                tables,
                only=only,
                compiles=compiles,
                memory=budget,
                tolerance=tolerance,
                iterations=iterations,
                progress=progress,
            )
        else:
            learned = learn_labels(
                program.ir,
                text,
                goals,
                goal=None if goal is None else read_goal(goal),
                given=None if given is None else read_goal(given, "given"),
                concentrations=(
                    concentration if isinstance(concentration, Mapping) else {"": concentration}
                ),
                starts=starts,
                seed=seed,
                errors=errors,
                only=only,
                compiles=compiles,
                failures=failures,
                tolerance=tolerance,
                iterations=iterations,
                limits=limits,
                progress=progress,
            )
    drawn = seed if learned.starts else None
    return LearnResult(**vars(learned), program=Program(learned.file), seed=drawn)


def _check_no_goal_options(**asked: bool) -> None:
    """E292 for the first option of goals that is asked for where the data are tables."""
    for option in (option for option, is_asked in asked.items() if is_asked):
        raise UsageError(OPTION_OF_GOALS(option=option))


#: File name extensions of tables.
_TABLE_FILES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".pq")


def _observed(
    program: ir.CheckedProgram, data: Iterable[Any]
) -> tuple[list[Observation], list[Table]]:
    """The observed goals and the tables among the data."""
    goals: list[Observation] = []
    tables: list[Table] = []
    for item in data:
        if isinstance(item, str):
            goals += observations_of_text(item)
        elif isinstance(item, Path) and not item.name.lower().endswith(_TABLE_FILES):
            goals += observations_of_file(SourceFile.read(item))
        else:
            X, y = item if isinstance(item, tuple) else (item, None)
            X = read_columns(X) if isinstance(X, Path) else X
            tables.append(compile_problem(program, X, y).table)
    if goals and tables:
        raise UsageError(GOALS_AND_TABLES())
    return goals, tables
