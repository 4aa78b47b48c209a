"""The proposal `q_pg`: particle Gibbs.

A conditional particle filter (`slp.reference.smc.particles`) keeps the present derivation as one of
its n particles, and grows the others. The next derivation is one of the particles at the end, drawn
in proportion to their weights. A particle that breaks a test on finished trees has weight 0.

The target is that of the chain, w(x) L(x)^power. The filter's law, times its estimate of the sum of
w L^power, times the weight of one particle over the sum of all weights, is a distribution over the
particles and one of them (Andrieu, Doucet & Holenstein 2010). In it

    that particle has the target's distribution,
    the others have, given it, the law of the conditional filter,
    it is, given all, drawn in proportion to the weights,

so the move is a Gibbs step for the others and one for the number of the particle, and its ratio is
1. This holds with resampling where few particles are effective, as that is a function of the
weights, and with every scheme in its conditional form (`slp.reference.smc.resampling`). The present
derivation begins as any particle with the same probability, because schemes treat places
differently.

The states of chains are derivations, so the filter keeps that of the state. Under the target it
has, given its tree, the probability of its weight among those of the tree.

A step that draws the present derivation again counts as rejected. Predicates on finished trees are
asked of the derivation that was drawn; if one refuses it, the chain stays. That leaves the target
restricted to what predicates allow invariant, because the move is reversible.

References: Lakshminarayanan, Roy & Teh (2015), Particle Gibbs for Bayesian additive regression
trees, AISTATS, section 3; Andrieu, Doucet & Holenstein (2010), Particle Markov chain Monte Carlo
methods, JRSS B 72, section 4.5.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from slp.engines.mcmc.proposals import Proposed
from slp.engines.shared.filter_plan import FilterPlan
from slp.reference.derivations import TreeProof, proof_of
from slp.reference.local_process import cumulated
from slp.reference.mh.target import Target
from slp.reference.smc.particles import FilterSteps, OpenGoal, ReferenceParticle
from slp.reference.tree_tests import AtMostFeatures
from slp.runner.randomness import Randomness


@dataclass(frozen=True)
class ParticleGibbs:
    """The proposal; see the module's docstring for its ratio."""

    plan: FilterPlan
    name: str = "q_pg"
    period: int = 1

    def propose(
        self, randomness: Randomness, target: Target, old: TreeProof, turn: int
    ) -> Proposed[TreeProof] | None:
        """See `Proposal`. Nothing can be proposed if the derivation has no choice point."""
        if old.n_points == 0:
            return None
        steps = self._steps(target)
        island = steps.start()
        kept: ReferenceParticle | None = ReferenceParticle(
            randomness.index(self.plan.n), _by_goal(steps, old)
        )
        while not steps.done(island):
            island, kept = steps.step(randomness, island, Counter(), kept)
        grown = [
            (proof_of(target.process, steps.in_preorder(particle)), particle.log_weight)
            for particle in island
            if particle.log_weight > -math.inf
        ]
        able = [(proof, weight) for proof, weight in grown if target.passes(proof)]
        sums, _ = cumulated([weight for _, weight in able])
        new = able[randomness.among(sums)][0]
        return Proposed(new, -math.inf if new.key() == old.key() else 0.0)

    def _steps(self, target: Target) -> FilterSteps:
        limits = [test.count for test in target.tests if isinstance(test, AtMostFeatures)]
        most_leaves = target.process.grammar.max_leaves or math.inf
        most_features = min(limits, default=math.inf)
        return FilterSteps(target.process, self.plan, target.power, most_leaves, most_features)


def _by_goal(steps: FilterSteps, proof: TreeProof) -> dict[int, tuple[int, int]]:
    """Rule and split of a derivation at each goal, by the number that the filter gives to it."""
    goal = proof.goal
    still_open: dict[OpenGoal, TreeProof] = {steps.opened(0, goal.box, goal.state): proof}
    out: dict[int, tuple[int, int]] = {}
    made = 1
    while still_open:
        opened = min(still_open)
        node = still_open.pop(opened)
        out[opened.number] = (node.rule, node.split)
        for part in node.parts:
            still_open[steps.opened(made, part.goal.box, part.goal.state)] = part
            made += 1
    return out
