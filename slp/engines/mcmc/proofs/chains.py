"""Metropolis-Hastings over the proofs of a goal as an engine of the run loop."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from slp.engines.mcmc.mixture import MixtureChains, MixtureState
from slp.engines.mcmc.proofs.start import find_start
from slp.engines.mcmc.trees.names import find_other_than_cuts, mixture_of_cuts, read_names
from slp.errors import UsageError
from slp.messages.chains import EXACT_SUBTREES_OF_PROOFS, MOVES_OF_PROOFS
from slp.resolution.proofs.derivations import ProofSpace, SLDDerivation
from slp.runner import Json, Stop, never
from slp.runner.randomness import RandomNumbers
from slp.source import SourceSpan


class ProofMetropolisHastings(MixtureChains[ProofSpace, SLDDerivation]):
    """Chains over proofs.

    Parameters
    ----------
    proposal : as in `slp.engines.mcmc.trees.names`, one that cuts at a choice point.
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
        named = read_names(proposal)
        refused = [*find_other_than_cuts(named, EXACT_SUBTREES_OF_PROOFS, MOVES_OF_PROOFS)]
        if refused:
            raise UsageError(refused)
        self.mixture = mixture_of_cuts(named)
        self._identity = {**identity, "proposal": proposal}
        self._span = span

    def init(self, rng: np.random.Generator, stop: Stop = never) -> MixtureState[SLDDerivation]:
        """A proof in the support; see `find_start`.

        Raises
        ------
        SlpError
            E250: none was found.
        SearchStoppedError
            See `Stepper`.
        """
        return self.mixture.start(find_start(self.space, RandomNumbers(rng), self._span, stop))

    @property
    def target(self) -> ProofSpace:
        """See `MixtureChains`."""
        return self.space

    def derivation_to_data(self, derivation: SLDDerivation) -> Json:
        """What was taken at each choice point."""
        return derivation.choices

    def derivation_from_data(self, data: Json) -> SLDDerivation:
        """See `MixtureChains`."""
        return self.space.derivation_of(data)
