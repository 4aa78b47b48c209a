"""How far the draws of a sampler can be trusted: R-hat, effective draws, outcomes of proposals.

The quantities are the log posterior (up to its constant), the number of leaves, the depth, and the
predictions for the rows of the table, of which the worst is reported. For edits of a given tree,
whose prior is not known, the log likelihood and the number of edits replace the log posterior.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slp.late import optional_module
from slp.results.trust.convergence import bulk_ess, r_hat, tail_ess
from slp.results.trust.judgement import (
    ENOUGH_OF_ISLANDS,
    FEWEST_EFFECTIVE,
    FEWEST_ISLANDS,
    LARGEST_R_HAT,
    Convergence,
    Source,
    Standing,
    judge,
    worst,
)
from slp.results.trust.tempering import TemperingFigures
from slp.runner import Move, MoveOutcome, Tally, acceptance

#: The largest R-hat of chains that nearly agree.
_NEARLY = 1.05

if TYPE_CHECKING:
    from slp.results.averages.drawn_trees import DrawnTrees

#: The most predictions used, evenly spread over those that differ.
_MOST_PREDICTIONS = 200


@dataclass(frozen=True)
class Diagnostics:
    """Diagnostics of a run.

    Attributes
    ----------
    draws : number of draws kept by each chain.
    convergence : of `log_posterior` (of `edittree`: `log_likelihood` and `edits`), `leaves`,
        `depth` and `predictions` (the worst of them).
    moves : by proposal, how many were `accepted`, `rejected`, `failed` (what was proposed derives
        no tree, or breaks a constraint) and `stayed` (nothing could be proposed), after warm-up.
    acceptance : by proposal, the share accepted of what was proposed (stays are not); a proposal
        that never had anything to propose is not in it.
    failure_rate : share of all moves that failed.
    effective_needed : effective draws that are enough.
    tempering : what tempered chains tell of themselves; None for others.
    out_of_time : whether no time was left for R-hat and effective draws.
    source : what the draws are of.
    effective_islands : how many islands have the weight; None for chains.
    """

    draws: tuple[int, ...]
    convergence: Mapping[str, Convergence]
    moves: Mapping[str, Mapping[str, int]]
    acceptance: Mapping[str, float]
    failure_rate: float
    effective_needed: int
    tempering: TemperingFigures | None = None
    out_of_time: bool = False
    source: Source = "chains"
    effective_islands: float | None = None

    @cached_property
    def _judgement(self) -> tuple[Standing, tuple[str, ...]]:
        return judge(self)

    @property
    def standing(self) -> Standing:
        """`converged`, `not converged`, or `not known` where the tests cannot be made: see
        `slp.results.trust.judgement`. Only numbers of the first may be used."""
        return self._judgement[0]

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence for each fault found, or for what is missing to tell; none of a run that has
        converged."""
        return self._judgement[1]

    @property
    def converged(self) -> bool:
        """Whether all tests could be made, and none found a fault."""
        return self.standing == "converged"

    @property
    def nearly_agrees(self) -> bool:
        """Whether ladders made enough round trips, and no R-hat is far above the limit: a run of
        twice the length may then converge."""
        known = [one.r_hat for one in self.convergence.values() if one.r_hat is not None]
        trips = self.tempering is not None and self.tempering.enough_round_trips
        return trips and max(known, default=math.inf) <= _NEARLY

    @property
    def errors_of_islands(self) -> bool:
        """Whether the spread of islands tells the error of what each of them estimates."""
        effective = self.effective_islands
        return effective is not None and effective >= FEWEST_ISLANDS

    @property
    def largest_r_hat(self) -> float:
        """The largest R-hat that is good."""
        return LARGEST_R_HAT

    @property
    def worst_r_hat(self) -> float | None:
        """The largest R-hat of all quantities."""
        return worst(list(self.convergence.values())).r_hat

    @property
    def fewest_effective(self) -> float | None:
        """The smallest number of effective draws of all quantities, in the bulk or the tails."""
        found = worst(list(self.convergence.values()))
        return min((e for e in (found.ess_bulk, found.ess_tail) if e is not None), default=None)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        shown: str = optional_module("report").diagnostics_repr(self)
        return shown

    def to_dict(self) -> dict[str, object]:
        """The same as plain data; an infinite R-hat is None, which JSON can express."""
        return {
            "draws_by_chain": list(self.draws),
            "convergence": {
                name: {
                    "r_hat": None if c.r_hat == math.inf else c.r_hat,
                    "ess_bulk": c.ess_bulk,
                    "ess_tail": c.ess_tail,
                }
                for name, c in self.convergence.items()
            },
            "acceptance": dict(self.acceptance),
            "moves": {name: dict(counts) for name, counts in self.moves.items()},
            "failure_rate": self.failure_rate,
            "tempering": None if self.tempering is None else self.tempering.to_dict(),
            "standing": self.standing,
            "warnings": list(self.warnings),
        }


