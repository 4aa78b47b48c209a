"""The options that chains over trees do not take for a program, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from slp.engines.mcmc.options import TreeChainOptions
from slp.engines.shared.core_limits import preferences_about_trees
from slp.engines.shared.proposal_names import Named, find_other_than_cuts, read_names
from slp.errors import Diagnostic, UsageError
from slp.messages.chains import (
    EXACT_SUBTREES_OF_EDITS,
    EXACT_SUBTREES_OF_PREDICATES,
    MOVES_OF_EDITS,
    START_OF_EDITS,
    UNWEIGHED_PREFERENCES,
)
from slp.messages.inference import CUTS_OF_BACKTRACKING, NO_LADDERS_OF_BACKTRACKING
from slp.problem.problem import Problem
from slp.trees.predicates import node_predicates


def find_refusals(problem: Problem, options: TreeChainOptions) -> Iterator[Diagnostic]:
    """See `Engine.refusal`: E516, E548, E549."""
    program = problem.program
    if problem.grammar.backtracks:
        if isinstance(options.rungs, int) and options.rungs > 1:
            yield NO_LADDERS_OF_BACKTRACKING()
        yield from find_refused_proposals(options, _of_backtracking)
    elif program.edits is not None:
        if options.start is not None:
            yield START_OF_EDITS()
        yield from find_refused_proposals(options, _of_edits)
    elif preferences_about_trees(program.constraints):
        yield from find_refused_proposals(options, _of_preferences)
    elif node_predicates(program.constraints):
        yield from find_refused_proposals(options, _of_predicates)
    else:
        yield from find_refused_proposals(options, lambda named: ())


def find_refused_proposals(
    options: TreeChainOptions, among: Callable[[list[Named]], Iterable[Diagnostic]]
) -> Iterator[Diagnostic]:
    """Why the proposals that options name cannot be read, else what is refused among them."""
    if options.proposal is None:
        return
    try:
        named = read_names(options.proposal)
    except UsageError as error:
        yield from error.diagnostics
    else:
        yield from among(named)


def _of_backtracking(named: list[Named]) -> Iterator[Diagnostic]:
    for one in named:
        if one.name not in ("q_ind", "q_n", "q_uc", "q_seq"):
            yield CUTS_OF_BACKTRACKING(name=one.name)


def _of_edits(named: list[Named]) -> Iterator[Diagnostic]:
    return find_other_than_cuts(named, EXACT_SUBTREES_OF_EDITS, MOVES_OF_EDITS)


def _of_preferences(named: list[Named]) -> Iterator[Diagnostic]:
    for one in named:
        if one.name not in ("q_ind", "q_n", "q_uc", "q_seq"):
            yield UNWEIGHED_PREFERENCES(name=one.name)


def _of_predicates(named: list[Named]) -> Iterator[Diagnostic]:
    if any(one.name == "q_exact" for one in named):
        yield EXACT_SUBTREES_OF_PREDICATES()
