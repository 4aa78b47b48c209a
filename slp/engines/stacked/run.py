"""A run of stacking: rows set aside, members on the others, weights.

Members are chains without tempering of the engine that `auto` draws with. They begin at different
draws of the prior, and on a table that they do not mix on each ends elsewhere.
docs/design/stacking.md has the measurements by which these were chosen.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from slp.budgets import format_seconds
from slp.data.row_part import FEWEST_ASIDE, part_of_table, responses_of, set_aside
from slp.engines.contract import Request
from slp.engines.registry import engine_named
from slp.engines.stacked.options import StackedOptions
from slp.errors import (
    BudgetError,
    Diagnostic,
    SlpWarning,
    TimeOverError,
    UnsupportedError,
    warn,
)
from slp.messages.results import W510, W530, W541, W543, W547
from slp.messages.stacked import (
    MEMBERS_INTERRUPTED,
    MEMBERS_OUT_OF_TIME,
    MEMBERS_TOO_EARLY,
    NO_STACKED_PRIOR,
    REMEDIES_OF_MEMBERS,
    TOO_FEW_TOLD,
)
from slp.problem.new_rows import table_as_numbers
from slp.problem.problem import Problem
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.member_weights import mean_log_density, stacking_weights
from slp.results.averages.stacked import log_densities_of_members
from slp.results.record.choice import DRAWS
from slp.results.record.of_members import (
    NO_POSTERIOR_BESIDE,
    log_weights_of_draws,
    result_of_stack,
)
from slp.results.record.prior_mass import PriorMass
from slp.results.record.result import Result
from slp.results.record.stacked import Stacked
from slp.runner import check_count, fresh_seed

#: Approximate seconds of the density of a row under a tree, the same where the kernels cannot send
#: rows down trees, and the most of the time that is kept for the densities of all rows set aside.
_SECONDS_OF_DENSITY, _SECONDS_OF_PATHS, _MOST_OF_TIME = 5e-7, 4e-6, 1 / 2
#: What is told of draws that do not agree, which stacking does not need, and of how the clock or
#: the keyboard ended them, which is told of the members instead.
_OF_DRAWS = (W510.code, W530.code, W541.code, W543.code, W547.code)
#: Options of chains that stacking does not take.
_OF_CHAINS = ("chains", "warmup", "thin")


def run_stacked(problem: Problem, request: Request, options: StackedOptions) -> Result:
    """Set rows aside, run the members until the deadline, and weight them.

    Raises
    ------
    UsageError
        E505: `members` is below 8.
    UnsupportedError
        E568: a prior was asked for, or too few of the rows set aside have a density.
    BudgetError
        E501: the members do not fit into the memory; E540: the time was over before any had draws.
    """
    check_count("members", options.members, least=8)
    if not request.likelihood:
        raise UnsupportedError(NO_STACKED_PRIOR())
    seed = fresh_seed() if request.seed is None else request.seed
    stay, aside = set_aside(problem.table, seed)
    kept = _seconds_of_row(problem, aside) * request.draws * len(aside)
    kept = min(kept, request.deadline.left() * _MOST_OF_TIME)
    asked = replace(request, seed=seed, deadline=request.deadline.before(kept))
    members = _members(problem, asked, options, stay)
    trees = members.averages.drawn
    assert trees is not None
    with request.deadline.working():
        weighed, stacked = _weighed(problem, trees, aside)
    ended = members.ended()
    drawn = sum(map(len, trees.chains))
    if ended.out_of_time:
        time = format_seconds(request.deadline.seconds or 0)
        warn(MEMBERS_OUT_OF_TIME(time=time, kept=drawn, wanted=request.draws))
    elif ended.interrupted:
        warn(MEMBERS_INTERRUPTED(kept=drawn, wanted=request.draws))
    elif members.choice.by_clock:
        warn(MEMBERS_TOO_EARLY())
    return result_of_stack(
        weighed,
        stacked,
        choice=replace(members.choice, engine=request.choice.engine),
        normalised=members.normalised,
        seed=seed,
        ended=ended,
        prior_mass=PriorMass(why_none=NO_POSTERIOR_BESIDE if problem.program.constraints else ""),
    )


def _seconds_of_row(problem: Problem, aside: NDArray[np.int64]) -> float:
    """Approximate seconds of the density of a row set aside under a tree."""
    table = problem.table
    blank = np.isnan(table_as_numbers(table, table.row_of[aside])).any()
    compiled = all(feature.kind.compiled for feature in table.features)
    return _SECONDS_OF_PATHS if blank or not compiled else _SECONDS_OF_DENSITY


def _members(
    problem: Problem, request: Request, options: StackedOptions, rows: NDArray[np.int64]
) -> Result:
    """The members together, on these rows of the data. That they do not agree is not told."""
    part = replace(problem, table=part_of_table(problem.table, rows))
    part = part.varied(problem.program)
    engine = engine_named(DRAWS)
    own = engine.Options(chains=options.members, rungs=1, effort=options.effort)
    asked = replace(
        request,
        choice=replace(request.choice, engine=DRAWS),
        draws=max(request.draws, options.members),
        instead=None,
    )
    refused = engine.refusal(part, own)
    if refused:
        raise UnsupportedError(refused)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", SlpWarning)
            found = engine.run(part, asked, own)
    except BudgetError as error:  # without the best tree of a member, which a stack does not tell
        kind = TimeOverError if isinstance(error, TimeOverError) else BudgetError
        raise kind(map(_of_members, error.diagnostics)) from None
    for message in (w.message for w in caught):
        if not isinstance(message, SlpWarning):
            warnings.warn(message, stacklevel=2)
        elif message.diagnostic.code not in _OF_DRAWS:
            warn(_of_members(message.diagnostic))
    return found


def _of_members(finding: Diagnostic) -> Diagnostic:
    """What chains say, with a remedy that members have, where that of chains is none of theirs."""
    if not any(name in (finding.help or "") for name in _OF_CHAINS):
        return finding
    return replace(finding, help=REMEDIES_OF_MEMBERS.get(finding.code, finding.help))


def _weighed(
    problem: Problem, trees: DrawnTrees, aside: NDArray[np.int64]
) -> tuple[DrawnTrees, Stacked]:
    """The trees of members with the weights of these, by the rows set aside."""
    table = problem.table
    drew = [chain for chain in trees.chains if len(chain)]  # the others had no time
    numbers = table_as_numbers(table, table.row_of[aside])
    responses = responses_of(table, aside)
    log_densities, told = log_densities_of_members(trees, drew, numbers, responses)
    if told.sum() < FEWEST_ASIDE:
        few = TOO_FEW_TOLD(told=int(told.sum()), aside=len(aside), least=FEWEST_ASIDE)
        raise UnsupportedError(few)
    log_densities = log_densities[:, told]
    row_weights = None if responses.weights is None else responses.weights[told]
    weights = stacking_weights(log_densities, row_weights)
    each = np.eye(len(weights))

    def score(own: NDArray[np.float64]) -> float:
        return mean_log_density(log_densities, own, row_weights)

    stacked = Stacked(
        tuple(weights.tolist()),
        trees.table.n_rows,
        int(told.sum()),
        score(weights),
        score(np.full(len(weights), 1 / len(weights))),
        max(map(score, each)),
    )
    return trees.weighed(drew, log_weights_of_draws(drew, stacked.weights)), stacked
