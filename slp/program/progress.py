"""Progress of a run, reported to a function or on one line of standard error."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from slp.engines.contract import Progress as Progress
from slp.errors import UsageError
from slp.messages.inference import NO_PROGRESS

#: The control sequence that clears the terminal line of the cursor.
CLEAR_LINE = "\r\x1b[K"

_SECONDS_BETWEEN = 0.2

#: What is counted in a phase, by the start of its name; others count boxes.
_UNITS = {"sampling": "steps", "proving": "choices", "learning": "sums"}


class ProgressLine:
    """Updates one line of standard error, and clears it at the end of a phase."""

    def __init__(self) -> None:
        self._last, self._started = 0.0, time.monotonic()
        self._before, self._width = 0, 0

    def __call__(self, done: int, phase: str) -> None:
        now = time.monotonic()
        if done < self._before:  # a new phase
            self._started, self._last = now, 0.0
        self._before = done
        if phase.endswith(", done"):
            self.clear()
        elif now - self._last >= _SECONDS_BETWEEN:
            self._last = now
            self._show(done, phase, now)

    def _show(self, done: int, phase: str, now: float) -> None:
        rate = done / max(now - self._started, 0.1)
        unit = next((u for p, u in _UNITS.items() if phase.startswith(p)), "boxes")
        what, _, more = phase.partition(", ")
        line = f"{what}: {done:,} {unit}, {rate:,.0f}/s" + (f", {more}" if more else "")
        line = line[: shutil.get_terminal_size().columns - 1]
        self.clear()
        self._write(line)
        self._width = len(line)

    def clear(self) -> None:
        """Clear the line."""
        if self._width:
            blank = "\r" + " " * self._width + "\r"  # works also without control sequences
            self._write(CLEAR_LINE if obeys_controls(sys.stderr) else blank)
            self._width = 0

    def _write(self, text: str) -> None:
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()


def obeys_controls(stream: IO[str] | None) -> bool:
    """Whether a stream is a terminal that obeys control sequences; TERM=dumb says that it does
    not."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def _is_watched() -> bool:
    """Whether standard error is a terminal, or the stream of a notebook's kernel."""
    return obeys_controls(sys.stderr) or type(sys.stderr).__module__.startswith("ipykernel.")


@contextmanager
def shown_progress(progress: Progress | bool | None) -> Iterator[Progress | None]:
    """The callback for engines: the given function; for True a `ProgressLine` where a person looks,
    on a terminal or in a notebook; else None.

    Raises
    ------
    UsageError
        E543: it is none of these.
    """
    if progress is None or progress is False:
        yield None
    elif progress is True and not _is_watched():
        yield None
    elif progress is True:
        line = ProgressLine()
        try:
            yield line
        finally:
            line.clear()
    elif callable(progress):
        yield progress
    else:
        raise UsageError(NO_PROGRESS(progress=progress))
