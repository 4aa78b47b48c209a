"""Whether the numbers of a posterior may be used: every test, and the one judgement of them, which
commands, reports, pictures and comparisons ask (`Trust`).

A run of draws is `converged` where each test can be made and none finds a fault. It is `not
converged` where one finds a fault. It is `not known` where a test cannot be made: too few draws are
kept, no time is left, one chain has no other to agree with, or too few islands tell no error. A
number of a run that is not `converged` is not to be used. The tests are those of Vehtari et al.
(2021) for chains: R-hat at most 1.01 and 100 effective draws for each; and for tempered ones round
trips from the prior to the posterior (Syed et al. 2022). Islands of particles need 400 effective
draws together, and four effective islands. Draws that do not depend on each other need no test but
their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from slp.messages.names import plural
from slp.results.trust.tempering import ENOUGH_ROUND_TRIPS, TemperingFigures

#: With fewer draws in each chain there are no diagnostics.
FEWEST_DRAWS = 4
#: The largest R-hat that is good, and effective draws that are enough: for each chain, and of
#: islands together, as many as four chains.
LARGEST_R_HAT = 1.01
FEWEST_EFFECTIVE = 100
ENOUGH_OF_ISLANDS = 400
#: With fewer effective islands their spread, and so an error, is not known.
FEWEST_ISLANDS = 4
#: Above it a Pareto k says that importance sampling is not to be trusted (Vehtari et al. 2024).
LARGEST_K = 0.7
#: The largest share of trajectories of HMC that may diverge.
_MOST_DIVERGENT = 0.01

#: What may be said of a run of draws.
Standing: TypeAlias = Literal["converged", "not converged", "not known"]
#: What the draws are of: chains, islands of particles, or draws that do not depend on each other.
Source: TypeAlias = Literal["chains", "islands", "independent"]

_TOO_FEW = "too few draws to tell"
_WORDS = {
    "log_posterior": "the log posterior",
    "log_likelihood": "the log likelihood",
    "predictions": "the predictions",
}


@dataclass(frozen=True)
class Convergence:
    """Convergence of one quantity: rank-normalised split R-hat (inf where no chain moves, and they
    differ), effective draws in the bulk and in the tails; None where they have no value (too few
    draws, or all of them equal)."""

    r_hat: float | None
    ess_bulk: float | None
    ess_tail: float | None

    @property
    def effective(self) -> float | None:
        """The smaller number of effective draws."""
        return min((e for e in (self.ess_bulk, self.ess_tail) if e is not None), default=None)


class Figures(Protocol):
    """What the tests are of; see `slp.results.trust.diagnostics.Diagnostics`."""

    @property
    def draws(self) -> tuple[int, ...]: ...
    @property
    def convergence(self) -> Mapping[str, Convergence]: ...
    @property
    def moves(self) -> Mapping[str, Mapping[str, int]]: ...
    @property
    def effective_needed(self) -> int: ...
    @property
    def tempering(self) -> TemperingFigures | None: ...
    @property
    def out_of_time(self) -> bool: ...
    @property
    def source(self) -> Source: ...
    @property
    def effective_islands(self) -> float | None: ...


class _Judged(Protocol):
    @property
    def standing(self) -> Standing: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Trust:
    """How far the numbers of a posterior can be trusted.

    Attributes
    ----------
    kind : `exact` (sums over all trees), `estimate` (averages over draws, or sums at some values of
        parameters that have a prior), `found` (averages over trees that were grown or searched, and
        not over the posterior), or `stacked` (averages over members stacked by prediction, and no
        posterior).
    standing : of draws; what is no estimate is `converged`.
    faults : a sentence for each fault found, or for what is missing to tell.
    by_clock : whether a limit of time shaped the numbers, so that another run may give others.
    summed : whether they are sums over all trees.
    """

    kind: Literal["exact", "estimate", "found", "stacked"]
    standing: Standing
    faults: tuple[str, ...]
    by_clock: bool
    summed: bool = False

    @classmethod
    def of(
        cls,
        drawn: _Judged | None,
        trees_found: int | None,
        by_clock: bool,
        *,
        stacked: bool,
        at_values: bool = False,
    ) -> Trust:
        """By the diagnostics of draws, if there are any, the number of trees found, whether members
        were stacked, and whether sums are at some values of parameters (`at_values`)."""
        if stacked:
            return cls("stacked", "converged", (), by_clock)
        if drawn is not None:
            return cls("estimate", drawn.standing, drawn.warnings, by_clock)
        if trees_found is not None:
            return cls("found", "converged", (), by_clock)
        return cls("estimate" if at_values else "exact", "converged", (), by_clock, summed=True)


def judge(found: Figures) -> tuple[Standing, tuple[str, ...]]:
    """Make every test: the standing, and a sentence for each fault found, or for what is missing;
    none of a run that has converged."""
    missing = _too_little(found)
    if missing is not None:
        return "not known", (missing,)
    faults = () if found.source == "independent" else tuple(_faults(found))
    if faults:
        return "not converged", faults
    alone = _alone(found)
    return ("converged", ()) if alone is None else ("not known", (alone,))


def standing_together(found: Iterable[Standing]) -> Standing:
    """That of several runs: the worst."""
    every = set(found)
    worse: tuple[Standing, ...] = ("not converged", "not known")
    return next((one for one in worse if one in every), "converged")


def _too_little(found: Figures) -> str | None:
    """Why no test can be made, if so."""
    if found.source == "independent":
        return _TOO_FEW if sum(found.draws) < FEWEST_DRAWS else None
    if found.out_of_time:
        return "no time was left to tell"
    if found.source == "islands":
        return _TOO_FEW if sum(found.draws) < FEWEST_DRAWS else None
    return _TOO_FEW if min((n for n in found.draws if n), default=0) < FEWEST_DRAWS else None


def _alone(found: Figures) -> str | None:
    """Why chains or islands cannot be compared, if so."""
    n = sum(k > 0 for k in found.draws)
    if found.source == "chains" and n < 2:
        return "too few chains (one has no other to agree with) to tell"
    if found.source == "islands" and n < FEWEST_ISLANDS:
        return f"too few islands (errors are only known of {FEWEST_ISLANDS} or more) to tell"
    return None


def _faults(found: Figures) -> Iterator[str]:
    if _stuck(found.moves):
        yield "no proposal was accepted: the chains are where they began"
    yield from _apart(found)
    yield from _few(found)
    yield from _divergent(found.moves)
    yield from _few_round_trips(found.tempering)
    yield from _few_islands(found)


def _apart(found: Figures) -> Iterator[str]:
    """Split R-hat compares the halves of chains, so one chain has it too."""
    apart = {
        _WORDS.get(name, name): c.r_hat
        for name, c in found.convergence.items()
        if c.r_hat is not None and c.r_hat > LARGEST_R_HAT
    }
    if apart:
        listed = ", ".join(f"{_above(r, LARGEST_R_HAT)} for {name}" for name, r in apart.items())
        parts = "the chains" if len(found.draws) > 1 else "the halves of the chain"
        yield f"{parts} disagree: R-hat is {listed}, and should be at most {LARGEST_R_HAT}"


def _few(found: Figures) -> Iterator[str]:
    """Where there are fewer effective draws than needed, or fewer draws at all."""
    enough = found.effective_needed
    told = {name: c.effective for name, c in found.convergence.items()}
    few = {_WORDS.get(name, name): e for name, e in told.items() if e is not None and e < enough}
    if few:
        listed = ", ".join(f"{math.floor(e)} for {name}" for name, e in few.items())
        yield f"there are few effective draws: {listed}; estimates need some {enough}"
    elif (n := sum(found.draws)) < enough:
        yield f"there are few draws: {n}; estimates need some {enough} effective ones"


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


def _few_islands(found: Figures) -> Iterator[str]:
    """Where there are enough islands to tell errors, but few of them have the weight."""
    effective, islands = found.effective_islands, len(found.draws)
    if effective is not None and islands >= FEWEST_ISLANDS > effective:
        yield (
            f"{effective:.1f} of {islands} islands are effective, and errors are only known of "
            f"{FEWEST_ISLANDS} or more"
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


def worst(found: Sequence[Convergence]) -> Convergence:
    """The largest R-hat and the smallest numbers of effective draws."""

    def known(values: Iterator[float | None]) -> list[float]:
        return [v for v in values if v is not None]

    return Convergence(
        max(known(c.r_hat for c in found), default=None),
        min(known(c.ess_bulk for c in found), default=None),
        min(known(c.ess_tail for c in found), default=None),
    )
