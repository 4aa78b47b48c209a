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


def preferences_about_trees(constraints: Iterable[Constraint]) -> tuple[Diagnostic, ...]:
    """Why an engine that tests finished trees, and does not weigh them, refuses preferences
    (E301)."""
    own = [c for c in constraints if c.is_preference and c.at_finished_tree]
    return tuple(found for c in own if (found := c.beyond_grammar()) is not None)


def core_makes(problem: Problem, proposal: str) -> bool:
    """Whether the core makes chains over the trees of a grammar by these proposals.

    Raises
    ------
    UsageError
        E516: the text names no proposals.
    """
    if problem.table.leaf.in_boxes and "q_pg" in proposal:
        return False  # its filter knows one prior of leaves
    constraints = problem.program.constraints
    return core_takes(constraints, problem.table) and core_moves(problem.grammar, proposal)


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
