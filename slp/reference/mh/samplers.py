"""Plain chains for the engine `mh`: where there is no compiled core, or it does not take a program,
and under backtracking."""

from __future__ import annotations

from typing import Any

from slp.problem.problem import Problem
from slp.reference.boxes import Geometry
from slp.reference.mh.backtracking import BacktrackingChains, BacktrackingDraws
from slp.reference.mh.chains import MetropolisHastings
from slp.reference.mh.edits.chains import EditMetropolisHastings
from slp.reference.mh.exact_subtrees import most_boxes_within
from slp.reference.mh.scans import PlainScans
from slp.reference.mh.start import heaviest_proof

__all__ = [
    "PlainScans",
    "backtracking_draws",
    "heaviest_proof",
    "most_boxes",
    "plain_chains",
    "scorer",
]


def plain_chains(
    problem: Problem, proposal: str, likelihood: bool
) -> BacktrackingChains | EditMetropolisHastings | MetropolisHastings:
    """The chains of a problem: over edits for `edittree`, by backtracking under
    `failure(backtrack)`."""
    program = problem.program
    on = (problem.grammar, Geometry(problem.grammar, problem.table))
    how: dict[str, Any] = {"proposal": proposal, "likelihood": likelihood}
    if problem.grammar.backtracks:
        return BacktrackingChains(*on, program.constraints, **how)
    if program.edits is not None:
        edits = (*on, program.edits, program.support, program.constraints)
        return EditMetropolisHastings(*edits, **how)
    return MetropolisHastings(*on, program.constraints, **how)


def scorer(problem: Problem, likelihood: bool) -> MetropolisHastings:
    """What weighs any tree, and makes the tests on finished trees."""
    on = (problem.grammar, Geometry(problem.grammar, problem.table))
    return MetropolisHastings(*on, problem.program.constraints, likelihood=likelihood)


def backtracking_draws(problem: Problem, likelihood: bool) -> BacktrackingDraws:
    """The sampler of independent draws of the prior by backtracking; with the likelihood, they are
    weighed by it."""
    on = (problem.grammar, Geometry(problem.grammar, problem.table), problem.program.constraints)
    return BacktrackingDraws(BacktrackingChains(*on, likelihood=likelihood))


def most_boxes(problem: Problem) -> float:
    """A bound on the boxes of a table."""
    geometry = Geometry(problem.grammar, problem.table)
    return most_boxes_within(geometry, geometry.root)
