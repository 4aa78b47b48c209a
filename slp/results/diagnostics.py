"""How far the draws of a sampler can be trusted: R-hat, effective draws, outcomes of proposals.

The quantities are the log posterior (up to its constant), the number of leaves, the depth, and the
predictions for the rows of the table, of which the worst is reported. For edits of a given tree,
whose prior is not known, the log likelihood and the number of edits replace the log posterior.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from slp import results
from slp.late import optional_module
from slp.messages.names import plural
from slp.results.tempering import ENOUGH_ROUND_TRIPS, TemperingFigures
from slp.results.weighted_draws import DrawnTrees
from slp.runner import Move, MoveOutcome, Tally, acceptance

#: With fewer draws in each chain there are no diagnostics.
FEWEST_DRAWS = 4
#: Limits of Vehtari et al. (2021): R-hat, and effective draws for each chain.
_LARGEST_R_HAT = 1.01
_FEWEST_EFFECTIVE = 100
#: Effective draws that islands of particles need together: as many as four chains.
_ENOUGH_OF_ISLANDS = 400
#: With fewer effective islands their spread, and so an error, is not known.
_FEWEST_ISLANDS = 4
#: The largest share of trajectories of HMC that may diverge.
_MOST_DIVERGENT = 0.01
#: The most predictions used, evenly spread over those that differ.
_MOST_PREDICTIONS = 200


@dataclass(frozen=True)
class Convergence:
    """Convergence of one quantity: rank-normalised split R-hat (inf where no chain moves, and they
    differ), effective draws in the bulk and in the tails; None where they have no value (too few
    draws, or all of them equal)."""

    r_hat: float | None
    ess_bulk: float | None
    ess_tail: float | None


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
    warnings : a sentence for each problem found; empty if none.
    tempering : what tempered chains tell of themselves; None for others.
    out_of_time : whether no time was left for R-hat and effective draws.
    """

    draws: tuple[int, ...]
    convergence: Mapping[str, Convergence]
    moves: Mapping[str, Mapping[str, int]]
    acceptance: Mapping[str, float]
    failure_rate: float
    effective_needed: int
    warnings: tuple[str, ...]
    tempering: TemperingFigures | None = None
    out_of_time: bool = False

    @property
    def tells(self) -> bool:
        """Whether there were enough draws in every chain, and time, to tell anything."""
        return not self.out_of_time and _tells(self.draws)

    @property
    def why_untold(self) -> str:
        """What is missing where nothing is told."""
        return "no time was left to tell" if self.out_of_time else "too few draws to tell"

    @property
    def converged(self) -> bool:
        """Whether there are enough draws to tell, and no problem was found."""
        return self.tells and not self.warnings

    @property
    def largest_r_hat(self) -> float:
        """The largest R-hat that is good."""
        return _LARGEST_R_HAT

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
    draws = [len(chain) for chain in drawn.chains]
    if drawn.log_weights is None:
        found = diagnostics_of(convergence, tallies, draws, None, tempering)
        return replace(found, out_of_time=drawn.out_of_time)
    found = diagnostics_of(convergence, tallies, draws, _ENOUGH_OF_ISLANDS)
    return replace(found, warnings=(*found.warnings, *_few_islands(drawn)))


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
    enough: int | None = None,
    tempering: TemperingFigures | None = None,
) -> Diagnostics:
    """Diagnostics of any chains: of some quantities, what became of each chain's moves, and how
    many draws each kept; `enough` effective draws are needed, 100 for each chain where that is
    None."""
    if enough is None:
        enough = _FEWEST_EFFECTIVE * sum(n > 0 for n in draws)
    tally = sum(tallies, Counter())
    moves = _moves(tally)
    n_moves, failed = tally.total(), sum(counts["failed"] for counts in moves.values())
    return Diagnostics(
        draws=tuple(draws),
        convergence=convergence,
        moves=moves,
        acceptance=acceptance(tally),
        failure_rate=failed / n_moves if n_moves else 0.0,
        effective_needed=enough,
        warnings=(
            *_warnings(convergence, moves, enough),
            *_divergent(moves),
            *(_few_round_trips(tempering) if _tells(draws) else ()),
        ),
        tempering=tempering,
    )


