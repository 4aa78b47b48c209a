"""What single trees of a posterior say: their predictions and thresholds, for pictures and bands;
and survival curves with theirs.

Averages over trees are `Posterior`'s. Of exact sums the trees are the independent draws that were
asked for, of a sampler its draws, of an engine that grows or searches trees those that it found.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import cast

import numpy as np
from numpy.typing import NDArray

from slp.errors import UsageError
from slp.messages.results import NO_DRAWS_OF_TREES
from slp.problem.tree_arrays import TreeArrays
from slp.results.averages.additive import SummedTrees
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.over_trees import ScoredTree, ScoredTrees
from slp.results.averages.quantities import Survival
from slp.results.averages.weighted_draws import numbered
from slp.results.contrasts import RowQuantity
from slp.results.differences import OfRows
from slp.results.posterior import Posterior
from slp.trees import Split
from slp.trees.parts import Asked
from slp.trees.soft import SoftTree


def trees_of(posterior: Posterior) -> DrawnTrees:
    """The trees of a posterior, each with its share (`frequency`).

    Raises
    ------
    UsageError
        E530: there are no draws.
    """
    drawn = posterior._result.averages.drawn
    if drawn is not None:
        return drawn
    draws = posterior.draws
    if not draws:
        raise UsageError(NO_DRAWS_OF_TREES())
    trees, (chain,) = numbered([[draw.tree for draw in draws]])
    fits = {draw.tree: draw.log_likelihood for draw in draws}
    scored = ScoredTrees.of(posterior.table, [ScoredTree(t, np.nan, fits[t]) for t in trees])
    return DrawnTrees(posterior.table, scored, [chain])


def mean_by_tree(trees: DrawnTrees, rows: NDArray[np.object_]) -> NDArray[np.float64]:
    """What each distinct tree predicts of rows (`Table.new_rows`), averaged over the rows: class
    probabilities, shape (U, C), or the mean of a number, shape (U, 1)."""
    total = 0.0
    for values in trees.predictions_by_tree(rows):
        total = total + values.reshape(*values.shape[:2], -1).sum(axis=1)
    return np.asarray(total / len(rows))


def survival_of_rows(
    posterior: Posterior,
    rows: NDArray[np.object_],
    times: NDArray[np.float64],
    n: int,
    *,
    seed: int,
    by_draws: bool,
) -> RowQuantity:
    """`Posterior.quantity` of survival, of rows (`Table.new_rows`); with `by_draws` means are from
    the draws too."""
    asked = OfRows(posterior._result, Survival(tuple(times.tolist())), rows, by_draws=by_draws)
    return asked.quantity(n, np.random.default_rng(seed))


def splits_of(trees: DrawnTrees) -> Iterator[tuple[Asked, float]]:
    """Feature and test of every split of every distinct tree, with the share of its tree. Of a soft
    tree the test has the middle of the gate as its threshold.

    Raises
    ------
    UsageError
        E546: a split is on several features.
    """
    if isinstance(trees, SummedTrees):
        yield from _splits_of(trees.sums.arrays, trees, trees.n_summed)
        return
    if not trees.hard:
        for tree, share in zip(trees.trees.trees, trees.frequency.tolist(), strict=True):
            hard = cast(SoftTree, tree).hardened()
            nodes = (node.asked for node in hard.nodes() if isinstance(node, Split))
            yield from zip(nodes, itertools.repeat(share))
        return
    yield from _splits_of(trees.arrays, trees, 1)


def _splits_of(
    arrays: TreeArrays, trees: DrawnTrees, in_draw: int
) -> Iterator[tuple[Asked, float]]:
    """The same of trees of which each draw has so many."""
    names = trees.table.feature_names
    asked = [(names[f], test) for f, test in arrays.tests]
    shares = np.repeat(trees.frequency, in_draw)
    each = np.repeat(shares, np.diff(arrays.starts)).tolist()
    for i, share in zip(arrays.nodes.tolist(), each, strict=True):
        if i >= 0:
            yield asked[i], share
