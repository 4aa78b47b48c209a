"""`WeightsOfTrees`: what weighs any tree of a problem, for results of trees that were grown or
searched, of `modal` and `search`."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from slp.engines import modal
from slp.problem.problem import Problem
from slp.trees import Tree


class WeightsOfTrees:
    """The log weight of any tree: `log_weight` of a `slp.results.record.result.Result`."""

    def __init__(self, problem: Problem, likelihood: bool) -> None:
        self._of = problem, likelihood

    def __getstate__(self) -> dict[str, Any]:
        """For pickles and copies: without what weighs trees, which is made again."""
        return {"_of": self._of}

    @cached_property
    def _scorer(self) -> Any:
        return modal.scorer_of(*self._of)

    def __call__(self, tree: Tree) -> float:
        """Log weight under the program as written of all derivations that part the rows as `tree`
        does."""
        return float(self._scorer.log_weight(tree))
