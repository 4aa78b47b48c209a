"""The options that chains over trees do not take for a program, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from slp.engines.mcmc.default_proposal import proposal_of
from slp.engines.mcmc.options import TreeChainOptions
from slp.engines.shared.core_limits import core_makes, preferences_about_trees
from slp.engines.shared.proposal_names import Named, find_other_than_cuts, read_names
from slp.errors import Diagnostic, UnsupportedError, UsageError
from slp.ir.constraints import Constraint
from slp.ir.program import PROPER_MEASURES
from slp.ir.weights_prior import LEAST_CONCENTRATION, MOST_CONCENTRATION
from slp.messages.chains import (
    EXACT_SUBTREES_OF_EDITS,
    EXACT_SUBTREES_OF_PREDICATES,
    MOVES_OF_EDITS,
    START_OF_EDITS,
    UNWEIGHED_PREFERENCES,
)
from slp.messages.inference import CUTS_OF_BACKTRACKING, NO_LADDERS_OF_BACKTRACKING
from slp.messages.names import joined
from slp.messages.unknown_parameters import NOT_NORMALISED
from slp.messages.unknown_weights import WEIGHTS_NOT_MOVED
from slp.problem.ambiguity import derivations_are_trees
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


def check_moved(problem: Problem, options: TreeChainOptions) -> None:
    """Refuse parameters and feature weights that have a prior and that chains cannot move.

    Raises
    ------
    UnsupportedError
        E307, of feature weights E310.
    """
    program, unknown = problem.program, problem.program.unknown
    why = _why_not_moved(problem, proposal_of(problem, options)) if program.uncertain else ""
    if program.weights_prior is not None:
        why = why or _why_no_weights_moved(problem, proposal_of(problem, options))
        if why:
            raise UnsupportedError(WEIGHTS_NOT_MOVED(program.weights_prior.span, why=why))
    elif why:
        names = joined([f"`{name}`" for name in unknown])
        raise UnsupportedError(NOT_NORMALISED(names=names, why=why))


def _why_not_moved(problem: Problem, proposal: str) -> str:
    """Why chains cannot move the parameters that have a prior, as the end of a sentence; empty
    where they can: where the weights of trees are known to sum to 1 at every value, and the core
    makes the chains."""
    program, grammar = problem.program, problem.grammar
    improper = sorted(program.measures - {*PROPER_MEASURES})
    losing = [c for c in program.constraints if _lets_fail(c, program.failure)]
    if program.weights:
        return "labels are weights (`:- weights.`)"
    if improper:
        return f"the shares of splits under `{improper[0]}` do not sum to 1"
    if losing:
        return f"the constraint `{losing[0].name}` lets derivations fail, or is of finished trees"
    if not grammar.normalised or grammar.max_leaves is not None:
        return "a derivation may come to a box that no rule applies to, or fail"
    if core_makes(problem, proposal):
        return ""
    return "the compiled core does not make the chains of this program and table"


def _why_no_weights_moved(problem: Problem, proposal: str) -> str:
    """The same beside it of feature weights."""
    prior, d = problem.program.weights_prior, len(problem.grammar.features)
    assert prior is not None
    a = prior.concentration(d)
    if not LEAST_CONCENTRATION <= a <= MOST_CONCENTRATION:
        return (
            f"{prior} of {d} features is the concentration {a:.3g}, which must lie between "
            f"{LEAST_CONCENTRATION} and {MOST_CONCENTRATION:g}"
        )
    if not derivations_are_trees(problem.grammar):
        return "a tree may have more than one derivation"
    fixed = [one.name for one in read_names(proposal) if one.name in ("q_exact", "q_pg")]
    return f"the proposal `{fixed[0]}` keeps sums for one value of the weights" if fixed else ""


def _lets_fail(constraint: Constraint, failure: str) -> bool:
    automaton = constraint.automaton()
    by_failing = failure == "condition" and automaton is not None
    by_code = constraint.by_code or constraint.beyond_grammar() is not None
    counted = constraint.most_leaves is not None
    loses = automaton is not None and (automaton.loses or automaton.tests_leaves)
    return by_failing or by_code or counted or loses


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
