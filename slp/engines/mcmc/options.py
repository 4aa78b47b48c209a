"""The options of chains, by name: flags of commands and keywords in Python come from here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from slp.engines.contract import DrawingOptions, effort_option, option
from slp.trees import Tree

#: The default proposals, chosen by measurement (docs/design/tempering.md); those of tables with
#: more than so many cuts, all of which `informed` would list; and those without moves from tree to
#: tree.
MOVES_AND_CUTS = "q_uc:1,cgm:5,informed:2,perturb:1,rotate:1"
MANY_CUTS, MOVES_OF_MANY_CUTS = 50_000, "q_uc:1,cgm:5,perturb:1,rotate:1"
CUTS = "q_uc"
#: The default proposal under backtracking.
INDEPENDENT = "q_ind"

_PROPOSAL = "proposals with weights, such as q_uc:0.8,q_ind:0.2"


@dataclass(frozen=True, kw_only=True)
class TreeChainOptions(DrawingOptions):
    """Of chains over trees. None is what `slp.engines.mcmc.default_steps` takes at the
    level of effort. A tempered chain
    is a ladder, and its steps are scans."""

    effort: str = effort_option()
    chains: int = option(4, "number of chains, each a ladder where it is tempered", least=1)
    warmup: int | None = option(
        None, "steps of each chain, or of each rung, before any draw is kept", least=0
    )
    thin: int | None = option(
        None, "steps for each draw kept (of the first round, then the only one by default)", least=1
    )
    proposal: str | None = option(
        None,
        f"{_PROPOSAL} (by default {MOVES_AND_CUTS}, without informed where the table has more than "
        f"{MANY_CUTS:,} cuts; {CUTS} where the core makes no tree moves; {INDEPENDENT} under "
        "backtracking)",
        metavar="NAMES",
    )
    start: Tree | str | Path | None = option(
        None,
        "the tree that every chain begins at, a file in JSON or as `slp map` prints it (by default "
        "each begins at a draw)",
        metavar="FILE",
    )
    rungs: int | None = option(
        None,
        "powers of the likelihood of each ladder; 1: chains without tempering (by default where "
        "steps are slow, else about twice the barrier)",
        least=1,
    )
    rounds: int | None = option(
        None,
        "rounds, which make 1, 2, 3, 4, 6, 8, 12, ... times the scans of one (by default until the "
        "chains agree)",
        least=1,
    )


@dataclass(frozen=True, kw_only=True)
class ProofChainOptions(DrawingOptions):
    """Of chains over the proofs of a goal."""

    chains: int = option(4, "number of chains", least=1)
    warmup: int = option(1000, "steps of each chain before any draw is kept", least=0)
    thin: int = option(10, "steps for each draw kept", least=1)
    proposal: str = option(CUTS, _PROPOSAL, metavar="NAMES")
