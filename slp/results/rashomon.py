"""`RashomonSet`: all trees nearly as probable as the best one (Semenova, Rudin & Parr 2022)."""

from __future__ import annotations

from dataclasses import dataclass

from slp.results.result import Candidate

__all__ = ["RashomonSet"]


@dataclass(frozen=True)
class RashomonSet:
    """The derivations that weigh at least `factor` times what the best one does.

    Attributes
    ----------
    factor : above 0, at most 1.
    count : their number; exact below 2**53.
    probability : their probability together.
    trees : their trees, the best first: all, or as many as were asked for.
    """

    factor: float
    count: int
    probability: float
    trees: tuple[Candidate, ...]
