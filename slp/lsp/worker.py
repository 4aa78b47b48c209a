"""Checks in a process of their own: a check that takes too long or too much memory is ended there,
and the editor is answered meanwhile."""

from __future__ import annotations

import multiprocessing
import os
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from slp.lsp.checks import SECONDS, Checked, Job, check

#: Seconds after which the process is ended: those of a check, of its start and some more.
_PATIENCE = SECONDS + 10.0


class Worker:
    """A process that checks one text after the other. It is started with the first one, and anew
    after it was ended."""

    def __init__(self, patience: float = _PATIENCE) -> None:
        self._patience = patience
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None

    def ask(self, job: Job) -> Checked | None:
        """What was found in a text; None if the process had to be ended."""
        connection = self._connection or self._start()
        try:
            connection.send(job)
            if connection.poll(self._patience):
                answer: Checked = connection.recv()
                return answer
        except (EOFError, OSError):
            pass  # the process ended by itself, for want of memory
        self.close()
        return None

    def close(self) -> None:
        """End the process."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._connection = None

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        own, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other,), daemon=True)
        self._process.start()
        other.close()
        self._connection = own
        return own


def _work(connection: Connection) -> None:
    """Check what comes, until the other side is closed."""
    # Standard output is the connection of the server with the editor.
    sys.stdout.flush()
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        while True:
            connection.send(check(connection.recv()))
