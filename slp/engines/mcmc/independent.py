"""Engine `forward`: independent draws of a prior, by running the program forward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slp.engines import mcmc
from slp.engines.contract import NoOptions, Request
from slp.engines.mcmc.options import TreeChainOptions
from slp.errors import Diagnostic, UnsupportedError
from slp.ir.program import Program
from slp.ir.tree_grammar import TreeGrammar
from slp.messages.inference import NOT_FORWARD, PRIOR_ALONE
from slp.problem.boxes import Geometry
from slp.problem.problem import Problem
from slp.results.posterior import Posterior

if TYPE_CHECKING:
    from slp.results.sampled_posterior import TreeSampler

__all__ = ["ENGINE"]


@dataclass(frozen=True)
class _Forward:
    """See the module."""

    name: str = "forward"
    title: str = "independent draws of the prior, by running the program forward"
    gives: str = "estimates with their errors, by independent draws; no evidence"
    refuses: str = "the posterior; programs in which weights at a choice sum to more than 1"
    needs_grammar: bool = True
    in_core: bool = True
    Options: type[Any] = NoOptions

    def refusal(self, problem: Problem, options: NoOptions) -> tuple[Diagnostic, ...]:
        """See `Engine`: E533."""
        return () if mcmc.runs_forward(problem) else (NOT_FORWARD(),)

    def run(self, problem: Problem, request: Request, options: NoOptions) -> Posterior:
        """See `Engine`.

        Raises
        ------
        UnsupportedError
            E533: the posterior is asked for.
        """
        if request.likelihood:
            raise UnsupportedError(PRIOR_ALONE())
        return mcmc.sample_posterior(
            self, problem, request, TreeChainOptions(chains=1, warmup=0, thin=1)
        )

    def sampler(
        self,
        program: Program,
        grammar: TreeGrammar,
        boxes: Geometry,
        options: TreeChainOptions,
        likelihood: bool,
        allow_code: bool,
    ) -> TreeSampler[Any]:
        """What is run: see `slp.engines.mcmc.engine.MakeSampler`."""
        return mcmc.forward_draws(program, grammar, boxes)


ENGINE = _Forward()
