"""Engine `smc`: the top-down particle filter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slp.engines import smc
from slp.engines.contract import Engine, Request
from slp.engines.shared.core_limits import preferences_about_trees, why_not_of_one_prior
from slp.engines.smc.options import FilterLimits, FilterOptions
from slp.errors import Diagnostic
from slp.messages.inference import FILTER_OF_EDITS, FILTER_OF_PREDICATES
from slp.problem.problem import Problem
from slp.trees.predicates import asked_predicates

if TYPE_CHECKING:
    from slp.results.record.result import Result
    from slp.results.record.sampler import TreeSampler
    from slp.runner import Schedule


class _SMC(Engine[FilterOptions]):
    """See the module."""

    name = "smc"
    title = "a top-down particle filter over trees"
    gives = "estimates with their errors, by weighted draws; the evidence too"
    refuses = "programs without a finite tree grammar, `edittree`, predicates"
    Options = FilterOptions

    def refusal(self, problem: Problem, options: FilterOptions) -> tuple[Diagnostic, ...]:
        """See `Engine`: E536."""
        if problem.program.edits is not None:
            return (FILTER_OF_EDITS(),)
        if refused := preferences_about_trees(problem.program.constraints):
            return refused
        asked = asked_predicates(problem.program.constraints)
        return (FILTER_OF_PREDICATES(),) if asked else ()

    def outside_core(self, problem: Problem, options: FilterOptions) -> str | None:
        """See `Engine`."""
        return why_not_of_one_prior(problem)

    def run(self, problem: Problem, request: Request, options: FilterOptions) -> Result:
        """See `Engine`, and `slp.engines.smc.sample.run_filter`."""
        return smc.run_filter(self, problem, request, options)

    def sampler(
        self, problem: Problem, options: FilterLimits, likelihood: bool, allow_code: bool
    ) -> TreeSampler[Any]:
        """See `DrawingEngine`."""
        return smc.filter_sampler(problem, options, likelihood)

    def schedule(
        self, sampler: TreeSampler[Any], problem: Problem, options: FilterLimits, draws: int
    ) -> Schedule:
        """See `DrawingEngine`."""
        return smc.filter_schedule(options, draws)


ENGINE = _SMC()
