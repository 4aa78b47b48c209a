"""`Comparison`: programs on one table side by side, by evidence and by held-out predictions.

The log Bayes factor of two programs is the difference of their log evidences, in nats (Kass &
Raftery 1995, Bayes factors, equation 3). Runs are independent, so the variance of the difference is
the sum of both variances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.results.estimate import Estimate, Kind
from slp.results.leave_one_out import LeaveOneOut
from slp.results.paired import PairedDifference
from slp.results.survival_scores import SurvivalScores, error_over_folds
from slp.results.trust.judgement import Standing


@dataclass(frozen=True)
class HeldOut:
    """How well a program predicts rows that it was not given, by cross-validation.

    An error is the standard error over folds. It does not tell the Monte Carlo error apart, and
    folds share training rows, so it is approximate.

    Attributes
    ----------
    log_predictive, log_predictive_error : mean log predictive probability (for numbers, density) of
        a held-out row, in nats.
    accuracy, accuracy_error : share of rows whose class was the most probable; None for numbers.
    rmse, rmse_error : root mean squared error of the predictive mean, in units of the response;
        None for classes and for censored durations.
    by_fold : the mean log predictive probability of each fold.
    by_row : the log predictive probability of each row of the table, float64, shape (n,).
    standing : whether the runs of all folds converged (`slp.results.trust.judgement`).
    survival : of durations, `slp.results.survival_scores.SurvivalScores`: concordance and Brier
        score; else None.
    """

    log_predictive: float
    log_predictive_error: float
    accuracy: float | None
    accuracy_error: float | None
    rmse: float | None
    rmse_error: float | None
    by_fold: tuple[float, ...]
    by_row: NDArray[np.float64] = field(repr=False, compare=False)
    standing: Standing
    survival: SurvivalScores | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data for JSON, without `by_row`; None in place of infinity and NaN."""
        told = {k: x for k, x in vars(self).items() if k not in ("by_row", "survival")}
        survival = None if self.survival is None else finite_values(vars(self.survival))
        return {**finite_values(told), "survival": survival}

    @property
    def converged(self) -> bool:
        """Whether the runs of all folds converged, so that the scores may be used."""
        return self.standing == "converged"


@dataclass(frozen=True)
class ComparedProgram:
    """What a comparison tells of one program.

    Attributes
    ----------
    name, engine, reason, seed : the program, the engine that answered on the whole table, why, and
        the seed of that run.
    log_evidence : log P(response | features), in nats; None where it is not known.
    log_bayes_factor : `log_evidence` less that of the reference, in nats; None where one of the two
        is not known or looks at the response.
    expected_leaves : expected number of leaves.
    standing : whether the run on the whole table converged; `converged` for exact sums.
    depends_on_clock : whether a limit of time shaped its numbers.
    held_out : of cross-validation; None without it.
    held_out_difference : of its mean log predictive probability from that of another program.
    loo : of leave-one-out; None where it was not asked for, or tells nothing.
    loo_difference : of its sum from that of another program.
    no_loo : why leave-one-out tells nothing; None where it does.
    no_bayes_factor : why its evidence makes no Bayes factor: its prior looks at the response; None
        where it makes one.
    notes : what else must be said of its numbers.
    """

    name: str
    engine: str
    reason: str
    seed: int
    log_evidence: Estimate | None
    log_bayes_factor: Estimate | None
    expected_leaves: Estimate
    standing: Standing
    depends_on_clock: bool
    held_out: HeldOut | None
    no_bayes_factor: str | None = None
    notes: tuple[str, ...] = ()
    held_out_difference: PairedDifference | None = None
    loo: LeaveOneOut | None = None
    loo_difference: PairedDifference | None = None
    no_loo: str | None = None

    @property
    def converged(self) -> bool:
        """Whether the run on the whole table converged; True for exact sums."""
        return self.standing == "converged"

    @property
    def has_factor(self) -> bool:
        """Whether its evidence is known and makes a Bayes factor."""
        return self.log_evidence is not None and self.no_bayes_factor is None

    @property
    def log_evidence_kind(self) -> Kind | None:
        """What `log_evidence` is; None where it is not known."""
        return None if self.log_evidence is None else self.log_evidence.kind

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data for JSON; None in place of infinity and NaN."""
        found = self.held_out
        return {
            "name": self.name,
            "engine": self.engine,
            "reason": self.reason,
            "seed": self.seed,
            **with_kind("log_evidence", self.log_evidence),
            **with_kind("log_bayes_factor", self.log_bayes_factor),
            **with_kind("mean_leaves", self.expected_leaves),
            "converged": self.converged,
            "standing": self.standing,
            "depends_on_clock": self.depends_on_clock,
            "held_out": None if found is None else found.to_dict(),
            "held_out_difference": _plain(self.held_out_difference),
            "loo": _plain(self.loo),
            "loo_difference": _plain(self.loo_difference),
            "no_loo": self.no_loo,
            "no_bayes_factor": self.no_bayes_factor,
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Comparison:
    """Programs on one table side by side.

    Attributes
    ----------
    response, n_rows : of the table.
    programs : one for each program, in the order given.
    reference : the name of the program that Bayes factors are against; None if there are none.
    folds : of cross-validation; 0 without it.
    seed : of the folds and the runs.
    """

    response: str
    n_rows: int
    programs: tuple[ComparedProgram, ...]
    reference: str | None
    folds: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data for JSON."""
        return {**vars(self), "programs": [program.to_dict() for program in self.programs]}

    def __getitem__(self, name: str) -> ComparedProgram:
        """The program of a name; KeyError if there is none."""
        return {program.name: program for program in self.programs}[name]


