"""The options of the engine `rjhmc`."""

from __future__ import annotations

from dataclasses import dataclass

from slp.engines.contract import DrawingOptions, option

#: Values of `index` and `births`.
INDICES = ("hard", "soft")
BIRTHS = ("informed", "prior")


@dataclass(frozen=True, kw_only=True)
class SoftTreeOptions(DrawingOptions):
    """Of chains over soft trees."""

    chains: int = option(4, "number of chains", least=1)
    warmup: int = option(1000, "steps of each chain before any draw is kept", least=0)
    thin: int = option(1, "steps for each draw kept", least=1)
    index: str = option(
        "hard",
        "hard: each split is on one feature (HMC-DF); soft: on a mean of all (HMC-DFI)",
        metavar="NAME",
    )
    births: str = option(
        "informed",
        "informed: new splits are proposed by their likelihood; prior: by the prior",
        metavar="NAME",
    )
    trajectories: int = option(1, "HMC trajectories on each side of a jump", least=1)
    leapfrogs: int = option(
        0, "leapfrog steps of each trajectory; 0: the No-U-Turn sampler decides", least=0
    )
    first_h: float | None = option(
        None, "h at the begin of warm-up, from which it falls to the program's (the program's h)"
    )
    concentration: float = option(1.0, "of the Dirichlet prior of feature weights (index soft)")
