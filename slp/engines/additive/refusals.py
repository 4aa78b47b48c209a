"""What the engine `additive` does not take."""

from __future__ import annotations

from collections.abc import Iterator

from slp.errors import Diagnostic
from slp.messages import sums as words
from slp.problem.problem import Problem


def find_refusals(problem: Problem) -> Iterator[Diagnostic]:
    """See `Engine.refusal`: E577."""
    program, table = problem.program, problem.table
    if program.sum_of is None:
        yield words.NO_SUM_DECLARED()
        return
    for constraint in program.constraints:
        if constraint.by_code:
            yield words.NOT_IN_SUMS(constraint.span, what="predicates in code")
        elif constraint.is_preference and constraint.at_finished_tree:
            yield words.NOT_IN_SUMS(constraint.span, what="preferences about finished trees")
    if table.leaf.classes and table.weighted == "real":
        yield words.PARTS_OF_ROWS()
