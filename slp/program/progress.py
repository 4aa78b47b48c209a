"""Progress of a run, reported to a function or on standard error: on one line of a terminal, else
by a line every ten seconds."""

from __future__ import annotations

import os
import shutil
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from slp.engines.contract import Progress as Progress
from slp.errors import UsageError
from slp.messages.inference import NO_PROGRESS
from slp.source import visible

if TYPE_CHECKING:
    from slp.results.record.parts import Candidate

#: The control sequence that clears the terminal line of the cursor.
CLEAR_LINE = "\r\x1b[K"

#: Seconds between two updates of a terminal's line, and between two lines elsewhere.
_SECONDS_BETWEEN, _SECONDS_BETWEEN_LINES = 0.2, 10.0

#: Seconds from which on a run counts as long, so that its first answer is shown; and the most
#: lines of that tree.
_LONG, _LINES_OF_TREE = 1.0, 20

#: What is counted in a phase, by the start of its name; others count boxes.
_UNITS = {
    "sampling": "steps",
    "listing": "states",
    "proving": "choices",
    "tabling": "runs",
    "learning": "sums",
    "where the best tree changes": "values",
    "predicting without each row": "rows",
}


class _Shown(ABC):
    """What is shown of a run on standard error: how far it is, and its first answer."""

    def __init__(self) -> None:
        self._began = self._started = time.monotonic()
        self._before = 0
        self._answer: Candidate | None = None

    def __call__(self, done: int, phase: str) -> None:
        now = time.monotonic()
        if done < self._before:
            self._started = now
            self._phase_begins()
        self._before = done
        self._tell_answer(now)
        if phase.endswith(", done"):
            self.clear()
        else:
            self._tell(done, phase, now)

    def first_answer(self, found: Candidate) -> None:
        """Show a tree: now, or as soon as the run counts as long."""
        self._answer = found
        self._tell_answer(time.monotonic())

    @abstractmethod
    def clear(self) -> None:
        """Clear the line."""

    @abstractmethod
    def _phase_begins(self) -> None:
        """The count of work begins anew."""

    @abstractmethod
    def _tell(self, done: int, phase: str, now: float) -> None:
        """Show how far the run is, if it is time to."""

    def _tell_answer(self, now: float) -> None:
        found = self._answer
        if found is None or now - self._began < _LONG:
            return
        self._answer = None
        joint = "not known" if found.log_joint is None else f"{found.log_joint:.6f}"
        n = found.tree.n_leaves
        lines = found.tree.to_text().splitlines()
        left_out = len(lines) - _LINES_OF_TREE
        if left_out > 0:
            lines[_LINES_OF_TREE:] = [f"... and {left_out:,} more lines"]
        self.clear()
        said = f"first answer: a tree grown greedily, there may be better ones; log joint {joint}"
        _write(
            "\n".join(
                [
                    f"{said}, {n:,} {'leaf' if n == 1 else 'leaves'}",
                    *(f"    {visible(line)}" for line in lines),
                    "",
                ]
            )
        )

    def _line(self, done: int, phase: str, now: float) -> str:
        rate = done / max(now - self._started, 0.1)
        unit = next((u for p, u in _UNITS.items() if phase.startswith(p)), "boxes")
        what, _, more = phase.partition(", ")
        return f"{what}: {done:,} {unit}, {rate:,.0f}/s" + (f", {more}" if more else "")


class ProgressLine(_Shown):
    """Updates one line of a terminal, and clears it at the end of a phase."""

    def __init__(self) -> None:
        super().__init__()
        self._last, self._width = 0.0, 0

    def _phase_begins(self) -> None:
        self._last = 0.0

    def _tell(self, done: int, phase: str, now: float) -> None:
        if now - self._last < _SECONDS_BETWEEN:
            return
        self._last = now
        line = self._line(done, phase, now)[: shutil.get_terminal_size().columns - 1]
        self.clear()
        _write(line)
        self._width = len(line)

    def clear(self) -> None:
        """Clear the line."""
        if self._width:
            blank = "\r" + " " * self._width + "\r"  # works also without control sequences
            _write(CLEAR_LINE if obeys_controls(sys.stderr) else blank)
            self._width = 0


class ProgressLog(_Shown):
    """Writes a line every ten seconds, where standard error is a file or a pipe."""

    def __init__(self) -> None:
        super().__init__()
        self._last = self._began

    def clear(self) -> None:
        """Nothing: lines in a file stay."""

    def _phase_begins(self) -> None:
        """Nothing: the next line comes when it is due."""

    def _tell(self, done: int, phase: str, now: float) -> None:
        if now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            _write(visible(self._line(done, phase, now)) + "\n")


def _write(text: str) -> None:
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
    on a terminal or in a notebook, else a `ProgressLog`; else None.

    Raises
    ------
    UsageError
        E543: it is none of these.
    """
    if progress is None or progress is False:
        yield None
    elif progress is True:
        line = ProgressLine() if _is_watched() else ProgressLog()
        try:
            yield line
        finally:
            line.clear()
    elif callable(progress):
        yield progress
    else:
        raise UsageError(NO_PROGRESS(progress=progress))
