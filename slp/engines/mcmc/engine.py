"""Engine `mh`: Metropolis-Hastings over derivations of trees, or over edits of a given tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from slp.engines import mcmc
from slp.engines.contract import Request
from slp.engines.mcmc.options import TreeChainOptions
from slp.errors import Diagnostic
from slp.problem.problem import Problem

if TYPE_CHECKING:
    from slp.results.record.result import Result
    from slp.results.record.sampler import TreeSampler
    from slp.runner import Schedule

#: Makes the chains for a problem with options, with or without likelihood, and with or without
#: permission to run the program's code.
MakeSampler: TypeAlias = Callable[[Problem, Any, bool, bool], "TreeSampler[Any]"]

#: What is refused of options for a problem.
FindRefusals: TypeAlias = Callable[[Problem, Any], Iterable[Diagnostic]]


@dataclass(frozen=True)
class ChainsOverTrees:
    """An engine (`slp.engines.shared.drawing.DrawingEngine`) made from a function that makes its
    chains and one that finds what it refuses.

    `in_core` : whether they run in the compiled core where predicates and edits allow it.
    `needs_grammar`, `few_states`, `soft_trees`, `needs_weights`, `takes_unknown`,
    `refuses_options` : see `Engine`.
    """

    name: str
    title: str
    make: MakeSampler
    find_refusals: FindRefusals
    in_core: bool
    refuses: str
    needs_grammar: bool = True
    few_states: bool = False
    soft_trees: bool = False
    needs_weights: bool = True
    takes_unknown: bool = False
    refuses_options: bool = True
    gives: str = "estimates with their errors, by draws; the evidence where chains are tempered"
    Options: type[Any] = TreeChainOptions

    def refusal(self, problem: Problem, options: TreeChainOptions) -> tuple[Diagnostic, ...]:
        """See `Engine`."""
        return tuple(dict.fromkeys(self.find_refusals(problem, options)))

    def outside_core(self, problem: Problem, options: TreeChainOptions) -> str | None:
        """See `Engine`."""
        return mcmc.outside_core(problem, options) if self.in_core else None

    def run(self, problem: Problem, request: Request, options: TreeChainOptions) -> Result:
        """See `Engine`, and `slp.engines.mcmc.sample.run_chains`."""
        return mcmc.run_chains(self, problem, request, options, self.in_core)

    def sampler(
        self, problem: Problem, options: TreeChainOptions, likelihood: bool, allow_code: bool
    ) -> TreeSampler[Any]:
        """See `DrawingEngine`."""
        return self.make(problem, options, likelihood, allow_code)

    def schedule(
        self, sampler: TreeSampler[Any], problem: Problem, options: TreeChainOptions, draws: int
    ) -> Schedule:
        """See `DrawingEngine`: from the options, else from `default_steps`."""
        return mcmc.chain_schedule(sampler, problem, options, draws)


def _tree_sampler(
    problem: Problem, options: TreeChainOptions, likelihood: bool, allow_code: bool
) -> TreeSampler[Any]:
    return mcmc.tree_sampler(problem, options, likelihood)


def _find_refusals(problem: Problem, options: TreeChainOptions) -> Iterable[Diagnostic]:
    return mcmc.find_refusals(problem, options)


ENGINE = ChainsOverTrees(
    "mh",
    "Metropolis-Hastings over derivations of trees",
    _tree_sampler,
    _find_refusals,
    in_core=True,
    takes_unknown=True,
    needs_weights=False,
    refuses="programs without a finite tree grammar, proposals that a program cannot take, `start` "
    "under `edittree`, `rungs` under `failure(backtrack)`, parameters and feature weights that "
    "have a prior where the weights of trees do not sum to 1",
)
