"""How probable it is under the prior that a tree splits on a feature: what stands beside the same
of a posterior, whichever engine made that.

A feature that is used with probability 0.94 says nothing where its prior says 0.95. The prior's
sums are as exact as they are long, so they are made where they take at most a tenth of the
summary's work, by estimates and never by the clock; else independent draws of the prior answer:
those of the engine `forward`, or of sums where these are there and no draws can be made forward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from slp.budgets import Deadline
from slp.engines import mcmc
from slp.engines.contract import NoOptions, Request
from slp.engines.registry import engine_named
from slp.engines.shared.size import rough_size
from slp.errors import BudgetError, SlpError, SlpWarning
from slp.problem.parameter_nodes import ParameterNodes
from slp.problem.problem import Problem
from slp.results.record.choice import DRAWS, PRIOR_DRAWS, SUMS, TREE_SUMS, EngineChoice
from slp.results.record.later import Later
from slp.results.record.prior_uses import PRIOR_DRAWS_BESIDE, PriorUses
from slp.results.record.result import Result
from slp.trees.predicates import asked_predicates

#: The most of a summary's work that the prior's sums may take.
_MOST_SHARE = 0.1
#: Approximate seconds of one core of a summary beside its engine: to start, to read program and
#: table, and to print.
_BESIDE_ENGINE = 1.0

#: The nodes of the rule for each parameter that has a prior: draws need no more.
_NODES = 8
#: The same for every engine and seed: summaries of exact sums depend on no seed.
_SEED = 1

#: Sweeps of chains over the prior of sums, before the first draw and for each.
_PRIOR_SWEEPS, _PRIOR_THIN = 100, 5

_SOFT = "trees are soft"
_EDITS = "trees are edits of a given one"
_NO_GRAMMAR = "the program has no finite tree grammar"
_CODE = "the program has predicates in code, which are not called for this"
_TIME = "its time was over"
_NOT_FORWARD = "independent draws of it are not possible, and its sums would take long"


def with_prior_uses(problem: Problem, request: Request, result: Result) -> Result:
    """The result of a posterior, which then also tells the prior's use of features, and, of a
    sampler, draws the prior independently where that is possible."""
    if not result.likelihood:
        return result
    request = replace(request, progress=None, instead=None)
    beside = _UsesUnderPrior(problem, request, result)
    drawn = beside.drawn_prior if result.kind == "trees" else None
    return replace(result, prior_uses=Later(beside), drawn_prior=drawn)


@dataclass(frozen=True, eq=False)
class _UsesUnderPrior:
    """Finds `PriorUses` of what a result is the posterior of."""

    problem: Problem
    request: Request
    result: Result

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickling and copying: without a deadline."""
        request = replace(self.request, deadline=Deadline(self.request.deadline.seconds))
        return _UsesUnderPrior, (self.problem, request, self.result)

    def __call__(self) -> PriorUses:
        why = self._why_not()
        if why is not None:
            return PriorUses.not_known(why)
        with self.request.deadline.working():
            try:
                if self.result.kind == "additive":
                    return self._by_chains()
                return self._by_sums() if self._sums_are_short() else self._by_draws()
            except BudgetError:
                return PriorUses.not_known("its sums do not fit")
            except SlpError as error:
                return PriorUses.not_known(error.diagnostics[0].message)

    def _why_not(self) -> str | None:
        """Why neither sums nor independent draws are made; None where they may be."""
        program = self.problem.program
        if program.soft or self.result.kind == "soft":
            return _SOFT
        if program.edits is not None:
            return _EDITS
        if not engine_named(self.result.choice.engine).needs_grammar:
            return _NO_GRAMMAR
        if asked_predicates(program.constraints):
            return _CODE
        return _TIME if self.request.deadline.over() else None

    # --- sums ----------------------------------------------------------------------------------

    def _sums_are_short(self) -> bool:
        """Whether sums over the prior take at most a tenth of the summary, by estimates: they take
        as long as those over the posterior."""
        problem = self.problem
        if problem.unsummable or problem.grammar.backtracks or problem.program.unknown:
            return False
        size = self.result.choice.size or rough_size(problem)
        if size is None:
            return False
        of_engine = size.seconds if self.result.kind == "sums" else self._seconds_of_steps()
        most = _MOST_SHARE * (_BESIDE_ENGINE + of_engine)
        return size.seconds <= most and size.fits(self.request.memory / 8)

    def _seconds_of_steps(self) -> float:
        """Approximate seconds of one core of the steps of chains; 0 of other engines."""
        found = self.result.diagnostics()
        if found is None:
            return 0.0
        steps = float(sum(sum(counts.values()) for counts in found.moves.values()))
        if found.tempering is not None:  # what was counted are the steps of one rung of each ladder
            ladders = found.tempering.ladders
            steps *= sum(len(ladder.powers) for ladder in ladders) / len(ladders)
        return steps * mcmc.seconds_of_step(mcmc.forward_draws(self.problem), self.problem.grammar)

    def _by_sums(self) -> PriorUses:
        usage, drawn = self._summed_prior().summary(lambda averages: averages.usage())
        if drawn is not None:  # sums so short end before their time, or it was over
            return PriorUses.not_known(_TIME)
        return PriorUses.exact(np.minimum(usage, 1.0).tolist())

    def _summed_prior(self) -> Result:
        """The prior by sums: with those of the posterior, where this has some."""
        if self.result.kind == "sums":
            return self.result.prior()
        choice = EngineChoice(SUMS, "sums over the prior are short")
        request = replace(self.request, likelihood=False, choice=choice, advise=False)
        return engine_named(SUMS).run(self.problem, request, NoOptions())

    def _by_chains(self) -> PriorUses:
        """Of sums of trees: by chains over the prior, whose sweeps draw many trees each."""
        choice = EngineChoice(TREE_SUMS, "beside the posterior")
        request = replace(
            self.request,
            likelihood=False,
            choice=choice,
            draws=PRIOR_DRAWS_BESIDE,
            seed=_SEED,
            advise=False,
        )
        engine = engine_named(TREE_SUMS)
        options = engine.Options(warmup=_PRIOR_SWEEPS, thin=_PRIOR_THIN)
        with catch_warnings():
            simplefilter("ignore", SlpWarning)  # errors say how far chains have come
            drawn = engine.run(self.problem, request, options).averages.drawn
        if drawn is None or not np.isfinite(error := drawn.usage_error()).all():
            return PriorUses.not_known(_TIME)
        usage = np.clip(drawn.usage(), 0.0, 1.0)
        numbers = tuple(usage.tolist()), tuple(error.tolist())
        return PriorUses(*numbers, PRIOR_DRAWS_BESIDE, by_chains=True)

    # --- draws ---------------------------------------------------------------------------------

    def drawn_prior(self) -> Result | None:
        """As many independent draws of the prior as were asked for; None where none are made."""
        unknown = self.problem.program.unknown
        if unknown or self._why_not() is not None or not mcmc.runs_forward(self.problem):
            return None
        choice = EngineChoice(PRIOR_DRAWS, "independent draws of the prior are possible")
        request = replace(self.request, likelihood=False, choice=choice, advise=False)
        engine = engine_named(PRIOR_DRAWS)
        return engine.run(self.problem, request, engine.Options())

    def _by_draws(self) -> PriorUses:
        rng = np.random.default_rng(_SEED)
        if self.problem.program.weights_prior is not None:
            engine: Any = engine_named(DRAWS)
            chains = engine.sampler(self.problem, engine.Options(rungs=1), False, False)
            return self._counted(lambda: chains.features_of(chains.drawn(rng)))
        if mcmc.runs_forward(self.problem):
            forward: Any = engine_named(PRIOR_DRAWS)
            chances, problems = self._at_nodes()
            samplers = [forward.sampler(own, NoOptions(), False, False) for own in problems]

            def draw() -> NDArray[np.int64]:
                sampler = samplers[int(rng.choice(len(samplers), p=chances))]
                found: NDArray[np.int64] = sampler.features_of(sampler.init(rng))
                return found

            return self._counted(draw)
        if self.result.kind != "sums":
            return PriorUses.not_known(_NOT_FORWARD)
        trees = iter(self._summed_prior().sample(PRIOR_DRAWS_BESIDE, rng))
        numbers = {name: f for f, name in enumerate(self.problem.table.feature_names)}
        return self._counted(lambda: [numbers[name] for name in next(trees).features])

    def _at_nodes(self) -> tuple[NDArray[np.float64], list[Problem]]:
        """The problem; where parameters have a prior, those at nodes of a rule for them, and with
        which probability each is drawn."""
        if not self.problem.program.unknown:
            return np.ones(1), [self.problem]
        nodes = ParameterNodes.of(self.problem.program, _NODES)
        return np.exp(nodes.log_weights), list(nodes.problems(self.problem))

    def _counted(self, draw: Callable[[], Sequence[int] | NDArray[np.int64]]) -> PriorUses:
        """From draws of the features that a tree splits on."""
        counts = np.zeros(len(self.problem.table.features), np.int64)
        for _ in range(PRIOR_DRAWS_BESIDE):
            if self.request.deadline.over():
                return PriorUses.not_known(_TIME)
            counts[np.unique(np.asarray(draw(), np.int64))] += 1
        return PriorUses.drawn(counts.tolist(), PRIOR_DRAWS_BESIDE)
