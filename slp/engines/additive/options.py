"""The options of the engine `additive`."""

from __future__ import annotations

from dataclasses import dataclass

from slp.engines.contract import DrawingOptions, effort_option, option
from slp.runner.effort import level_of

#: Sweeps over all trees before the first draw, and for each draw kept: those of effort `default`.
_WARM_UP, _THIN = 1000, 10


@dataclass(frozen=True, kw_only=True)
class SumOptions(DrawingOptions):
    """Of chains over sums of trees."""

    effort: str = effort_option()
    chains: int = option(4, "number of chains", least=1)
    warmup: int | None = option(
        None,
        "steps of each chain before any draw is kept, each one sweep over all trees (by effort)",
        least=0,
    )
    thin: int | None = option(None, "steps for each draw kept (by effort)", least=1)

    def steps(self) -> tuple[int, int]:
        """The sweeps of warm-up, and those for each draw kept."""
        share = level_of(self.effort).sweeps
        warmup, thin = round(_WARM_UP * share), max(1, round(_THIN * share))
        return (
            warmup if self.warmup is None else self.warmup,
            thin if self.thin is None else self.thin,
        )
