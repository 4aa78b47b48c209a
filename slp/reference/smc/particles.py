"""The steps of the particle filter in plain Python: the specification of `native/core/smc`.

A particle is a derivation that is being grown: the choices made, and the goals that are still open.
It begins with the root as the only open goal. A step opens one goal of each particle, or under
`layer` all of the goals that were open before the step, and decides it by a proposal
(`slp.reference.smc.proposals`). Every open goal counts as a leaf, so the weight of a particle is
that of its choices times the likelihood of a tree whose leaves are its leaves and open goals.

Before a step the particles are resampled if their effective number is below a share of all.
Each then has the mean weight. So at every step the sum of the weights over the number of particles
estimates, without bias, the sum of weight times likelihood over all trees; particles that failed
count 0. An island is done when no goal is open.

A particle fails at a dead end. It fails as soon as its leaves and open goals together are more than
`max_leaves` allows, or its features more than `max_features`. Other tests on finished trees act at
the end.

A *conditional* filter has one particle whose choices are given (`ReferenceParticle`): it survives
every resampling, whose outcome is drawn given that it does. Particle Gibbs is made of it
(`slp.reference.mh.particle_gibbs`).

Reference: Lakshminarayanan, Roy & Teh (2013), section 3 and algorithm 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from slp.engines.shared.filter_plan import FilterPlan
from slp.reference.local_process import Choices, LocalProcess, goals_below
from slp.reference.smc.proposals import DECIDED_BY
from slp.reference.smc.resampling import effective_size, resampled
from slp.runner import Move, Tally
from slp.runner.randomness import Randomness


class OpenGoal(NamedTuple):
    """An open goal. Goals of lower `priority` are opened first. Goals are numbered in the order in
    which they are made."""

    priority: float
    number: int
    box: int
    state: int


#: From a box's log marginal likelihood to the priority of a goal on it.
_PRIORITIES: dict[str, Callable[[float], float]] = {
    "breadth": lambda log_marginal: 0.0,
    "likelihood": lambda log_marginal: log_marginal,
    "layer": lambda log_marginal: 0.0,
}


@dataclass(frozen=True)
class Particle:
    """A derivation that is being grown.

    Attributes
    ----------
    choices : number of the goal, rule and split by position, in the order in which they were made.
    open : goals to be opened, none of a particle that is whole, or failed.
    log_weight : -inf of one that failed.
    made : how many goals were made so far.
    n_leaves, features : leaves without open goals, and features used.
    """

    choices: tuple[tuple[int, int, int], ...]
    open: tuple[OpenGoal, ...]
    log_weight: float
    made: int = 1
    n_leaves: int = 0
    features: frozenset[int] = frozenset()

    def next_open(self) -> OpenGoal:
        """The goal to be opened next."""
        return min(self.open)

    def failed(self) -> Particle:
        """The same, failed."""
        return replace(self, open=(), log_weight=-math.inf)


#: The particles of an island.
Island: TypeAlias = tuple[Particle, ...]


@dataclass(frozen=True)
class ReferenceParticle:
    """The particle of a conditional filter whose choices are given: its number in the island, and
    rule and split by the number of the goal."""

    particle: int
    choices: Mapping[int, tuple[int, int]]


@dataclass(frozen=True)
class FilterSteps:
    """The steps of a filter on a process, towards weight times likelihood^power. A particle fails
    beyond `most_leaves` or `most_features`."""

    process: LocalProcess
    plan: FilterPlan
    power: float
    most_leaves: float
    most_features: float

    def start(self) -> Island:
        """Particles whose root is open."""
        root = self.process.root
        log_marginal = self.process.log_marginal(root.box, root.state)
        log_weight = self.power * log_marginal if self.power else 0.0
        return (Particle((), (self.opened(0, root.box, root.state),), log_weight),) * self.plan.n

    def done(self, state: Island) -> bool:
        """Whether no particle has an open goal."""
        return not any(particle.open for particle in state)

    def step(
        self,
        randomness: Randomness,
        state: Island,
        tally: Tally,
        kept: ReferenceParticle | None = None,
    ) -> tuple[Island, ReferenceParticle | None]:
        """One step of particles, of which some have open goals; `kept`: of a conditional filter.
        Each decision counts as a move named by its outcome: `grow`, or the cause of a failure."""
        plan = self.plan
        weights = [particle.log_weight for particle in state]
        if effective_size(weights) < plan.ess * plan.n:
            survivor = -1 if kept is None else kept.particle
            state, place = drawn_anew(randomness, plan.scheme, state, plan.n, survivor)
            kept = kept and replace(kept, particle=place)
        grown = []
        for i, particle in enumerate(state):
            given = kept.choices if kept and i == kept.particle else None
            grown.append(self._grown(randomness, particle, tally, given))
        return tuple(grown), kept

    def _grown(
        self,
        randomness: Randomness,
        particle: Particle,
        tally: Tally,
        given: Mapping[int, tuple[int, int]] | None,
    ) -> Particle:
        """A particle whose next goal, or layer, is decided."""
        last = particle.made if self.plan.order == "layer" else -1
        while particle.open:
            goal = particle.next_open()
            if goal.number >= last >= 0:
                break
            choice = None if given is None else given[goal.number]
            particle, cause = self._decided(randomness, particle, goal, choice)
            tally[Move(cause or "grow", "failed" if cause else "accepted")] += 1
            if last < 0:
                break
        return particle

    def _decided(
        self,
        randomness: Randomness,
        particle: Particle,
        opened: OpenGoal,
        choice: tuple[int, int] | None,
    ) -> tuple[Particle, str]:
        """A particle in which a goal is decided, and the cause if that fails it, else ""."""
        goal = self.process.goal(opened.box, opened.state)
        if not goal.rules:
            return particle.failed(), "dead end"
        propose = DECIDED_BY[self.plan.proposal]
        rule, split, log_factor = propose(randomness, self.process, self.power, goal, choice)
        below = goals_below(goal, rule, split)
        made = [self.opened(particle.made + i, *at) for i, at in enumerate(below)]
        features = particle.features
        if split >= 0:
            cut = goal.rules[rule].splits[split].split.cut
            features |= {self.process.geometry.cuts[cut].feature}
        grown = Particle(
            (*particle.choices, (opened.number, rule, split)),
            (*(g for g in particle.open if g is not opened), *made),
            particle.log_weight + log_factor,
            particle.made + len(made),
            particle.n_leaves + (not below),
            features,
        )
        if grown.n_leaves + len(grown.open) > self.most_leaves:
            return grown.failed(), "the limit of leaves"
        if len(grown.features) > self.most_features:
            return grown.failed(), "the limit of features"
        return grown, ""

    def opened(self, number: int, box: int, state: int) -> OpenGoal:
        """A box in a state as an open goal."""
        priority = _PRIORITIES[self.plan.order](self.process.log_marginal(box, state))
        return OpenGoal(priority, number, box, state)

    def in_preorder(self, particle: Particle) -> list[Choices]:
        """The choices of a whole particle, in preorder."""
        parts: dict[int, list[int]] = {}
        taken: dict[int, Choices] = {}
        made = 1
        goals = {0: (self.process.root.box, self.process.root.state)}
        for number, rule, split in particle.choices:
            goal = self.process.goal(*goals[number])
            below = goals_below(goal, rule, split)
            taken[number] = (goal, rule, split)
            parts[number] = list(range(made, made + len(below)))
            goals |= dict(zip(parts[number], below, strict=True))
            made += len(below)
        out, stack = [], [0]
        while stack:
            number = stack.pop()
            out.append(taken[number])
            stack += reversed(parts[number])
        return out


def drawn_anew(
    randomness: Randomness, scheme: str, state: Sequence[Particle], n: int, kept: int = -1
) -> tuple[Island, int]:
    """n particles drawn by their weights, each with the mean weight; `kept`: the number of one that
    survives, if there is one, and its new number."""
    weights = [particle.log_weight for particle in state]
    share = float(np.logaddexp.reduce(weights)) - math.log(n)
    drawn, place = resampled(randomness, scheme, weights, n, kept)
    return tuple(replace(state[i], log_weight=share) for i in drawn), place
