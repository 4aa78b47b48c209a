"""Metropolis-Hastings over the proofs of a goal as an engine of the run loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from slp.engines.mcmc.proofs.start import find_start
from slp.engines.mcmc.trees.names import cut_by_name, no_proposal, read_names
from slp.engines.mcmc.trees.proposals import Mixture, metropolis_hastings
from slp.resolution.derivations import Derivation, ProofSpace
from slp.runner import Json, Move, Phase, StepByStep, Stop, Tally, never
from slp.runner.randomness import RandomChance
from slp.source import SourceSpan

__all__ = ["ProofMetropolisHastings", "ProofState"]


@dataclass(frozen=True, eq=False)
class ProofState:
    """A proof, and how often each proposal of the mixture has been taken, modulo its period."""

    derivation: Derivation
    turns: tuple[int, ...]


class ProofMetropolisHastings(StepByStep[ProofState]):
    """Chains over proofs.

    Parameters
    ----------
    proposal : as in `slp.engines.mcmc.trees.names`, without `q_exact`.
    identity : what the space belongs to; the proposal is added.
    span : the goal's.

    Raises
    ------
    UsageError
        E516: there is no such proposal here.
    """

    def __init__(
        self,
        space: ProofSpace,
        proposal: str,
        identity: Mapping[str, str],
        span: SourceSpan | None = None,
    ) -> None:
        self.space = space
        self.mixture = _mixture_of(proposal)
        self._identity = {**identity, "proposal": proposal}
        self._span = span

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        return self._identity

    def init(self, rng: np.random.Generator, stop: Stop = never) -> ProofState:
        """A proof in the support; see `find_start`.

        Raises
        ------
        SlpError
            E250: none was found.
        SearchStoppedError
            See `Stepper`.
        """
        found = find_start(self.space, RandomChance(rng), self._span, stop)
        return ProofState(found, (0,) * len(self.mixture.proposals))

    def step(
        self, rng: np.random.Generator, state: ProofState, phase: Phase
    ) -> tuple[ProofState, Tally]:
        """One proposal of the mixture, accepted or not."""
        chance = RandomChance(rng)
        i = chance.among(self.mixture.cumulative)
        proposal, turn = self.mixture.proposals[i], state.turns[i]
        new, outcome = metropolis_hastings(chance, self.space, proposal, state.derivation, turn)
        turns = (*state.turns[:i], (turn + 1) % proposal.period, *state.turns[i + 1 :])
        return ProofState(new, turns), Counter((Move(proposal.name, outcome),))

    def record(self, state: ProofState) -> Json:
        """What was taken at each choice point."""
        return state.derivation.choices

    def dump(self, state: ProofState) -> Json:
        """See `Stepper`."""
        return {"choices": state.derivation.choices, "turns": list(state.turns)}

    def load(self, data: Json) -> ProofState:
        """See `Stepper`."""
        return ProofState(self.space.derivation_of(data["choices"]), tuple(data["turns"]))


def _mixture_of(text: str) -> Mixture[ProofSpace, Derivation]:
    named = read_names(text)
    if any(proposal.name == "q_exact" for proposal in named):
        help = "write q_uc, q_ind, q_n(20), or several with weights, as in q_uc:0.8,q_ind:0.2"
        raise no_proposal("q_exact needs trees on a table, and these are proofs of a goal", help)
    return Mixture.of([(cut_by_name(proposal), proposal.weight) for proposal in named])
