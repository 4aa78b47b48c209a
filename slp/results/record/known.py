"""Partial results of a run that reaches a limit of time or memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from slp.data.table import Table
from slp.results.record.choice import EngineChoice

if TYPE_CHECKING:
    from slp.results.record.parts import Candidate


@dataclass(frozen=True, eq=False)
class Known:
    """What an engine knew when it reached a limit (`slp.BudgetError.known`).

    Attributes
    ----------
    choice : the engine, why, and how large exact sums would be.
    table, likelihood, normalised : as of `Posterior`.
    log_evidence_bounds : certain bounds on the log evidence, equal if it is known; None if there
        are none.
    best : the best of some trees drawn in the time that was kept for it, not certified; None if
        there was no time, or none was found.
    tree_count : how many trees there are; None where they were not counted.
    sooner : the name of an engine that answers sooner; None if none is known.
    """

    choice: EngineChoice
    table: Table
    likelihood: bool
    normalised: bool
    log_evidence_bounds: tuple[float, float] | None = None
    best: Candidate | None = None
    tree_count: int | float | None = None
    sooner: str | None = None
