"""The target of Metropolis-Hastings over proof trees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from slp.reference.derivations import TreeProof
from slp.reference.local_process import LocalProcess
from slp.reference.mh.proof import choice_points, cut, cut_sequence, grow
from slp.reference.tree_tests import TreeCosts, TreeTest
from slp.runner.randomness import Randomness


@dataclass(frozen=True, eq=False)
class Target:
    """The distribution over proofs

        pi(x)  proportional to  w(x) L(x)^power exp(-costs(x)) [tests and predicates hold for x]

    with w the weight under the program as written, L the marginal likelihood of the leaves, and
    costs what preferences about finished trees cost.
    Power 1 is the posterior, power 0 the prior; powers between them are for tempering. Predicates
    are tests that run a user's code, which may be slow, so they come last.
    """

    process: LocalProcess
    power: float = 1.0
    tests: Sequence[TreeTest] = ()
    predicates: Sequence[TreeTest] = ()
    costs: TreeCosts = TreeCosts()

    def holds(self, proof: TreeProof) -> bool:
        """Whether a proof is in the support."""
        return self.passes(proof) and self.agreed(proof)

    def passes(self, proof: TreeProof) -> bool:
        """Whether it is in the support, predicates aside."""
        return all(test.holds(proof) for test in self.tests)

    def agreed(self, proof: TreeProof) -> bool:
        """Whether the predicates hold."""
        return all(predicate.holds(proof) for predicate in self.predicates)

    def log_score(self, proof: TreeProof) -> float:
        """log w(x) + power log L(x) - costs(x)."""
        return proof.log_weight + self.power * proof.log_likelihood - self.costs.of(proof)

    def log_ratio(self, new: TreeProof, old: TreeProof) -> float:
        """log of [w(new) / q(new)] L(new)^power / ([w(old) / q(old)] L(old)^power), q the draw
        probabilities of the local process, less what `new` costs more.

        In it: likelihoods, and the sums Z of the choices (`local_process`). Not in it: labels,
        split measures, numbers of choice points. Common parts of the two proofs cancel.
        """
        likelihood = new.log_likelihood - old.log_likelihood
        dearer = self.costs.of(new) - self.costs.of(old) if self.costs.tests else 0.0
        return new.log_excess - old.log_excess + self.power * likelihood - dearer

    def redrawn(self, randomness: Randomness, old: TreeProof) -> TreeProof | None:
        """A proof drawn from the local process; None if it reaches a dead end."""
        return grow(self.process, randomness, old.goal)

    def cut(self, randomness: Randomness, old: TreeProof, k: int) -> TreeProof | None:
        """The proof cut at choice point k in breadth-first order, from 0."""
        return cut(self.process, randomness, old, choice_points(old)[k])

    def cut_sequence(self, randomness: Randomness, old: TreeProof, k: int) -> TreeProof | None:
        """The proof with its sequence cut at choice point k, from 0."""
        return cut_sequence(self.process, randomness, old, k)

    def fresh(self, randomness: Randomness) -> TreeProof | None:
        """One try to draw from the target at power 0, independently, where `can_run_forward`: a
        proof that the local process draws is kept with the probability w/q of its choices, if it is
        in the support; else None."""
        proof = grow(self.process, randomness, self.process.root)
        if proof is None or not randomness.happens(math.exp(min(0.0, proof.log_excess))):
            return None
        cheap = not self.costs.tests or randomness.happens(math.exp(-self.costs.of(proof)))
        return proof if cheap and self.holds(proof) else None
