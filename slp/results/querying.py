"""Goals of Prolog about the trees of a `Posterior`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from slp.data.table import Table
from slp.late import late_import
from slp.results.beside_prior import BesidePrior
from slp.results.record.run import RunRecord

if TYPE_CHECKING:
    from slp.results.tree_goals.answers import Probability, TreeAnswers

#: Independent draws of sums, where no draws were asked for.
_DRAWS = 2000


class Querying(BesidePrior):
    """The part of `slp.Posterior` that proves goals about its trees."""

    table: Table
    record: RunRecord

    def query(self, goal: str) -> TreeAnswers:
        """The answers of a goal about trees, such as `"tree(T), uses(T, F)"`, each with the
        probability of the trees that give it, beside that under the prior: `slp.TreeAnswers`.

        `tree(T)` binds T to the tree. The predicates about it are in docs/tree-goals.md; clauses of
        the program may use them. Exact where the engine sums over few trees, which are all asked;
        else by draws: those of the run, or independent ones of the sums, as many as were asked
        for, with the seed of the run.

        Raises
        ------
        SlpError
            A fault in the goal: E210, E271 to E275, and those of proofs. E530: there are no draws.
            E566: trees are soft.
        """
        found: TreeAnswers = self._asking.answers(
            goal, self._result, self._prior_beside(drawn=True)
        )
        return found

    def probability(self, goal: str) -> Probability:
        """The probability of the trees for which a goal holds: a number, with its Monte Carlo
        standard error as `error` and with its `kind`, `"exact"`, `"estimate"` or `"found"`.
        Variables of the goal other than the tree may have any value. It raises as `query`."""
        found: Probability = self._asking.asked(goal, self._result).holds
        return found

    @cached_property
    def _asking(self) -> Any:
        """See `slp.results.tree_goals.ask.GoalsOfTrees`."""
        logic, draws = self.record.logic(), self.record.draws or _DRAWS
        return late_import("slp.results.tree_goals.ask").GoalsOfTrees(logic, draws)
