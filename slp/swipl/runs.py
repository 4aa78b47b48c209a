"""Runs one at a time (`slp.resolution.runs`) that SWI-Prolog makes.

What a run comes to, and in which order, is what the machine of this package comes to, so chains
over proofs make the same draws from the same seed on either.
"""

from __future__ import annotations

import weakref

from slp.resolution.machine import Limits
from slp.resolution.queries import Query
from slp.resolution.runs import RunsOneByOne
from slp.swipl.prolog import INFERENCES, PrologProgram, PrologSearch, Start, forget_search

__all__ = ["PrologRuns"]


class PrologRuns(RunsOneByOne[Start, int], PrologSearch):
    """Runs of a loaded program. `limits` are those of each run.

    SWI-Prolog keeps the program, and every goal that a run ended at, as later runs begin there,
    until nobody holds this object any more.
    """

    def __init__(self, loaded: PrologProgram, query: Query, limits: Limits) -> None:
        super().__init__(loaded, query, 0.0, limits, merges=True)
        loaded.close_with(self)
        weakref.finalize(self, forget_search, self._search).atexit = False

    def allow_anew(self) -> None:
        """See `RunsOneByOne`."""
        self._left = self._limits.inferences * INFERENCES

    def spent(self) -> int:
        """See `RunsOneByOne`; in inferences of ours."""
        return self._limits.inferences - self._left // INFERENCES
