"""Engine `prolog`: Metropolis-Hastings over trees that SWI-Prolog proposes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from slp.engines.mcmc.engine import ChainsOverTrees
from slp.engines.mcmc.options import TreeChainOptions
from slp.errors import Diagnostic
from slp.problem.problem import Problem
from slp.swipl import trees

if TYPE_CHECKING:
    from slp.results.record.sampler import TreeSampler


def _sampler(
    problem: Problem, options: TreeChainOptions, likelihood: bool, allow_code: bool
) -> TreeSampler[Any]:
    return trees.sampler(problem.program, problem.boxes, options, likelihood, allow_code)


def _find_refusals(problem: Problem, options: TreeChainOptions) -> Iterator[Diagnostic]:
    return trees.find_refusals(options)


ENGINE = ChainsOverTrees(
    "prolog",
    "Metropolis-Hastings over trees that SWI-Prolog proposes, which must be installed",
    _sampler,
    _find_refusals,
    in_core=False,
    needs_grammar=False,
    refuses="constraints that are decided at a split or a leaf, `edittree`, `missing(side)`, "
    "subsets of levels, names of ordered levels, guards on thresholds under the measure `range`, "
    "predicates named as those of the expansion, the proposal q_exact",
)
