"""A run of the search: trees to begin with, the search until the deadline, and what it found."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from slp.budgets.memory import format_bytes
from slp.budgets.seconds import format_seconds
from slp.data.memory import check_room_for_bit_sets, room_beside
from slp.engines.contract import Request
from slp.engines.registry import plain_engine
from slp.engines.search.compiled import CompiledSearch, FoundTree
from slp.engines.search.listing import LEAST_SECONDS, AnySearch, Listing
from slp.engines.search.result import result_of_search
from slp.engines.shared.core_limits import why_not_of_one_prior
from slp.engines.shared.growth.core import core_engine, grow_in_core
from slp.engines.shared.growth.plan import Ending, Grown, Plan
from slp.engines.shared.growth.pruning import Pruning
from slp.errors import BudgetError, NoTreeError, TimeOverError
from slp.messages.inference import NO_TREE, SEARCH_OUT_OF_MEMORY, TIME_OVER
from slp.problem.core import check_counts
from slp.problem.problem import Problem
from slp.results.record.parts import Ended
from slp.results.record.result import Result

__all__ = ["listing_of", "run_search"]

#: Levels that the modal trees to begin with are grown beyond where stopping is best.
_FURTHER = (0, 1, 2, 3)

#: For trees whose first options are drawn: the levels drawn, and the temperatures in turn.
_DRAWN_LEVELS, _TEMPERATURES = 3, (1.0, 2.0, 4.0, 8.0)
#: Their levels beyond that, and how many there are: at most, and as many as rows times features
#: allow. Below, the steps after which a search grows more such trees, and their numbers.
_DRAWN_FURTHER, _MOST_DRAWN, _DRAWN_CELLS = 3, 100, 4_000_000
_SEARCHED, _MORE_FURTHER, _MOST_MORE, _MORE_CELLS = 1e8, 6, 1000, 10_000_000

#: The share of the time after which no more modal trees are grown.
_SEED_SHARE = 0.25

#: Rows times features times cuts of the table up to which a tree is grown with look-ahead.
_LOOK_AHEAD_CELLS = 10_000_000

#: Bytes that the core's search takes at least.
_LEAST_ROOM = 2**16


def run_search(problem: Problem, request: Request) -> Result:
    """Search until the best derivation is certain, or the deadline, the keyboard or the memory ends
    the search.

    Raises
    ------
    BudgetError
        E501: no room beside the table, or for rules that count leaves; E540: the time was over
        before there was a tree.
    NoTreeError
        E504: no tree satisfies the program.
    """
    return _Run(problem, request).result()


def listing_of(problem: Problem, request: Request) -> Listing:
    """The derivations of a search that is made again. Raises as `run_search`."""
    return _Run(problem, request).listing()


def _pruned(grown: Grown, most_leaves: int | None) -> Pruning | None:
    """The grown tree, pruned exactly; None if it cannot be pruned, or not to so few leaves."""
    if grown.ending not in (Ending.DONE, Ending.STOPPED):
        return None
    pruning = Pruning(grown)
    if not pruning.possible:
        return None
    pruning.prune_best()
    if most_leaves is None or pruning.prune_until(lambda: pruning.n_leaves <= most_leaves):
        return pruning
    return None


class _Run:
    def __init__(self, problem: Problem, request: Request) -> None:
        self.problem, self.request = problem, request
        self.interrupted = self.out_of_memory = False
        self.began = time.monotonic()
        #: The best modal tree and its value.
        self.modal: tuple[float, NDArray[np.int32]] = -math.inf, np.empty((0, 3), np.int32)

    @property
    def _core(self) -> bool:
        """Whether it runs in the core."""
        return why_not_of_one_prior(self.problem) is None

    def result(self) -> Result:
        """What the search finds."""
        listing = self.listing()
        out_of_time = self.request.deadline.over() and not listing.first.certified
        return result_of_search(
            self.problem,
            listing.first,
            listing,
            request=self.request,
            ended=Ended(self.interrupted or out_of_time, out_of_time, self.out_of_memory),
        )

    def listing(self) -> Listing:
        """The derivations that the search finds."""
        problem, memory = self.problem, self.request.memory
        check_counts(problem.grammar, problem.table, memory, "the search")
        search: AnySearch
        search, found = self._in_core() if self._core else self._plainly()
        if not len(found.cuts):
            self._raise_nothing(found)
        left = max(0, room_beside(problem.table, memory) - found.peak_bytes)
        return Listing(search, found, self.request.deadline, left // 2)

    def _raise_nothing(self, found: FoundTree) -> NoReturn:
        if found.certified or found.high == -math.inf:
            raise NoTreeError(NO_TREE())
        if self.out_of_memory:
            self._raise_no_memory()
        seconds = format_seconds(self.request.deadline.seconds or 0)
        raise TimeOverError(TIME_OVER(time=seconds, doing="before a tree was found"))

    def _raise_no_memory(self) -> NoReturn:
        memory = format_bytes(self.request.memory)
        room = format_bytes(room_beside(self.problem.table, self.request.memory))
        raise BudgetError(SEARCH_OUT_OF_MEMORY(memory=memory, room=room))

    def _poll(self, steps: int, _kept: int, _bytes: int) -> bool:
        """Whether to go on."""
        if self.request.progress is not None:
            self.request.progress(steps, "searching")
        early = time.monotonic() - self.began < LEAST_SECONDS
        return early or not self.request.deadline.over()

    # --- in the core ---------------------------------------------------------------------------

    def _in_core(self) -> tuple[CompiledSearch, FoundTree]:
        room = room_beside(self.problem.table, self.request.memory)
        if room < _LEAST_ROOM:
            self._raise_no_memory()
        assert self.problem.core is not None
        search = CompiledSearch(
            self.problem.core, self.problem.table, likelihood=self.request.likelihood, room=room
        )
        try:
            self._seed(search, self._plans(few=search.is_shallow()), room)
            certain, self.out_of_memory = search.run(self._poll, most_searched=_SEARCHED)
            if not (certain or self.out_of_memory or self.request.deadline.over()):
                self._seed(search, self._more_plans(), room)
                _, self.out_of_memory = search.run(self._poll)
        except KeyboardInterrupt:
            self.interrupted = True
        if self.interrupted and not len(search.found().cuts):
            search.run(lambda *_: False)  # the tree of one leaf at least
        found, (value, cuts) = search.found(), self.modal
        if found.low < value - 1e-9 * (1 + abs(value)):  # the search had no room for that tree
            return search, replace(found, cuts=cuts, low=value)
        return search, found

    def _seed(self, search: CompiledSearch, plans: Iterable[Plan], room: int) -> None:
        """Let the search know the modal trees of some plans, for a part of the time."""
        seconds, began = self.request.deadline.seconds, time.monotonic()
        for value, cuts in self._modal_trees(plans, search, room):
            search.seed(cuts, self._poll)
            self.modal = max(self.modal, (value, cuts), key=lambda found: found[0])
            if seconds is not None and time.monotonic() - began > _SEED_SHARE * seconds:
                return

    def _modal_trees(
        self, plans: Iterable[Plan], search: CompiledSearch, room: int
    ) -> Iterator[tuple[float, NDArray[np.int32]]]:
        """Modal trees, each pruned exactly, with the values of their derivations, grown in what the
        search leaves of the room. Where one ends in
        too many dead ends, so would the others: they would take the time of the search."""
        engine, most_leaves = core_engine(self.problem), self.problem.grammar.max_leaves
        for plan in plans:
            left = max(_LEAST_ROOM, room - search.found().peak_bytes)
            grown = grow_in_core(
                engine, self.problem.table, plan, room=left, threads=1, poll=self._poll
            )
            if (pruning := _pruned(grown, most_leaves)) is not None:
                yield pruning.value[0], pruning.cuts()
            if grown.interrupted:
                raise KeyboardInterrupt
            if grown.ending in (Ending.STOPPED, Ending.TOO_MANY_DEAD_ENDS):
                return

    def _plans(self, *, few: bool) -> Iterator[Plan]:
        """How modal trees are grown. `few`: those that take little time."""
        plain = Plan(likelihood=self.request.likelihood)
        yield from (replace(plain, further=further) for further in _FURTHER)
        if few:
            return
        codes = self.problem.table.codes
        n, d = codes.shape
        if n * d * int(codes.max(axis=0, initial=0).sum()) <= _LOOK_AHEAD_CELLS:
            yield replace(plain, look_ahead=1, further=1)
        yield from self._drawn(0, min(_MOST_DRAWN, _DRAWN_CELLS // max(1, n * d)), _DRAWN_FURTHER)

    def _more_plans(self) -> Iterator[Plan]:
        """How more modal trees are drawn where the search goes on."""
        cells = max(1, self.problem.table.codes.size)
        end = min(_MOST_MORE, _MORE_CELLS // cells)
        yield from self._drawn(_MOST_DRAWN, _MOST_DRAWN + end, _MORE_FURTHER)

    def _drawn(self, first: int, end: int, further: int) -> Iterator[Plan]:
        """Trees whose first options are drawn, with these seeds."""
        plain = Plan(
            likelihood=self.request.likelihood, drawn_levels=_DRAWN_LEVELS, further=further
        )
        for i in range(first, end):
            yield replace(plain, temperature=_TEMPERATURES[i % len(_TEMPERATURES)], seed=i)

    # --- plainly -------------------------------------------------------------------------------

    def _plainly(self) -> tuple[AnySearch, FoundTree]:
        problem = self.problem
        check_room_for_bit_sets(problem.table, self.request.memory)
        search = plain_engine("search").plain_search(problem, self.request.likelihood)
        try:
            search.run(lambda: not self._poll(search.steps, 0, 0))
        except KeyboardInterrupt:
            self.interrupted = True
        low, high = search.low, search.high
        return search, FoundTree(search.cuts(), low, high, len(search.items), 0, search.steps, 0)
