"""`result_of_stack`: the result of members that were stacked by prediction. It predicts; what only
a posterior tells it refuses (E559)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.no_posterior import no_posterior
from slp.results.averages.stacked import StackedTrees
from slp.results.estimate import Estimate
from slp.results.record.choice import EngineChoice
from slp.results.record.later import Later
from slp.results.record.parts import Draw, Ended, Evidence
from slp.results.record.prior_mass import PriorMass
from slp.results.record.prior_uses import PriorUses
from slp.results.record.result import Result
from slp.results.record.stacked import Stacked

#: Why nothing is told of the prior.
NO_POSTERIOR_BESIDE = "no posterior stands beside it"


def result_of_stack(
    trees: DrawnTrees,
    stacked: Stacked,
    *,
    choice: EngineChoice,
    normalised: bool,
    seed: int,
    ended: Ended,
    prior_mass: PriorMass,
) -> Result:
    """The average of members, each a chain of `trees`, which have the weights of the stack. Of
    `prior_mass` no probability is known, and why, if the program has constraints."""
    return Result(
        chosen=choice,
        table=trees.table,
        likelihood=True,
        normalised=normalised,
        seed=seed,
        kind="stacked",
        evidence=Evidence(
            Later[Estimate | None].known(None),
            stacked.words(),
            None,
            None,
            Later(_refuse("the total of the weights of trees")),
            Later(_refuse("the total of the weights of trees")),
            Later.known(0.0),
        ),
        averaged=StackedTrees(trees),
        stacked=stacked,
        derivations_are_trees=Later(_refuse("whether derivations are trees")),
        tree_count=_refuse("the number of trees"),
        best=_refuse("the best tree"),
        near_best=_refuse("the trees near the best one"),
        draws=Later[Sequence[Draw]](_refuse("draws of trees")),
        log_weight=_refuse("the probability of a tree"),
        log_likelihood=_refuse("the likelihood of a tree"),
        rules=_refuse("the use of rules"),
        mixture=_refuse("the use of rules"),
        prior=_refuse("a prior over the same trees"),
        diagnostics=Later.known(None),
        schedule=None,
        edits=Later.known(None),
        prior_mass=Later.known(prior_mass),
        prior_uses=Later.known(PriorUses.not_known(NO_POSTERIOR_BESIDE)),
        ended=Later.known(ended),
    )


def _refuse(what: str) -> Callable[..., NoReturn]:
    return partial(_refused, what)


def _refused(what: str, *_: Any) -> NoReturn:
    raise no_posterior(what)


def log_weights_of_draws(
    members: Sequence[NDArray[np.int64]], weights: Sequence[float]
) -> list[NDArray[np.float64]]:
    """Of each draw the log of the weight of its member over the number of its draws."""
    with np.errstate(divide="ignore"):
        logs = np.log(np.array(weights))
    pairs = zip(members, logs, strict=True)
    return [np.full(len(drew), log - np.log(len(drew))) for drew, log in pairs]
