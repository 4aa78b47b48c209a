"""What engines that draw are called, their options, and what is told of a run.

Light, as every command knows it: the machinery is imported where something draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from slp.budgets.seconds import format_seconds
from slp.errors import Diagnostic, warn

if TYPE_CHECKING:
    from slp.ir.program import Program
    from slp.problem.boxes import Geometry
    from slp.results.diagnostics import Diagnostics
    from slp.results.sampled_posterior import TreeSampler
    from slp.runner import Progress

__all__ = [
    "FORWARD",
    "HOSTED",
    "SAMPLERS",
    "ChainOptions",
    "Hosted",
    "Sampling",
    "SamplingOptions",
    "teller",
    "warn_of",
]

#: Independent draws of a prior: `auto` takes them where exact sums take long.
FORWARD = "forward"

#: The samplers there are: `prolog` is `mh` with proposals that SWI-Prolog makes.
SAMPLERS = ("mh", "prolog")


@dataclass(frozen=True)
class Sampling:
    """How to sample: what `slp.Program.posterior` takes for engines that draw.

    Attributes
    ----------
    chains, warmup, thin : number of chains; steps that each makes before it keeps any; steps for
        each draw kept. None is 20,000 and 1000 where the core makes a step in microseconds, shared
        by the rungs, 2000 and 100 for edits of a tree in the core, else 1000 and 10; fewer on
        large tables (`slp.engines.mcmc.default_steps`).
    proposal : as in `slp.engines.mcmc.trees.names`.
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


class ChainOptions(TypedDict, total=False):
    """The options of `Sampling` that any chains take, by name."""

    chains: int
    warmup: int
    thin: int
    proposal: str
    checkpoint: str | Path | None
    resume: bool


class SamplingOptions(ChainOptions, total=False):
    """The options of `Sampling`, by name."""

    rungs: int


class Hosted(Protocol):
    """Makes the sampler of an engine that a room above this one brings."""

    def __call__(
        self,
        program: Program,
        geometry: Geometry,
        sampling: Sampling,
        *,
        likelihood: bool,
        allow_code: bool,
    ) -> TreeSampler[Any]:
        """A sampler of a program, its predicates ready to be asked, on a table."""
        ...


#: Such engines by name.
HOSTED: dict[str, Hosted] = {}


def teller(progress: Callable[[int, str], None]) -> Callable[[Progress], None]:
    """What tells `progress` of a run: steps done, and a word about them."""

    def tell(now: Progress) -> None:
        shares = ", ".join(f"{name} {share:.1%}" for name, share in now.acceptance.items())
        left = f"{format_seconds(now.seconds_left)} left"
        progress(now.done, f"sampling, {now.total:,} steps, accepted: {shares}; {left}")

    return tell


def warn_of(diagnostics: Diagnostics, remedies: str = "another proposal or tempering") -> None:
    """Say in words what is wrong with a run, all of it at once (W530)."""
    if diagnostics.warnings:
        words = f"not converged, do not use the numbers: {'; '.join(diagnostics.warnings)}"
        help = f"run longer (draws, thin, warmup), or with {remedies}"
        warn(Diagnostic("W530", words, help=help, severity="warning"))
