"""Engine `additive`: sums of trees by Bayesian backfitting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slp.engines import additive
from slp.engines.additive.options import SumOptions
from slp.engines.additive.refusals import find_refusals
from slp.engines.contract import Engine, Request
from slp.errors import Diagnostic
from slp.problem.core import beyond_core
from slp.problem.problem import Problem

if TYPE_CHECKING:
    from slp.results.record.result import Result
    from slp.results.record.sampler import TreeSampler
    from slp.runner import Schedule


class _Additive(Engine[SumOptions]):
    """See the module."""

    name = "additive"
    title = "sums of trees (`:- trees(M).`) by Bayesian backfitting"
    gives = "estimates with their errors, by draws of sums; no evidence, no best tree"
    refuses = (
        "programs of one tree, programs without a finite tree grammar, `edittree`, "
        "failure(backtrack), `majority`, predicates in code, preferences about finished trees, "
        "responses other than numbers and two classes, parts of rows of classes"
    )
    few_states = True
    Options = SumOptions

    def refusal(self, problem: Problem, options: SumOptions) -> tuple[Diagnostic, ...]:
        """See `Engine`: E577."""
        return tuple(find_refusals(problem))

    def outside_core(self, problem: Problem, options: SumOptions) -> str | None:
        """See `Engine`."""
        return beyond_core(problem.table)

    def run(self, problem: Problem, request: Request, options: SumOptions) -> Result:
        """See `Engine`, and `slp.engines.additive.run.run_sums`."""
        return additive.run_sums(self, problem, request, options)

    def sampler(
        self, problem: Problem, options: SumOptions, likelihood: bool, allow_code: bool
    ) -> TreeSampler[Any]:
        """See `DrawingEngine`."""
        return additive.sampler_of(problem, options, likelihood)

    def schedule(
        self, sampler: TreeSampler[Any], problem: Problem, options: SumOptions, draws: int
    ) -> Schedule:
        """See `DrawingEngine`."""
        return additive.schedule_of(options, draws)


ENGINE = _Additive()
