"""The k best derivations, lazily, over items that are opened as they are needed.

Algorithm 3 of Huang & Chiang (2005), Better k-best parsing, as in `slp.engines.chart.kbest`; here
the score of an item's best derivation comes from the core, and an item's children are made only
when one of its derivations is taken apart.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from slp.engines.exact.items import Items

__all__ = ["KBest"]


class _Candidate(NamedTuple):
    """Ordered by score, best first, then by way and ranks, so that ties always fall the same
    way."""

    cost: float
    way: int
    ranks: tuple[int, ...]


@dataclass
class _Ranking:
    found: list[_Candidate] = field(default_factory=list)
    heap: list[_Candidate] = field(default_factory=list)
    met: set[tuple[int, tuple[int, ...]]] = field(default_factory=set)
    expanded: int = 0  # derivations found whose successors are in the heap

    @property
    def exhausted(self) -> bool:
        return not self.heap and self.expanded == len(self.found)


class KBest:
    """Derivations of item 0 by falling weight. `items` look into a pass of best scores."""

    def __init__(self, items: Items, likelihood: bool) -> None:
        self._items, self._likelihood = items, likelihood
        self._rankings: dict[int, _Ranking] = {}

    def derivation(self, rank: int) -> list[tuple[int, int]] | None:
        """(item, way) in preorder of the derivation of this rank (0 is the best); None if there are
        fewer."""
        if not self._ensure(0, rank):
            return None
        out: list[tuple[int, int]] = []
        stack = [(0, rank)]
        while stack:
            item, r = stack.pop()
            # What was not needed to rank must still be found to be written down.
            self._ensure(item, r)
            _, way, ranks = self._rankings[item].found[r]
            out.append((item, way))
            stack += reversed(list(zip(self._items.children(item, way), ranks, strict=True)))
        return out

    def _ensure(self, item: int, rank: int) -> bool:
        """Find the derivations of an item up to a rank; False if it has fewer. Keeps its own
        stack."""
        stack = [(item, rank)]
        while stack:
            need = self._advance(*stack[-1])
            if need is None:
                stack.pop()
            else:
                stack.append(need)
        return len(self._rankings[item].found) > rank

    def _advance(self, item: int, wanted: int) -> tuple[int, int] | None:
        """Work on an item until it has `wanted` or no more (None), or until another is needed
        (which)."""
        ranking = self._rankings.get(item)
        if ranking is None:
            ranking = self._rankings[item] = self._first_candidates(item)
        while len(ranking.found) <= wanted:
            if ranking.expanded < len(ranking.found):
                need = self._push_successors(item, ranking, ranking.found[ranking.expanded])
                if need is not None:
                    return need
                ranking.expanded += 1
            if not ranking.heap:
                return None
            ranking.found.append(heapq.heappop(ranking.heap))
        return None

    def _first_candidates(self, item: int) -> _Ranking:
        ways = self._items.ways(item)
        n_children = np.where(ways.feature >= 0, 2, np.where(ways.feature == -2, 1, 0)).tolist()
        heap = [
            _Candidate(-score, way, (0,) * n_children[way])
            for way, score in enumerate(ways.scores(self._likelihood).tolist())
            if score > -np.inf
        ]
        heapq.heapify(heap)
        return _Ranking(heap=heap)

    def _push_successors(
        self, item: int, ranking: _Ranking, last: _Candidate
    ) -> tuple[int, int] | None:
        """Candidates next to the one found last; or the item and rank that must be found before."""
        children = self._items.children(item, last.way)
        for place, child in enumerate(children):
            ranks = (*last.ranks[:place], last.ranks[place] + 1, *last.ranks[place + 1 :])
            if (last.way, ranks) in ranking.met:
                continue
            for other, rank in zip(children, ranks, strict=True):
                known = self._rankings.get(other)
                if known is None or (len(known.found) <= rank and not known.exhausted):
                    return other, rank
            ranking.met.add((last.way, ranks))
            if len(self._rankings[child].found) > ranks[place]:
                cost = -float(self._items.ways(item).log_weight[last.way])
                cost += sum(self._cost(c, r) for c, r in zip(children, ranks, strict=True))
                heapq.heappush(ranking.heap, _Candidate(cost, last.way, ranks))
        return None

    def _cost(self, item: int, rank: int) -> float:
        return self._rankings[item].found[rank].cost
