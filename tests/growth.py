"""How the work grows with the size of an input, in CPU time at two sizes, with wide margins."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

__all__ = ["assert_linear"]

_MOST_PAIRS = 8
"""A machine whose speed changes within a pair gives a wrong ratio, hardly eight times in a row."""


def assert_linear(work: Callable[[int], object], size: int, *, times: int = 4) -> None:
    """`work(times * size)` takes less than half of what quadratic time would ask of it.

    The two sizes are run in pairs, one after the other, until a pair holds. Work in linear time
    has a ratio of `times`, and fails if the machine slows down to half its speed within each of
    eight pairs. Work in quadratic time fails each pair that runs at one speed.
    """
    seen: list[tuple[float, float]] = []
    work(size)  # what is done once would make the first small one slow
    for _ in range(_MOST_PAIRS):
        small, large = _seconds(work, size), _seconds(work, times * size)
        seen.append((small, large))
        if large < times**2 / 2 * max(small, 0.01):
            return
    raise AssertionError(f"seconds for {size} and {times * size}: {seen}")


def _seconds(work: Callable[[int], object], size: int) -> float:
    # What other tests left on the heap would be collected again and again.
    gc.collect()
    gc.freeze()
    try:
        start = time.process_time()
        work(size)
        return time.process_time() - start
    finally:
        gc.unfreeze()
