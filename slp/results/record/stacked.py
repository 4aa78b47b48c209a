"""`result_of_stack`: the result of members that were stacked by prediction. It predicts; what only
a posterior tells it refuses (E559)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.stacked import StackedTrees, no_posterior
from slp.results.estimate import Estimate
from slp.results.record.choice import EngineChoice
from slp.results.record.later import Later
from slp.results.record.parts import Draw, Ended, Evidence
from slp.results.record.prior_uses import PriorUses
from slp.results.record.result import Result

#: What the page, the report and JSON say first.
TITLE = "not a posterior: an average of {members} members stacked by prediction"


@dataclass(frozen=True)
class Stacked:
    """How members were stacked.

    Attributes
    ----------
    weights : of the K members, which sum to 1; members differ in their random numbers alone.
    rows_of_members : how many rows of the table the members saw.
    rows_of_weights : how many others chose the weights.
    log_predictive : the mean log predictive density (of classes: probability) of a row of those
        that chose the weights. It is too good by what the weights fit of these rows.
    log_predictive_equal : the same of equal weights.
    log_predictive_best : the same of the best member alone.
    """

    weights: tuple[float, ...]
    rows_of_members: int
    rows_of_weights: int
    log_predictive: float
    log_predictive_equal: float
    log_predictive_best: float

    @property
    def effective(self) -> float:
        """How many members of equal weight count as much: 1 / sum of w_k^2."""
        return 1.0 / sum(weight**2 for weight in self.weights)

    @property
    def is_sound(self) -> bool:
        """Whether these are weights, and numbers of rows."""
        alike = bool(self.weights) and abs(sum(self.weights) - 1.0) < 1e-6
        return alike and min(self.weights) >= 0 and min(self._rows) >= 1

    @property
    def _rows(self) -> tuple[int, int]:
        return self.rows_of_members, self.rows_of_weights

    def words(self) -> str:
        """What it is, as the page says it first."""
        return TITLE.format(members=len(self.weights))

    def sentences(self) -> tuple[str, ...]:
        """How it was made, and how well it predicts."""
        seen, chose = self._rows
        return (
            f"the members saw {seen:,} rows; {chose:,} others, set aside before, chose the weights",
            f"the weights count as much as those of {self.effective:.1f} equal members",
            f"log predictive of a row that chose the weights: {self.log_predictive:.4f} (equal "
            f"weights {self.log_predictive_equal:.4f}, the best member alone "
            f"{self.log_predictive_best:.4f}); of new rows it is somewhat lower",
            "it predicts; it has no evidence, no draws and no probabilities of trees, and knows no "
            "errors",
        )


def result_of_stack(
    trees: DrawnTrees,
    stacked: Stacked,
    *,
    choice: EngineChoice,
    normalised: bool,
    seed: int,
    ended: Ended,
) -> Result:
    """The average of members, each a chain of `trees`, which have the weights of the stack."""
    return Result(
        chosen=choice,
        table=trees.table,
        likelihood=True,
        normalised=normalised,
        seed=seed,
        kind="stacked",
        evidence=Evidence(
            Later[Estimate | None].known(None),
            stacked.words(),
            None,
            None,
            Later(_refuse("the total of the weights of trees")),
            Later(_refuse("the total of the weights of trees")),
            Later.known(0.0),
        ),
        averaged=StackedTrees(trees),
        stacked=stacked,
        derivations_are_trees=Later(_refuse("whether derivations are trees")),
        tree_count=_refuse("the number of trees"),
        best=_refuse("the best tree"),
        near_best=_refuse("the trees near the best one"),
        draws=Later[Sequence[Draw]](_refuse("draws of trees")),
        log_weight=_refuse("the probability of a tree"),
        log_likelihood=_refuse("the likelihood of a tree"),
        rules=_refuse("the use of rules"),
        mixture=_refuse("the use of rules"),
        prior=_refuse("a prior over the same trees"),
        diagnostics=Later.known(None),
        schedule=None,
        edits=Later.known(None),
        prior_uses=Later.known(PriorUses.not_known("no posterior stands beside it")),
        ended=Later.known(ended),
    )


def _refuse(what: str) -> Callable[..., NoReturn]:
    return partial(_refused, what)


def _refused(what: str, *_: Any) -> NoReturn:
    raise no_posterior(what)


def log_weights_of_draws(
    members: Sequence[NDArray[np.int64]], weights: Sequence[float]
) -> list[NDArray[np.float64]]:
    """Of each draw the log of the weight of its member over the number of its draws."""
    with np.errstate(divide="ignore"):
        logs = np.log(np.array(weights))
    pairs = zip(members, logs, strict=True)
    return [np.full(len(drew), log - np.log(len(drew))) for drew, log in pairs]
