"""Engine `forward`: independent draws of a prior, by running the program forward.

Under `:- failure(backtrack).` a derivation that fails goes back. The engine then also takes the
posterior: each draw of the prior counts by its likelihood, and their mean is the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slp.engines import mcmc
from slp.engines.contract import Engine, NoOptions, Request
from slp.engines.mcmc.options import TreeChainOptions
from slp.errors import Diagnostic, UnsupportedError
from slp.messages.inference import FORWARD_IN_CORE, NOT_FORWARD, PRIOR_ALONE
from slp.problem.problem import Problem

if TYPE_CHECKING:
    from slp.results.record.result import Result
    from slp.results.record.sampler import TreeSampler
    from slp.runner import Schedule


#: Batches of draws that are weighed by their likelihoods; errors come from their spread.
_BATCHES = 50


class _Forward(Engine[NoOptions]):
    """See the module."""

    name = "forward"
    title = "independent draws of the prior, by running the program forward"
    gives = "estimates with their errors, by independent draws; evidence under backtracking"
    refuses = (
        "programs without a finite tree grammar, `edittree`; without `failure(backtrack)` also "
        "the posterior, predicates on nodes, weights at a choice that sum to more than 1, programs "
        "of which more than nine draws in ten fail, leaf models without `log_table`"
    )
    needs_weights = False
    Options = NoOptions

    def refusal(self, problem: Problem, options: NoOptions) -> tuple[Diagnostic, ...]:
        """See `Engine`: E533."""
        if mcmc.runs_forward(problem):
            return ()
        why = mcmc.why_not_in_core(problem.program.constraints, problem.table)
        return (NOT_FORWARD() if why is None else FORWARD_IN_CORE(why=why),)

    def run(self, problem: Problem, request: Request, options: NoOptions) -> Result:
        """See `Engine`.

        Raises
        ------
        UnsupportedError
            E533: the posterior was asked for.
        """
        backtracks = problem.grammar.backtracks
        if request.likelihood and not backtracks:
            raise UnsupportedError(PRIOR_ALONE())
        batches = min(_BATCHES, max(1, request.draws)) if request.likelihood else 1
        chains = TreeChainOptions(chains=batches, warmup=0, thin=1)
        return mcmc.run_chains(self, problem, request, chains, in_core=not backtracks)

    def sampler(
        self, problem: Problem, options: TreeChainOptions, likelihood: bool, allow_code: bool
    ) -> TreeSampler[Any]:
        """See `DrawingEngine`."""
        if problem.grammar.backtracks:
            return mcmc.backtracking_draws(problem, likelihood)
        return mcmc.forward_draws(problem)

    def schedule(
        self, sampler: TreeSampler[Any], problem: Problem, options: TreeChainOptions, draws: int
    ) -> Schedule:
        """See `DrawingEngine`."""
        return mcmc.chain_schedule(sampler, problem, options, draws)


ENGINE = _Forward()
