"""A top-down particle filter, explained in docs/adding-an-engine.md."""

from dataclasses import dataclass
from math import inf, log

import numpy as np

from slp.engines.contract import DrawingOptions, option
from slp.engines.shared.drawing import DrawingEngine
from slp.reference.boxes import Geometry
from slp.reference.derivations import DerivedTrees, draw_choices
from slp.reference.local_process import goals_below
from slp.runner import IslandStepper, Schedule, Weighted, never


class Island(DerivedTrees, IslandStepper):
    """A particle: the choices made, the goals (box and state) still open, and its log weight."""

    def __init__(self, problem, likelihood, n):
        of = (
            problem.grammar,
            Geometry(problem.grammar, problem.table),
            problem.program.constraints,
        )
        super().__init__(*of, likelihood=likelihood, particles=str(n))
        self.n = n

    def init(self, rng, stop=never):
        root = self.process.root
        weight = self.power * self.process.log_marginal(root.box, root.state)
        return [([], [(root.box, root.state)], weight)] * self.n

    def step(self, randomness, state, tally):
        weights = np.array([weight for _, _, weight in state])
        mean = np.logaddexp.reduce(weights) - log(self.n)
        cumulative = np.cumsum(np.exp(weights - mean)).tolist()
        drawn = [state[randomness.among(cumulative)] for _ in state]
        return [self.grown(randomness, *particle[:2], mean) for particle in drawn]

    def grown(self, randomness, choices, still_open, weight):
        if not still_open:
            return choices, still_open, weight
        goal = self.process.goal(*still_open[-1])
        if not goal.rules:  # a dead end
            return choices, [], -inf
        _, rule, split = draw_choices(randomness, goal)
        weight += goal.log_total + goal.rules[rule].log_total
        weight += self.power * self.process.log_gain(goal, rule, split)
        below = goals_below(goal, rule, split)
        return [*choices, [rule, split]], [*still_open[:-1], *reversed(below)], weight

    def done(self, state):
        return not any(still_open for _, still_open, _ in state)

    def draws(self, state):
        whole = [(c, w) for c, still_open, w in state if w > -inf and not still_open]
        holds, of = self.holds, self.derivation_from_data
        return [Weighted(c, w - log(self.n)) for c, w in whole if holds(of(c))]


@dataclass(frozen=True, kw_only=True)
class Options(DrawingOptions):
    """Options of the particle filter."""

    particles: int = option(100, "particles of each island", least=1)
    islands: int = option(8, "independent filters, which tell the error", least=1)


class ParticleFilter(DrawingEngine):
    """The engine."""

    name = "toy"
    title = "a top-down particle filter"
    gives = "estimates with their errors, the evidence too"
    refuses = "programs without a finite tree grammar"
    Options = Options

    def sampler(self, problem, options, likelihood, allow_code):
        return Island(problem, likelihood, options.particles)

    def schedule(self, sampler, problem, options, draws):
        return Schedule(options.islands if draws else 0, options.islands, warm_up=0, thin=None)


ENGINE = ParticleFilter()
