"""Which chains over trees the C++ core runs; the plain ones run otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from slp.data.table import Table
from slp.engines.shared.proposal_names import names_moves
from slp.errors import Diagnostic
from slp.ir.constraints import Constraint
from slp.ir.tree_grammar import CallRule, OpenStates, TreeGrammar
from slp.problem.core import beyond_core, core_for
from slp.problem.problem import Problem

_ONE_PRIOR = "has leaves with priors of their own in boxes in sums, and in chains without `q_pg`"
_NO_MOVES = "moves no trees where a state calls another one or has two rules of a kind"


def core_takes(constraints: Iterable[Constraint], table: Table) -> bool:
    """Whether the core is installed, takes the table and can make all tests; otherwise the plain
    engine runs. Predicates on nodes need Python."""
    return why_not_in_core(constraints, table) is None


def why_not_in_core(constraints: Iterable[Constraint], table: Table) -> str | None:
    """Why the core does not run chains on a table, as the end of a sentence; None if it does."""
    own = list(constraints)
    why = beyond_core(table, own)
    if why is None and any(c.by_code and not c.at_finished_tree for c in own):
        why = "asks no predicates on nodes"
    if why is None and any(c.is_preference and c.at_finished_tree for c in own):
        why = "weighs no preferences about finished trees"
    if why is None and core_for(table) is None:
        why = "is not installed"
    return why


def why_not_of_one_prior(problem: Problem) -> str | None:
    """The same for an engine that, in the core, gives all leaves one prior."""
    if problem.table.leaf.in_boxes:
        return _ONE_PRIOR
    return why_not_in_core(problem.program.constraints, problem.table)


def preferences_about_trees(constraints: Iterable[Constraint]) -> tuple[Diagnostic, ...]:
    """Why an engine that tests finished trees, and does not weigh them, refuses preferences
    (E301)."""
    own = [c for c in constraints if c.is_preference and c.at_finished_tree]
    return tuple(found for c in own if (found := c.beyond_grammar()) is not None)


def core_makes(problem: Problem, proposal: str) -> bool:
    """Whether the core makes chains over the trees of a grammar by these proposals. Raises as
    `why_not_made`."""
    return why_not_made(problem, proposal) is None


def why_not_made(problem: Problem, proposal: str) -> str | None:
    """Why it does not, as the end of a sentence; None if it does.

    Raises
    ------
    UsageError
        E516: the text names no proposals.
    """
    if "q_pg" in proposal:
        why = why_not_of_one_prior(problem)
    else:
        why = why_not_in_core(problem.program.constraints, problem.table)
    return why or (None if core_moves(problem.grammar, proposal) else _NO_MOVES)


def core_moves(grammar: TreeGrammar, proposal: str) -> bool:
    """Whether the core can make the proposals that a text names; otherwise the plain engine runs.
    It makes tree moves where no state calls another or has two rules of a kind.

    Raises
    ------
    UsageError
        E516: the text names no proposals.
    """
    return not names_moves(proposal) or _single_derivation(grammar)


def _single_derivation(grammar: TreeGrammar) -> bool:
    """See `OpenStates.single_derivation`."""
    if isinstance(grammar.states, OpenStates):
        return grammar.states.single_derivation
    for state in grammar.all_states():
        kinds = [type(rule) for rule in state.rules]
        if CallRule in kinds or len(set(kinds)) < len(kinds):
            return False
    return True
