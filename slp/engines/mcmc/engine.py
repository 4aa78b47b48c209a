"""Engine `mh`: Metropolis-Hastings over derivations of trees, or over edits of a given tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from slp.engines import mcmc
from slp.engines.contract import Request
from slp.engines.mcmc.options import TreeChainOptions
from slp.errors import Diagnostic
from slp.ir.program import Program
from slp.ir.tree_grammar import TreeGrammar
from slp.problem.boxes import Geometry
from slp.problem.problem import Problem
from slp.results.posterior import Posterior

if TYPE_CHECKING:
    from slp.results.sampled_posterior import TreeSampler

__all__ = ["ENGINE", "ChainsOverTrees", "MakeSampler"]

#: What chains run, of a program and its grammar on a table, with options; with or without
#: likelihood, and whether the program's code may run.
MakeSampler: TypeAlias = Callable[
    [Program, TreeGrammar, Geometry, Any, bool, bool], "TreeSampler[Any]"
]


@dataclass(frozen=True)
class ChainsOverTrees:
    """An engine (`slp.engines.contract.Engine`) made of what its chains run.

    `in_core` : whether they run in the compiled core wherever predicates and edits let them.
    `needs_grammar` : see `Engine`.
    """

    name: str
    title: str
    sampler: MakeSampler
    in_core: bool
    refuses: str
    needs_grammar: bool = True
    gives: str = "estimates with their errors, by draws; no evidence"
    Options: type[Any] = TreeChainOptions

    def refusal(self, problem: Problem, options: TreeChainOptions) -> tuple[Diagnostic, ...]:
        """See `Engine`: what it refuses is found when chains are made."""
        return ()

    def run(self, problem: Problem, request: Request, options: TreeChainOptions) -> Posterior:
        """See `Engine`, and `slp.engines.mcmc.sample.sample_posterior`."""
        return mcmc.sample_posterior(self, problem, request, options)


def _tree_sampler(
    program: Program,
    grammar: TreeGrammar,
    boxes: Geometry,
    options: TreeChainOptions,
    likelihood: bool,
    allow_code: bool,
) -> TreeSampler[Any]:
    return mcmc.tree_sampler(program, grammar, boxes, options, likelihood)


ENGINE = ChainsOverTrees(
    "mh",
    "Metropolis-Hastings over derivations of trees",
    _tree_sampler,
    in_core=True,
    refuses="nothing but proposals that a program cannot take, which the message names",
)
