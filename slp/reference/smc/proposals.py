"""Proposals of the particle filter: how a rule, and a split, are drawn at an open goal.

An open goal counts as a leaf in the weight of a particle, even if it cannot be one. Let w be the
weight of a rule and a split under the program, L the marginal likelihood of a box and p the power
of the likelihood. An alternative x multiplies the target of the filter by

    r(x) = w(x) [L(left) L(right) / L(box)]^p,    r(x) = w(x) if x does not split.

If x is drawn from the proposal q, it multiplies the weight of the particle by r(x) / q(x). The mean
of this factor is the sum of r over the alternatives of the goal:

    prior      q(x) = w(x) / Z of rule and split: the local process (`slp.reference.local_process`)
    empirical  the rule and the feature of the split as under `prior`, then one of the feature's
               splits, each with the same probability
    optimal    q(x) = r(x) / sum of r

In a conditional filter the choice of one particle is given; it multiplies the weight by the same
factor as if it had been drawn.

`empirical` differs from `prior` only for measures that weigh the splits of a feature differently,
such as `gap`, which weighs them by the distance between the values.

Reference: Lakshminarayanan, Roy & Teh (2013), section 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple, TypeAlias

from slp.reference.derivations import draw_choices
from slp.reference.local_process import BoxGoal, LocalProcess, cumulated
from slp.runner.randomness import Randomness


class Decision(NamedTuple):
    """A rule and a split by position (-1 where the rule does not split), and log r / q."""

    rule: int
    split: int
    log_factor: float


#: A rule and a split that are given, not drawn.
_Given: TypeAlias = tuple[int, int] | None
_Proposal: TypeAlias = Callable[[Randomness, LocalProcess, float, BoxGoal, _Given], Decision]


def _log_gain(process: LocalProcess, power: float, goal: BoxGoal, rule: int, split: int) -> float:
    """log [L(left) L(right) / L(box)]^p; 0 where the rule does not split."""
    return power * process.log_gain(goal, rule, split) if power else 0.0


def _prior(
    randomness: Randomness, process: LocalProcess, power: float, goal: BoxGoal, given: _Given
) -> Decision:
    taken, split = given or draw_choices(randomness, goal)[1:]
    gain = _log_gain(process, power, goal, taken, split)
    return Decision(taken, split, goal.log_total + goal.rules[taken].log_total + gain)


def _empirical(
    randomness: Randomness, process: LocalProcess, power: float, goal: BoxGoal, given: _Given
) -> Decision:
    taken, split = given or (randomness.among(goal.cumulative), -1)
    rule = goal.rules[taken]
    if not rule.splits:
        return Decision(taken, -1, goal.log_total)
    cuts = process.geometry.cuts
    features = [cuts[alternative.split.cut].feature for alternative in rule.splits]
    runs = [list(run) for _, run in groupby(range(len(features)), features.__getitem__)]
    of_runs = [cumulated([rule.log_probabilities[i] for i in run])[1] for run in runs]
    if given is None:
        f = randomness.among(cumulated(of_runs)[0])
        split = runs[f][randomness.index(len(runs[f]))]
    else:
        f = next(i for i, run in enumerate(runs) if split in run)
    log_proposal = of_runs[f] - rule.log_total - math.log(len(runs[f]))
    gain = _log_gain(process, power, goal, taken, split)
    return Decision(
        taken, split, goal.log_total + rule.log_probabilities[split] - log_proposal + gain
    )


def _optimal(
    randomness: Randomness, process: LocalProcess, power: float, goal: BoxGoal, given: _Given
) -> Decision:
    alternatives, log_factors = [], []
    for r, rule in enumerate(goal.rules):
        for split in range(len(rule.splits)) if rule.splits else [-1]:
            log_probability = rule.log_probabilities[split] if rule.splits else 0.0
            alternatives.append((r, split))
            gain = _log_gain(process, power, goal, r, split)
            log_factors.append(rule.log_weight + log_probability + gain)
    cumulative, log_total = cumulated(log_factors)
    return Decision(*(given or alternatives[randomness.among(cumulative)]), log_total)


#: By name.
DECIDED_BY: dict[str, _Proposal] = {
    "prior": _prior,
    "empirical": _empirical,
    "optimal": _optimal,
}
