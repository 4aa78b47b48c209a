"""The options of the particle filter, by name: flags of commands and keywords in Python come from
here."""

from __future__ import annotations

from dataclasses import dataclass

from slp.engines.contract import DrawingOptions, effort_option, option
from slp.runner.effort import level_of


@dataclass(frozen=True, kw_only=True)
class FilterOptions(DrawingOptions):
    """Options of the particle filter."""

    effort: str = effort_option()
    particles: int | None = option(None, "particles of each island (by effort)", least=1)
    islands: int = option(8, "independent filters, which tell the error", least=1)
    proposal: str = option(
        "prior", "how a goal is decided: prior, empirical or optimal", metavar="NAMES"
    )
    order: str = option(
        "breadth",
        "which goal is next: breadth, likelihood (the lowest first), or layer (all)",
        metavar="NAME",
    )
    resampling: str = option(
        "systematic", "multinomial, residual, stratified or systematic", metavar="NAME"
    )
    ess: float = option(
        0.01,
        "resample where fewer of the particles, as a share, are effective",
        least=0.0,
        metavar="SHARE",
    )

    @property
    def n_particles(self) -> int:
        """The particles of each island."""
        return level_of(self.effort).particles if self.particles is None else self.particles


@dataclass(frozen=True, kw_only=True)
class FilterLimits(FilterOptions):
    """Options with values that a run adds: the number of draws that an island keeps, and the bytes
    of all particles."""

    kept: int
    room: int
