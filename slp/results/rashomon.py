"""`RashomonSet`: all trees nearly as probable as the best one (Semenova, Rudin & Parr 2022)."""

from __future__ import annotations

from dataclasses import dataclass

from slp.results.record.parts import Candidate

__all__ = ["RashomonSet"]


@dataclass(frozen=True)
class RashomonSet:
    """The derivations that weigh at least `factor` times what the best one does.

    Attributes
    ----------
    factor : above 0, at most 1.
    count : their number, exact below 2**53; or, where `upper_bound` is a number, how many of them
        were found.
    probability : their probability together; None where the engine does not know it.
    trees : their trees, the best first: all, or as many as were asked for.
    upper_bound : None where all were counted. Else there may be more, and none of these has a log
        joint above this.
    """

    factor: float
    count: int
    probability: float | None
    trees: tuple[Candidate, ...]
    upper_bound: float | None = None

    @property
    def complete(self) -> bool:
        """Whether all were counted."""
        return self.upper_bound is None
