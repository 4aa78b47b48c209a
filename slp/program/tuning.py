"""`cv`: how well a program predicts held-out rows. `tune`: which values of its parameters do best,
by the evidence or by held-out rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from slp.budgets import Deadline
from slp.data import SharedTable
from slp.errors import UsageError
from slp.messages.comparing import (
    EMPTY_GRID,
    GRID_TOO_LARGE,
    NO_EVIDENCE_TO_TUNE_BY,
    NO_SUCH_FOLDS,
    TUNED_BY_WHAT,
)
from slp.messages.numbers import number_text
from slp.program.comparing import compare
from slp.program.folds import (
    answers,
    checked_seed,
    tell_warnings,
)
from slp.program.held_out import FoldScore, fold_runs, in_rows, scores_of
from slp.program.program import Program
from slp.program.progress import Progress, shown_progress
from slp.results.comparison import Comparison
from slp.results.tuning import CrossValidation, Fold, Tuning

#: The most combinations of values.
_MOST_POINTS = 1000


def cv(
    program: Program,
    X: Any,
    y: Any = None,
    *,
    folds: int = 10,
    seed: int | None = None,
    time: float | str | Deadline | None = None,
    progress: Progress | bool | None = None,
    **options: Any,
) -> CrossValidation:
    """Cross-validation: each row is predicted by a run on the rows of the other folds. The result
    is an `slp.CrossValidation`.

    Parameters
    ----------
    X, y : the table, as for `slp.Program.posterior`.
    folds : their number, from 2 to the number of rows, stratified by class.
    seed : of the folds and of every run; None takes one from the system.
    time : limit for all runs together, which share it.
    progress, options : as for `slp.compare`.

    Raises
    ------
    UsageError
        E551 the folds, E552 a checkpoint; and as `slp.Program.posterior`.
    SlpError
        As `slp.Program.posterior`.
    """
    seed = checked_seed(seed, options)
    name = program.source.name
    table = SharedTable.of({name: program.ir}, X, y)
    if folds == 0:
        raise UsageError(NO_SUCH_FOLDS(folds=folds, rows=table.frame.n_rows, or_none=""))
    parts = table.folds(folds, seed)
    seeds = np.random.SeedSequence([seed, 1]).generate_state(len(parts)).tolist()
    runs = fold_runs(table, name, program, seeds, parts)
    with shown_progress(progress) as shown:
        told = answers(runs, options, Deadline.of(time), shown)
    tell_warnings(name, told)
    found: list[FoldScore] = [answer.value for answer in told]
    return CrossValidation(
        program=name,
        response=table.response.name,
        n_rows=table.frame.n_rows,
        seed=seed,
        held_out=scores_of(table, found, parts),
        folds=tuple(
            Fold(
                len(rows),
                float(fold.log_predictive.mean()),
                fold.engine,
                fold.standing,
                fold.by_clock,
            )
            for rows, fold in zip(parts, found, strict=True)
        ),
        fold_of=in_rows(parts, [np.full(len(rows), k) for k, rows in enumerate(parts)]),
        classes=table.read.leaf.classes,
        predictions=in_rows(parts, [fold.told for fold in found]),
    )


def tune(
    program: Program,
    X: Any,
    y: Any = None,
    *,
    grid: Mapping[str, Sequence[float]],
    by: Literal["evidence", "cv"] = "evidence",
    folds: int = 5,
    seed: int | None = None,
    time: float | str | Deadline | None = None,
    progress: Progress | bool | None = None,
    **options: Any,
) -> Tuning:
    """Compare all combinations of values of parameters, and find the best. The result is an
    `slp.Tuning`.

    Parameters
    ----------
    X, y : the table, as for `slp.Program.posterior`.
    grid : values of parameters of the program, by name.
    by : what is largest at the best values: `"evidence"`, the log evidence, or `"cv"`, the mean log
        predictive probability of held-out rows.
    folds : of cross-validation, with `by="cv"` alone.
    seed, time, progress, options : as for `slp.compare`. All combinations have the same folds.

    Raises
    ------
    ProgramError
        The program has no such parameter, or cannot take one of the values.
    UsageError
        E553: the grid, or `by`; no evidence tells which values are best. And as `slp.compare`.
    """
    if by not in ("evidence", "cv"):
        raise UsageError(TUNED_BY_WHAT(by=by))
    points = _points(grid)
    programs = {
        " ".join(f"{name}={number_text(v)}" for name, v in point.items()): program.with_parameters(
            **{**program.parameters, **point}
        )
        for point in points
    }
    found = compare(
        programs,
        X,
        y,
        folds=folds if by == "cv" else 0,
        seed=seed,
        time=time,
        progress=progress,
        **options,
    )
    values = {name: tuple(map(float, own)) for name, own in grid.items()}
    tuned = Tuning(by, values, points, found, None)
    return Tuning(by, values, points, found, _best(tuned, found))


def _points(grid: Mapping[str, Sequence[float]]) -> tuple[dict[str, float], ...]:
    """All combinations of values, each once."""
    if not grid:
        raise UsageError(EMPTY_GRID(what="parameter"))
    for name, values in grid.items():
        if not len(values):
            raise UsageError(EMPTY_GRID(what=f"value of `{name}`"))
    count = math.prod(map(len, grid.values()))
    if count > _MOST_POINTS:
        raise UsageError(GRID_TOO_LARGE(count=count, most=_MOST_POINTS))
    every = [list(dict.fromkeys(map(float, values))) for values in grid.values()]
    return tuple(dict(zip(grid, point, strict=True)) for point in itertools.product(*every))


def _best(tuned: Tuning, found: Comparison) -> dict[str, float] | None:
    """The combination of the highest score."""
    if tuned.by == "evidence":
        for program in found.programs:
            if not program.has_factor:
                reason = program.no_bayes_factor or f"{program.engine} has none"
                raise UsageError(NO_EVIDENCE_TO_TUNE_BY(reason=reason))
    scores = [tuned.score(program) for program in found.programs]
    known = [(s.value, -i) for i, s in enumerate(scores) if s is not None and s.value > -math.inf]
    return tuned.points[-max(known)[1]] if known else None
