"""The k best derivations of a forest, lazily: algorithm 3 of Huang & Chiang (2005), Better k-best
parsing.

Each item keeps its best derivations found so far and a heap of candidates. A derivation of an item
is an edge with the ranks of the derivations taken on its left and on its right.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.engines.chart.forest import Forest

__all__ = ["KBest"]


class _Candidate(NamedTuple):
    """Ordered by score, best first, then by edge and ranks, so that ties always fall the same
    way."""

    cost: float
    edge: int
    left_rank: int
    right_rank: int


@dataclass
class _Ranking:
    found: list[_Candidate] = field(default_factory=list)
    heap: list[_Candidate] = field(default_factory=list)
    met: set[tuple[int, int, int]] = field(default_factory=set)
    expanded: int = 0  # derivations found whose successors are in the heap


class KBest:
    """Derivations of item 0 by falling weight.

    `log_weight`, shape (E,), are the edges' weights; `best`, shape (N + 1,), the score of each
    item's best derivation under them.
    """

    def __init__(
        self, forest: Forest, log_weight: NDArray[np.float64], best: NDArray[np.float64]
    ) -> None:
        self._forest, self._log_weight, self._best = forest, log_weight, best
        self._rankings: dict[int, _Ranking] = {}

    def derivation(self, rank: int) -> list[int] | None:
        """Edges in preorder of the derivation of this rank (0 is the best); None if there are
        fewer."""
        if not self._ensure(0, rank):
            return None
        out: list[int] = []
        stack = [(0, rank)]
        while stack:
            item, r = stack.pop()
            if item == self._forest.n_items:
                continue
            _, edge, left_rank, right_rank = self._rankings[item].found[r]
            out.append(edge)
            stack.append((int(self._forest.right[edge]), right_rank))
            stack.append((int(self._forest.left[edge]), left_rank))
            # What was not needed to rank must still be found to be written down.
            self._ensure(int(self._forest.left[edge]), left_rank)
            self._ensure(int(self._forest.right[edge]), right_rank)
        return out

    def _ensure(self, item: int, rank: int) -> bool:
        """Find the derivations of an item up to a rank; False if it has fewer. Keeps its own
        stack."""
        stack = [(item, rank)]
        while stack:
            top, wanted = stack[-1]
            need = self._advance(top, wanted)
            if need is None:
                stack.pop()
            else:
                stack.append(need)
        return self._has(item, rank)

    def _has(self, item: int, rank: int) -> bool:
        if item == self._forest.n_items:
            return rank == 0
        return item in self._rankings and len(self._rankings[item].found) > rank

    def _exhausted(self, item: int) -> bool:
        if item == self._forest.n_items:
            return True
        r = self._rankings.get(item)
        return r is not None and not r.heap and r.expanded == len(r.found)

    def _advance(self, item: int, wanted: int) -> tuple[int, int] | None:
        """Work on an item until it has `wanted` or no more (None), or until another is needed
        (which)."""
        if item == self._forest.n_items:
            return None
        ranking = self._rankings.get(item)
        if ranking is None:
            ranking = self._rankings[item] = self._first_candidates(item)
        while len(ranking.found) <= wanted:
            if ranking.expanded < len(ranking.found):
                need = self._push_successors(ranking, ranking.found[ranking.expanded])
                if need is not None:
                    return need
                ranking.expanded += 1
            if not ranking.heap:
                return None
            ranking.found.append(heapq.heappop(ranking.heap))
        return None

    def _first_candidates(self, item: int) -> _Ranking:
        f = self._forest
        e = f.edges(item)
        scores = self._log_weight[e] + self._best[f.left[e]] + self._best[f.right[e]]
        edges = range(e.start, e.stop)
        heap = [
            _Candidate(-s, i, 0, 0)
            for s, i in zip(scores.tolist(), edges, strict=True)
            if s > -np.inf
        ]
        heapq.heapify(heap)
        return _Ranking(heap=heap)

    def _push_successors(self, ranking: _Ranking, last: _Candidate) -> tuple[int, int] | None:
        """Candidates next to the one found last; or the item and rank that must be found before."""
        left, right = int(self._forest.left[last.edge]), int(self._forest.right[last.edge])
        for i, j in ((last.left_rank + 1, last.right_rank), (last.left_rank, last.right_rank + 1)):
            if (last.edge, i, j) in ranking.met:
                continue
            for child, rank in ((left, i), (right, j)):
                if not self._has(child, rank) and not self._exhausted(child):
                    return child, rank
            ranking.met.add((last.edge, i, j))
            if self._has(left, i) and self._has(right, j):
                cost = -float(self._log_weight[last.edge])
                cost += self._cost(left, i) + self._cost(right, j)
                heapq.heappush(ranking.heap, _Candidate(cost, last.edge, i, j))
        return None

    def _cost(self, item: int, rank: int) -> float:
        return 0.0 if item == self._forest.n_items else self._rankings[item].found[rank].cost
