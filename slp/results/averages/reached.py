"""The leaves that rows reach in each of some trees, and draws of what these leaves say.

Of each draw there is a tree, and parameters of its leaves, drawn from their posterior (of a prior
from their prior). Rows that end in one leaf share its parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.budgets import memory_budget, memory_left
from slp.budgets.memory import format_bytes
from slp.errors import BudgetError
from slp.leaves import LeafModel
from slp.messages.inference import DRAWS_OF_ROWS_TOO_LARGE
from slp.results.averages.rows_in_leaves import of_rows

#: Pairs of a draw and a row that are worked on together.
_PAIRS_AT_ONCE = 1 << 19
#: Arrays of all draws that a contrast holds at once: draws of its two sides, the difference, the
#: ratio, and what a quantile sorts.
_COPIES = 5

#: Of one tree: rows, the leaf of each, and the share of the row that ends there.
Path = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Reached:
    """Where m rows end in each of U trees.

    Attributes
    ----------
    statistics : of all leaves, shape (K, k).
    leaves : the leaf of each row under each tree, int32, shape (U, m); None where a row may end in
        several leaves of a tree.
    paths : then, for each tree, where rows end.
    n_rows : m.
    """

    statistics: NDArray[np.float64]
    leaves: NDArray[np.int32] | None
    paths: Sequence[Path]
    n_rows: int

    def by_tree(
        self, values: NDArray[np.float64], design: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        """What each tree has for each row, shape (U, m, D), by the numbers (K, J) of leaves: the
        mean over the leaves that a row ends in."""
        if self.leaves is not None:
            return of_rows(values[self.leaves], design)
        out = []
        for rows, leaves, shares in self.paths:
            own = of_rows(values[leaves], None if design is None else design[rows])
            told = np.zeros((self.n_rows, own.shape[1]))
            np.add.at(told, rows, own * shares[:, None])
            out.append(told)
        return np.array(out)

    def ends_in(self, chosen: NDArray[np.bool_], trees: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each row ends, if in part, in a chosen leaf (K,) of each of T trees, (T, m)."""
        if self.leaves is not None:
            return np.asarray(chosen[self.leaves[trees]])
        out = np.zeros((len(trees), self.n_rows), np.bool_)
        for own, u in zip(out, trees.tolist(), strict=True):
            rows, leaves, _ = self.paths[u]
            own[rows[chosen[leaves]]] = True
        return out


@dataclass(frozen=True, eq=False)
class DrawnLeaves:
    """The leaves of B draws that rows end in, N of them in all.

    Attributes
    ----------
    leaf : the leaf model.
    shape : (B, m).
    pair : of each the draw times m plus the row, int64, shape (N,).
    share : of the row that ends there, shape (N,); None where each row has one leaf, and these are
        in order.
    parameters : of the different leaves of the draws, shape (P, r).
    place : which of these each has, (N,).
    design : of the rows, shape (m, J); None where leaves say the same of every row.
    """

    leaf: LeafModel
    shape: tuple[int, int]
    pair: NDArray[np.int64]
    share: NDArray[np.float64] | None
    parameters: NDArray[np.float64]
    place: NDArray[np.int64]
    design: NDArray[np.float64] | None

    def design_of(self, pair: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """That of the rows of these pairs."""
        return None if self.design is None else self.design[pair % self.shape[1]]

    def averaged(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """What rows have, shape (B, m, D), by the numbers (P, J) of leaves: the mean over the
        leaves that a row ends in."""
        told = of_rows(values[self.place], self.design_of(self.pair))
        if self.share is None:
            return told.reshape(*self.shape, told.shape[1])
        out = np.zeros((self.shape[0] * self.shape[1], told.shape[1]))
        np.add.at(out, self.pair, told * self.share[:, None])
        return out.reshape(*self.shape, told.shape[1])

    def outcomes(self, rng: np.random.Generator) -> NDArray[Any]:
        """A response of each row, shape (B, m), from one of its leaves, drawn by its share."""
        pair, place = self.pair, self.place
        if self.share is not None:
            # The largest log share plus Gumbel noise falls on each with its share.
            with np.errstate(divide="ignore"):
                score = np.log(self.share) + rng.gumbel(size=len(self.share))
            order = np.lexsort((-score, pair))
            _, first = np.unique(pair[order], return_index=True)
            pair, place = pair[order[first]], place[order[first]]
        own = self.leaf.draw_outcomes(self.parameters[place], rng, self.design_of(pair))
        return own.reshape(self.shape)


@dataclass(frozen=True, eq=False)
class LeafDraws:
    """Draws of the leaves that rows reach.

    Attributes
    ----------
    leaf : the leaf model.
    reached : where the rows end in U trees.
    trees : the tree of each draw, int64, shape (n,).
    design : of the rows, shape (m, J); None where leaves say the same of every row.
    knows : whether leaves know the responses; False under a prior.
    """

    leaf: LeafModel
    reached: Reached
    trees: NDArray[np.int64]
    design: NDArray[np.float64] | None
    knows: bool

    def of(
        self, rng: np.random.Generator, ask: Callable[[DrawnLeaves], NDArray[Any]]
    ) -> NDArray[Any]:
        """What `ask` makes of draws, (B, m, ...), for all of them, (n, m, ...).

        Raises
        ------
        BudgetError
            They, and what callers make of them, do not fit into the memory (E501).
        """
        blocks = (ask(drawn) for drawn in self._drawn(rng))
        first = next(blocks)
        n, done = len(self.trees), len(first)
        if done == n:
            return first
        need = first.nbytes // done * n * _COPIES
        room = int(min(memory_left(), memory_budget(None)))
        if need > room:
            size, left = format_bytes(need), format_bytes(room)
            rows = self.reached.n_rows
            raise BudgetError(DRAWS_OF_ROWS_TOO_LARGE(n=n, rows=rows, need=size, room=left))
        out = np.empty((n, *first.shape[1:]), first.dtype)
        out[:done] = first
        for block in blocks:
            out[done : done + len(block)] = block
            done += len(block)
        return out

    def _drawn(self, rng: np.random.Generator) -> Iterator[DrawnLeaves]:
        m = self.reached.n_rows
        step = max(1, _PAIRS_AT_ONCE // max(1, m))
        for a in range(0, max(1, len(self.trees)), step):
            trees = self.trees[a : a + step]
            pair, leaf, share = self._ends(trees)
            n_leaves = max(1, len(self.reached.statistics))
            # Leaves of different trees differ; draws of one tree have leaves of their own.
            own, place = np.unique(pair // max(1, m) * n_leaves + leaf, return_inverse=True)
            statistics = self.reached.statistics[own % n_leaves]
            if not self.knows:
                statistics = self.leaf.without_rows(statistics)
            parameters = self.leaf.draw_parameters(statistics, rng)
            shape, at = (len(trees), m), place.reshape(-1)
            yield DrawnLeaves(self.leaf, shape, pair, share, parameters, at, self.design)

    def _ends(
        self, trees: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64] | None]:
        """`DrawnLeaves.pair`, the leaves, and `DrawnLeaves.share`, of draws of these trees."""
        m = self.reached.n_rows
        if self.reached.leaves is not None:
            leaves = self.reached.leaves[trees].astype(np.int64).ravel()
            return np.arange(len(trees) * m), leaves, None
        paths = [self.reached.paths[u] for u in trees.tolist()]
        pairs = [i * m + rows for i, (rows, _, _) in enumerate(paths)]
        leaves = np.concatenate([own for _, own, _ in paths])
        share = np.concatenate([own for _, _, own in paths])
        return np.concatenate(pairs), leaves, share
