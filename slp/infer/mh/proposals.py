"""Proposals on the proof tree, and the Metropolis-Hastings step that takes them.

Every proposal cuts the proof somewhere and draws what is below anew; all that differs is where.
With x the proof that is there, x' the one proposed, w, q, L as in `target`, n the number of choice
points, and w/q and L of the whole proof (what was kept cancels), the ratio whose minimum with 1 is
the acceptance probability is said in each docstring.

Reference: Angelopoulos & Cussens (2001), Markov chain Monte Carlo using tree-based priors on model
structure, UAI.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from slp.infer.mh.chance import Chance
from slp.infer.mh.proof import Proof, choice_points, cut, grow
from slp.infer.mh.target import Target
from slp.infer.run import Outcome

__all__ = [
    "CutAtEach",
    "CutAtRoot",
    "CutUniformly",
    "Mixture",
    "Proposal",
    "Proposed",
    "acceptance_probability",
    "log_count_ratio",
    "metropolis_hastings",
]


class Proposed(NamedTuple):
    """What is proposed: a proof, or None if drawing it failed; and the log of the acceptance
    ratio, not yet capped."""

    proof: Proof | None
    log_ratio: float


FAILED = Proposed(None, -math.inf)


class Proposal(Protocol):
    """A way to propose.

    `name` is what people call it. A proposal of `period` K is K proposals that take turns: `turn`,
    from 0 to K - 1, says whose turn it is.
    """

    @property
    def name(self) -> str: ...

    @property
    def period(self) -> int: ...

    def propose(self, chance: Chance, target: Target, old: Proof, turn: int) -> Proposed | None:
        """A proposal; None where nothing can be proposed, and the chain stays."""
        ...


@dataclass(frozen=True)
class CutAtRoot:
    """`q_ind`: draw the whole proof anew, whatever there is. (Choices before the first choice point
    come out as they were, so this is a cut at the first choice point wherever all others are below
    it.)

    ratio = [w(x')/q(x') L(x')] / [w(x)/q(x) L(x)]
    """

    name: str = "q_ind"
    period: int = 1

    def propose(self, chance: Chance, target: Target, old: Proof, turn: int) -> Proposed | None:
        """See `Proposal`."""
        if old.n_points == 0:
            return None
        return _judged(target, old, grow(target.process, chance, old.goal))


@dataclass(frozen=True)
class CutUniformly:
    """`q_uc`: cut at a choice point drawn uniformly. The way back must choose the same point among
    those of x', so

    ratio = [w(x')/q(x') L(x')] / [w(x)/q(x) L(x)]  x  n(x) / n(x')
    """

    name: str = "q_uc"
    period: int = 1

    def propose(self, chance: Chance, target: Target, old: Proof, turn: int) -> Proposed | None:
        """See `Proposal`."""
        if old.n_points == 0:
            return None
        point = choice_points(old)[chance.index(old.n_points)]
        new = cut(target.process, chance, old, point)
        if new is None:
            return FAILED
        return Proposed(new, target.log_ratio(new, old) + log_count_ratio(new, old))


@dataclass(frozen=True)
class CutAtEach:
    """`q_n(K)`: in turn k = 1, ..., K, cut at the k-th choice point in breadth-first order; stay
    where there are fewer. Points before the k-th are untouched by what is below it, so the way back
    cuts at the same one, and no count enters:

    ratio = [w(x')/q(x') L(x')] / [w(x)/q(x) L(x)]
    """

    period: int

    @property
    def name(self) -> str:
        """`q_n(K)`."""
        return f"q_n({self.period})"

    def propose(self, chance: Chance, target: Target, old: Proof, turn: int) -> Proposed | None:
        """See `Proposal`."""
        if turn >= old.n_points:
            return None
        point = choice_points(old)[turn]
        return _judged(target, old, cut(target.process, chance, old, point))


def _judged(target: Target, old: Proof, new: Proof | None) -> Proposed:
    return FAILED if new is None else Proposed(new, target.log_ratio(new, old))


def log_count_ratio(new: Proof, old: Proof) -> float:
    """log n(old) / n(new), of the numbers of choice points. (Both have the point that was cut.)"""
    return math.log(old.n_points / new.n_points)


def acceptance_probability(log_ratio: float) -> float:
    """min(1, ratio)."""
    return math.exp(min(0.0, log_ratio))


def metropolis_hastings(
    chance: Chance, target: Target, proposal: Proposal, old: Proof, turn: int = 0
) -> tuple[Proof, Outcome]:
    """One step: propose once, and go there or stay. A proposal that fails, or breaks a test, is a
    stay: to propose again instead would favour proofs from which proposals rarely fail."""
    proposed = proposal.propose(chance, target, old, turn)
    if proposed is None:
        return old, "stayed"
    new, log_ratio = proposed
    if new is None or not target.holds(new):
        return old, "failed"
    if chance.happens(acceptance_probability(log_ratio)):
        return new, "accepted"
    return old, "rejected"


@dataclass(frozen=True)
class Mixture:
    """Proposals with the probabilities that they are taken with, which do not depend on the proof:
    so each leaves the target invariant, and the mixture does."""

    proposals: tuple[Proposal, ...]
    cumulative: tuple[float, ...]

    @classmethod
    def of(cls, weighted: Sequence[tuple[Proposal, float]]) -> Mixture:
        """From proposals and their weights, which need not sum to 1."""
        total, sums = 0.0, []
        for _, weight in weighted:
            total += weight
            sums.append(total)
        return cls(tuple(p for p, _ in weighted), tuple(sums))
