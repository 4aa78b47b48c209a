"""The particle filter in plain Python, as a stepper whose states are islands.

Its steps are those of `slp.engines.smc.particles`. At the end of an island, equal particles are
merged, and no more are kept than the plan says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from slp.budgets.memory import format_bytes
from slp.engines.mcmc.records import RecordsOf
from slp.engines.mcmc.trees import MetropolisHastings
from slp.engines.smc.particles import FilterPlan, FilterSteps, Island, Particle, drawn_anew
from slp.engines.smc.result import result_of_islands
from slp.errors import BudgetError
from slp.messages.inference import PARTICLES_TOO_LARGE
from slp.problem.local_process import goals_below
from slp.runner import IslandStepper, Json, Stop, Tally, Weighted, never
from slp.runner.randomness import Randomness

#: Measured bytes of a particle after its first choice, and of each further choice.
BYTES_OF_PARTICLE, _BYTES_OF_CHOICE = 700, 80


class ParticleFilter(RecordsOf[MetropolisHastings], IslandStepper[Island]):
    """The filter. `room`: bytes that an island may take."""

    to_result = staticmethod(result_of_islands)

    def __init__(self, base: MetropolisHastings, plan: FilterPlan, room: float = math.inf) -> None:
        super().__init__(base)
        self.plan, self.room = plan, room
        limits = [c.most_features for c in base.constraints if c.most_features is not None]
        most_leaves = base.process.grammar.max_leaves or math.inf
        self._limits = most_leaves, min(limits, default=math.inf)

    @property
    def steps(self) -> FilterSteps:
        """The steps of an island."""
        return FilterSteps(self.base.process, self.plan, self.base.target.power, *self._limits)

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        return {**self.base.identity, **self.plan.identity()}

    def init(self, rng: np.random.Generator, stop: Stop = never) -> Island:
        """Particles whose root is open."""
        return self.steps.start()

    def step(self, randomness: Randomness, state: Island, tally: Tally) -> Island:
        """See `IslandStepper`, and `FilterSteps.step` for the moves that are counted.

        Raises
        ------
        BudgetError
            E501: the particles need more memory than there is.
        """
        state, _ = self.steps.step(randomness, state, tally)
        choices = sum({id(p.choices): len(p.choices) for p in state}.values())
        if len(state) * BYTES_OF_PARTICLE + choices * _BYTES_OF_CHOICE > self.room:
            room = format_bytes(int(self.room))
            raise BudgetError(PARTICLES_TOO_LARGE(particles=self.plan.n, room=room))
        return self._kept(randomness, state) if self.done(state) else state

    def _kept(self, randomness: Randomness, state: Island) -> Island:
        """At the end, equal particles are merged. If there are still too many, some of them are
        drawn."""
        together: dict[Particle, list[float]] = {}
        for particle in state:
            if particle.log_weight > -math.inf:
                same = replace(particle, log_weight=0.0)
                together.setdefault(same, []).append(particle.log_weight)
        distinct = tuple(
            replace(particle, log_weight=float(np.logaddexp.reduce(own)))
            for particle, own in together.items()
        )
        if len(distinct) <= self.plan.kept:
            return distinct
        return drawn_anew(randomness, self.plan.scheme, distinct, self.plan.kept)[0]

    def done(self, state: Island) -> bool:
        """Whether no particle has an open goal."""
        return self.steps.done(state)

    def draws(self, state: Island) -> Sequence[Weighted]:
        """The particles that are whole and pass all tests on finished trees. Their weights sum to
        the island's estimate of the sum of weight times likelihood."""
        out = []
        for particle in state:
            if particle.log_weight > -math.inf and not particle.open:
                choices = self.steps.in_preorder(particle)
                record = [[rule, split] for _, rule, split in choices]
                if self.base.target.holds(self.base.derivation_from_data(record)):
                    out.append(Weighted(record, particle.log_weight - math.log(self.plan.n)))
        return out

    def dump(self, state: Island) -> Json:
        """See `Stepper`."""
        return [[p.choices, p.log_weight] for p in state]

    def load(self, data: Json) -> Island:
        """See `Stepper`."""
        return tuple(self._restored(choices, weight) for choices, weight in data)

    def _restored(self, choices: Sequence[Sequence[int]], log_weight: float) -> Particle:
        """The particle that made these choices."""
        process, opened = self.base.process, self.steps.opened
        goals = {0: opened(0, process.root.box, process.root.state)}
        made, n_leaves, features = 1, 0, set()
        for number, rule, split in choices:
            at = goals.pop(number)
            goal = process.goal(at.box, at.state)
            below = goals_below(goal, rule, split)
            goals |= {made + i: opened(made + i, *to) for i, to in enumerate(below)}
            made, n_leaves = made + len(below), n_leaves + (not below)
            if split >= 0:
                cut = goal.rules[rule].splits[split].split.cut
                features.add(process.geometry.cuts[cut].feature)
        taken = tuple((number, rule, split) for number, rule, split in choices)
        still = tuple(goals.values()) if log_weight > -math.inf else ()
        return Particle(taken, still, log_weight, made, n_leaves, frozenset(features))
