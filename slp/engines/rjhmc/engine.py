"""Engine `rjhmc`: reversible-jump Hamiltonian Monte Carlo over soft trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slp.engines import rjhmc
from slp.engines.contract import Engine, Request
from slp.engines.rjhmc.options import SoftTreeOptions
from slp.engines.rjhmc.refusals import find_refusals
from slp.errors import Diagnostic
from slp.leaves import OF_CLASSES, OF_SOFT_TREES
from slp.problem.problem import Problem

if TYPE_CHECKING:
    from slp.results.record.result import Result
    from slp.results.record.sampler import TreeSampler
    from slp.runner import Schedule


class _ReversibleJump(Engine[SoftTreeOptions]):
    """See the module."""

    name = "rjhmc"
    title = "reversible-jump Hamiltonian Monte Carlo over soft trees"
    gives = "estimates with their errors, by draws of soft trees; no evidence"
    refuses = (
        "programs without a finite tree grammar or a width `h` of gates, measures other than "
        "`range`, guards on thresholds or rows, states with several rules of a kind or that call "
        "others, `min_leaf`, `min_weight`, constraints on thresholds, on rows or on finished trees "
        "(but for the number of leaves), predicates, `edittree`, leaf models other than "
        f"`{OF_SOFT_TREES.name}` and `{OF_CLASSES.name}`, features that are no numbers, or cut or "
        "binned, constraints on features "
        "with `index=soft`"
    )
    few_states = True
    soft_trees = True
    Options = SoftTreeOptions

    def refusal(self, problem: Problem, options: SoftTreeOptions) -> tuple[Diagnostic, ...]:
        """See `Engine`: E539."""
        return tuple(find_refusals(problem, options))

    def run(self, problem: Problem, request: Request, options: SoftTreeOptions) -> Result:
        """See `Engine`, and `slp.engines.rjhmc.run.run_soft_trees`."""
        return rjhmc.run_soft_trees(self, problem, request, options)

    def sampler(
        self, problem: Problem, options: SoftTreeOptions, likelihood: bool, allow_code: bool
    ) -> TreeSampler[Any]:
        """See `DrawingEngine`."""
        return rjhmc.SoftChains(problem, options, likelihood)

    def schedule(
        self, sampler: TreeSampler[Any], problem: Problem, options: SoftTreeOptions, draws: int
    ) -> Schedule:
        """See `DrawingEngine`."""
        return rjhmc.schedule_of(options, problem.table, draws)


ENGINE = _ReversibleJump()
