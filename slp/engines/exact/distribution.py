"""`CompiledChart`: the exact distribution over trees, computed by the C++ core.

Each quantity takes one pass over all items, run on first use:

    log_total                 sum (the evidence's numerator with likelihood, the normaliser without)
    tree_count, best          count, maximum; the k best are followed from the root down
    draw                      from the sum, opening the items on the way
    predictions, leaf_mixtures
                              from the sum, all rows together down the items that they may visit
    outside, expected_splits  from the sum, down all items, once for both
    leave_out                 from the sum, down all items, and from that of the prior
    usage                     a sum without each feature
    leaf and depth distribution
                              passes of vectors, doubled until the rest is negligible
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slp.budgets.seconds import Deadline
from slp.data.table import Table
from slp.engines.contract import Progress
from slp.engines.exact.draws import DrawsFromSums, tree_of_steps
from slp.engines.exact.items import CALL, Items
from slp.engines.exact.outside import Outside, outside_sums
from slp.engines.exact.passes import Keep, Passes, PassQuantity
from slp.engines.exact.rows import SumsOfRows
from slp.engines.shared.fitting import Room
from slp.engines.shared.kbest import KBest
from slp.engines.shared.near_best import near_best
from slp.engines.shared.tree_scorer import TreeScorer
from slp.ir.tree_grammar import TreeGrammar
from slp.kernels.compiled import N_CORES, compiled_core
from slp.problem.ambiguity import derivations_are_trees
from slp.problem.core import core_problem
from slp.results.averages.left_out import HeldRows, LeftOut
from slp.results.averages.over_trees import (
    NEGLIGIBLE,
    ScoredTree,
    ScoredTrees,
)
from slp.results.averages.paths import TreePath
from slp.trees import Tree

if TYPE_CHECKING:
    from slp._core import ExactEngine

#: The most that log p(y_i | the others) and the least log q may differ so that leaves too small for
#: a double, exp(-708), add nothing: less than exp(-100) each.
_MOST_APART = 600.0

# Log of the share of a call below which the root's splits are not looked at.
_LEAST_SHARE = -35.0

# Approximate bytes of a drawn tree.
_BYTES_PER_NODE = 600

#: First length of the vectors of a distribution.
_FIRST_LENGTH = 16


class CompiledChart(SumsOfRows):
    """The distribution over trees of a grammar on a table (a `TreeDistribution`)."""

    def __init__(
        self,
        grammar: TreeGrammar,
        table: Table,
        likelihood: bool,
        passes: Passes,
        keep: Keep,
    ) -> None:
        self.grammar, self.table, self.likelihood = grammar, table, likelihood
        self.passes = passes
        self._keep: Keep = keep

    @classmethod
    def of(
        cls,
        grammar: TreeGrammar,
        table: Table,
        likelihood: bool,
        memory: int,
        progress: Progress | None = None,
        threads: int = N_CORES,
        *,
        deadline: Deadline | None = None,
        what_fits: Callable[[Room], str] | None = None,
        items_wanted: bool = True,
        engine: ExactEngine | None = None,
    ) -> CompiledChart:
        """A chart that keeps within `memory` bytes and the `deadline`. If a pass does not fit,
        `what_fits` finds changes that would.

        `items_wanted`: whether more than the evidence is wanted, so that its pass should keep the
        value of every item. `engine`: see `Passes`.

        Raises
        ------
        BudgetError
            From every method that needs a pass: it would take more memory (E501) or time (E540).
        """
        of = (grammar, table, memory, progress, threads, deadline, what_fits, engine)
        passes = Passes(*of)
        return cls(grammar, table, likelihood, passes, "items" if items_wanted else "blocks")

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: without objects of the core."""
        inside = ("_k_best", "_best_items", "_total_items", "_scorer")
        return {name: value for name, value in vars(self).items() if name not in inside}

    def other(self, likelihood: bool) -> CompiledChart:
        """The same trees with or without likelihood."""
        if likelihood == self.likelihood:
            return self
        return CompiledChart(self.grammar, self.table, likelihood, self.passes, "root")

    @cached_property
    def derivations_are_trees(self) -> bool:
        """Whether it is certain that no tree has two derivations."""
        return derivations_are_trees(self.grammar)

    @cached_property
    def log_total(self) -> float:
        """Log of the weight of all trees together; -inf if there are none.

        Raises ArithmeticError if it is no number, which is a fault of the engine.
        """
        values = self.passes.engine.root_values(
            self.passes.get("total", self.likelihood, self._keep)
        )
        total = float(np.logaddexp.reduce(values))
        if not total < math.inf:
            raise ArithmeticError(f"the log of the sum over all trees is {total}")
        return total

    @cached_property
    def left_out(self) -> float:
        """Upper bound on the share of the total of trees that are deeper than those summed over
        (`native/core/exact/depth_cut.hpp`); 0 if all were.

        Raises ArithmeticError if it is above 1, which is a fault of the engine.
        """
        cut = self.passes.get("total", self.likelihood, self._keep).depth_cut()
        share = 0.0 if cut is None else math.exp(min(cut[1] - self.log_total, 1.0))
        if not share <= 1:
            raise ArithmeticError(f"the bound on the share of trees left out is {share}")
        return share

    def tree_count(self) -> float:
        """Number of derivations of weight above zero; exact below 2**53."""
        return self._tree_count

    @cached_property
    def _tree_count(self) -> float:
        counts = self.passes.engine.root_counts(self.passes.get("count", False, "root"))
        with np.errstate(over="ignore"):
            return float(np.sum(counts))

    # --- trees ---------------------------------------------------------------------------------

    def best(self) -> Iterator[ScoredTree]:
        """Derivations by falling weight."""
        rank = 0
        while (steps := self._k_best.derivation(rank)) is not None:
            yield tree_of_steps(self._best_items, self.table, steps)
            rank += 1

    @cached_property
    def _k_best(self) -> KBest:
        return KBest(self._best_items)

    def near_best(self, slack: float) -> tuple[int, float]:
        """See `TreeDistribution`."""
        items = self._best_items
        count, log_sum = near_best(items, slack, items.hold_besides)
        return count, log_sum + max(score for score, *_ in items.ranked(0))

    @cached_property
    def _best_items(self) -> Items:
        return self._items("best")

    @cached_property
    def _total_items(self) -> Items:
        return self._items("total")

    def _items(self, quantity: PassQuantity) -> Items:
        return Items(self.passes, self.grammar, self.table, quantity, likelihood=self.likelihood)

    def draw(self, n: int, rng: np.random.Generator) -> ScoredTrees:
        """Independent draws."""
        return self._draws.trees(n, rng)

    def draw_paths(
        self, rows: NDArray[np.object_], n: int, rng: np.random.Generator
    ) -> list[list[TreePath]]:
        """See `TreeDistribution`."""
        return self._draws.paths(rows, n, rng)

    @property
    def _draws(self) -> DrawsFromSums:
        return DrawsFromSums(self._total_items, self.passes, self.table, likelihood=self.likelihood)

    def log_weight(self, tree: Tree) -> float:
        """Log weight under the program as written of all derivations that part the rows as `tree`
        does."""
        most = self.grammar.max_leaves
        if most is not None and tree.n_leaves > most:
            return -np.inf
        return self._scorer.log_weight(tree)

    @cached_property
    def _scorer(self) -> TreeScorer:
        core = compiled_core()
        assert core is not None
        engine = self.passes.engine
        if self.grammar.max_leaves is not None:
            problem = core_problem(core, self.grammar, self.table, count_leaves=False)
            engine = core.ExactEngine(problem)
        return TreeScorer(core, engine, self.table, self.grammar.by_partition)

    # --- rows left out, and uses --------------------------------------------------------------

    def leave_out(self, held: HeldRows) -> LeftOut:
        """See `TreeAverages`. Leaves whose probability is too small for a double may add to a sum
        if q is tiny there, as that of an outlier: such rows are left out by another sum over all
        trees each."""
        log_inverse, _ = self._left_out_of(held, self.likelihood)
        found = -log_inverse
        least = held.least_of_classes(self.table.leaf)
        if least is None:
            _, least = self._left_out_of(held, likelihood=False)
        for i in np.flatnonzero(found - least > _MOST_APART):
            found[i] = self.log_total - self._without(held, int(i)).log_total
        return LeftOut(found)

    def _left_out_of(
        self, held: HeldRows, likelihood: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The log of the sum over leaves of P(leaf) / q of each row, shape (m,), and the least log
        q."""
        rows = held.row.astype(np.uint32), held.kind.astype(np.uint32)
        statistics = np.ascontiguousarray(held.statistics, np.float64)
        descent = self.passes.engine.leave_one_out
        log_inverse, least = self.passes.descend(
            "leaving each row out",
            likelihood,
            lambda total, memory, threads, report: descent(
                total, *rows, statistics, memory, report
            ),
        )
        return np.asarray(log_inverse), np.asarray(least)

    def _without(self, held: HeldRows, i: int) -> CompiledChart:
        """The same without the response of a row."""
        table = replace(self.table, statistics=held.without(self.table.statistics, i))
        passes = self.passes.of_table(table)
        return CompiledChart(self.grammar, table, self.likelihood, passes, "root")

    def outside(self) -> Outside:
        """Expected uses of states, rules and features, found once.

        With these, of the log weight w of a rule,

            d log_total / d w = uses - weights      where the grammar normalises
                              = uses                where it does not

        Sums over derivations: `uses` of a rule with several splits adds up all of them.
        """
        return self._outside

    @cached_property
    def _outside(self) -> Outside:
        return outside_sums(self.passes, self.grammar, self.likelihood)

    def rule_uses(self) -> NDArray[np.float64]:
        """Expected number of times that each rule is taken, shape (R,)."""
        return self.outside().uses

    # --- summaries -----------------------------------------------------------------------------

    def usage(self) -> NDArray[np.float64]:
        """For each feature the probability that the tree splits on it anywhere, shape (d,)."""
        return self._usage

    @cached_property
    def _usage(self) -> NDArray[np.float64]:
        expected, total = self.expected_splits(), self.log_total
        if self.passes.by_levels:
            return np.minimum(self.passes.used(self.likelihood), np.minimum(1.0, expected))
        out = np.zeros(len(expected))
        for f in np.flatnonzero(expected):
            without = self.passes.total_without(int(f), self.likelihood)
            # A difference of numbers of at most 1: rounding may take it out of its range.
            out[f] = np.clip(-np.expm1(min(0.0, without - total)), 0.0, min(1.0, expected[f]))
        return out

    def root_splits(self) -> NDArray[np.float64]:
        """For each feature the probability that the root splits on it, shape (d,)."""
        return self._root_splits

    @cached_property
    def _root_splits(self) -> NDArray[np.float64]:
        items = self._total_items
        out = np.zeros(len(self.table.features))
        waiting = [(0, 0.0)]
        while waiting:
            item, log_probability = waiting.pop()
            edges = items.edges(item)
            scores = edges.scores(self.likelihood)
            shares = log_probability + scores - np.logaddexp.reduce(scores)
            splits = edges.feature >= 0
            np.add.at(out, edges.feature[splits], np.exp(shares[splits]))
            for edge in np.flatnonzero(edges.feature == CALL):
                if shares[edge] > _LEAST_SHARE:
                    waiting.append((items.children(item, int(edge))[0], float(shares[edge])))
        return out

    def expected_splits(self) -> NDArray[np.float64]:
        """For each feature the expected number of splits on it, shape (d,)."""
        return np.asarray(self.outside().splits.sum(axis=0))

    def leaf_distribution(self) -> NDArray[np.float64]:
        """Probability of k leaves, at index k, until what is left is below 1e-12."""
        most = len(self.table.counts)
        return np.concatenate([[0.0], self._distribution("leaf_number", most)])

    def depth_distribution(self) -> NDArray[np.float64]:
        """Probability of depth t, at index t, until what is left is below 1e-12."""
        return self._distribution("tree_depth", len(self.table.counts))

    def _distribution(self, quantity: PassQuantity, most: int) -> NDArray[np.float64]:
        length = min(most, _FIRST_LENGTH)
        while True:
            mass = self.passes.vector(quantity, self.likelihood, length)
            left = 1.0 - np.cumsum(mass)
            if length == most or left[-1] < NEGLIGIBLE:
                break
            length = min(most, 2 * length)
        enough = np.flatnonzero(left < NEGLIGIBLE)
        used = np.flatnonzero(mass)[-1] + 1
        return mass[: min(used, enough[0] + 1 if len(enough) else length)]
