"""Durations with a rate of events that is constant between cuts, some of them censored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import Diagnostic
from slp.ir.leaves import LeafDeclaration
from slp.leaves.base import are_counts
from slp.leaves.declared import Observed
from slp.leaves.numbers import (
    check_numbers,
    count_of,
    finite,
    gamma_interval,
    leaf_mean,
)
from slp.leaves.rates import RatesOfPieces
from slp.leaves.rising import LogRising
from slp.leaves.signature import Finding, NumberList, Signature
from slp.messages.directives import NO_PIECES, PIECES_DO_NOT_RISE, TOO_MANY_PIECES
from slp.messages.leaf_models import CUTS_PART_NOTHING
from slp.messages.names import joined
from slp.messages.numbers import number_text
from slp.source import SourceSpan

#: The most cuts: a leaf has two statistics for each piece.
MOST_CUTS = 30


def _fault_of_cuts(cuts: tuple[float, ...]) -> Finding | None:
    """Cuts are 1 to 30 rising numbers."""
    if not cuts:
        return partial(NO_PIECES)
    if len(cuts) > MOST_CUTS:
        return partial(TOO_MANY_PIECES, cuts=len(cuts), most=MOST_CUTS)
    if any(low >= high for low, high in pairwise(cuts)):
        rising = ", ".join(map(number_text, sorted(set(cuts))))
        return partial(PIECES_DO_NOT_RISE, cuts=f"[{rising}]")
    return None


class PiecewiseExponential(RatesOfPieces):
    """`piecewise_exponential(a, b, [c1, ..., cq])`: the rate of events is r_j in piece j of the
    time, [0, c1), [c1, c2), ..., [cq, inf), where r_j ~ Gamma(shape a, rate b), independently.

    A duration y spends the time t_j in piece j. It contributes exp(-sum of r_j t_j) to the
    likelihood, times r_j of the piece that y is in if its end was observed. Statistics (k = 1 + 2
    J, J = q + 1 pieces): n, the observed events e_j of each piece, the time t_j in each. The
    durations of a leaf have (Ibrahim, Chen & Sinha 2001, Bayesian Survival Analysis, section 3.1)

        p(y) = product over j of Gamma(a + e_j) / Gamma(a) * b^a / (b + t_j)^(a + e_j)

    and with u_j the time that y spends in piece j the predictive is

        P(Y > y) = product over j of (1 + u_j / (b + t_j))^-(a + e_j)
    """

    name = "piecewise_exponential"
    signature = Signature(
        "piecewise_exponential(a, b, [c1, ...])",
        ("a", "b"),
        numbers=NumberList("a cut", _fault_of_cuts),
    )

    def __init__(self, a: float, b: float, cuts: Sequence[float]) -> None:
        self.hyperparameters = (a, b)
        self.cuts = np.array(cuts, np.float64)
        self.n_pieces = len(cuts) + 1
        self.n_statistics = 1 + 2 * self.n_pieces
        self.starts = np.concatenate([[0.0], self.cuts])
        self.lengths = np.append(np.diff(self.starts), np.inf)
        self._rising = LogRising(a)

    # --- the declaration -----------------------------------------------------------------------

    @classmethod
    def declared(cls, declaration: LeafDeclaration, observed: Observed) -> PiecewiseExponential:
        """With the declared numbers and cuts."""
        a, b = declaration.args
        return cls(a, b, declaration.listed)

    def to_plain(self) -> dict[str, Any]:
        """With the cuts."""
        return super().to_plain() | {"cuts": self.cuts.tolist()}

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> PiecewiseExponential:
        """See `DeclaredModel`."""
        (a, b), cuts = data["hyperparameters"], data["cuts"]
        check_numbers([a, b, *cuts], positive=True)
        if _fault_of_cuts(tuple(cuts)) is not None:
            raise ValueError("its cuts are none that it can have")
        return cls(a, b, cuts)

    def doubts(self, y: NDArray[Any], span: SourceSpan | None) -> tuple[Diagnostic, ...]:
        """W410: cuts with all durations on one side."""
        times = y if y.ndim == 1 else y[:, 0]
        least, most = float(times.min()), float(times.max())
        idle = [c for c in self.cuts.tolist() if not least < c <= most]
        if not idle:
            return ()
        cuts = f"cut{'s' * (len(idle) > 1)} {joined(map(number_text, idle))}"
        return (CUTS_PART_NOTHING(span, cuts=cuts, least=least, most=most),)

    @classmethod
    def mean_formula(cls, declaration: LeafDeclaration | None) -> Mapping[str, Any]:
        """The sum over pieces of P(Y > start) times the integral of (1 + u / B)^-A over the piece,
        A = a + events, B = b + time; infinite unless a + events > 1 in the last."""
        assert declaration is not None, "it is no default"
        return {"starts": [0.0, *declaration.listed], "add": list(declaration.args)}

    def are_sound(self, S: NDArray[np.float64]) -> bool:
        """Whether rows and events are numbers of them, and no time is below 0."""
        counted, times = S[..., : self.n_pieces + 1], S[..., self.n_pieces + 1 :]
        return are_counts(counted) and bool((times >= 0).all())

    # --- leaves --------------------------------------------------------------------------------

    def statistics(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """(1, events by piece, time by piece), shape (n, k), of durations (n,), or of (duration,
        event observed) (n, 2)."""
        y = np.asarray(y, dtype=np.float64)
        times, events = (y, np.ones_like(y)) if y.ndim == 1 else (y[:, 0], y[:, 1])
        ends = np.zeros((len(times), self.n_pieces))
        ends[np.arange(len(times)), np.searchsorted(self.cuts, times, side="right")] = events
        return np.column_stack([np.ones_like(times), ends, self.time_in_pieces(times)])

    def outcomes_of(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """Time, and whether its end was seen."""
        events, time = self._parts(S)
        return np.column_stack([time.sum(axis=-1), events.sum(axis=-1)])

    def _parts(self, S: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Events and time by piece, each (..., J)."""
        S = np.asarray(S, np.float64)
        return S[..., 1 : self.n_pieces + 1], S[..., self.n_pieces + 1 :]

    def posterior(self, S: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Shapes a + e_j and rates b + t_j, each (..., J)."""
        events, time = self._parts(S)
        a, b = self.hyperparameters
        return a + events, b + time

    def log_marginal(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """log p(y), shape (...), of statistics (..., k); see the class's formula."""
        a, b = self.hyperparameters
        events, time = self._parts(S)
        terms = self._rising.at(events) - a * np.log1p(time / b) - events * np.log(b + time)
        return np.asarray(terms.sum(axis=-1))

    def scores(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `LeafModel`: events over time. They are added up in order, as the core adds."""
        events, time = (np.add.accumulate(part, axis=-1)[..., -1] for part in self._parts(S))
        return np.asarray(
            np.divide(events, time, out=np.full_like(time, np.inf), where=time > 0), np.float64
        )

    def log_parted(self, S: NDArray[np.float64]) -> float:
        """The most that the rows' likelihoods can be, each at its own rates; inf where an event is
        at a cut, as its piece has no time."""
        events, time = (part[self._parts(S)[0] > 0] for part in self._parts(S))
        if (time <= 0).any():
            return math.inf
        return float((events * np.log(events / time) - events).sum())

    def _hazards(self, S: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """Shapes, rates (..., J), and -log P(Y > y) at the start of each piece, (..., J)."""
        shape, rate = self.posterior(S)
        within = shape[..., :-1] * np.log1p(self.lengths[:-1] / rate[..., :-1])
        before = np.zeros_like(shape)
        np.cumsum(within, axis=-1, out=before[..., 1:])
        return shape, rate, before

    def median(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The y at which P(Y > y) is 1/2, shape (...), solved in its piece; inf beyond the largest
        float."""
        shape, rate, before = self._hazards(S)
        piece = ((before < math.log(2)).sum(axis=-1) - 1)[..., None]
        A, B, H = (np.take_along_axis(x, piece, axis=-1)[..., 0] for x in (shape, rate, before))
        with np.errstate(over="ignore"):
            inside = B * np.expm1((math.log(2) - H) / A)
        return np.asarray(self.starts[piece[..., 0]] + inside)

    def summary(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"n": .., "events": .., "mean": .., "pieces": [{"events": .., "time": ..}, ..]}` with
        the mean time, including censored times."""
        n, (events, time) = float(S[0]), self._parts(S)
        each = zip(events.tolist(), time.tolist(), strict=True)
        return {
            "n": count_of(n),
            "events": count_of(float(events.sum())),
            "mean": leaf_mean(n, float(time.sum()))["mean"],
            "pieces": [{"events": count_of(e), "time": t} for e, t in each],
        }

    def predictive(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """`{"median": .., "mean": .., "time": .., "rates": [{"from": .., "rate": .., "interval":
        [.., ..]}, ..]}`: the predictive median (None beyond the largest float) and mean (None if it
        is infinite), the total observed time, and by piece its start, the mean of its rate and the
        interval of it. That of the median has no closed form."""
        shape, rate = self.posterior(S)
        each = zip(self.starts.tolist(), shape.tolist(), rate.tolist(), strict=True)
        return {
            "median": finite(float(self.median(S))),
            "mean": finite(float(self.mean(S))),
            "time": float(self._parts(S)[1].sum()),
            "rates": [
                {"from": start, "rate": A / B, "interval": list(gamma_interval(A, B))}
                for start, A, B in each
            ],
        }

    def describe(self) -> str:
        """`piecewise_exponential(1, 10, [5, 20])`."""
        numbers = ", ".join(map(number_text, self.hyperparameters))
        cuts = ", ".join(map(number_text, self.cuts.tolist()))
        return f"{self.name}({numbers}, [{cuts}])"
