"""Metropolis-Hastings over proof trees as an engine of the run loop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from slp.engines.mcmc.mixture import MixtureState, MixtureWithPower
from slp.engines.shared.forward_runs import can_run_forward
from slp.engines.shared.proposal_names import MOST_BOXES
from slp.engines.shared.starts import TRIES, no_start, search_stopped
from slp.ir.constraints import Constraint
from slp.ir.tree_grammar import TreeGrammar
from slp.reference.boxes import Geometry
from slp.reference.derivations import DerivedTrees, TreeProof
from slp.reference.local_process import LocalProcess
from slp.reference.mh.mixtures import mixture_of
from slp.reference.mh.proof import grow
from slp.reference.mh.start import proof_to_start
from slp.reference.mh.target import Target
from slp.runner import Json, Stop, never
from slp.runner.randomness import RandomNumbers
from slp.trees import Tree

#: The search ends trees early with probability 0, 1/10, ..., 9/10, and begins again.
_CYCLE = 10


class MetropolisHastings(DerivedTrees, MixtureWithPower[Target, TreeProof]):
    """Chains over proofs of a grammar on a table.

    Parameters
    ----------
    constraints : the program's; the global ones among them are tested on every tree proposed.
    proposal : as in `slp.engines.shared.proposal_names`.
    likelihood : with False the chains draw from the prior.
    most_boxes : under `q_exact`, the bound of boxes that fit (`exact_subtrees`).
    process : draws derivations; by default the grammar's local process.

    Attributes
    ----------
    given : the proof that chains begin at; None if they begin at a draw.

    Raises
    ------
    UsageError
        E516: there is no such proposal.
    """

    given: TreeProof | None = None

    def __init__(
        self,
        grammar: TreeGrammar,
        geometry: Geometry,
        constraints: Iterable[Constraint] = (),
        *,
        proposal: str = "q_uc",
        likelihood: bool = True,
        most_boxes: float = MOST_BOXES,
        process: LocalProcess | None = None,
    ) -> None:
        if process is None and "q_exact" in proposal:  # its charts go through all states
            grammar = grammar.listed()
        super().__init__(
            grammar,
            geometry,
            constraints,
            likelihood=likelihood,
            process=process,
            proposal=proposal,
        )
        self._target = Target(self.process, self.power, self.tests, self.predicates, self.costs)
        self.mixture = mixture_of(proposal, self.process, most_boxes)
        self._identity = {**self._identity, "kernel": f"plain, {most_boxes:g}"}

    @property
    def target(self) -> Target:
        """See `MixtureChains`."""
        return self._target

    @cached_property
    def draws_prior(self) -> bool:
        """See `MixtureWithPower`."""
        return can_run_forward(self.process.grammar)

    def at_power(self, power: float) -> Target:
        """See `MixtureWithPower`."""
        return replace(self._target, power=power)

    def log_likelihood(self, derivation: TreeProof) -> float:
        """See `MixtureWithPower`."""
        return derivation.log_likelihood

    def begin_at(self, tree: Tree) -> None:
        """Begin at the heaviest proof of a tree. Raises as `proof_to_start`."""
        self.given = proof_to_start(self.target, tree)
        self._identity = {**self._identity, "first tree": repr(self.given.key())}

    def init(self, rng: np.random.Generator, stop: Stop = never) -> MixtureState[TreeProof]:
        """A proof in the support, drawn from the local process, smaller ones now and then; or the
        given one.

        Raises
        ------
        SlpError
            E517: none was found.
        SearchStoppedError
            See `Stepper`.
        """
        if self.given is not None:
            return self.mixture.start(self.given)
        randomness, root = RandomNumbers(rng), self.process.root
        derived = 0
        for i in range(TRIES):
            if stop():
                raise search_stopped(self.constraints)
            proof = grow(self.process, randomness, root, end_early=i % _CYCLE / _CYCLE)
            derived += proof is not None
            if proof is not None and self.target.holds(proof):
                return self.mixture.start(proof)
        raise no_start(derived, self.constraints)

    def derivation_to_data(self, derivation: TreeProof) -> Json:
        """See `MixtureChains`."""
        return [list(pair) for pair in derivation.key()]
