"""`TreesFound`: what results share whose trees were grown or searched, of `modal` and `search`."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from slp.budgets import Deadline
from slp.engines import modal
from slp.engines.contract import Request
from slp.problem.ambiguity import derivations_are_trees
from slp.problem.problem import Problem
from slp.results.record.evidence import evidence_note
from slp.results.record.result import Result
from slp.results.record.rule_use import RuleUse
from slp.trees import Tree


class TreesFound(Result):
    """Some trees of a problem, without any sum over all trees."""

    log_evidence = None

    def __init__(self, problem: Problem, request: Request, seed: int) -> None:
        grammar = problem.grammar
        super().__init__(
            problem.table,
            choice=request.choice,
            likelihood=request.likelihood,
            normalised=grammar.normalised and grammar.max_leaves is None,
            seed=seed,
        )
        self._problem = problem
        self._request = replace(request, progress=None, instead=None)

    def __getstate__(self) -> dict[str, Any]:
        """For pickles and copies: without what weighs other trees, which is made again."""
        kept = {name: value for name, value in vars(self).items() if name != "_scorer"}
        return {**kept, "_request": replace(self._request, deadline=Deadline())}

    @property
    def evidence_note(self) -> str | None:
        """See `Result`."""
        return evidence_note(self._problem.grammar, self._problem.program.constraints)

    def mixture(self) -> list[RuleUse]:
        """See `Result`: none are told."""
        return []

    @cached_property
    def derivations_are_trees(self) -> bool:
        """See `Result`."""
        return derivations_are_trees(self._problem.grammar)

    @cached_property
    def _scorer(self) -> Any:
        return modal.scorer_of(self._problem, self.likelihood)

    def log_weight(self, tree: Tree) -> float:
        """See `Result`."""
        return float(self._scorer.log_weight(tree))
