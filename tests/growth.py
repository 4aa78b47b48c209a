"""How the work grows with the size of an input, in CPU time at two sizes, with wide margins."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

__all__ = ["assert_linear"]


def assert_linear(work: Callable[[int], object], size: int, *, times: int = 4) -> None:
    """`work(times * size)` takes less than half of what quadratic time would ask of it.

    The better of two runs counts, as other processes only add to it.
    """
    small, large = (min(_seconds(work, n) for _ in range(2)) for n in (size, times * size))
    assert large < times**2 / 2 * max(small, 0.01), (small, large)


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
