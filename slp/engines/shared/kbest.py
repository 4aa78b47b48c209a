"""The k best derivations, lazily: algorithm 3 of Huang & Chiang (2005), Better k-best parsing.

Each item keeps its best derivations found so far and a heap of candidates. A derivation of an item
is an edge, with the ranks of the derivations of the items that it leads to.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol


class RankedEdges(Protocol):
    """The edges of items. Item 0 stands for the whole."""

    def ranked(self, item: int) -> Iterable[tuple[float, int, int]]:
        """The edges of an item: the log weight of the best derivation that begins with it (-inf if
        there is none), its number, and to how many items it leads."""
        ...

    def children(self, item: int, edge: int) -> tuple[int, ...]:
        """The items that an edge leads to."""
        ...

    def log_weight(self, item: int, edge: int) -> float:
        """The log weight of an edge that leads to items."""
        ...


class _Candidate(NamedTuple):
    """Ordered by score, best first, then by edge and ranks, so that ties have a fixed order."""

    cost: float
    edge: int
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
    """Derivations of item 0 by falling weight."""

    def __init__(self, edges: RankedEdges) -> None:
        self._edges = edges
        self._rankings: dict[int, _Ranking] = {}

    def derivation(self, rank: int) -> list[tuple[int, int]] | None:
        """(item, edge) in preorder of the derivation of this rank (0 is the best); None if there
        are fewer."""
        if not self._ensure(0, rank):
            return None
        out: list[tuple[int, int]] = []
        stack = [(0, rank)]
        while stack:
            item, r = stack.pop()
            # Derivations that ranking did not need must still be found for the output.
            self._ensure(item, r)
            _, edge, ranks = self._rankings[item].found[r]
            out.append((item, edge))
            stack += reversed(list(zip(self._edges.children(item, edge), ranks, strict=True)))
        return out

    def _ensure(self, item: int, rank: int) -> bool:
        """Find the derivations of an item up to a rank; False if it has fewer. Uses an explicit
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
        heap = [
            _Candidate(-score, edge, (0,) * n_children)
            for score, edge, n_children in self._edges.ranked(item)
            if score > -math.inf
        ]
        heapq.heapify(heap)
        return _Ranking(heap=heap)

    def _push_successors(
        self, item: int, ranking: _Ranking, last: _Candidate
    ) -> tuple[int, int] | None:
        """Candidates next to the one found last; or the item and rank that must be found before."""
        children = self._edges.children(item, last.edge)
        for place, child in enumerate(children):
            ranks = (*last.ranks[:place], last.ranks[place] + 1, *last.ranks[place + 1 :])
            if (last.edge, ranks) in ranking.met:
                continue
            for other, rank in zip(children, ranks, strict=True):
                known = self._rankings.get(other)
                if known is None or (len(known.found) <= rank and not known.exhausted):
                    return other, rank
            ranking.met.add((last.edge, ranks))
            if len(self._rankings[child].found) > ranks[place]:
                cost = -self._edges.log_weight(item, last.edge)
                cost += sum(self._cost(c, r) for c, r in zip(children, ranks, strict=True))
                heapq.heappush(ranking.heap, _Candidate(cost, last.edge, ranks))
        return None

    def _cost(self, item: int, rank: int) -> float:
        return self._rankings[item].found[rank].cost
