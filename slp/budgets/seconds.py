"""Time: its text form such as `90s`, `5m`, `2h`, and the deadline of a command.

A `Deadline` is made at the start of a command, or of a call from Python, and passed to the
functions that compute. Functions far below, without a budget argument, call `check_time` regularly.
It checks the deadline that is `held`.
"""

from __future__ import annotations

import math
import re
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from slp.errors import TimeOverError, UsageError
from slp.messages.inference import NO_LENGTH_OF_TIME, TIME_OVER

_UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


def parse_seconds(time: float | str) -> float:
    """Seconds from a number of seconds or from text such as `"90s"`, `"5m"`, `"1.5 h"`.

    Raises
    ------
    UsageError
        The text is not a duration (E542).
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*([a-z]*)\s*", str(time).lower())
    unit = _UNITS.get(match[2]) if match else None
    if match is None or unit is None or not math.isfinite(float(match[1])):
        raise UsageError(NO_LENGTH_OF_TIME(time=time))
    return float(match[1]) * unit


def format_seconds(seconds: float) -> str:
    """A duration for people: `12 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


class _Watch:
    """A stop watch in seconds. It runs from `began` until it is stopped."""

    def __init__(self, now: Callable[[], float], began: float) -> None:
        self.now, self.spent = now, 0.0
        self.since: float | None = began

    def read(self) -> float:
        return self.spent + (0.0 if self.since is None else self.now() - self.since)


class Deadline:
    """The time at which a run must end.

    `pause` stops its watch, so that a posterior does not use time while it waits for its user.
    `working` starts the watch again for a later computation.

    Parameters
    ----------
    seconds : the limit; None is no limit.
    now : the clock, in seconds.
    began : the clock's time at which the watch started; None is the present time.

    Attributes
    ----------
    seconds : as given.
    """

    def __init__(
        self,
        seconds: float | None = None,
        now: Callable[[], float] = clock.monotonic,
        began: float | None = None,
    ) -> None:
        self.seconds = seconds
        self._watch, self._kept = _Watch(now, now() if began is None else began), 0.0

    @classmethod
    def of(cls, time: float | str | Deadline | None, began: float | None = None) -> Deadline:
        """The deadline for a user's time limit. The watch starts at `began` in the clock of
        `time.monotonic` (None: now). An existing deadline is returned unchanged.

        Raises
        ------
        UsageError
            The time is not a duration (E542).
        """
        if isinstance(time, Deadline):
            return time
        return cls(None if time is None else parse_seconds(time), began=began)

    def before(self, kept: float) -> Deadline:
        """A deadline on the same watch that ends `kept` seconds earlier, to keep them for later
        work."""
        out = Deadline(self.seconds)
        out._watch, out._kept = self._watch, self._kept + kept
        return out

    def keep(self, seconds: float) -> None:
        """From now on, end this number of seconds before the limit."""
        self._kept = seconds

    def __reduce__(self) -> tuple[type[Deadline], tuple[()]]:
        """A pickle or copy has no limit, because the watch belongs to this process."""
        return Deadline, ()

    def left(self) -> float:
        """Seconds left, at least 0; inf without a limit."""
        if self.seconds is None:
            return math.inf
        return max(0.0, self.seconds - self._kept - self._watch.read())

    def spent(self) -> float:
        """Seconds used so far."""
        return self._watch.read()

    def over(self) -> bool:
        """Whether there is no time left."""
        return self.left() <= 0

    def pause(self) -> None:
        """Stop the watch until `working`."""
        self._watch.spent, self._watch.since = self._watch.read(), None

    @contextmanager
    def working(self) -> Iterator[None]:
        """Runs the watch during the block, and restores its state afterwards."""
        if self._watch.since is not None:
            yield
            return
        self._watch.since = self._watch.now()
        try:
            yield
        finally:
            self.pause()

    def check(self, doing: str) -> None:
        """Raise TimeOverError E540 if no time is left. `doing` names the present work, as in
        "lowering the program"."""
        if self.over():
            raise TimeOverError(TIME_OVER(time=format_seconds(self.seconds or 0), doing=doing))


_HELD: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def held(deadline: Deadline) -> Iterator[None]:
    """Makes `check_time` check this deadline during the block."""
    token = _HELD.set(deadline)
    try:
        yield
    finally:
        _HELD.reset(token)


def time_left() -> float:
    """Seconds left of the deadline that is held; inf without one."""
    deadline = _HELD.get()
    return math.inf if deadline is None else deadline.left()


def check_time(doing: str, kept: float = 0.0) -> None:
    """Call `Deadline.check` of the deadline that is held, if there is one, `kept` seconds before it
    ends."""
    deadline = _HELD.get()
    if deadline is not None:
        (deadline.before(kept) if kept else deadline).check(doing)
