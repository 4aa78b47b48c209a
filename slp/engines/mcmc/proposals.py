"""Proposals on derivations, and the Metropolis-Hastings step that takes them.

Every proposal cuts the derivation at a choice point and draws the rest anew. Proposals differ in
the choice point, and in what the rest is. Derivations are proof trees (`proof`) or sequences of
edits (`slp.reference.mh.edits`). Their choice points are ordered so that no point depends on later
ones. Each docstring gives the acceptance ratio; the acceptance probability is its minimum with 1.
Here x is the present derivation and x' the proposed one, w the weight of a derivation, q the
probability that the local process draws it, L the likelihood, and n the number of choice points.
w/q and L are those of the whole derivation; the kept part cancels.

Reference: Angelopoulos & Cussens (2001), Markov chain Monte Carlo using tree-based priors on model
structure, UAI.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from slp.runner import MoveOutcome
from slp.runner.randomness import Randomness


class ChainState(Protocol):
    """The part of a derivation that proposals use."""

    @property
    def n_points(self) -> int:
        """How many choice points it has."""
        ...


D = TypeVar("D", bound=ChainState)


class Space(Protocol[D]):
    """Derivations, the target distribution, and draws from the local process."""

    def passes(self, derivation: D, /) -> bool:
        """Whether a derivation is in the support, predicates aside."""
        ...

    def agreed(self, derivation: D, /) -> bool:
        """Whether the predicates hold for it; tested last, as they may be slow."""
        ...

    def log_ratio(self, new: D, old: D) -> float:
        """log of [w(new)/q(new) L(new)] / [w(old)/q(old) L(old)]."""
        ...

    def redrawn(self, randomness: Randomness, old: D) -> D | None:
        """A derivation drawn from the local process; None if that fails."""
        ...

    def cut(self, randomness: Randomness, old: D, k: int) -> D | None:
        """The derivation cut at its choice point k, from 0; None if what is drawn fails."""
        ...


class SequenceSpace(Space[D], Protocol[D]):
    """A space whose choice points also stand in a sequence, the order in which they are made."""

    def cut_sequence(self, randomness: Randomness, old: D, k: int) -> D | None:
        """The derivation with the choices of the sequence before point k, from 0, kept, and all
        others drawn anew; None if what is drawn fails."""
        ...


S = TypeVar("S", bound=Space[Any])
S_contra = TypeVar("S_contra", contravariant=True)


class Proposed(NamedTuple, Generic[D]):
    """A proposed derivation (None if drawing it failed), and the log of the acceptance ratio,
    before the minimum with 1."""

    derivation: D | None
    log_ratio: float


class Proposal(Protocol[S_contra, D]):
    """A distribution over the next derivation, given the present one.

    `name` is its public name. A proposal of `period` K is a cycle of K proposals; `turn`, from 0 to
    K - 1, selects one.
    """

    @property
    def name(self) -> str: ...

    @property
    def period(self) -> int: ...

    def propose(
        self, randomness: Randomness, target: S_contra, old: D, turn: int
    ) -> Proposed[D] | None:
        """A proposed derivation; None if nothing can be proposed, and the chain stays."""
        ...


@dataclass(frozen=True)
class CutAtRoot:
    """`q_ind`: draw the whole derivation anew, independently of the present one. (Choices before
    the first choice point have one alternative, so this is a cut at the first choice point if all
    others are below it.)

    ratio = [w(x')/q(x') L(x')] / [w(x)/q(x) L(x)]
    """

    name: str = "q_ind"
    period: int = 1

    def propose(
        self, randomness: Randomness, target: Space[D], old: D, turn: int
    ) -> Proposed[D] | None:
        """See `Proposal`."""
        if old.n_points == 0:
            return None
        return _judged(target, old, target.redrawn(randomness, old))


@dataclass(frozen=True)
class CutUniformly:
    """`q_uc`: cut at a choice point drawn uniformly. The reverse move must choose the same point
    among those of x', so

    ratio = [w(x')/q(x') L(x')] / [w(x)/q(x) L(x)]  x  n(x) / n(x')
    """

    name: str = "q_uc"
    period: int = 1

    def propose(
        self, randomness: Randomness, target: Space[D], old: D, turn: int
    ) -> Proposed[D] | None:
        """See `Proposal`."""
        if old.n_points == 0:
            return None
        return _counted(target, old, target.cut(randomness, old, randomness.index(old.n_points)))


@dataclass(frozen=True)
class CutAtEach:
    """`q_n(K)`: for k = 1, ..., K in turn, cut at the k-th choice point; stay if there are fewer. A
    cut does not change the points before the k-th, so the reverse move cuts at the same point, and
    counts do not enter:

    ratio = [w(x')/q(x') L(x')] / [w(x)/q(x) L(x)]
    """

    period: int

    @property
    def name(self) -> str:
        """`q_n(K)`."""
        return f"q_n({self.period})"

    def propose(
        self, randomness: Randomness, target: Space[D], old: D, turn: int
    ) -> Proposed[D] | None:
        """See `Proposal`."""
        if turn >= old.n_points:
            return None
        return _judged(target, old, target.cut(randomness, old, turn))


@dataclass(frozen=True)
class CutSequenceUniformly:
    """`q_seq`: cut the sequence of choices at a choice point drawn uniformly, as a Prolog system
    backtracks to it: all later choices are drawn anew, those of other subtrees too. The ratio is
    that of `q_uc`, as both sequences have the same point there.
    """

    name: str = "q_seq"
    period: int = 1

    def propose(
        self, randomness: Randomness, target: SequenceSpace[D], old: D, turn: int
    ) -> Proposed[D] | None:
        """See `Proposal`."""
        if old.n_points == 0:
            return None
        k = randomness.index(old.n_points)
        return _counted(target, old, target.cut_sequence(randomness, old, k))


@dataclass(frozen=True)
class CutSequenceAtEach:
    """`q_seq(K)`: the same at the points 1, ..., K of the sequence in turn; the ratio is that of
    `q_n(K)`."""

    period: int

    @property
    def name(self) -> str:
        """`q_seq(K)`."""
        return f"q_seq({self.period})"

    def propose(
        self, randomness: Randomness, target: SequenceSpace[D], old: D, turn: int
    ) -> Proposed[D] | None:
        """See `Proposal`."""
        if turn >= old.n_points:
            return None
        return _judged(target, old, target.cut_sequence(randomness, old, turn))


def _counted(target: Space[D], old: D, new: D | None) -> Proposed[D]:
    """`_judged`, where the point was drawn among all of them."""
    proposed = _judged(target, old, new)
    if new is None:
        return proposed
    return Proposed(new, proposed.log_ratio + log_count_ratio(new, old))


def _judged(target: Space[D], old: D, new: D | None) -> Proposed[D]:
    if new is None:
        return Proposed(None, -math.inf)
    return Proposed(new, target.log_ratio(new, old))


def log_count_ratio(new: ChainState, old: ChainState) -> float:
    """log n(old) / n(new), of the numbers of choice points. (Both have the point that was cut.)"""
    return math.log(old.n_points / new.n_points)


def acceptance_probability(log_ratio: float) -> float:
    """min(1, ratio)."""
    return math.exp(min(0.0, log_ratio))


def metropolis_hastings(
    randomness: Randomness, target: S, proposal: Proposal[S, D], old: D, turn: int = 0
) -> tuple[D, MoveOutcome]:
    """One step: propose once, then move or stay. If a proposal fails or breaks a test, the chain
    stays. Proposing again instead would favour derivations from which proposals rarely fail.

    Predicates are called only for a derivation that would be accepted. The order does not change
    the probability of a move from x to x', q(x') min(1, ratio) [tests and predicates hold for
    x']."""
    proposed = proposal.propose(randomness, target, old, turn)
    if proposed is None:
        return old, "stayed"
    new, log_ratio = proposed
    if new is None or not target.passes(new):
        return old, "failed"
    if not randomness.happens(acceptance_probability(log_ratio)):
        return old, "rejected"
    return (new, "accepted") if target.agreed(new) else (old, "failed")
