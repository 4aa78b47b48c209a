"""The options of the engine `rjhmc`."""

from __future__ import annotations

from dataclasses import dataclass

from slp.engines.contract import DrawingOptions, effort_option, option
from slp.runner.effort import level_of

#: Values of `index`, `births` and `tuning`.
INDICES = ("hard", "soft")
BIRTHS = ("informed", "prior")
TUNINGS = ("frozen", "paper")


#: By default, the most steps for each draw, and the steps times the rows.
_MOST_THIN, _ROW_STEPS = 50, 35_000


@dataclass(frozen=True, kw_only=True)
class SoftTreeOptions(DrawingOptions):
    """Of chains over soft trees."""

    effort: str = effort_option()
    chains: int = option(4, "number of chains", least=1)
    warmup: int | None = option(
        None,
        "steps of each chain before any draw is kept (by effort and the number of rows; 1000 if "
        "thin is given, and with tuning=paper)",
        least=0,
    )
    thin: int | None = option(
        None,
        "steps for each draw kept (by effort and the number of rows; 1 if warmup is given, and "
        "with tuning=paper)",
        least=1,
    )
    index: str = option(
        "hard",
        "hard: each split is on one feature (HMC-DF); soft: on a mean of all (HMC-DFI)",
        metavar="NAME",
    )
    tuning: str = option(
        "frozen",
        "frozen: step sizes and metrics are learned in warm-up, then fixed; paper: in every "
        "proposal anew, as published, which does not leave the posterior invariant",
        metavar="NAME",
    )
    births: str | None = option(
        None,
        "informed: new splits are proposed by their likelihood; prior: by the prior (default "
        "informed; prior with tuning=paper)",
        metavar="NAME",
    )
    trajectories: int = option(1, "HMC trajectories on each side of a jump", least=1)
    leapfrogs: int = option(
        0, "leapfrog steps of each trajectory; 0: the No-U-Turn sampler decides", least=0
    )
    first_h: float | None = option(
        None,
        "h when warm-up begins; it falls to the program's h during warm-up (default: the "
        "program's h). With tuning=paper: h when each HMC part of a proposal begins",
        least=0.0,
    )
    concentration: float = option(
        1.0, "of the Dirichlet prior of feature weights (index soft)", least=0.0
    )

    def steps(self, n_rows: int) -> tuple[int, int]:
        """The steps of warm-up, and those for each draw kept, on a table of so many distinct rows.
        Those of `thorough` were chosen on iris and breast cancer (docs/design/soft-trees.md)."""
        if self.warmup is None and self.thin is None and not self.published:
            share = level_of(self.effort).soft_steps
            thin = max(1, int(share * min(_MOST_THIN, _ROW_STEPS // n_rows)))
            return 1000 + 80 * thin, thin
        return 1000 if self.warmup is None else self.warmup, 1 if self.thin is None else self.thin

    @property
    def informed(self) -> bool:
        """Whether births look at the likelihood."""
        return (self.births or ("prior" if self.published else "informed")) == "informed"

    @property
    def published(self) -> bool:
        """Whether HMC is tuned and accepted as published."""
        return self.tuning == "paper"
