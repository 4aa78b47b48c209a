"""What a `Posterior` says of its trees together: features, rules, leaves, depth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.results.estimate import Kind
from slp.results.record.result import Result
from slp.results.record.rule_use import RuleUse

if TYPE_CHECKING:
    from slp.results.averages.drawn_trees import DrawnTrees
    from slp.results.averages.over_trees import TreeAverages


@dataclass(frozen=True)
class FeatureUse:
    """Use of a feature: `probability` that the tree splits on it anywhere, and expected number of
    splits; each with its Monte Carlo standard error, 0 where it is exact. `prior_probability` is
    that of the same event under the prior on the same table, with its error; both are None where it
    is not known, and of a prior."""

    probability: float
    expected_splits: float
    probability_error: float = 0.0
    expected_splits_error: float = 0.0
    prior_probability: float | None = None
    prior_probability_error: float | None = None


def _mean_depth(averages: TreeAverages) -> NDArray[np.float64]:
    mass = averages.depth_distribution()
    return np.array([mass @ np.arange(len(mass))])


class Summaries:
    """The part of `slp.Posterior` that averages over trees."""

    _result: Result
    table: Table

    def split_probabilities(self) -> dict[str, FeatureUse]:
        """For each feature the `probability` that a tree splits on it, and `expected_splits`, with
        `probability_error` and `expected_splits_error` (0 if exact); and beside it the
        `prior_probability` of the same, with `prior_probability_error` (see `prior_uses_note`).

        Raises
        ------
        BudgetError
            An exact engine that was asked for needs more memory (E501) or time (E540). Where `auto`
            chose it and the memory is too small, 1000 independent draws answer (W540).
        """
        return self._feature_use

    @cached_property
    def _feature_use(self) -> dict[str, FeatureUse]:
        usage, drawn = self._result.summary(lambda averages: averages.usage())
        splits, drawn_splits = self._expected_splits
        # A sum of probabilities is above 1 by its rounding.
        numbers = [np.minimum(usage, 1.0), splits]
        differs = self._result.differs
        numbers.append(
            differs(usage, lambda a: a.usage()) if drawn is None else drawn.usage_error()
        )
        numbers.append(
            differs(splits, lambda a: a.expected_splits())
            if drawn_splits is None
            else drawn_splits.expected_splits_error()
        )
        beside = self._result.prior_uses()
        if beside.probabilities is not None:
            numbers += [np.array(beside.probabilities), np.array(beside.errors)]
        columns = zip(*(column.tolist() for column in numbers), strict=True)
        return {
            name: FeatureUse(*column)
            for name, column in zip(self.table.feature_names, columns, strict=True)
        }

    @property
    def prior_uses_kind(self) -> Kind | None:
        """What the `prior_probability` of features is: `"exact"`, by sums where these take at most
        a tenth of the summary's work; `"estimate"`, by 1,000 independent draws of the prior; None
        where it is not known, and of a prior."""
        return self._result.prior_uses().kind

    @property
    def prior_uses_note(self) -> str:
        """The same in words, with the reason where it is not known: trees that are soft or edits of
        a given one, predicates in code, a prior that cannot be drawn independently."""
        return str(self._result.prior_uses())

    @property
    def uses_are_drawn(self) -> bool:
        """Whether `split_probabilities` and `expected_leaves` are averages over draws, as those of
        an exact engine are where its sums do not fit. Raises as `split_probabilities`."""
        return self._expected_splits[1] is not None

    def root_probabilities(self) -> dict[str, float]:
        """For each feature the probability that the root splits on it. The rest, up to 1, is the
        probability that the tree is a leaf. By draws these are shares.

        Raises
        ------
        BudgetError
            An exact engine that was asked for needs the sums of all boxes, and they do not fit.
        """
        shares, _ = self._result.summary(lambda averages: averages.root_splits())
        return dict(zip(self.table.feature_names, shares.tolist(), strict=True))

    def importances(self) -> dict[str, float] | None:
        """Of `modal`, for each feature the log posterior that the splits on it gain; None of other
        engines.

        It is the score of each split less that of stopping there, as the tree was grown, averaged
        over the trees found.
        """
        found = self._result.importances
        if found is None:
            return None
        return dict(zip(self.table.feature_names, found.tolist(), strict=True))

    @property
    def trees_found(self) -> int | None:
        """Of `modal` and `search`, the number of trees that averages are over; None of other
        engines."""
        return self._result.trees_found

    @property
    def trees_summed(self) -> int | None:
        """How many trees each draw sums up (`:- trees(M).`), and all averages are over their sums;
        None where a draw is one tree."""
        return self._result.trees_summed

    def rule_probabilities(self) -> list[RuleUse]:
        """For each rule of the program, in the order of the text, `rule`, `file`, `line` and three
        quantities of derivations: `at_start` (the probability that the rule comes first),
        `probability` (that the rule is used; None for a leaf rule that `majority` may refuse) and
        `expected_uses`, each with its Monte Carlo error (0 if exact). An exact engine may need a
        further sum for a rule. Under `edittree`, with the engine `prolog`, and with `modal` unless
        one rule makes all splits and another all leaves, this raises E531.

        Rules that no state of the grammar has are left out.

        Raises
        ------
        UsageError
            E531: the rules that trees take are not known.
        BudgetError
            An exact engine needs a sum of its own for some rules, and that does not fit.
        """
        return self._result.rules()

    def mixture(self) -> list[RuleUse]:
        """`rule_probabilities` of the components of a mixture at the start; `[]` for other
        programs.

        They are the rules that a derivation begins with, where these lead to other states and no
        derivation comes back to the start.
        """
        return self._mixture

    @cached_property
    def _mixture(self) -> list[RuleUse]:
        return self._result.mixture()

    def expected_leaves(self) -> float:
        """Expected number of leaves."""
        return (self.trees_summed or 1) + float(self._expected_splits[0].sum())

    @cached_property
    def _expected_splits(self) -> tuple[NDArray[np.float64], DrawnTrees | None]:
        return self._result.summary(lambda averages: averages.expected_splits())

    def expected_depth(self) -> float:
        """Expected depth (splits on the longest path)."""
        mass = self.depth_distribution()
        return float(mass @ np.arange(len(mass)))

    def expected_leaves_error(self) -> float:
        """Monte Carlo standard error of `expected_leaves`: 0 if it is exact, NaN if there are too
        few draws to tell."""
        splits, drawn = self._expected_splits
        if drawn is None:
            total = splits.sum(keepdims=True)
            return float(
                self._result.differs(total, lambda a: a.expected_splits().sum(keepdims=True))[0]
            )
        return float(drawn.error(drawn.n_leaves.astype(np.float64)))

    def expected_depth_error(self) -> float:
        """Monte Carlo standard error of `expected_depth`, as `expected_leaves_error`."""
        _, drawn = self._depth_distribution
        if drawn is None:
            mean = np.array([self.expected_depth()])
            return float(self._result.differs(mean, _mean_depth)[0])
        return float(drawn.error(drawn.depth.astype(np.float64)))

    def leaf_distribution(self) -> NDArray[np.float64]:
        """An array with the probability of k leaves at index k = 0, 1, ... It ends where the rest
        is below 1e-12."""
        return self._leaf_distribution

    @cached_property
    def _leaf_distribution(self) -> NDArray[np.float64]:
        return self._result.summary(lambda averages: averages.leaf_distribution())[0]

    def depth_distribution(self) -> NDArray[np.float64]:
        """An array with the probability of depth t at index t = 0, 1, ... It ends where the rest is
        below 1e-12."""
        return self._depth_distribution[0]

    @cached_property
    def _depth_distribution(self) -> tuple[NDArray[np.float64], DrawnTrees | None]:
        return self._result.summary(lambda averages: averages.depth_distribution())
