"""Engine `prolog`: Metropolis-Hastings over trees that SWI-Prolog proposes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slp.engines.mcmc.engine import ChainsOverTrees
from slp.engines.mcmc.options import TreeChainOptions
from slp.problem.problem import Problem
from slp.swipl import trees

if TYPE_CHECKING:
    from slp.results.drawn import TreeSampler


def _sampler(
    problem: Problem, options: TreeChainOptions, likelihood: bool, allow_code: bool
) -> TreeSampler[Any]:
    return trees.sampler(problem.program, problem.boxes, options, likelihood, allow_code)


ENGINE = ChainsOverTrees(
    "prolog",
    "Metropolis-Hastings over trees that SWI-Prolog proposes, which must be installed",
    _sampler,
    in_core=False,
    needs_grammar=False,
    refuses="constraints that are decided at a split or a leaf, `edittree`, `missing(side)`, "
    "guards on thresholds under the measure `range`, the proposal q_exact",
)
