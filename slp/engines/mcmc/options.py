"""The options of chains, by name: flags of commands and keywords in Python come from here."""

from __future__ import annotations

from dataclasses import dataclass

from slp.engines.contract import DrawingOptions, option

__all__ = ["ProofChainOptions", "TreeChainOptions"]

_PROPOSAL = "proposals with weights, such as q_uc:0.8,q_ind:0.2"


@dataclass(frozen=True, kw_only=True)
class TreeChainOptions(DrawingOptions):
    """Of chains over trees. None is what `slp.engines.mcmc.default_steps` takes."""

    chains: int = option(4, "number of chains", least=1)
    warmup: int | None = option(
        None,
        "steps of each chain before any draw is kept (up to 20,000, by program and table)",
        least=0,
    )
    thin: int | None = option(
        None, "steps for each draw kept (up to 1,000, by program and table)", least=1
    )
    proposal: str = option("q_uc", _PROPOSAL, metavar="NAMES")
    rungs: int = option(
        1, "powers of the likelihood that each chain is tempered at; 1 for none", least=1
    )


@dataclass(frozen=True, kw_only=True)
class ProofChainOptions(DrawingOptions):
    """Of chains over the proofs of a goal."""

    chains: int = option(4, "number of chains", least=1)
    warmup: int = option(1000, "steps of each chain before any draw is kept", least=0)
    thin: int = option(10, "steps for each draw kept", least=1)
    proposal: str = option("q_uc", _PROPOSAL, metavar="NAMES")
