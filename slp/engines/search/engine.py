"""Engine `search`: the best derivation, with a bound on what may be better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slp.engines import search
from slp.engines.contract import Engine, NoOptions, Request
from slp.engines.shared.core_limits import why_not_of_one_prior
from slp.errors import Diagnostic
from slp.problem.problem import Problem

if TYPE_CHECKING:
    from slp.results.record.result import Result

__all__ = ["ENGINE"]


class _SearchEngine(Engine[NoOptions]):
    """See the module."""

    name = "search"
    title = "the best tree, by best-first search, with a bound on how far from the best it is"
    gives = "the best trees, their log joints and upper bounds; no evidence"
    refuses = (
        "programs without a finite tree grammar, constraints that only the finished tree decides, "
        "predicates, `edittree`"
    )
    few_states = True
    Options = NoOptions

    def refusal(self, problem: Problem, options: NoOptions) -> tuple[Diagnostic, ...]:
        """See `Engine`: E301."""
        return problem.unsummable

    def outside_core(self, problem: Problem, options: NoOptions) -> str | None:
        """See `Engine`."""
        return why_not_of_one_prior(problem)

    def run(self, problem: Problem, request: Request, options: NoOptions) -> Result:
        """See `Engine`, and `slp.engines.search.run.run_search`."""
        return search.run_search(problem, request)


ENGINE = _SearchEngine()
