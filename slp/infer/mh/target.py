"""What Metropolis-Hastings over proof trees draws from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from slp.infer.mh.local_process import LocalProcess
from slp.infer.mh.proof import Proof

__all__ = ["Target", "TreeTest"]


class TreeTest(Protocol):
    """A condition on a finished tree."""

    def holds(self, proof: Proof) -> bool:
        """Whether the tree that a proof derives satisfies it."""
        ...


@dataclass(frozen=True, eq=False)
class Target:
    """The distribution over proofs

        pi(x)  proportional to  w(x) L(x)^power [all tests hold for x]

    with w the weight under the program as written and L the marginal likelihood of the leaves.
    Power 1 is the posterior, power 0 the prior, what lies between serves tempering.
    """

    process: LocalProcess
    power: float = 1.0
    tests: Sequence[TreeTest] = ()

    def holds(self, proof: Proof) -> bool:
        """Whether a proof is in the support."""
        return all(test.holds(proof) for test in self.tests)

    def log_score(self, proof: Proof) -> float:
        """log w(x) + power log L(x)."""
        return proof.log_weight + self.power * proof.log_likelihood

    def log_ratio(self, new: Proof, old: Proof) -> float:
        """log of [w(new) / q(new)] L(new)^power / ([w(old) / q(old)] L(old)^power), q the draw
        probabilities of the local process.

        In it: likelihoods, and the sums Z of the choices (`local_process`). Not in it: labels,
        split measures, numbers of choice points. What two proofs have in common cancels.
        """
        likelihood = new.log_likelihood - old.log_likelihood
        return new.log_excess - old.log_excess + self.power * likelihood
