"""The parts of a `Result` that are values: trees of high probability, draws, the evidence, and how
a run ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from slp.results.estimate import Estimate
from slp.results.record.later import Later
from slp.trees import Tree

#: What averages are over: all trees, by sums; trees that were drawn or found, hard or soft; sums of
#: trees that were drawn; or members that are stacked by prediction, which is no posterior.
ResultKind: TypeAlias = Literal["sums", "trees", "soft", "stacked", "additive"]


@dataclass(frozen=True)
class Candidate:
    """A tree of high posterior probability.

    Attributes
    ----------
    tree : the tree.
    log_joint : log weight of the tree under the program as written, plus the log marginal
        likelihood of its leaves (without it in a prior), over all its derivations; None where that
        is not known.
    log_posterior : log of its probability; None where that is not known.
    grown : whether an engine grew it towards the best, and did not draw it.
    upper_bound : no tree that comes later has a `log_joint` above this; None where nothing is
        known, as of draws.
    derivation_log_joint : `log_joint` of the one derivation that was ranked, where a tree may have
        several; then `upper_bound` and `certified` are of derivations. Else None.
    """

    tree: Tree
    log_joint: float | None
    log_posterior: float | None
    upper_bound: float | None = None
    grown: bool = False
    derivation_log_joint: float | None = None

    @property
    def ranked_log_joint(self) -> float | None:
        """What `upper_bound` bounds: `derivation_log_joint`, or else `log_joint`."""
        own = self.derivation_log_joint
        return self.log_joint if own is None else own

    @property
    def certified(self) -> bool:
        """Whether it is known that no tree (derivation) that comes later is better."""
        bound, joint = self.upper_bound, self.ranked_log_joint
        return bound is not None and joint is not None and bound <= joint


@dataclass(frozen=True)
class NearBest:
    """The derivations near the best one.

    Attributes
    ----------
    count : how many were counted.
    log_probability : log of their probability together; None where it is not known.
    upper_bound : none of the others has a log joint above this; None where all were counted.
    """

    count: int
    log_probability: float | None
    upper_bound: float | None = None


@dataclass(frozen=True)
class Draw:
    """One draw.

    Attributes
    ----------
    tree : the tree.
    log_weight : log weight of the tree under the program as written, over all its derivations; None
        under `edittree`: not known.
    log_prior : log of its prior probability; None where that or the total of the weights is not
        known.
    log_likelihood : that of the data given the tree; NaN where the declared leaf model was changed
        (by the smoothing of `modal`).
    chain : the chain, or the island of particles, that drew it.
    weight : how much it counts: its share of the weight of all draws, times their number.
    """

    tree: Tree
    log_weight: float | None
    log_prior: float | None
    log_likelihood: float
    chain: int = 0
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known of the weights of all trees together, all as logarithms.

    Attributes
    ----------
    estimate : log P(response | features) under the prior normalised over its support; None for a
        prior, and where the engine does not know it.
    why_none : why there is none, where a posterior has none.
    note : what must be said beside it, if anything.
    no_bayes_factor : why it makes no Bayes factor against another program's: the prior looks at the
        response; None where it makes one.
    log_prior_total : log of the prior weight of all trees together; None where it is not known.
    log_total : log of the weight of all trees together, the likelihood in it where this is a
        posterior; None where it is not known.
    left_out : upper bound on the probability of the trees that were left out, together.
    """

    estimate: Later[Estimate | None]
    why_none: str
    note: str | None
    no_bayes_factor: str | None
    log_prior_total: Later[float | None]
    log_total: Later[float | None]
    left_out: Later[float]

    @classmethod
    def of_trees(
        cls,
        estimate: Estimate | None,
        why_none: str,
        note: str | None,
        *,
        likelihood: bool,
        normalised: bool,
        more_to_say: str | None = None,
    ) -> Evidence:
        """That of trees that were drawn or found, which tell the total of a prior alone. `note`
        says why the evidence makes no Bayes factor, `more_to_say` what else is said of it."""
        total = 0.0 if normalised else None
        return cls(
            Later.known(estimate),
            why_none,
            "; ".join(filter(None, (more_to_say, note))) or None,
            note,
            Later.known(total),
            Later.known(None if likelihood else total),
            Later.known(0.0),
        )

    def bounds_at_hand(self) -> tuple[float, float] | None:
        """The log evidence twice, if it is exact, and the total of the prior known without another
        pass."""
        total = self.log_total() if self.log_prior_total.is_known else None
        prior = None if total is None else self.log_prior_total()
        return None if total is None or prior is None else (total - prior,) * 2


@dataclass(frozen=True)
class Ended:
    """How a run ended, or, of a search that is gone on with, how far it has got; the default is of
    a whole run.

    Attributes
    ----------
    interrupted : whether it was stopped before it had made all draws, by the keyboard or its time.
    out_of_time : whether it was its time that stopped it, and not the keyboard.
    out_of_memory : whether its memory was full, which ends a search, and no other run. It is not
        `interrupted` by that.
    """

    interrupted: bool = False
    out_of_time: bool = False
    out_of_memory: bool = False


def shown(tree: Tree, likelihood: bool) -> Tree:
    """A tree as a result hands it out; see `Result.shown`."""
    return tree if likelihood else tree.without_outcomes()
