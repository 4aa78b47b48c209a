"""The particle filter in plain Python: the specification of `native/core/smc`.

A particle is a derivation that is being grown: the choices made, and the goals that are still open.
It begins with the root as the only open goal. A step opens one goal of each particle, or under
`layer` all of the goals that were open before the step, and decides it by a proposal
(`slp.engines.smc.proposals`). Every open goal counts as a leaf, so the weight of a particle is that
of its choices times the likelihood of a tree whose leaves are its leaves and open goals.

Before a step the particles are resampled if their effective number is below a share of all.
Each then has the mean weight. So at every step the sum of the weights over the number of particles
estimates, without bias, the sum of weight times likelihood over all trees; particles that failed
count 0. An island is done when no goal is open.

A particle fails at a dead end. It fails as soon as its leaves and open goals together are more than
`max_leaves` allows, or its features more than `max_features`. Other tests on finished trees act at
the end.

Reference: Lakshminarayanan, Roy & Teh (2013), section 3 and algorithm 1.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from slp.engines.mcmc.records import RecordsOf
from slp.engines.mcmc.trees import MetropolisHastings
from slp.engines.mcmc.trees.proof import goals_below
from slp.engines.smc.proposals import PROPOSALS
from slp.engines.smc.resampling import effective_size, resampled
from slp.ir.program import MaxFeatures
from slp.results.drawn import DrawnResult
from slp.runner import Info, Json, Move, Phase, Stop, Tally, Weighted, never
from slp.runner.randomness import Randomness, RandomNumbers

__all__ = ["ORDERS", "FilterPlan", "Island", "ParticleFilter"]


class _Open(NamedTuple):
    """An open goal. Goals of higher `priority` are opened first. Goals are numbered in the order in
    which they are made."""

    priority: float
    number: int
    box: int
    state: int


#: From a box's log marginal likelihood to the priority of a goal on it.
ORDERS: dict[str, Callable[[float], float]] = {
    "breadth": lambda log_marginal: 0.0,
    "likelihood": lambda log_marginal: log_marginal,
    "layer": lambda log_marginal: 0.0,
}


@dataclass(frozen=True)
class FilterPlan:
    """The settings of a filter: `n` particles, of which at most `kept` are kept as draws of a
    finished island; a proposal, an order and a scheme by name; resampling if fewer than `ess` of
    `n` are effective."""

    n: int
    kept: int
    proposal: str
    order: str
    scheme: str
    ess: float

    def identity(self) -> Mapping[str, str]:
        """For `Stepper.identity`."""
        return {"filter": repr(self)}


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
    open: tuple[_Open, ...]
    log_weight: float
    made: int = 1
    n_leaves: int = 0
    features: frozenset[int] = frozenset()

    def next_open(self) -> _Open:
        """The goal to be opened next."""
        return min(self.open)

    def failed(self) -> Particle:
        """The same, failed."""
        return replace(self, open=(), log_weight=-math.inf)


#: The particles of an island.
Island: TypeAlias = tuple[Particle, ...]


class ParticleFilter(RecordsOf[MetropolisHastings]):
    """The filter as a stepper whose states are islands; `result_type` makes results of runs."""

    longest_block = 1

    def __init__(
        self, base: MetropolisHastings, plan: FilterPlan, result_type: type[DrawnResult]
    ) -> None:
        super().__init__(base)
        self.plan, self._result_type = plan, result_type
        limits = [c.count for c in base.constraints if isinstance(c, MaxFeatures)]
        self._most_features = min(limits, default=math.inf)
        self._most_leaves = base.process.grammar.max_leaves or math.inf

    @property
    def result_type(self) -> type[DrawnResult]:
        """See `TreeSampler`."""
        return self._result_type

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        return {**self.base.identity, **self.plan.identity()}

    def init(self, rng: np.random.Generator, stop: Stop = never) -> Island:
        """Particles whose root is open."""
        root, target = self.base.process.root, self.base.target
        log_marginal = self.base.process.log_marginal(root.box)
        goal = self._open(0, root.box, root.state)
        log_weight = target.power * log_marginal if target.power else 0.0
        return (Particle((), (goal,), log_weight),) * self.plan.n

    def advance(
        self, rng: np.random.Generator, state: Island, n: int, phase: Phase
    ) -> tuple[Island, Info]:
        """See `Stepper`. Each decision counts as a move named by its outcome: `grow`, or the cause
        of a failure."""
        tally: Tally = Counter()
        randomness = RandomNumbers(rng)
        for _ in range(n):
            if not self.done(state):
                state = self.step(randomness, state, tally)
        return state, Info(tally)

    def step(self, randomness: Randomness, state: Island, tally: Tally) -> Island:
        """One step of particles, of which some have open goals."""
        plan = self.plan
        weights = [particle.log_weight for particle in state]
        if effective_size(weights) < plan.ess * plan.n:
            state = _drawn_anew(randomness, plan.scheme, state, plan.n)
        state = tuple(self._grown(randomness, particle, tally) for particle in state)
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
        return _drawn_anew(randomness, self.plan.scheme, distinct, self.plan.kept)

    def _grown(self, randomness: Randomness, particle: Particle, tally: Tally) -> Particle:
        """A particle whose next goal, or layer, is decided."""
        last = particle.made if self.plan.order == "layer" else -1
        while particle.open:
            goal = particle.next_open()
            if goal.number >= last >= 0:
                break
            particle, cause = self._decided(randomness, particle, goal)
            tally[Move(cause or "grow", "failed" if cause else "accepted")] += 1
            if last < 0:
                break
        return particle

    def _decided(
        self, randomness: Randomness, particle: Particle, opened: _Open
    ) -> tuple[Particle, str]:
        """A particle in which a goal is decided, and the cause if that fails it, else ""."""
        process = self.base.process
        goal = process.goal(opened.box, opened.state)
        if not goal.rules:
            return particle.failed(), "dead end"
        propose = PROPOSALS[self.plan.proposal]
        rule, split, log_factor = propose(randomness, process, self.base.target.power, goal)
        below = goals_below(goal, rule, split)
        made = [self._open(particle.made + i, *at) for i, at in enumerate(below)]
        features = particle.features
        if split >= 0:
            cut = goal.rules[rule].splits[split].split.cut
            features |= {process.geometry.cuts[cut].feature}
        grown = Particle(
            (*particle.choices, (opened.number, rule, split)),
            (*(g for g in particle.open if g is not opened), *made),
            particle.log_weight + log_factor,
            particle.made + len(made),
            particle.n_leaves + (not below),
            features,
        )
        if grown.n_leaves + len(grown.open) > self._most_leaves:
            return grown.failed(), "max_leaves"
        if len(grown.features) > self._most_features:
            return grown.failed(), "max_features"
        return grown, ""

    def _open(self, number: int, box: int, state: int) -> _Open:
        priority = ORDERS[self.plan.order](self.base.process.log_marginal(box))
        return _Open(priority, number, box, state)

    def done(self, state: Island) -> bool:
        """Whether no particle has an open goal."""
        return not any(particle.open for particle in state)

    def draws(self, state: Island) -> Sequence[Weighted]:
        """The particles that are whole and pass all tests on finished trees. Their weights sum to
        the island's estimate of the sum of weight times likelihood."""
        out = []
        for particle in state:
            if particle.log_weight > -math.inf and not particle.open:
                record = _in_preorder(particle, self.base)
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
        process = self.base.process
        goals = {0: self._open(0, process.root.box, process.root.state)}
        made, n_leaves, features = 1, 0, set()
        for number, rule, split in choices:
            opened = goals.pop(number)
            goal = process.goal(opened.box, opened.state)
            below = goals_below(goal, rule, split)
            goals |= {made + i: self._open(made + i, *at) for i, at in enumerate(below)}
            made, n_leaves = made + len(below), n_leaves + (not below)
            if split >= 0:
                cut = goal.rules[rule].splits[split].split.cut
                features.add(process.geometry.cuts[cut].feature)
        taken = tuple((number, rule, split) for number, rule, split in choices)
        still = tuple(goals.values()) if log_weight > -math.inf else ()
        return Particle(taken, still, log_weight, made, n_leaves, frozenset(features))


def _drawn_anew(randomness: Randomness, scheme: str, state: Island, n: int) -> Island:
    """n particles drawn by their weights, each with the mean weight."""
    weights = [particle.log_weight for particle in state]
    share = float(np.logaddexp.reduce(weights)) - math.log(n)
    drawn = resampled(randomness, scheme, weights, n)
    return tuple(replace(state[i], log_weight=share) for i in drawn)


def _in_preorder(particle: Particle, base: MetropolisHastings) -> Json:
    """The record of a whole particle: rule and split at each goal, in preorder."""
    parts: dict[int, list[int]] = {}
    taken: dict[int, list[int]] = {}
    made = 1
    goals = {0: (base.process.root.box, base.process.root.state)}
    for number, rule, split in particle.choices:
        below = goals_below(base.process.goal(*goals[number]), rule, split)
        taken[number], parts[number] = [rule, split], list(range(made, made + len(below)))
        goals |= dict(zip(parts[number], below, strict=True))
        made += len(below)
    out, stack = [], [0]
    while stack:
        number = stack.pop()
        out.append(taken[number])
        stack += reversed(parts[number])
    return out
