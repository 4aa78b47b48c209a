"""Effort: how long a run is where no option says it. `LEVELS` is the one table of what each level
sets; `python tests/docs/options_page.py` writes it into docs/sampling.md."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slp.errors import UsageError
from slp.messages.inference import NO_EFFORT
from slp.messages.names import nearest


@dataclass(frozen=True)
class Level:
    """What a level of effort sets. Seconds are those of one core by estimates of the work
    (`slp.engines.mcmc.default_steps`, `slp.engines.shared.size`), never by the clock.

    Attributes
    ----------
    name : of the level.
    sums : the longest summary by exact sums that `auto` takes.
    first_round : the first round of ladders.
    run : all rounds of ladders together.
    nearly_there : the same where chains nearly agree when `run` ends.
    untempered : a run of chains without ladders.
    particles : of each island of the particle filter.
    soft_steps : the steps of chains over soft trees, as a share of those of `thorough`.
    sweeps : those of chains over sums of trees, as a share of those of `default`.
    """

    name: str
    sums: float
    first_round: float
    run: float
    nearly_there: float
    untempered: float
    particles: int
    soft_steps: float
    sweeps: float


#: The name of the level that a run has where none is given: a minute of two cores.
DEFAULT = "default"

#: All levels, by name, from the shortest.
LEVELS = {
    level.name: level
    for level in (
        Level("quick", 5.0, 2.0, 2.5, 2.5, 2.5, 250, 0.1, 0.2),
        Level(DEFAULT, 120.0, 75.0, 120.0, 240.0, 120.0, 1000, 1.0, 1.0),
        Level("thorough", math.inf, 150.0, 240.0, 240.0, 150.0, 1000, 1.0, 3.0),
    )
}


def level_of(name: object) -> Level:
    """The level of a name.

    Raises
    ------
    UsageError
        E554: there is no such level.
    """
    level = LEVELS.get(name) if isinstance(name, str) else None
    if level is None:
        near = nearest(str(name), list(LEVELS))
        raise UsageError(NO_EFFORT(name=name, names=", ".join(LEVELS), nearest=near))
    return level


def next_level(level: Level) -> Level | None:
    """The next longer one; None after the longest."""
    later = list(LEVELS.values())[list(LEVELS).index(level.name) + 1 :]
    return later[0] if later else None


def level_in(options: Mapping[str, Any]) -> Level:
    """The level that options by name ask for."""
    return level_of(options.get("effort", DEFAULT))
