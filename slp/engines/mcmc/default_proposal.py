"""The proposals of a run of chains over trees that names none."""

from __future__ import annotations

from slp.engines.mcmc.options import (
    CUTS,
    INDEPENDENT,
    MANY_CUTS,
    MOVES_AND_CUTS,
    MOVES_OF_MANY_CUTS,
    TreeChainOptions,
)
from slp.engines.shared.core_limits import core_makes
from slp.problem.problem import Problem

_EDITS = "edits of a given tree take none"
_BACKTRACKING = "under backtracking the weights of trees are not known"
_SLOW_PROGRAM = "for this program they run in Python, where they are slow"
_SLOW_ENGINE = "with this engine they run in Python, where they are slow"


def proposal_of(problem: Problem, options: TreeChainOptions, in_core: bool = True) -> str:
    """The proposals that options name, else `MOVES_AND_CUTS` or `MOVES_OF_MANY_CUTS`, or `CUTS`
    where `why_no_tree_moves` says why; `INDEPENDENT` under backtracking."""
    if options.proposal is not None:
        return options.proposal
    if problem.grammar.backtracks:
        return INDEPENDENT
    if why_no_tree_moves(problem, in_core) is not None:
        return CUTS
    return MOVES_AND_CUTS if problem.table.n_cuts <= MANY_CUTS else MOVES_OF_MANY_CUTS


def why_no_tree_moves(problem: Problem, in_core: bool) -> str | None:
    """Why chains make no moves from tree to tree by default, in words; None if they make them.
    `in_core`: whether an engine's chains run in the compiled core where programs allow it."""
    program = problem.program
    if problem.grammar.backtracks:
        return _BACKTRACKING
    if program.edits is not None:
        return _EDITS
    if not in_core:
        return _SLOW_ENGINE
    return None if core_makes(problem, MOVES_AND_CUTS) else _SLOW_PROGRAM