def _tells(draws: Sequence[int]) -> bool:
    """Whether every chain that keeps draws kept enough to tell anything."""
    return min((n for n in draws if n), default=0) >= FEWEST_DRAWS


def convergence_of(values: NDArray[np.float64]) -> Convergence:
    """Convergence of one quantity at every draw, shape (M, T)."""
    return Convergence(results.r_hat(values), results.bulk_ess(values), results.tail_ess(values))


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


def worst(found: Sequence[Convergence]) -> Convergence:
    """The largest R-hat and the smallest numbers of effective draws."""

    def known(values: Iterator[float | None]) -> list[float]:
        return [v for v in values if v is not None]

    return Convergence(
        max(known(c.r_hat for c in found), default=None),
        min(known(c.ess_bulk for c in found), default=None),
        min(known(c.ess_tail for c in found), default=None),
    )


def _moves(tally: Tally) -> dict[str, dict[str, int]]:
    outcomes: tuple[MoveOutcome, ...] = ("accepted", "rejected", "failed", "stayed")
    names = sorted({name for name, _ in tally})
    return {name: {outcome: tally[Move(name, outcome)] for outcome in outcomes} for name in names}


def _warnings(
    convergence: Mapping[str, Convergence],
    moves: Mapping[str, Mapping[str, int]],
    enough: int,
) -> Iterator[str]:
    if _stuck(moves):
        yield "no proposal was accepted: the chains are where they began"
    words = {
        "log_posterior": "the log posterior",
        "log_likelihood": "the log likelihood",
        "predictions": "the predictions",
    }
    apart = {
        words.get(name, name): c.r_hat
        for name, c in convergence.items()
        if c.r_hat is not None and c.r_hat > _LARGEST_R_HAT
    }
    if apart:
        listed = ", ".join(f"{_above(r, _LARGEST_R_HAT)} for {name}" for name, r in apart.items())
        yield f"the chains disagree: R-hat is {listed}, and should be at most {_LARGEST_R_HAT}"
    few = {
        words.get(name, name): min(ess)
        for name, c in convergence.items()
        if (ess := [e for e in (c.ess_bulk, c.ess_tail) if e is not None]) and min(ess) < enough
    }
    if few:
        listed = ", ".join(f"{math.floor(e)} for {name}" for name, e in few.items())
        yield f"there are few effective draws: {listed}; estimates need some {enough}"


def _divergent(moves: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Where more than a few trajectories of HMC diverged (the engine `rjhmc`)."""
    counts = moves.get("trajectory", {})
    n, failed = sum(counts.values()), counts.get("failed", 0)
    if failed > _MOST_DIVERGENT * n:
        yield (
            f"{failed:,} of {n:,} trajectories diverged, and at most {_MOST_DIVERGENT:.0%} should: "
            "a larger `h` or a longer warm-up makes them fewer"
        )


def _few_round_trips(tempering: TemperingFigures | None) -> Iterator[str]:
    if tempering is not None and not tempering.enough_round_trips:
        trips = plural(tempering.fewest_round_trips, "round trip")
        yield (
            f"a ladder made {trips} from the prior to the posterior and back, and should make "
            f"{ENOUGH_ROUND_TRIPS} or more"
        )


def _few_islands(drawn: DrawnTrees) -> Iterator[str]:
    """Where there are enough islands to tell errors, but few of them have the weight."""
    effective, islands = drawn.effective_islands(), len(drawn.chains)
    if effective is not None and islands >= _FEWEST_ISLANDS > effective:
        yield (
            f"{effective:.1f} of {islands} islands are effective, and errors are only known of "
            f"{_FEWEST_ISLANDS} or more"
        )


def _above(value: float, limit: float) -> str:
    """A value above a limit with as many digits, four at least, as show that it is; in a word where
    it is infinite."""
    if math.isinf(value):
        return "infinite"
    texts = (f"{value:.{digits}g}" for digits in range(4, 18))
    return next(text for text in texts if float(text) > limit)


def _stuck(moves: Mapping[str, Mapping[str, int]]) -> bool:
    tried = sum(counts["rejected"] + counts["failed"] for counts in moves.values())
    return tried > 0 and not any(counts["accepted"] for counts in moves.values())
