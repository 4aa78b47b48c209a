"""The texts that are open in the editor, and what the last check found in each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

from slp.lsp.checks import Checked, Job
from slp.lsp.worker import Worker

#: Seconds without a change after which a text is checked.
PAUSE = 0.15


class Documents:
    """Checks the texts that wait, one after the other, the newest state of each.

    `publish` is told of each document whose present text was checked; None stands for a check that
    was ended.
    """

    def __init__(self, publish: Callable[[str, Checked | None], None]) -> None:
        self._publish = publish
        self._worker = Worker()
        self._jobs: dict[str, Job] = {}  # of all open documents
        self._waiting: set[str] = set()
        self._wanted = asyncio.Event()
        self._checked: dict[str, tuple[Job, Checked | None]] = {}
        self._done = asyncio.Condition()

    def put(self, uri: str, job: Job) -> None:
        """A document was opened, or has changed."""
        self._jobs[uri] = job
        self._waiting.add(uri)
        self._wanted.set()

    def forget(self, uri: str) -> None:
        """A document was closed."""
        for known in (self._jobs, self._checked):
            known.pop(uri, None)
        self._waiting.discard(uri)

    def uris(self) -> list[str]:
        """The open documents."""
        return list(self._jobs)

    async def run(self) -> None:
        """Check what waits, for ever."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            await asyncio.sleep(PAUSE)
            while self._waiting:
                uri = self._waiting.pop()
                job = self._jobs[uri]
                checked = await asyncio.to_thread(self._worker.ask, job)
                if self._jobs.get(uri) != job:
                    continue  # it has changed meanwhile, and waits again
                async with self._done:
                    self._checked[uri] = job, checked
                    self._done.notify_all()
                self._publish(uri, checked)

    async def checked(self, uri: str, seconds: float) -> Checked | None:
        """What was found in the present text of a document, awaited for some seconds; None if it is
        not known by then."""

        def known() -> bool:
            return uri in self._checked and self._checked[uri][0] == self._jobs.get(uri)

        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._done:
                await self._done.wait_for(known)
                return self._checked[uri][1]
        return None

    def columns(self, uri: str) -> Mapping[str, str]:
        """The columns of the document's table, in words, as the last check found them."""
        _, checked = self._checked.get(uri, (None, None))
        return {} if checked is None else checked.columns

    def close(self) -> None:
        """End the checks."""
        self._worker.close()
