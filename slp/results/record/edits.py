"""`EditResult`: the result of drawing edits of a given tree.

The prior of a tree is a sum over infinitely many sequences of edits, and no engine knows it. So the
best trees are those that were drawn most often, and beside the averages of every sampled result
there are the differences of the drawn trees from the given one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.results.averages.over_trees import ScoredTree
from slp.results.record.drawn import DrawnResult, HowDrawn, TreeSampler
from slp.results.record.result import Candidate, Draw
from slp.results.trust.diagnostics import Diagnostics, diagnose
from slp.runner import RunResult
from slp.trees import Tree, TreeEdit

S = TypeVar("S")


@dataclass(frozen=True)
class EditShare:
    """A difference from the given tree, the probability that a tree has it, and its Monte Carlo
    standard error."""

    edit: TreeEdit
    probability: float
    probability_error: float


@dataclass(frozen=True, eq=False)
class EditSummary:
    """What trees change in the given one (`Tree.edits_from`).

    Attributes
    ----------
    given : the given tree as it fits the table.
    expected, expected_error : number of differences, which is that of the fewest edits that lead
        from it to a tree; and its Monte Carlo standard error.
    distribution : float64. Probability of k differences at index k = 0, 1, ...
    shares : every difference that was drawn, the most probable first.
    """

    given: Tree
    expected: float
    expected_error: float
    distribution: NDArray[np.float64]
    shares: tuple[EditShare, ...]


class EditSampler(TreeSampler[S], Protocol[S]):
    """An engine whose records are edits of a given tree."""

    given: Tree
    """The given tree as it fits the table."""


class EditResult(DrawnResult):
    """The distribution over trees that edits of a given tree lead to."""

    def __init__(self, sampler: EditSampler[Any], run: RunResult, how: HowDrawn) -> None:
        super().__init__(sampler, run, how)
        self._given = sampler.given.with_summaries(self.table)

    def best(self) -> Iterator[Candidate]:
        """See `Result`: the trees that were drawn most often; of those drawn equally often, the
        likeliest first."""
        drawn = self.averages
        fit = np.array([t.log_likelihood for t in drawn.trees])
        for u in np.lexsort((-fit, -drawn.frequency)):
            yield Candidate(self.shown(drawn.trees[u].tree), None, None)

    def draw(self, scored: ScoredTree, chain: int, weight: float) -> Draw:
        return Draw(self.shown(scored.tree), None, None, scored.log_likelihood, chain, weight)

    @cached_property
    def edits(self) -> EditSummary:
        drawn, found = self.averages, self._differences
        numbers = {edit: i for i, edit in enumerate(dict.fromkeys(e for es in found for e in es))}
        has = np.zeros((len(found), len(numbers)))
        for u, edits in enumerate(found):
            has[u, [numbers[edit] for edit in edits]] = 1.0
        share, error = drawn.mean(has), drawn.error(has)
        shares = [EditShare(edit, float(share[i]), float(error[i])) for edit, i in numbers.items()]
        count = self._numbers_of_edits
        return EditSummary(
            self._given,
            float(drawn.mean(count)),
            float(drawn.error(count)),
            np.bincount(count.astype(np.int64), drawn.frequency).astype(np.float64),
            tuple(sorted(shares, key=lambda s: -s.probability)),
        )

    @cached_property
    def _differences(self) -> list[list[TreeEdit]]:
        """The edits of each distinct tree."""
        return [t.tree.edits_from(self._given) for t in self.averages.trees]

    @cached_property
    def _numbers_of_edits(self) -> NDArray[np.float64]:
        """The number of edits of each distinct tree, shape (U,)."""
        return np.array([len(edits) for edits in self._differences], np.float64)

    @cached_property
    def diagnostics(self) -> Diagnostics:
        fit = np.array([t.log_likelihood for t in self.averages.trees])
        looked_at = {"log_likelihood": fit, "edits": self._numbers_of_edits}
        return diagnose(self.averages, looked_at, self._run.tallies, self._tempering)
