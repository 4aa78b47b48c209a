"""Engine `search`: the best derivation, with a bound on what may be better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slp.engines import search
from slp.engines.contract import NoOptions, Request
from slp.errors import Diagnostic
from slp.problem.problem import Problem

if TYPE_CHECKING:
    from slp.results.result import Result

__all__ = ["ENGINE"]


@dataclass(frozen=True)
class _SearchEngine:
    """See the module."""

    name: str = "search"
    title: str = "the best tree, by best-first search, with a bound on how far from the best it is"
    gives: str = "the best trees, their log joints and upper bounds; no evidence"
    refuses: str = "constraints that are decided at the finished tree, `edittree`, predicates"
    needs_grammar: bool = True
    few_states: bool = True
    soft_trees: bool = False
    needs_weights: bool = True
    Options: type[Any] = NoOptions

    def refusal(self, problem: Problem, options: NoOptions) -> tuple[Diagnostic, ...]:
        """See `Engine`: E301."""
        return problem.unsummable

    def run(self, problem: Problem, request: Request, options: NoOptions) -> Result:
        """See `Engine`, and `slp.engines.search.run.run_search`."""
        return search.run_search(problem, request)


ENGINE = _SearchEngine()
