"""How much of a program's prior fails on a table, and how probable its constraints are.

A derivation of a program whose choices are probabilities fails with what the weights of all its
trees lack of 1. With Z the sum of the weights of all trees, constraints hold with the probability
Z / Z0, where Z0 is that of the program without them, and Z that of the program under
`failure(condition)`, which leaves all weights as they are. Sums tell it where they are short, else
the share of independent draws of the program without its constraints that the program has.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from slp.budgets import Deadline
from slp.engines import mcmc
from slp.engines.contract import NoOptions, Request
from slp.engines.registry import engine_named
from slp.engines.shared.size import rough_size
from slp.errors import BudgetError, SlpError
from slp.ir.program import COUNTING_MEASURES, CheckedProgram
from slp.problem.problem import Problem
from slp.results.record.choice import PRIOR_DRAWS, SUMS, EngineChoice
from slp.results.record.later import Later
from slp.results.record.prior_mass import DRAWS_WITHOUT, TRIVIAL, PriorMass
from slp.results.record.result import Result
from slp.trees.predicates import asked_predicates

#: Puts a program with other constraints on the table.
Vary: TypeAlias = Callable[[CheckedProgram], Problem]

#: The most seconds of one core that sums for it may take, by estimates.
_MOST_SECONDS = 0.5
#: The same for every engine and seed.
_SEED = 1
_SUMS = "the program sums up trees"

_AT_VALUES = "it differs with the value of a parameter, and one has a prior in place of a value"


def with_prior_mass(
    problem: Problem, request: Request, result: Result, vary: Vary | None = None
) -> Result:
    """The result, which then also tells how much of its prior fails. `vary` puts another program on
    the table; None where the problem can."""
    request = replace(request, progress=None, instead=None, likelihood=False, advise=False)
    found = _MassOfPrior(problem, request, result, vary or problem.varied)
    return replace(result, prior_mass=Later(found))


@dataclass(frozen=True, eq=False)
class _MassOfPrior:
    """Finds the `PriorMass` of a result."""

    problem: Problem
    request: Request
    result: Result
    vary: Vary

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickling and copying: without a deadline."""
        request = replace(self.request, deadline=Deadline(self.request.deadline.seconds))
        return _MassOfPrior, (self.problem, request, self.result, self.vary)

    def __call__(self) -> PriorMass:
        program = self.problem.program
        if program.soft or program.edits is not None or self.problem.grammar is None:
            return PriorMass()
        if program.unknown:
            constrained = any(not c.is_preference for c in program.constraints)
            return PriorMass(why_none=_AT_VALUES if constrained else "")
        if program.sum_of is not None:
            some = any(not c.is_preference for c in program.constraints)
            return PriorMass(why_none=_SUMS if some else "")
        with self.request.deadline.working():
            fails = None
            try:
                fails = self._fails()
                return replace(self._constraints(), fails=fails)
            except BudgetError:
                return PriorMass(fails, why_none="its sums do not fit")
            except SlpError as error:
                return PriorMass(fails, why_none=error.diagnostics[0].message)

    def _fails(self) -> float | None:
        """The probability that a derivation fails, where sums over the prior are at hand."""
        program, grammar = self.problem.program, self.problem.grammar
        if any(c.is_preference for c in program.constraints):
            return None  # what preferences cost is lost too
        proper = not program.weights and not program.measures & {*COUNTING_MEASURES}
        if not proper or grammar.backtracks or self.result.kind != "sums":
            return None
        total = self.result.evidence.log_prior_total()
        mass = 0.0 if total is None else -math.expm1(min(0.0, total))
        return mass if mass > TRIVIAL else None

    # --- constraints ---------------------------------------------------------------------------

    def _constraints(self) -> PriorMass:
        program = self.problem.program
        soft = tuple(c for c in program.constraints if c.is_preference)
        if len(soft) == len(program.constraints):
            return PriorMass()
        if asked_predicates(program.constraints):
            return PriorMass(why_none="the program has predicates in code")
        if any(constraint.by_predictions for constraint in program.constraints):
            return PriorMass(why_none="a constraint looks at the predictions of all leaves")
        free = self.vary(replace(program, constraints=soft))
        as_written = self.vary(replace(program, failure="condition"))
        if self._is_short(free) and self._is_short(as_written):
            log_share = self._log_total(as_written) - self._log_total(free)
            share = math.exp(min(0.0, log_share))
            return PriorMass() if share > 1 - TRIVIAL else PriorMass(None, share, 0.0, "exact")
        return self._by_draws(free)

    def _is_short(self, problem: Problem) -> bool:
        if problem.unsummable or problem.grammar.backtracks:
            return False
        size = rough_size(problem)
        if size is None:
            return False
        return size.seconds <= _MOST_SECONDS and size.fits(self.request.memory / 8)

    def _log_total(self, problem: Problem) -> float:
        request = replace(self.request, choice=EngineChoice(SUMS, "its sums are short"))
        found = engine_named(SUMS).run(problem, request, NoOptions()).evidence.log_prior_total()
        assert found is not None
        return found

    def _by_draws(self, free: Problem) -> PriorMass:
        if not mcmc.runs_forward(free):
            return PriorMass(why_none="the program without its constraints cannot be drawn")
        choice = EngineChoice(PRIOR_DRAWS, "sums would take long")
        request = replace(self.request, choice=choice, draws=DRAWS_WITHOUT, seed=_SEED)
        drawn = engine_named(PRIOR_DRAWS).run(free, request, NoOptions()).draws()
        weights = [self.result.log_weight(draw.tree) for draw in drawn]
        if not weights or any(map(math.isnan, weights)):
            return PriorMass(why_none="the weights of trees are not known")
        n, k = len(weights), sum(weight > -math.inf for weight in weights)
        mean = (k + 1) / (n + 2)  # of Beta(k + 1, n - k + 1), as for the use of features
        return PriorMass(None, k / n, math.sqrt(mean * (1 - mean) / (n + 3)), "estimate")
