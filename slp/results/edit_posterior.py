"""`EditPosterior`: a posterior by draws of edits of a given tree.

The prior of a tree is a sum over infinitely many sequences of edits, and no engine knows it. So the
best trees are those that were drawn most often, and what is said beside the averages of every
sampled posterior is what the trees drawn change in the given one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from slp.results.averages import ScoredTree
from slp.results.diagnostics import Diagnostics, diagnose
from slp.results.posterior import Draw, MapTree
from slp.results.sampled_posterior import Said, SampledPosterior, TreeSampler
from slp.runner import RunResult
from slp.runner.options import check_count
from slp.trees import Tree, TreeEdit

__all__ = ["EditPosterior", "EditSampler", "EditShare", "EditSummary"]

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


class EditPosterior(SampledPosterior):
    """The distribution over trees that edits of a given tree lead to; see `Posterior`."""

    def __init__(
        self,
        sampler: EditSampler[Any],
        result: RunResult,
        **said: Unpack[Said],
    ) -> None:
        super().__init__(sampler, result, **said)
        self._given = sampler.given.with_summaries(self.table)

    def log_prior(self, tree: Tree) -> float | None:
        """-inf off the support, else None."""
        return -math.inf if self._sampler.log_weight(tree) == -math.inf else None

    def k_best(self, k: int) -> list[MapTree]:
        """The trees that were drawn most often; of those drawn equally often, the likeliest
        first."""
        check_count("k", k)
        drawn = self._averages
        fit = np.array([t.log_likelihood for t in drawn.trees])
        best = np.lexsort((-fit, -drawn.frequency))[:k]
        return [
            MapTree(self._shown(drawn.trees[u].tree), None, None, certified=False) for u in best
        ]

    def _draw(self, scored: ScoredTree, chain: int) -> Draw:
        return Draw(self._shown(scored.tree), None, None, scored.log_likelihood, chain)

    @property
    def edits(self) -> EditSummary:
        """See `Posterior`."""
        return self._edits

    @cached_property
    def _edits(self) -> EditSummary:
        drawn, found = self._averages, self._differences
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
        """Of each distinct tree."""
        return [t.tree.edits_from(self._given) for t in self._averages.trees]

    @cached_property
    def _numbers_of_edits(self) -> NDArray[np.float64]:
        """Of each distinct tree, shape (U,)."""
        return np.array([len(edits) for edits in self._differences], np.float64)

    @cached_property
    def _diagnostics(self) -> Diagnostics:
        fit = np.array([t.log_likelihood for t in self._averages.trees])
        looked_at = {"log_likelihood": fit, "edits": self._numbers_of_edits}
        return diagnose(self._averages, looked_at, self._result.tallies)
