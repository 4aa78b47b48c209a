"""How many derivations are near the best one, and what they weigh, without listing them.

Of each item the derivations within a slack of its best one are kept as sorted log weights, relative
to the best. A split has those pairs of its sides' derivations whose sum is within the slack. Of the
whole, item 0, pairs are counted by binary search, so that only its sides' derivations are listed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.engines.shared.kbest import RankedEdges

__all__ = ["ROUNDING", "near_best"]

Floats: TypeAlias = NDArray[np.float64]
#: Asks for the derivations of an item within a slack; is sent them; returns those of its own.
_Work: TypeAlias = Generator[tuple[int, float], Floats, Floats]

#: Log weights this close to the slack are within it: those of sums in another order, or kept in few
#: bits, differ by less.
ROUNDING = 1e-6


def near_best(edges: RankedEdges, slack: float, hold: Callable[[int], None]) -> tuple[int, float]:
    """The number of derivations of item 0 whose log weight is at least the best one's less `slack`,
    and the log of their summed weight over that of the best; (0, -inf) if there are none.

    `hold` is called with the bytes that are needed, before they are taken.
    """
    return _NearBest(edges, hold).totals(0, slack + ROUNDING)


class _NearBest:
    def __init__(self, edges: RankedEdges, hold: Callable[[int], None]) -> None:
        self._edges, self._hold = edges, hold
        #: By item the largest slack asked for, and the derivations within it, the best first.
        self._known: dict[int, tuple[float, Floats]] = {}
        self._size = 0

    def totals(self, item: int, slack: float) -> tuple[int, float]:
        """See `near_best`."""
        count, total = 0, 0.0
        for behind, edge, n_children in self._ranked(item, slack):
            children = self._edges.children(item, edge)
            if n_children == 0:
                count, total = count + 1, total + math.exp(behind)
            elif n_children == 1:
                more, log_sum = self.totals(children[0], slack + behind)
                count, total = count + more, total + math.exp(behind + log_sum)
            else:
                left, right = (self._derivations(child, slack + behind) for child in children)
                partners = _partners(left, right, slack + behind)
                summed = np.concatenate([[0.0], np.cumsum(np.exp(right))])
                count += int(partners.sum())
                total += float((np.exp(left + behind) * summed[partners]).sum())
        return count, math.log(total) if total > 0 else -math.inf

    def _ranked(self, item: int, slack: float) -> list[tuple[float, int, int]]:
        """Edges whose best derivation is within the slack, with how far it is behind (at most 0),
        and to how many items they lead."""
        ranked = list(self._edges.ranked(item))
        best = max((score for score, *_ in ranked), default=-math.inf)
        if best == -math.inf:
            return []
        return [(s - best, edge, n) for s, edge, n in ranked if s - best >= -slack]

    def _derivations(self, item: int, slack: float) -> Floats:
        """Log weights over the best one's, the best first. Uses an explicit stack."""
        stack = [self._work(item, slack)]
        found: Floats | None = None
        while stack:
            try:
                child, own = next(stack[-1]) if found is None else stack[-1].send(found)
                found = None
                stack.append(self._work(child, own))
            except StopIteration as end:
                stack.pop()
                found = end.value
        assert found is not None
        return found

    def _work(self, item: int, slack: float) -> _Work:
        known = self._known.get(item)
        if known is None or known[0] < slack:
            parts = [np.empty(0)]
            for behind, edge, _ in self._ranked(item, slack):
                sums = np.array([behind])
                for child in self._edges.children(item, edge):
                    below = yield child, slack + behind
                    partners = _partners(sums - behind, below, slack + behind)
                    self._take(int(partners.sum()))
                    ends = np.cumsum(partners)
                    ranks = np.arange(ends[-1]) - np.repeat(ends - partners, partners)
                    sums = np.repeat(sums, partners) + below[ranks]
                parts.append(sums)
            known = self._known[item] = slack, -np.sort(-np.concatenate(parts))
        derivations = known[1]
        return derivations[: int((derivations >= -slack).sum())]

    def _take(self, numbers: int) -> None:
        self._size += 3 * 8 * numbers
        self._hold(self._size)


def _partners(left: Floats, right: Floats, slack: float) -> NDArray[np.int64]:
    """For each derivation on the left how many of the right one, the best first, keep their sum
    within the slack."""
    return np.asarray(np.searchsorted(-right, slack + left, side="right"), np.int64)
