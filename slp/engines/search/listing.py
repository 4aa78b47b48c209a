"""The derivations after the best one, by falling value, found as they are asked for."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from slp.budgets import Deadline
from slp.engines.search.compiled import FoundTree, Poll, Ranked

__all__ = ["LEAST_SECONDS", "Listing"]


class AnyRanking(Protocol):
    """Derivations by falling value, as `slp.engines.search.compiled.Ranking` has them."""

    bound: float

    def next(self, poll: Poll | None = None) -> tuple[bool, Ranked | None]: ...


class AnySearch(Protocol):
    """A search that has ended, in the core or plain."""

    def ranking(self, *, known: bool) -> AnyRanking: ...


#: Seconds that a search takes though its time is over, so that it gives more than one leaf; and a
#: list of the trees that it knows.
LEAST_SECONDS = 0.2

#: The most derivations that are listed without proof.
_MOST_KNOWN = 10_000
#: Bytes of a derivation in the list, besides 12 for each node.
_PER_DERIVATION = 400
#: Bytes that the list without proof may take, however little is left.
_LEAST_ROOM = 2**20


def _bytes_of(ranked: Ranked) -> int:
    return _PER_DERIVATION + 12 * len(ranked.cuts)


class Listing:
    """The derivations of a search by falling value.

    If the search certified its best, that is the first, and each of the next ones is the best of
    all that are left, until the time, the keyboard or the memory ends this. The others are the best
    of those that the search met on its way, each tree once. Listing them combines what it met, so
    the best of them may be better than what the search found.

    Parameters
    ----------
    search : a search that has ended.
    found : what it found.
    deadline : of the search and of the list together.
    room : bytes that the list may take.

    Attributes
    ----------
    first : what the search found, with the best derivation that is known.
    interrupted, out_of_time, out_of_memory : what ended the list of those that are certain.
    bound : no derivation that is not in the list has a larger log joint.
    """

    def __init__(self, search: AnySearch, found: FoundTree, deadline: Deadline, room: int) -> None:
        self._search, self._deadline, self._room = search, deadline, room
        self.interrupted = self.out_of_time = self.out_of_memory = False
        self._taken = 0
        #: What the search met, if it had to be listed to tell the best.
        self._met = None if found.certified else self._known(max(room, _LEAST_ROOM))
        self.first = found
        if self._met and self._met[0].value > found.low:
            best = self._met[0]
            self.first = replace(found, cuts=best.cuts, low=best.value)
        self.bound = max(self.first.high, self.first.low)
        self._found = [self._kept(Ranked(self.first.cuts, self.first.low, self.bound))]
        self._next = self._others()

    def __iter__(self) -> Iterator[Ranked]:
        """All of them; those that were found before cost nothing."""
        place = 0
        while True:
            if place == len(self._found):
                following = next(self._next, None)
                if following is None:
                    return
                self._found.append(following)
            yield self._found[place]
            place += 1

    def _kept(self, ranked: Ranked) -> Ranked:
        self._taken += _bytes_of(ranked)
        return ranked

    def _others(self) -> Iterator[Ranked]:
        given = {self.first.cuts.tobytes()}
        if self._met is None:
            first_is_to_come = True
            for ranked in self._certain():
                key = ranked.cuts.tobytes()
                if first_is_to_come and key in given:
                    first_is_to_come = False
                else:
                    given.add(key)
                    yield self._kept(ranked)
            if not (self.interrupted or self.out_of_time or self.out_of_memory):
                return
        for known in self._known() if self._met is None else self._met:
            if known.cuts.tobytes() not in given:
                given.add(known.cuts.tobytes())
                yield self._kept(Ranked(known.cuts, known.value, self.bound))

    def _known(self, room: float = math.inf) -> list[Ranked]:
        """The derivations that the search met, as far as they can be listed in `LEAST_SECONDS` and
        `room` bytes, the best first. All at once, as values of items that are opened now may come
        out larger."""
        ranking, out, taken = self._search.ranking(known=True), list[Ranked](), 0
        ends = time.monotonic() + LEAST_SECONDS
        while len(out) < _MOST_KNOWN and taken <= room:
            known = self._next_of(ranking, lambda *_: time.monotonic() < ends)
            if known is None:
                break
            out.append(known)
            taken += _bytes_of(known)
        return sorted(out, key=lambda ranked: -ranked.value)

    def _certain(self) -> Iterator[Ranked]:
        """Until it is certain that there are no more, or something ends it."""
        ranking = self._search.ranking(known=False)
        self.out_of_time = self._deadline.over()
        while not (self.out_of_time or self.out_of_memory):
            with self._deadline.working():
                ranked = self._next_of(ranking, lambda *_: not self._deadline.over())
                self.out_of_time = self._deadline.over()
            self.bound = min(self.bound, ranking.bound)
            if ranked is None:
                ended = not self._ended_early
                self.out_of_time = self.out_of_time and not ended
                self.out_of_memory = not (ended or self.out_of_time or self.interrupted)
                return
            yield ranked
            self.out_of_memory = self._taken > self._room

    def _next_of(self, ranking: AnyRanking, poll: Poll) -> Ranked | None:
        try:
            ended, ranked = ranking.next(poll)
        except KeyboardInterrupt:
            self.interrupted, ended, ranked = True, False, None
        self._ended_early = not ended
        return ranked
