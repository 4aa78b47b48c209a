"""`Result`: what an engine gives. `slp.results.posterior.Posterior` answers users from it.

There are two kinds: sums over all trees (`summed`), and draws (`drawn`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import BudgetError
from slp.problem.new_rows import distinct_rows
from slp.problem.tree_on_table import log_likelihood_of_tree
from slp.results.averages.over_trees import TreeAverages
from slp.results.estimate import Estimate
from slp.results.record.choice import EngineChoice
from slp.results.record.known import Known
from slp.trees import Tree

if TYPE_CHECKING:
    from slp.results.averages.paths import TreePath
    from slp.results.averages.weighted_draws import DrawnTrees
    from slp.results.record.edits import EditSummary
    from slp.results.record.rule_use import RuleUse
    from slp.results.trust.diagnostics import Diagnostics
    from slp.runner import Schedule

_Answer = TypeVar("_Answer")


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


class Result(ABC):
    """The distribution over decision trees that an engine found.

    Attributes
    ----------
    table : the table it was given.
    choice : the engine, why, and how large exact sums would be.
    likelihood : False if this is the prior.
    normalised : whether the program's weights are known to sum to 1 over all trees of every table.
    seed : of `draws`.
    """

    #: Whether its trees are soft (`slp.trees.soft.SoftTree`).
    soft = False
    #: Whether it sums over all trees, and so is made again where a saved run is read.
    sums = False

    def __init__(
        self, table: Table, *, choice: EngineChoice, likelihood: bool, normalised: bool, seed: int
    ) -> None:
        self.table, self.choice = table, choice
        self.likelihood, self.normalised, self.seed = likelihood, normalised, seed

    @property
    @abstractmethod
    def averages(self) -> TreeAverages:
        """What is averaged over trees."""

    @property
    def monte_carlo(self) -> DrawnTrees | None:
        """The draws that averages are over, which tell their Monte Carlo errors; None where
        averages are exact."""
        return None

    @property
    def trees_found(self) -> int | None:
        """How many trees averages are over, of an engine that grows or searches trees, and neither
        sums over all of them nor draws from them; None of other engines."""
        return None

    def importances(self) -> NDArray[np.float64] | None:
        """For each feature the log posterior that its splits gain, shape (d,); None where the
        engine does not tell."""
        return None

    @property
    @abstractmethod
    def log_evidence(self) -> Estimate | None:
        """log P(response | features) under the prior normalised over its support; None for a prior,
        and where the engine does not know it."""

    @property
    def no_evidence(self) -> str:
        """Why there is no `log_evidence`, where a posterior has none."""
        return f"the engine {self.choice.engine} does not estimate it"

    @property
    @abstractmethod
    def evidence_note(self) -> str | None:
        """What must be said beside the evidence, if anything."""

    @property
    def no_bayes_factor(self) -> str | None:
        """Why the evidence makes no Bayes factor against another program's: the prior looks at the
        response; None where it makes one."""
        return self.evidence_note

    @property
    def log_prior_total(self) -> float | None:
        """Log of the prior weight of all trees together; None where it is not known."""
        return 0.0 if self.normalised else None

    @property
    def log_total(self) -> float | None:
        """Log of the weight of all trees together, the likelihood in it where this is a posterior;
        None where it is not known."""
        return None if self.likelihood else self.log_prior_total

    @abstractmethod
    def log_weight(self, tree: Tree) -> float:
        """Log weight under the program as written, without likelihood, of all derivations that part
        the rows as `tree` does; -inf off the support, NaN where it is not known."""

    def log_likelihood(self, tree: Tree) -> float:
        """Log marginal likelihood of the response given a tree; -inf where the coded table does not
        tell how the tree parts its rows."""
        return log_likelihood_of_tree(self.table, tree)

    def distinct_rows(self, rows: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """New rows (`rows_as_numbers`) that represent all others, and for each row the one that
        does, shape (m,): see `slp.problem.new_rows.distinct_rows`. Where leaves predict by a row's
        values, every value counts."""
        if self.table.leaf.regressors:
            _, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
            return first, which.ravel()
        return distinct_rows(self.table, rows)

    @abstractmethod
    def best(self) -> Iterator[Candidate]:
        """The trees of the best derivations, or the best of the trees drawn, best first, computed
        as they are asked for."""

    @property
    @abstractmethod
    def draws(self) -> Sequence[Draw]:
        """The draws that were asked for, chain after chain."""

    @property
    def draws_have_weights(self) -> bool:
        """Whether draws count by weights of their own; False where all count alike."""
        drawn = self.monte_carlo
        return drawn is not None and drawn.log_weights is not None

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> list[Tree]:
        """`n` more draws: independent ones, or, of a sampler, from `draws` with replacement."""

    def sample_paths(
        self, rows: NDArray[np.object_], n: int, rng: np.random.Generator
    ) -> list[list[TreePath]] | None:
        """For each new row (`Table.new_rows`), its path down `n` independent draws; None where the
        engine has whole trees alone."""
        return None

    @property
    @abstractmethod
    def derivations_are_trees(self) -> bool:
        """Whether each tree surely has one derivation."""

    def tree_count(self) -> float | None:
        """Number of derivations of weight above zero, exact below 2**53; None where the engine does
        not count."""
        return None

    def near_best(self, slack: float) -> NearBest | None:
        """The derivations whose log joint is at least the best one's less `slack`; None where the
        engine does not tell."""
        return None

    @property
    def left_out(self) -> float:
        """Upper bound on the probability of the trees that were left out, together."""
        return 0.0

    def summary(self, ask: Callable[[TreeAverages], _Answer]) -> tuple[_Answer, DrawnTrees | None]:
        """What averages over trees answer about leaves and features, and the draws that this is an
        average over; None where it is exact."""
        return ask(self.averages), self.monte_carlo

    def of_new_rows(
        self, ask: Callable[[TreeAverages], _Answer], rows: NDArray[np.object_]
    ) -> _Answer:
        """What averages over trees answer about these new rows (`Table.new_rows`)."""
        return ask(self.averages)

    def error_of_new_rows(self, rows: NDArray[np.object_]) -> NDArray[np.float64] | None:
        """Monte Carlo standard error of predictions of new rows (`Table.new_rows`): (m, C) or (m,);
        None where they are exact."""
        return None if self.monte_carlo is None else self.monte_carlo.predictive_error(rows)

    @abstractmethod
    def rule_uses(self) -> list[RuleUse]:
        """How much each rule of the program is used."""

    @abstractmethod
    def mixture(self) -> list[RuleUse]:
        """The use of the rules that a derivation begins with, where these are a mixture; else
        none."""

    @abstractmethod
    def prior(self) -> Result:
        """The prior over the same trees, with the same engine and seed."""

    @property
    def diagnostics(self) -> Diagnostics | None:
        """How far draws can be trusted; None where averages are exact."""
        return None

    @property
    def schedule(self) -> Schedule | None:
        """How long chains were to run; None for an exact engine."""
        return None

    @property
    def edits(self) -> EditSummary | None:
        """What the trees change in the tree given to `edittree`; None for other programs."""
        return None

    @property
    def interrupted(self) -> bool:
        """Whether a sampler was stopped before it had made all draws."""
        return False

    @property
    def out_of_time(self) -> bool:
        """Whether it was its time that stopped a sampler, and not the keyboard."""
        return False

    def known(self) -> Known:
        """What there is without more work, where a limit of time or memory was reached."""
        return Known(self.choice, self.table, self.likelihood, self.normalised)

    def instead(self, limit: BudgetError) -> Result | None:
        """The same distribution by a search; see `Posterior.searched_instead`."""
        return None

    def shown(self, tree: Tree) -> Tree:
        """A tree as it is handed out: a prior knows no outcomes, so its leaves say none."""
        return tree if self.likelihood else tree.without_outcomes()

    def log_probability(self, log_joint: float) -> float | None:
        """Log of the probability of a tree, by the log of its weight; None where the total is not
        known."""
        total = self.log_total
        return None if total is None or math.isnan(log_joint) else log_joint - total