def _plain(told: PairedDifference | LeaveOneOut | None) -> dict[str, Any] | None:
    return None if told is None else told.to_dict()


def bayes_factor(one: Estimate, other: Estimate) -> Estimate:
    """The log Bayes factor of one program against another, by their log evidences."""
    difference = one.value - other.value
    if one.kind == other.kind == "exact":
        return Estimate.exact(difference)
    return Estimate.drawn(difference, math.hypot(one.error, other.error))


def held_out(
    log_predictive: Sequence[NDArray[np.float64]],
    right: Sequence[NDArray[np.bool_]] | None,
    squared: Sequence[NDArray[np.float64]] | None,
    by_row: NDArray[np.float64],
    standing: Standing,
    survival: SurvivalScores | None = None,
) -> HeldOut:
    """The summary of folds. For each fold, shape (m,): the log predictive probability of its rows,
    and, of classes, whether the most probable was right, or, of numbers, the squared error.
    `by_row` are the log predictive probabilities in the order of the table, `survival` scores of
    durations."""
    by_fold = [float(fold.mean()) for fold in log_predictive]
    accuracy = None if right is None else float(np.concatenate(right).mean())
    rmse = None if squared is None else math.sqrt(np.concatenate(squared).mean())
    return HeldOut(
        float(np.concatenate(log_predictive).mean()),
        error_over_folds(by_fold),
        accuracy,
        None if right is None else error_over_folds([fold.mean() for fold in right]),
        rmse,
        None if squared is None else error_over_folds([fold.mean() ** 0.5 for fold in squared]),
        tuple(by_fold),
        by_row,
        standing,
        survival,
    )


def with_kind(name: str, told: Estimate | None) -> dict[str, Any]:
    """A number with its error and kind, for JSON."""
    values = (None, None, None) if told is None else (told.value, told.error, told.kind)
    return finite_values(dict(zip((name, f"{name}_error", f"{name}_kind"), values, strict=True)))


def finite_values(values: dict[str, Any]) -> dict[str, Any]:
    """Values for JSON: lists for tuples, and None for infinity and NaN."""

    def finite(value: Any) -> Any:
        if isinstance(value, tuple):
            return [finite(item) for item in value]
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return {name: finite(value) for name, value in values.items()}
