"""Runs one at a time (`slp.resolution.proofs.runs`), made by SWI-Prolog.

A run has the same results, in the same order, as a run of this package's machine. So chains over
proofs make the same draws for the same seed with both.
"""

from __future__ import annotations

import weakref

from slp.resolution.machine.loop import Limits
from slp.resolution.proofs.query import Query
from slp.resolution.proofs.runs import RunsOneByOne
from slp.swipl.prolog import INFERENCES, PrologProgram, PrologSearch, Start, forget_search


class PrologRuns(RunsOneByOne[Start, int], PrologSearch):
    """Runs of a loaded program. `limits` are those of each run.

    SWI-Prolog keeps the program, and every goal at which a run ended, because later runs begin
    there. It removes them when this object is garbage-collected.
    """

    def __init__(self, loaded: PrologProgram, query: Query, limits: Limits) -> None:
        super().__init__(loaded, query, 0.0, limits, merges=True)
        loaded.close_with(self)
        weakref.finalize(self, forget_search, self._search).atexit = False

    def allow_anew(self) -> None:
        self._left = self._limits.inferences * INFERENCES

    def spent(self) -> int:
        """See `RunsOneByOne`. In inferences of the Python engine."""
        return self._limits.inferences - self._left // INFERENCES
