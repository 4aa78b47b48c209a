"""What cross-validation and a search over parameters of a program tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slp.leaves import Label
from slp.results.comparison import ComparedProgram, Comparison, HeldOut, finite_values
from slp.results.estimate import Estimate
from slp.results.trust.judgement import Standing, standing_together


@dataclass(frozen=True)
class Fold:
    """One fold: how many rows were held out, and the run on the others.

    Attributes
    ----------
    rows : the number of held-out rows.
    log_predictive : mean log predictive probability (for numbers, density) of a held-out row, nats.
    engine, standing, depends_on_clock : as of `slp.results.comparison.ComparedProgram`.
    """

    rows: int
    log_predictive: float
    engine: str
    standing: Standing
    depends_on_clock: bool

    @property
    def converged(self) -> bool:
        """Whether its run converged; True for exact sums."""
        return self.standing == "converged"


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """How a program predicts rows that it was not given.

    Attributes
    ----------
    program, response, n_rows : of the run.
    seed : of the folds and the runs.
    held_out : the scores over all folds.
    folds : each fold.
    fold_of : int64, shape (n,). The fold of each row, from 0.
    classes : in the order of the columns of `predictions`; empty for numbers.
    predictions : float64. For each row what the run without its fold tells: the probability of each
        class, shape (n, C), or the predictive mean, shape (n,).
    """

    program: str
    response: str
    n_rows: int
    seed: int
    held_out: HeldOut
    folds: tuple[Fold, ...]
    fold_of: NDArray[np.int64]
    classes: tuple[Label, ...]
    predictions: NDArray[np.float64]

    @property
    def standing(self) -> Standing:
        """Whether the runs of all folds converged (`slp.results.trust.judgement`)."""
        return standing_together(fold.standing for fold in self.folds)

    @property
    def converged(self) -> bool:
        """Whether the runs of all folds converged."""
        return self.standing == "converged"

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain data for JSON, without the predictions."""
        return {
            "program": self.program,
            "response": self.response,
            "n_rows": self.n_rows,
            "seed": self.seed,
            "converged": self.converged,
            "standing": self.standing,
            "held_out": self.held_out.to_dict(),
            "folds": [
                {**finite_values(vars(fold)), "converged": fold.converged} for fold in self.folds
            ],
        }


@dataclass(frozen=True)
class Tuning:
    """Values of a program's parameters side by side.

    Attributes
    ----------
    by : what is largest at the best values: the log `"evidence"`, or the mean log predictive
        probability of held-out rows (`"cv"`).
    grid : the values of each parameter.
    points : each combination of values, by name, in the order of `comparison.programs`.
    comparison : the numbers of each combination.
    best : the combination of the highest score; None where no score is known.
    """

    by: Literal["evidence", "cv"]
    grid: dict[str, tuple[float, ...]]
    points: tuple[dict[str, float], ...]
    comparison: Comparison
    best: dict[str, float] | None

    def score(self, program: ComparedProgram) -> Estimate | None:
        """The score of a combination, in nats; None where it is not known."""
        if self.by == "evidence":
            return program.log_evidence
        held_out = program.held_out
        if held_out is None:
            return None
        return Estimate.drawn(held_out.log_predictive, held_out.log_predictive_error)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data for JSON."""
        found = self.comparison.to_dict()
        pairs = zip(self.points, found["programs"], strict=True)
        return {
            **found,
            "by": self.by,
            "grid": {name: list(values) for name, values in self.grid.items()},
            "best": self.best,
            "programs": [{**program, "parameters": point} for point, program in pairs],
        }
