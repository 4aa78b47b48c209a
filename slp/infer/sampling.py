"""What engines that draw are called, and their options: light, as every command knows them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["SAMPLERS", "Sampling"]

#: The samplers there are.
SAMPLERS = ("mh",)


@dataclass(frozen=True)
class Sampling:
    """How to sample: what `slp.Program.posterior` takes for engines that draw.

    Attributes
    ----------
    chains, warmup, thin : number of chains; steps that each makes before it keeps any; steps for
        each draw kept. None is 20,000 and 1000 where the core makes a step in microseconds, shared
        by the rungs, 2000 and 100 for edits of a tree in the core, else 1000 and 10.
    proposal : as in `slp.infer.mh.names`.
    rungs : 1, or the number of powers of the likelihood that each chain is tempered at.
    checkpoint, resume : a file that the run is kept in, and whether to go on from it.
    """

    chains: int = 4
    warmup: int | None = None
    thin: int | None = None
    proposal: str = "q_uc"
    rungs: int = 1
    checkpoint: str | Path | None = None
    resume: bool = False
