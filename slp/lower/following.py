"""Whether constraints and limits follow from others by their definitions, whatever the rules and
rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slp.budgets.seconds import check_time
from slp.ir.automaton import Automaton, Losing
from slp.ir.program import CheckedProgram
from slp.ir.schema import Schema
from slp.lower.depth_limit import DepthLimit
from slp.lower.product import Product

#: Steps of automata after which the search gives up.
_MOST_STEPS = 50_000


def follows(program: CheckedProgram, other: CheckedProgram, schema: Schema) -> bool:
    """Whether it is certain that each tree which satisfies the constraints and limits of `other`
    satisfies those of `program` too. Trees split on the features of `schema`.

    Only what is decided at splits is a reason or follows; rules and rows are not looked at. So
    False means "perhaps not".

    Raises
    ------
    TimeOverError
        E540: the deadline that is held is over.
    """
    if program.support.min_leaf > 1 or program.support.min_weight is not None:
        return False
    reasons = [automaton for automaton in _automata(other, schema) if automaton is not None]
    return all(
        automaton is not None and _never_refuses(automaton, reasons, schema)
        for automaton in _automata(program, schema)
    )


def _automata(program: CheckedProgram, schema: Schema) -> list[Automaton[Any] | None]:
    """Those of the constraints that trees can break, None where a constraint has none, and of the
    limit of depth."""
    own = [c.automaton() for c in program.constraints if c.can_be_broken(schema.features)]
    most = program.support.max_depth
    return own if most is None else [*own, DepthLimit(most)]


def _never_refuses(
    automaton: Automaton[Any], reasons: Sequence[Automaton[Any]], schema: Schema
) -> bool:
    """Whether an automaton refuses no split of a tree, each split of which the others allow.

    Every state that all reach together is looked at, as though each feature could be split on at
    each threshold. An automaton with tests of leaves is not judged.
    """
    if automaton.tests_leaves:
        return False
    product = Product([Losing(automaton), *reasons], schema)
    waiting, seen = [0], {0}
    while waiting:
        check_time("comparing statements")
        state = waiting.pop()
        if product.is_lost(state) or product.steps > _MOST_STEPS:
            return False
        pairs = product.table(state).pairs()
        new = {child for pair in pairs for child in pair if child >= 0} - seen
        seen |= new
        waiting += new
    return True
