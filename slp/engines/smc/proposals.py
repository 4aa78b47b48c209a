"""How a particle decides an open goal: a rule, and a split where the rule splits.

An open goal counts in the weight as a leaf, even where it may not stop. With w the weight of a rule
and a split under the program, L the marginal likelihood of a box and p the power of the likelihood,
an alternative x changes the target of the filter by the factor

    r(x) = w(x) [L(left) L(right) / L(box)]^p,    r(x) = w(x) where x does not split.

Drawn from the proposal q, it multiplies the weight of the particle by r(x) / q(x), whose mean is
the sum of r over the alternatives of the goal:

    prior      q(x) = w(x) / Z of rule and split: the local process (`slp.problem.local_process`)
    empirical  the rule and the feature of the split as under `prior`, then one of the feature's
               splits, each with the same probability
    optimal    q(x) = r(x) / sum of r

Distinct splits differ in the rows that they part, and a measure such as `gap` weighs them by the
distance between the values. `empirical` differs from `prior` only there.

Reference: Lakshminarayanan, Roy & Teh (2013), section 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple, TypeAlias

from slp.problem.local_process import Goal, LocalProcess, cumulated
from slp.runner.randomness import Randomness

__all__ = ["PROPOSALS", "Decision"]


class Decision(NamedTuple):
    """A rule and a split by position (-1 where the rule does not split), and log r / q."""

    way: int
    split: int
    log_factor: float


_Proposal: TypeAlias = Callable[[Randomness, LocalProcess, float, Goal], Decision]


def _log_gain(process: LocalProcess, power: float, goal: Goal, way: int, split: int) -> float:
    """log [L(left) L(right) / L(box)]^p; 0 where the rule does not split."""
    if split < 0 or power == 0.0:
        return 0.0
    _, left, right = goal.ways[way].splits[split].split
    sides = process.log_marginal(left) + process.log_marginal(right)
    return power * (sides - process.log_marginal(goal.box))


def _prior(randomness: Randomness, process: LocalProcess, power: float, goal: Goal) -> Decision:
    taken = randomness.among(goal.cumulative)
    way = goal.ways[taken]
    split = randomness.among(way.cumulative) if way.splits else -1
    gain = _log_gain(process, power, goal, taken, split)
    return Decision(taken, split, goal.log_total + way.log_total + gain)


def _empirical(randomness: Randomness, process: LocalProcess, power: float, goal: Goal) -> Decision:
    taken = randomness.among(goal.cumulative)
    way = goal.ways[taken]
    if not way.splits:
        return Decision(taken, -1, goal.log_total)
    cuts = process.geometry.cuts
    features = [cuts[alternative.split.cut].feature for alternative in way.splits]
    runs = [list(run) for _, run in groupby(range(len(features)), features.__getitem__)]
    shares = [cumulated([way.log_shares[i] for i in run])[1] for run in runs]
    f = randomness.among(cumulated(shares)[0])
    split = runs[f][randomness.index(len(runs[f]))]
    log_proposal = shares[f] - way.log_total - math.log(len(runs[f]))
    gain = _log_gain(process, power, goal, taken, split)
    return Decision(taken, split, goal.log_total + way.log_shares[split] - log_proposal + gain)


def _optimal(randomness: Randomness, process: LocalProcess, power: float, goal: Goal) -> Decision:
    alternatives, log_factors = [], []
    for w, way in enumerate(goal.ways):
        for split in range(len(way.splits)) if way.splits else [-1]:
            share = way.log_shares[split] if way.splits else 0.0
            alternatives.append((w, split))
            gain = _log_gain(process, power, goal, w, split)
            log_factors.append(way.log_weight + share + gain)
    cumulative, log_total = cumulated(log_factors)
    return Decision(*alternatives[randomness.among(cumulative)], log_total)


#: By name.
PROPOSALS: dict[str, _Proposal] = {
    "prior": _prior,
    "empirical": _empirical,
    "optimal": _optimal,
}
