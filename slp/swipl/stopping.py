"""What ends SWI-Prolog in the middle of a call: the time, and Ctrl-C."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import current_thread, main_thread

from slp.budgets import time_left
from slp.errors import BudgetError
from slp.resolution.proofs.best_first import check_budgets
from slp.swipl.bridge import call

#: Seconds that a watch waits beyond the time: the clocks of both languages differ a little.
_LATER = 0.05


@dataclass(eq=False)
class Stop:
    """The name of the watch that ends guarded calls, and whether Ctrl-C was pressed without an
    outcome that says so."""

    watch: str
    pressed: bool = False


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Lets the time that is held (`slp.budgets.held`) and Ctrl-C end what SWI-Prolog does in the
    block. Between the calls of the block, Ctrl-C waits for the next one."""
    left = time_left()
    takes = current_thread() is main_thread() and callable(signal.getsignal(signal.SIGINT))
    if left == math.inf and not takes:
        yield Stop("none")
        return
    read, write = os.pipe()
    pressed: list[int] = []
    with open(read, "rb"), open(write, "wb", buffering=0), _signals_to(write, pressed, takes):
        seconds = -1.0 if left == math.inf else max(left, 0.0) + _LATER
        stop = Stop(call("slp_watch", seconds, read))
        try:
            yield stop
        finally:
            os.write(write, b"\0")
            told = call("slp_unwatch", stop.watch)
    stop.pressed = bool(pressed) and not told


@contextmanager
def _signals_to(pipe: int, pressed: list[int], takes: bool) -> Iterator[None]:
    """Writes the number of each signal into the pipe, while Python cannot run, and that of each
    Ctrl-C into the list later. Nothing unless this thread `takes` signals."""
    if not takes:
        yield
        return
    os.set_blocking(pipe, False)
    others = signal.set_wakeup_fd(pipe, warn_on_full_buffer=False)
    handler = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        signal.set_wakeup_fd(others)


def stopped(outcome: str) -> BudgetError | KeyboardInterrupt:
    """What Python raises for an outcome `time` or `interrupt`."""
    if outcome == "interrupt":
        return KeyboardInterrupt()
    try:
        check_budgets()
    except BudgetError as e:
        return e
    raise AssertionError("a watch ends with the time that is held")
