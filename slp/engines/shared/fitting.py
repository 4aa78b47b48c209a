"""Changes of a program that would make exact sums fit, with the size of each.

There are three kinds of changes: fewer cuts, shallower trees and larger leaves. Of each kind the
mildest change that fits is found, as long as the trees can still describe the table. Every size
comes from the estimator, run on the changed program and its table. There are at most ten estimates
of at most a second or two. On large tables an estimate takes as long as reading the table; there
only two numbers of bins are tried, which leave few distinct rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from slp.data.table import Table
from slp.engines.shared.size import size_for
from slp.errors import SlpError
from slp.ir.program import Bins, CheckedProgram, FeatureDeclaration
from slp.problem.core import MOST_COUNTS, counts_fit
from slp.problem.problem import Problem
from slp.results.record.size import Fit, Size

# From mild to severe.
_BINS = (20, 10, 7, 5, 4, 3)
_DEPTHS = (6, 5, 4, 3, 2)
_LEAVES = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
# For tables with more cells (distinct rows times features) only two numbers of bins are tried.
_LARGE, _FEW_BINS = 2_000_000, (5, 3)
# A useful tree can have at least this number of leaves of the least size.
_FEWEST_LEAVES = 10


@dataclass(frozen=True)
class Room:
    """The limits of a summary: bytes, splits of a pass, seconds that it surely ends in, and seconds
    of one core by the estimate. `words` is the length of an item's value in a pass, without its
    key: 1 for numbers."""

    memory: float
    splits: float
    words: int = 1
    seconds: float = math.inf
    estimated_seconds: float = math.inf

    def holds(self, size: Size) -> bool:
        """Whether all passes of a summary surely fit."""
        return (
            size.fits(self.memory_for_numbers, self.splits)
            and size.summary_memory <= self.memory
            and size.most_seconds <= self.seconds
            and size.seconds <= self.estimated_seconds
        )

    @property
    def memory_for_numbers(self) -> float:
        """The bytes that a pass over numbers would take where this one takes `memory`."""
        return self.memory * 3 / (2 + self.words)


def changes_that_fit(
    problem: Problem, room: Room, stop: Callable[[], bool] = lambda: False
) -> list[Fit]:
    """For each kind of change the mildest with which a whole summary fits, as far as found before
    `stop` became true."""
    ladders = _ladders(problem.program, problem.table)
    found = (_mildest(list(ladder), problem, room, stop) for ladder in ladders)
    return [fit for fit in found if fit is not None]


def fits_in_words(fits: Sequence[Fit], table: Table) -> str:
    """A sentence on the changes that would fit on a table."""
    if not fits:
        if _is_large(table):
            return "no change of cuts alone was found that makes it fit (nothing else was tried)"
        return "no change of cuts, depth or leaves alone was found that makes it fit"
    return f"it would fit with {', or '.join(map(str, fits))} (estimates)"


def _is_large(table: Table) -> bool:
    return len(table.counts) * len(table.features) > _LARGE


def _ladders(
    program: CheckedProgram, table: Table
) -> Iterator[Iterator[tuple[str, str | None, CheckedProgram]]]:
    """Changes of one kind, from mild to severe, with what they replace and the changed programs."""
    support, large = program.support, _is_large(table)
    named = tuple(f for f in program.features if f.name is not None or f.coding is None)
    coding = None if len(named) == len(program.features) else "feature(_, ...)"
    depth = None if support.max_depth is None else f"max_depth({support.max_depth})"
    rows = None if support.min_leaf == 1 else f"min_leaf({support.min_leaf})"
    yield (
        (
            f":- feature(_, [bins(quantile, {k})]).",
            coding,
            replace(
                program, features=(*named, FeatureDeclaration(None, None, Bins("quantile", k)))
            ),
        )
        for k in (_FEW_BINS if large else _BINS)
    )
    if large:
        return
    yield (
        (
            f":- support(max_depth({k})).",
            depth,
            replace(program, support=replace(support, max_depth=k)),
        )
        for k in _DEPTHS
        if support.max_depth is None or k < support.max_depth
    )
    yield (
        (
            f":- support(min_leaf({k})).",
            rows,
            replace(program, support=replace(support, min_leaf=k)),
        )
        for k in _LEAVES
        if support.min_weight is None
        and support.min_leaf < k <= max(_LEAVES[1], table.n_rows / _FEWEST_LEAVES)
    )


def _mildest(
    ladder: Sequence[tuple[str, str | None, CheckedProgram]],
    problem: Problem,
    room: Room,
    stop: Callable[[], bool],
) -> Fit | None:
    """By bisection: a more severe change gives a smaller problem."""
    best, low, high = None, 0, len(ladder)
    while low < high and not stop():
        middle = (low + high) // 2
        directive, instead, program = ladder[middle]
        size = _size(problem, program, room)
        if size is not None and room.holds(size):
            best, high = Fit(directive, size, instead), middle
        else:
            low = middle + 1
    return best if best is not None and best.size.splits >= 1 else None  # else nothing is left


def _size(problem: Problem, program: CheckedProgram, room: Room) -> Size | None:
    """None if the changed program does not fit the table, or counts too many leaves."""
    try:
        changed = problem.varied(program)
    except SlpError:
        return None
    if not counts_fit(changed.grammar, changed.table, MOST_COUNTS):
        return None
    return size_for(changed, room.memory_for_numbers, room.splits)
