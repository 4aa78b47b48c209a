"""`result_of_edits`: the result of drawing edits of a given tree.

The prior of a tree is a sum over infinitely many sequences of edits, and no engine knows it. So the
best trees are those that were drawn most often, and beside the averages of every sampled result
there are the differences of the drawn trees from the given one.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.results.record.drawn import Drawn
from slp.results.record.edit_summary import EditShare, EditSummary
from slp.results.record.result import Result
from slp.results.record.sampler import HowDrawn, TreeSampler
from slp.results.trust.diagnostics import Diagnostics
from slp.runner import RunResult
from slp.trees import Tree, TreeEdit

S = TypeVar("S")


class EditSampler(TreeSampler[S], Protocol[S]):
    """An engine whose records are edits of a given tree."""

    given: Tree
    """The given tree as it fits the table."""


def result_of_edits(sampler: EditSampler[Any], run: RunResult, how: HowDrawn) -> Result:
    """The distribution over trees that edits of a given tree lead to."""
    drawn = Drawn(sampler, run, how, weights_known=False)
    edits = _Edits(drawn, sampler.given.with_summaries(drawn.table))
    return drawn.result(diagnostics=edits.diagnosed, edits=edits.summary)


class _Edits:
    """Differences of the trees drawn from the given one."""

    def __init__(self, drawn: Drawn, given: Tree) -> None:
        self._drawn, self._given = drawn, given

    def summary(self) -> EditSummary:
        """See `Result`."""
        drawn, found = self._drawn.averages, self._differences
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
        trees = self._drawn.averages.arrays
        return [Tree(trees.root(u)).edits_from(self._given) for u in range(len(trees))]

    @cached_property
    def _numbers_of_edits(self) -> NDArray[np.float64]:
        """The number of edits of each distinct tree, shape (U,)."""
        return np.array([len(edits) for edits in self._differences], np.float64)

    def diagnosed(self) -> Diagnostics:
        """See `Result`."""
        looked_at = {"log_likelihood": self._drawn.fit(), "edits": self._numbers_of_edits}
        return self._drawn.diagnosed_by(looked_at)
