"""`PriorMass`: how much of a program's prior fails, and how probable its constraints are."""

from __future__ import annotations

from dataclasses import dataclass

from slp.results.estimate import Kind
from slp.results.record.later import Later

#: Independent draws of the program without its constraints, where sums would take long.
DRAWS_WITHOUT = 1000
#: What lies nearer to 0 or 1 is rounding.
TRIVIAL = 1e-12


@dataclass(frozen=True)
class PriorMass:
    """What is known of the mass of a program's prior on a table.

    Attributes
    ----------
    fails : the probability that a derivation fails; None where it is not known, or is 0.
    holds, holds_error, holds_kind : the probability that a tree of the program without its
        constraints satisfies all of them, its Monte Carlo standard error, and what it is; None
        where it is not known, or is 1.
    why_none : why `holds` is not known; empty where it is, or is 1.
    """

    fails: float | None = None
    holds: float | None = None
    holds_error: float | None = None
    holds_kind: Kind | None = None
    why_none: str = ""


#: Where nothing fails and nothing is constrained.
NOTHING_FAILS = Later.known(PriorMass())
