"""What tempered chains tell of themselves: barrier, swaps, round trips, log evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from slp.results.estimate import Estimate

#: Round trips of each ladder that are enough.
ENOUGH_ROUND_TRIPS = 5


class Scan(NamedTuple):
    """A step of tempered chains: how many steps of each rung, and how many seconds of one core,
    approximately, for each."""

    steps: int
    seconds: float

    def number_for(self, steps: int) -> int:
        """How many scans make so many steps of each rung, or somewhat more."""
        return -(-steps // self.steps)


@dataclass(frozen=True)
class LadderFigures:
    """Figures of one ladder of N rungs, from power 0, the prior, to power 1, the posterior. Power
    1 stands twice.

    Attributes
    ----------
    powers : the N powers of the likelihood.
    rejections : mean probability that the swap of two neighbours is rejected, N - 1 of them.
    swap_rates : share of the swaps tried that were made; NaN where none was.
    round_trips : number of trips of trees from the prior to the posterior and back.
    scans : number of scans that the other figures are computed from.
    fresh : share of scans in which the tree at power 0 was drawn independently; None where a chain
        moves it.
    log_evidence, log_evidence_error : by the bridge, with its standard error, NaN where there are
        too few scans.
    log_evidence_up, log_evidence_down : by stepping stones from the prior up, from the posterior
        down.
    """

    powers: tuple[float, ...]
    rejections: tuple[float, ...]
    swap_rates: tuple[float, ...]
    round_trips: int
    scans: int
    fresh: float | None
    log_evidence: float
    log_evidence_error: float
    log_evidence_up: float
    log_evidence_down: float

    @property
    def barrier(self) -> float:
        """The sum of the rejections: the global communication barrier."""
        return sum(self.rejections)


@dataclass(frozen=True)
class TemperingFigures:
    """Figures of all ladders of a run, one or more."""

    ladders: tuple[LadderFigures, ...]

    @property
    def barrier(self) -> float:
        """Mean over the ladders."""
        return float(np.mean([ladder.barrier for ladder in self.ladders]))

    @property
    def least_swap_rate(self) -> float:
        """The least rate of any pair in any ladder. A pair that tried no swap counts as 1."""
        return float(np.nanmin([1.0 if math.isnan(r) else r for r in self._rates]))

    @property
    def round_trips(self) -> int:
        """The number in all ladders together."""
        return sum(ladder.round_trips for ladder in self.ladders)

    @property
    def enough_round_trips(self) -> bool:
        """Whether every ladder made enough."""
        return self.fewest_round_trips >= ENOUGH_ROUND_TRIPS

    @property
    def fewest_round_trips(self) -> int:
        """The smallest number of round trips of any ladder."""
        return min(ladder.round_trips for ladder in self.ladders)

    @property
    def _rates(self) -> list[float]:
        return [rate for ladder in self.ladders for rate in ladder.swap_rates]

    @property
    def log_evidence(self) -> Estimate:
        """Mean over the ladders. Its standard error is the larger one of two: by the ladders' own
        errors, and, of two ladders or more, by how far they are apart."""
        values = np.array([ladder.log_evidence for ladder in self.ladders])
        own = np.array([ladder.log_evidence_error for ladder in self.ladders])
        error = math.sqrt(float((own**2).sum())) / len(own)
        if len(values) > 1:
            error = float(np.fmax(error, values.std(ddof=1) / math.sqrt(len(values))))
        return Estimate.drawn(float(values.mean()), error)

    def to_dict(self) -> dict[str, object]:
        """The same as plain data."""
        return {
            "barrier": self.barrier,
            "round_trips": self.round_trips,
            "ladders": [
                {
                    "powers": list(ladder.powers),
                    "swap_rates": [None if math.isnan(r) else r for r in ladder.swap_rates],
                    "round_trips": ladder.round_trips,
                    "scans": ladder.scans,
                    "independent_at_prior": ladder.fresh,
                    "log_evidence": _finite(ladder.log_evidence),
                    "log_evidence_error": _finite(ladder.log_evidence_error),
                    "log_evidence_up": _finite(ladder.log_evidence_up),
                    "log_evidence_down": _finite(ladder.log_evidence_down),
                }
                for ladder in self.ladders
            ],
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
