"""Chains whose steps draw one of several proposals: over proof trees, edits, proofs of a goal.

Weights of a mixture are those of chains towards the posterior. On a rung of a ladder, whose
likelihood has the power b, cuts (`q_uc`, `q_ind`, `q_n`, `q_seq`) count 5 - 4 b times: they draw
from the prior, and more of what they draw is accepted at low powers. `informed` and `twig` count
max(b, 1/10)^2 times: they look at all splits of a node, which is worth its time where likelihoods
differ.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Generic, TypeVar

import numpy as np

from slp.engines.mcmc.proposals import (
    ChainState,
    CutAtEach,
    CutAtRoot,
    CutUniformly,
    Proposal,
    Space,
    metropolis_hastings,
)
from slp.engines.shared.proposal_names import Named
from slp.runner import Json, Move, Phase, StepByStep, Tally
from slp.runner.randomness import Randomness, RandomNumbers

D = TypeVar("D", bound=ChainState)
S = TypeVar("S", bound=Space[Any])


def weight_at(name: str, weight: float, power: float) -> float:
    """The weight of a proposal in a mixture, at a power of the likelihood: see the module."""
    if name.partition("(")[0] in ("q_uc", "q_ind", "q_n", "q_seq"):
        return weight * (5 - 4 * power)
    return weight * max(power, 0.1) ** 2 if name in ("informed", "twig") else weight


@dataclass(frozen=True, eq=False)
class MixtureState(Generic[D]):
    """A derivation, and how often each proposal of the mixture was used, modulo its period."""

    derivation: D
    turns: tuple[int, ...]


@dataclass(frozen=True)
class Mixture(Generic[S, D]):
    """Proposals with their probabilities, which do not depend on the derivation. Each proposal
    leaves the target invariant, so the mixture does too."""

    proposals: tuple[Proposal[S, D], ...]
    weights: tuple[float, ...]

    @classmethod
    def of(cls, weighted: Sequence[tuple[Proposal[S, D], float]]) -> Mixture[S, D]:
        """From proposals and their weights, which need not sum to 1."""
        return cls(tuple(p for p, _ in weighted), tuple(w for _, w in weighted))

    def cumulative(self, power: float) -> tuple[float, ...]:
        """The cumulative sums of the weights at a power of the likelihood."""
        pairs = zip(self.proposals, self.weights, strict=True)
        return tuple(accumulate(weight_at(p.name, weight, power) for p, weight in pairs))

    def start(self, derivation: D) -> MixtureState[D]:
        """The state of a derivation before any proposal."""
        return MixtureState(derivation, (0,) * len(self.proposals))

    def step(
        self, randomness: Randomness, space: S, state: MixtureState[D], power: float
    ) -> tuple[MixtureState[D], Move]:
        """Choose a proposal by its weight at a power of the likelihood, and make one step with
        it."""
        i = randomness.among(self.cumulative(power))
        proposal, turn = self.proposals[i], state.turns[i]
        new, outcome = metropolis_hastings(randomness, space, proposal, state.derivation, turn)
        turns = (*state.turns[:i], (turn + 1) % proposal.period, *state.turns[i + 1 :])
        return MixtureState(new, turns), Move(proposal.name, outcome)


def mixture_of_cuts(names: Iterable[Named]) -> Mixture[Any, Any]:
    """The mixture of proposals that cut at a choice point, where `find_other_than_cuts` finds no
    other."""
    return Mixture.of([(cut_by_name(named), named.weight) for named in names])


def cut_by_name(named: Named) -> CutUniformly | CutAtRoot | CutAtEach:
    """One of the proposals that cut at a choice point."""
    assert named.name in ("q_uc", "q_ind", "q_n"), named.name
    if named.number is not None:
        return CutAtEach(named.number)
    return CutUniformly() if named.name == "q_uc" else CutAtRoot()


class MixtureChains(StepByStep[MixtureState[D]], Generic[S, D]):
    """Chains that step by a mixture.

    Attributes
    ----------
    mixture : of the proposals.
    target : what the chains draw from.
    power : of the likelihood in the target.
    """

    mixture: Mixture[S, D]
    power = 1.0
    _identity: Mapping[str, str]

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        return self._identity

    @property
    @abstractmethod
    def target(self) -> S:
        """See the class."""

    @abstractmethod
    def derivation_to_data(self, derivation: D) -> Json:
        """The choices of a derivation, by position: no number depends on a chain's past."""

    @abstractmethod
    def derivation_from_data(self, data: Json) -> D:
        """The derivation of a record."""

    def step(
        self, rng: np.random.Generator, state: MixtureState[D], phase: Phase
    ) -> tuple[MixtureState[D], Tally]:
        """One proposal of the mixture, accepted or not."""
        state, move = self.mixture.step(RandomNumbers(rng), self.target, state, self.power)
        return state, Counter((move,))

    def record(self, state: MixtureState[D]) -> Json:
        """The derivation; `derivation_from_data` reads it."""
        return self.derivation_to_data(state.derivation)

    def dump(self, state: MixtureState[D]) -> Json:
        """See `Stepper`."""
        return {"choices": self.record(state), "turns": list(state.turns)}

    def load(self, data: Json) -> MixtureState[D]:
        """See `Stepper`."""
        turns = data["turns"]
        assert all(type(turn) is int and turn >= 0 for turn in turns)
        return MixtureState(self.derivation_from_data(data["choices"]), tuple(turns))


class MixtureWithPower(MixtureChains[S, D]):
    """Chains over derivations that have a likelihood, whose power their target takes."""

    @property
    @abstractmethod
    def draws_prior(self) -> bool:
        """Whether the target at power 0 can be drawn from independently (`fresh` of the target)."""

    @abstractmethod
    def at_power(self, power: float) -> Any:
        """The target with the likelihood at a power."""

    @abstractmethod
    def log_likelihood(self, derivation: D) -> float:
        """The log likelihood of what a derivation ends in."""

    @property
    def scan(self) -> None:
        """See `slp.results.record.sampler.TreeSampler`: these chains are not tempered."""

    def tempering(self, states: Sequence[object], share: float) -> None:
        """The same."""
