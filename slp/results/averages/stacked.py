"""`StackedTrees`: averages over members that were stacked by prediction. They predict, and tell
nothing of a posterior over trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.data.row_responses import RowResponses
from slp.errors import DataError, UsageError
from slp.messages.stacked import NOT_A_POSTERIOR
from slp.results.averages.over_trees import ScoredTrees, TreeAverages

if TYPE_CHECKING:
    from slp.results.averages.drawn_trees import DrawnTrees

_Answer = TypeVar("_Answer")

#: Rows whose densities under all trees are held together.
_ROWS_AT_ONCE = 256


def no_posterior(what: str) -> UsageError:
    """E559: what a posterior tells, and this does not."""
    return UsageError(NOT_A_POSTERIOR(what=what))


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
    leaf = trees.table.leaf
    own = RowResponses(responses.outcomes, None, responses.regressors).statistics(leaf)
    pieces, told = [], []
    for a in range(0, len(numbers), _ROWS_AT_ONCE):
        piece = slice(a, a + _ROWS_AT_ONCE)
        found = _of_rows(trees, members, numbers[piece], own[piece])
        if found is not None:
            pieces.append(found)
            told.append(np.ones(found.shape[1], np.bool_))
            continue
        for row, statistics in zip(numbers[piece], own[piece], strict=True):
            one = _of_rows(trees, members, row[None], statistics[None])
            told.append(np.array([one is not None]))
            pieces.append(np.zeros((len(members), 1)) if one is None else one)
    return np.hstack(pieces), np.concatenate(told)


def _of_rows(
    trees: DrawnTrees,
    members: Sequence[NDArray[np.int64]],
    numbers: NDArray[np.float64],
    statistics: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    """The same of a few rows with these statistics; None if a row is an error."""
    try:
        by_tree = trees.log_densities_by_tree(numbers, statistics)
    except DataError:
        return None
    sums = [np.logaddexp.reduce(by_tree[drew], axis=0) for drew in members]
    return np.array(sums) - np.log([len(drew) for drew in members])[:, None]
