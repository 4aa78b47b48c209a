"""Engine `enumerate`: a list of every derivation, for tiny tables."""

from __future__ import annotations

from slp import reference
from slp.data.memory import check_room_for_bit_sets
from slp.engines.contract import Progress
from slp.engines.shared.sums import SumLimits, SumsOverTrees
from slp.problem.problem import Problem
from slp.reference import enumeration
from slp.results.averages.over_trees import TreeDistribution


def _enumerate(
    problem: Problem, likelihood: bool, limits: SumLimits, progress: Progress | None
) -> TreeDistribution:
    check_room_for_bit_sets(problem.table, limits.memory)
    return enumeration.Enumeration.of(
        problem.grammar, reference.Geometry(problem.grammar, problem.table), likelihood
    )


ENGINE = SumsOverTrees("enumerate", "a list of every derivation, for tiny tables", _enumerate)