def diagnose(
    drawn: DrawnTrees,
    scores: Mapping[str, NDArray[np.float64]],
    tallies: Sequence[Tally],
    tempering: TemperingFigures | None = None,
) -> Diagnostics:
    """Diagnostics of draws; `scores` are quantities of each distinct tree to look at, such as the
    log posterior up to a constant, shape (U,), and `tallies` count the moves of each chain."""
    looked_at = {
        **scores,
        "leaves": drawn.n_leaves.astype(np.float64),
        "depth": drawn.depth.astype(np.float64),
    }
    convergence = {name: _of_draws(drawn, values) for name, values in looked_at.items()}
    rows = () if drawn.out_of_time else _predictions(drawn)
    convergence["predictions"] = worst([_of_draws(drawn, values) for values in rows])
    return diagnostics_of(
        convergence,
        tallies,
        [len(chain) for chain in drawn.chains],
        tempering,
        out_of_time=drawn.out_of_time,
        effective_islands=drawn.effective_islands(),
    )


def _of_draws(drawn: DrawnTrees, values: NDArray[np.float64]) -> Convergence:
    """Convergence of a quantity of each distinct tree, shape (U,). Islands of particles need not
    converge: their effective draws are the variance over the squared error."""
    if drawn.out_of_time:
        return Convergence(None, None, None)
    if drawn.log_weights is None:
        return convergence_of(drawn.by_chain(values))
    error = float(drawn.error(values))
    variance = float(drawn.mean((values - drawn.mean(values)) ** 2))
    effective = variance / error**2 if error > 0 else None
    return Convergence(None, effective, effective)


def diagnostics_of(
    convergence: Mapping[str, Convergence],
    tallies: Sequence[Tally],
    draws: Sequence[int],
    tempering: TemperingFigures | None = None,
    *,
    out_of_time: bool = False,
    effective_islands: float | None = None,
) -> Diagnostics:
    """Diagnostics of any chains: of some quantities, what became of each chain's moves, and how
    many draws each kept; of islands of particles, with how many are effective."""
    tally = sum(tallies, Counter())
    moves = _moves(tally)
    n_moves, failed = tally.total(), sum(counts["failed"] for counts in moves.values())
    of_islands = effective_islands is not None
    return Diagnostics(
        draws=tuple(draws),
        convergence=convergence,
        moves=moves,
        acceptance=acceptance(tally),
        failure_rate=failed / n_moves if n_moves else 0.0,
        effective_needed=ENOUGH_OF_ISLANDS
        if of_islands
        else FEWEST_EFFECTIVE * sum(n > 0 for n in draws),
        tempering=tempering,
        out_of_time=out_of_time,
        source="islands" if of_islands else "chains",
        effective_islands=effective_islands,
    )


def convergence_of(values: NDArray[np.float64]) -> Convergence:
    """Convergence of one quantity at every draw, shape (M, T)."""
    return Convergence(r_hat(values), bulk_ess(values), tail_ess(values))


def _predictions(drawn: DrawnTrees) -> Iterator[NDArray[np.float64]]:
    """Predictions of each distinct tree for rows of the table, shape (U,): of classes the
    probability of all but the last, else means. Rows that always share their leaf count once."""
    values = drawn.table_predictions()
    if drawn.table.leaf.classes:
        values = values[:, :, :-1]
    flat = values.reshape(len(values), -1)
    flat = np.unique(flat[:, np.isfinite(flat).all(axis=0)], axis=1)
    n = flat.shape[1]
    for column in np.unique(np.linspace(0, n - 1, min(n, _MOST_PREDICTIONS)).astype(np.int64)):
        yield flat[:, column]


def _moves(tally: Tally) -> dict[str, dict[str, int]]:
    outcomes: tuple[MoveOutcome, ...] = ("accepted", "rejected", "failed", "stayed")
    names = sorted({name for name, _ in tally})
    return {name: {outcome: tally[Move(name, outcome)] for outcome in outcomes} for name in names}
