"""The scores of held-out rows: runs on the other rows are asked for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data import SharedTable
from slp.data.frames import Frame
from slp.problem.new_rows import rows_as_numbers
from slp.program.folds import RunOnTable
from slp.program.program import Program
from slp.results import Posterior
from slp.results.averages.over_trees import TreeAverages
from slp.results.averages.rows_in_leaves import regressors_of_rows
from slp.results.comparison import HeldOut, held_out
from slp.results.survival_scores import SurvivalScale, SurvivalScores, ToldOfDurations
from slp.results.trust.judgement import Standing, standing_together


@dataclass(frozen=True, eq=False)
class FoldScore:
    """What a run tells of the held-out rows (m,) of a fold, and of itself.

    `told`: the probability of each class, shape (m, C), or the predictive means, shape (m,).
    `log_predictive`, shape (m,); `right` of classes and `squared` errors of numbers, shape (m,),
    the other one is None; `durations` of these alone.
    """

    told: NDArray[np.float64]
    log_predictive: NDArray[np.float64]
    right: NDArray[np.bool_] | None
    squared: NDArray[np.float64] | None
    engine: str
    standing: Standing
    by_clock: bool
    durations: ToldOfDurations | None = None


def fold_runs(
    table: SharedTable,
    name: str,
    program: Program,
    seeds: Sequence[int],
    parts: Sequence[NDArray[np.intp]],
) -> list[RunOnTable]:
    """The run of each fold: on the other rows, asked for a `FoldScore`."""
    every = np.arange(table.frame.n_rows)
    outcomes = table.outcomes(program.ir)
    scale = None if table.read.leaf.classes else SurvivalScale.of(outcomes, parts)
    runs = []
    for k, (seed, rows) in enumerate(zip(seeds, parts, strict=True)):
        own = outcomes[rows]
        question = partial(_score, new=table.frame.rows(rows), own=own, scale=scale)
        what = f"{name}, fold {k + 1} of {len(parts)}"
        runs.append(
            RunOnTable(what, program, table.part(np.setdiff1d(every, rows)), seed, question)
        )
    return runs


def in_rows(parts: Sequence[NDArray[np.intp]], values: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The values of each fold's rows, in the order of the table."""
    out: NDArray[Any] = np.concatenate(values)[np.argsort(np.concatenate(parts))]
    return out


def scores_of(
    table: SharedTable, folds: Sequence[FoldScore], parts: Sequence[NDArray[np.intp]]
) -> HeldOut:
    """The summary of all folds, which have these rows."""
    right = [fold.right for fold in folds if fold.right is not None]
    squared = [fold.squared for fold in folds if fold.squared is not None]
    durations = [fold.durations for fold in folds if fold.durations is not None]
    no_error = table.censored or not squared
    return held_out(
        [fold.log_predictive for fold in folds],
        right or None,
        None if no_error else squared,
        in_rows(parts, [fold.log_predictive for fold in folds]),
        standing_together(fold.standing for fold in folds),
        SurvivalScores.of(table.read.outcomes, parts, durations) if durations else None,
    )


def _score(
    posterior: Posterior, new: Frame, own: NDArray[Any], scale: SurvivalScale | None
) -> FoldScore:
    """How a posterior predicts the outcomes of new rows; without a scale they are classes."""
    about = posterior.engine, posterior.trust.standing, posterior.trust.by_clock
    if scale is None:
        told = posterior.predict_proba(new)
        with np.errstate(divide="ignore"):  # a class may have no probability
            log = np.log(told[np.arange(len(own)), own])
        return FoldScore(told, log, told.argmax(axis=1) == own, None, *about)
    numbers = own if own.ndim == 1 else own[:, 0]
    log, mean = _log_density(posterior, new, own), posterior.predict(new)
    if posterior.table.leaf.exposed:
        mean = mean * own[:, 1]
    durations = None
    if posterior.table.leaf.responses == "durations":
        durations = ToldOfDurations(
            posterior.restricted_mean(new, scale.horizon),
            posterior.survival(new, scale.times) if scale.times else np.zeros((len(own), 0)),
        )
    return FoldScore(mean, log, None, (mean - numbers) ** 2, *about, durations)


def _log_density(posterior: Posterior, new: Frame, own: NDArray[Any]) -> NDArray[np.float64]:
    """Log predictive density (of counts: probability) of outcomes of new rows, shape (m,). Of the
    leaves S with probabilities w it is log sum_S w_S p(S and s) / p(S), s the row's statistics."""
    table = posterior.table
    leaf, out = table.leaf, np.empty(len(own))
    rows = table.new_rows(new)

    if leaf.regressors:
        own = np.column_stack([own, regressors_of_rows(table, rows_as_numbers(table, rows))])

    def fill(averages: TreeAverages) -> None:
        pairs = zip(averages.leaf_mixtures(rows), leaf.statistics(own), strict=True)
        for i, (mixture, s) in enumerate(pairs):
            S = mixture.statistics
            if leaf.of_sums or leaf.soft_trees:  # what is drawn has a density, and no marginal
                of_row = leaf.log_density(S, own[i])
            else:
                of_row = leaf.log_marginal(S + s) - leaf.log_marginal(S)
            with np.errstate(divide="ignore"):  # a leaf may have no probability
                out[i] = np.logaddexp.reduce(np.log(mixture.probability) + of_row)

    posterior._result.of_new_rows(fill, rows)
    return out
