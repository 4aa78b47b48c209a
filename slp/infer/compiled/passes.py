"""Passes of the compiled engine over all items, run when asked for, and the budget they keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import BudgetError, Diagnostic
from slp.infer.compiled.problem import core_problem
from slp.infer.memory import format_bytes
from slp.ir.tree_grammar import TreeGrammar
from slp.kernels.exact import N_CORES, exact_kernels

__all__ = ["Passes", "Quantity"]

Progress: TypeAlias = Callable[[int, str], None]
Quantity: TypeAlias = Literal["total", "best", "count", "feature_use", "leaf_number", "tree_depth"]

# The order of the core's enumerations.
_QUANTITIES: tuple[Quantity, ...] = (
    "total",
    "best",
    "count",
    "feature_use",
    "leaf_number",
    "tree_depth",
)
_DONE, _STOPPED, _OUT_OF_BUDGET, _OUT_OF_RANGE = range(4)

_WORDS: dict[Quantity, str] = {
    "total": "summing over all trees",
    "best": "finding the best tree",
    "count": "counting trees",
    "feature_use": "following the features",
    "leaf_number": "counting leaves",
    "tree_depth": "measuring depth",
}
_WHAT_WOULD_FIT = (
    "fewer cuts (`:- feature(_, [bins(quantile, 5)]).`), "
    "shallower trees (`:- support(max_depth(4)).`), "
    "larger leaves (`:- support(min_leaf(10)).`), or more memory"
)


class Passes:
    """All passes over one grammar on one table.

    Attributes
    ----------
    n_owed : K, the number of product states of a state (1 where leaves are not counted).
    """

    def __init__(
        self,
        grammar: TreeGrammar,
        table: Table,
        memory: int,
        progress: Progress | None = None,
        threads: int = N_CORES,
    ) -> None:
        core = exact_kernels()
        assert core is not None
        self.engine: Any = core.ExactEngine(core_problem(core, grammar, table))
        self._memory, self._progress, self._threads = memory, progress, threads
        self._kept: dict[tuple[Quantity, bool], Any] = {}

    def get(self, quantity: Quantity, likelihood: bool) -> Any:
        """The pass that computes a quantity with or without likelihood; run once, and kept.

        Raises
        ------
        BudgetError
            It would need more memory than there is for it (E501).
        """
        key = (quantity, likelihood)
        if key not in self._kept:
            self._kept[key] = self._run(quantity, likelihood, 0)
        return self._kept[key]

    def vector(self, quantity: Quantity, likelihood: bool, length: int = 0) -> NDArray[np.float64]:
        """The root's vector of a quantity; what else the pass found is given up again."""
        return np.asarray(self.engine.root_vector(self._run(quantity, likelihood, length)))

    def _run(self, quantity: Quantity, likelihood: bool, length: int) -> Any:
        """Doubles first, numbers with exponents where those do not reach."""
        kept = sum(p.statistics()["bytes"] for p in self._kept.values())
        left = max(0, self._memory - kept)
        for scaled in (False, True):
            done = self.engine.make_pass(
                _QUANTITIES.index(quantity), likelihood, scaled, length, left, self._threads
            )
            status = done.run(self._reporter(quantity))
            if self._progress is not None:
                items = done.statistics()["items"]
                self._progress(items, f"{_WORDS[quantity]}, done")
            if status == _OUT_OF_BUDGET:
                raise self._over_budget(quantity, done.statistics(), kept)
            if status == _DONE:
                break
        return done

    def _reporter(self, quantity: Quantity) -> Callable[[int, int, int], None] | None:
        report = self._progress
        if report is None:
            return None
        return lambda items, edges, size: report(
            items, f"{_WORDS[quantity]}, {edges:,} splits, {format_bytes(size)}"
        )

    def _over_budget(
        self, quantity: Quantity, statistics: dict[str, int], kept: int
    ) -> BudgetError:
        message = (
            f"the exact engine used up its memory of {format_bytes(self._memory)} "
            f"{_WORDS[quantity]}: {statistics['items']:,} boxes are done"
        )
        if kept:
            message += f", and {format_bytes(kept)} hold what was computed before"
        return BudgetError(Diagnostic("E501", message, help=_WHAT_WOULD_FIT))
