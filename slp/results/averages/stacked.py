"""`StackedTrees`: averages over members that were stacked by prediction. They predict, and tell
nothing of a posterior over trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.data.row_responses import RowResponses
from slp.results.averages.no_posterior import no_posterior
from slp.results.averages.over_trees import ScoredTrees, TreeAverages

if TYPE_CHECKING:
    from slp.results.averages.drawn_trees import DrawnTrees

_Answer = TypeVar("_Answer")


class StackedTrees:
    """Trees of members, `trees`, each of which counts by its share of its member times the weight
    of that (`Averages`). Each question about a posterior is refused (E559)."""

    drawn = None
    shaped_by_clock = None

    def __init__(self, trees: DrawnTrees) -> None:
        self.trees = trees

    def of_new_rows(
        self, ask: Callable[[TreeAverages], _Answer], rows: NDArray[np.object_]
    ) -> _Answer:
        """See `Averages`."""
        return ask(self.trees)

    def error_of_new_rows(
        self, rows: NDArray[np.object_], of: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """See `Averages`: not known, NaN."""
        classes = len(self.trees.table.leaf.classes)
        width = classes if of is None else of.shape[2]
        return np.full((len(rows), width) if classes else len(rows), np.nan)

    def summary(self, ask: Callable[[TreeAverages], _Answer]) -> NoReturn:
        """See `Averages`: refused."""
        raise no_posterior("what trees have in common")

    def features_asked(self, rows: Any, prices: Any) -> NoReturn:
        """See `Averages`: refused."""
        raise no_posterior("what rows are asked")

    def proximity(self, rows: Any) -> NoReturn:
        """See `Averages`: refused."""
        raise no_posterior("the probability that rows end in one leaf")

    def draw(self, n: int, rng: np.random.Generator) -> ScoredTrees:
        """See `Averages`: refused."""
        raise no_posterior("draws of trees")

    def draws_of_trees(self, n: int, rng: np.random.Generator) -> NoReturn:
        """See `Averages`: refused."""
        raise no_posterior("draws, and intervals of means")

    def differences(self, ones: Any, zeros: Any, moments: Any) -> NoReturn:
        """See `Averages`: refused."""
        raise no_posterior("contrasts with their uncertainty")

    def draw_paths(self, rows: Any, n: int, rng: np.random.Generator) -> NoReturn:
        """See `Averages`: refused."""
        raise no_posterior("paths of draws")


def log_densities_of_members(
    trees: DrawnTrees,
    members: Sequence[NDArray[np.int64]],
    numbers: NDArray[np.float64],
    responses: RowResponses,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The log predictive density of m rows under each of K members, shape (K, m), by the numbers
    of the trees that each drew, by the rows as numbers (`table_as_numbers`, (m, d)), and by their
    responses; and which rows have one, shape (m,): a row with a value that a tree does not know may
    be an error (`new(error)`)."""
    own = RowResponses(responses.outcomes, None, responses.regressors).statistics(trees.table.leaf)
    counts = np.log([len(drew) for drew in members])[:, None]
    densities, told = [], []
    for a in range(0, len(numbers), trees.rows_at_a_time):
        piece = slice(a, a + trees.rows_at_a_time)
        by_tree, known = trees.log_densities_by_tree(numbers[piece], own[piece])
        sums = [np.logaddexp.reduce(by_tree[drew], axis=0) for drew in members]
        densities.append(np.array(sums) - counts)
        told.append(known)
    return np.hstack(densities), np.concatenate(told)
