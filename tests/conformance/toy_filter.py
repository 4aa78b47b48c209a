"""A top-down particle filter, explained in docs/adding-an-engine.md."""

from collections import Counter
from dataclasses import dataclass
from math import inf, log

import numpy as np

from slp.engines.contract import DrawingOptions, option
from slp.engines.drawing import draw
from slp.engines.mcmc.records import RecordsOf
from slp.engines.mcmc.trees import MetropolisHastings
from slp.problem.local_process import goals_below
from slp.runner import Info, Schedule, Weighted, never
from slp.runner.randomness import RandomNumbers


class Island(RecordsOf[MetropolisHastings]):
    """A particle: the choices made, the goals (box and state) still open, and its log weight."""

    longest_block = 1

    def __init__(self, base, n):
        super().__init__(base)
        self.n, self.identity = n, {**base.identity, "particles": str(n)}

    def init(self, rng, stop=never):
        root, target = self.base.process.root, self.base.target
        start = target.power * self.base.process.log_marginal(root.box)
        return [([], [(root.box, root.state)], start)] * self.n

    def advance(self, rng, state, n, phase):
        weights = np.array([weight for _, _, weight in state])
        mean = np.logaddexp.reduce(weights) - log(self.n)
        if mean == -inf:
            return [(choices, [], weight) for choices, _, weight in state], Info(Counter())
        drawn = rng.choice(self.n, self.n, p=np.exp(weights - mean) / self.n)
        return [self.grown(rng, *state[i][:2], mean) for i in drawn], Info(Counter())

    def grown(self, rng, choices, still_open, weight):
        if not still_open:
            return choices, still_open, weight
        process, random = self.base.process, RandomNumbers(rng)
        goal = process.goal(*still_open[-1])
        if not goal.rules:  # a dead end
            return choices, [], -inf
        taken = random.among(goal.cumulative)
        rule = goal.rules[taken]
        split = random.among(rule.cumulative) if rule.splits else -1
        below = goals_below(goal, taken, split)
        weight += goal.log_total + rule.log_total
        if split >= 0:
            gain = sum(process.log_marginal(box) for box, _ in below)
            weight += self.base.target.power * (gain - process.log_marginal(goal.box))
        return [*choices, [taken, split]], [*still_open[:-1], *reversed(below)], weight

    def done(self, state):
        return not any(still_open for _, still_open, _ in state)

    def draws(self, state):
        whole = [(c, w) for c, still_open, w in state if w > -inf and not still_open]
        holds = self.base.target.holds
        of = self.base.derivation_from_data
        return [Weighted(c, w - log(self.n)) for c, w in whole if holds(of(c))]

    def dump(self, state):
        return state

    def load(self, data):
        return data


@dataclass(frozen=True, kw_only=True)
class Options(DrawingOptions):
    """Options of the particle filter."""

    particles: int = option(100, "particles of each island", least=1)
    islands: int = option(8, "independent filters, which tell the error", least=1)


@dataclass(frozen=True)
class ParticleFilter:
    """The engine."""

    name: str = "toy"
    title: str = "a top-down particle filter"
    gives: str = "estimates with their errors, the evidence too"
    refuses: str = "programs without a finite tree grammar"
    needs_grammar: bool = True
    few_states: bool = False
    soft_trees: bool = False
    needs_weights: bool = True
    Options: type = Options

    def refusal(self, problem, options):
        return ()

    def run(self, problem, request, options):
        return draw(self, problem, request, options, room=request.memory)

    def sampler(self, problem, options, likelihood, allow_code):
        own = problem.program.constraints
        base = MetropolisHastings(problem.grammar, problem.boxes, own, likelihood=likelihood)
        return Island(base, options.particles)

    def schedule(self, sampler, problem, options, draws):
        return Schedule(options.islands if draws else 0, options.islands, warm_up=0, thin=None)


ENGINE = ParticleFilter()
