"""Exact transition matrices over all proofs of tiny programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import slp
from slp.engines.mcmc.proposals import Proposal, metropolis_hastings
from slp.resolution import DEFAULT_LIMITS, Query
from slp.resolution.answers.goals import read_query
from slp.resolution.answers.results import value_of
from slp.resolution.proofs.derivations import ProofSpace, SLDDerivation
from slp.resolution.proofs.runs import MachineRuns, RunsOneByOne
from slp.terms import Term
from tests.engines.mcmc.trees.every_outcome import EveryOutcome, outcomes

__all__ = ["CASES", "Case", "Space", "space_of"]

_COIN = "0.6 :: coin(h).\n0.4 :: coin(t).\n"


@dataclass(frozen=True)
class Case:
    """A goal with finitely many proofs, and what makes it hard. `fits` gives a log-likelihood."""

    name: str
    text: str
    goal: str
    fits: Callable[[str], float] = lambda answer: 0.0
    given: str | None = None

    def __str__(self) -> str:
        return self.name


def _by_length(answer: str) -> float:
    """Some number that depends on the answer in no simple way; -inf for a few answers."""
    score = sum(ord(c) for c in answer)
    return -math.inf if score % 7 == 0 else math.log(1 + score % 5)


CASES = (
    Case("one proof", "p.", "p"),
    Case("two coins", _COIN + "two(X, Y) :- coin(X), coin(Y).", "two(X, Y)", _by_length),
    Case("coins that agree", _COIN + "same(X) :- coin(X), coin(X).", "same(X)", _by_length),
    Case(
        "choices that depend on choices",
        _COIN + "0.2 :: n(h, 1). 0.8 :: n(h, 2). 0.7 :: n(t, 1). 0.3 :: n(t, 3).\n"
        "p(X, N, Y) :- coin(X), n(X, N), (N > 1 -> coin(Y) ; Y = none).",
        "p(X, N, Y)",
        _by_length,
    ),
    Case(
        "labels that leave something of 1, and failure",
        "0.5 :: a(f(1)). 0.2 :: a(f(2)). 0.3 :: a(g).\n"
        "0.1 :: b(1, 1). 0.4 :: b(1, 3). 0.5 :: b(1, 4). 0.3 :: b(2, 2). 0.7 :: b(2, 5).\n"
        "p(X, Y) :- a(f(X)), b(X, Y), X + Y =\\= 4.",
        "p(X, Y)",
        _by_length,
    ),
    Case(
        "strings of a bounded grammar",
        "0.5 :: s([a], _).\n0.3 :: s([b | L], N) :- N > 0, M is N - 1, s(L, M).\n"
        "0.2 :: s([c | L], N) :- N > 1, M is N - 1, s(L, M).",
        "s(L, 2)",
        _by_length,
    ),
    Case(
        "logical goals with several solutions",
        _COIN + "p(X, I) :- member(I, [1, 2, 2]), coin(X), ok(X, I).\nok(h, 1).\nok(_, 2).\n"
        "q(X, I, J) :- p(X, I), member(J, [1, 2]), I + J < 4.",
        "q(X, I, J)",
        _by_length,
    ),
    Case(
        "proofs with and without a choice behind",
        _COIN + "p(X, Y) :- coin(X), ( Y = none ; coin(Y) ).",
        "p(X, Y)",
        _by_length,
    ),
    Case(
        "weights",
        ":- weights.\n3 :: a(1). 2 :: a(2).\n5 :: b(1, x). 1 :: b(2, x). 1 :: b(2, y).\n"
        "p(X, Y) :- a(X), b(X, Y).",
        "p(X, Y)",
    ),
    Case("a condition", _COIN + "two(X, Y) :- coin(X), coin(Y).", "two(X, _)", given="coin(X)"),
)


def _in_python(query: Query) -> RunsOneByOne[Any, Any]:
    return MachineRuns(query, DEFAULT_LIMITS)


class Space:
    """All proofs of a case in its support, and their probabilities by the draw probabilities.
    `make_runs` says what resolves goals."""

    def __init__(
        self, case: Case, make_runs: Callable[[Query], RunsOneByOne[Any, Any]] = _in_python
    ) -> None:
        self.case = case
        runs = make_runs(read_query(slp.parse(case.text).ir, case.goal, case.given))
        self.target = ProofSpace(runs, DEFAULT_LIMITS, lambda terms: case.fits(_words(terms)))
        drawn = outcomes(self.target.grow)
        self.derived = [(p, d) for p, d in drawn if d is not None]
        self.proofs = [d for _, d in self.derived if self.target.passes(d)]
        self.number = {tuple(d.choices): i for i, d in enumerate(self.proofs)}
        scores = np.array([self.target.log_score(d) for d in self.proofs])
        self.probability = np.exp(scores - np.logaddexp.reduce(scores))

    def matrix(
        self, proposal: Proposal[ProofSpace, SLDDerivation], turn: int
    ) -> NDArray[np.float64]:
        """P[i, j]: probability to go from proof i to proof j in one step."""
        out = np.zeros((len(self.proofs), len(self.proofs)))
        for i, proof in enumerate(self.proofs):

            def step(randomness: EveryOutcome, old: SLDDerivation = proof) -> SLDDerivation:
                return metropolis_hastings(randomness, self.target, proposal, old, turn)[0]

            for probability, new in outcomes(step):
                out[i, self.number[tuple(new.choices)]] += probability
        return out

    def drift(self, proposal: Proposal[ProofSpace, SLDDerivation], turn: int = 0) -> float:
        """How far one step carries the target away from itself: the largest change of a
        probability; and no row may lose probability."""
        matrix = self.matrix(proposal, turn)
        lost = np.abs(matrix.sum(axis=1) - 1).max()
        return float(max(lost, np.abs(self.probability @ matrix - self.probability).max()))

    def answer(self, derivation: SLDDerivation) -> str:
        """What a proof answers, as text."""
        return _words(derivation.answer)


@cache
def space_of(case: Case) -> Space:
    """The space of a case, made once."""
    return Space(case)


def _words(terms: tuple[Term, ...]) -> str:
    return " ".join(str(value_of(t)) for t in terms)
