"""Expectations over random trees: outside sums of the compiled engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slp.engines.exact.passes import Passes
from slp.ir.tree_grammar import TreeGrammar


@dataclass(frozen=True, eq=False)
class Outside:
    """Expectations over derivations. S states; R rules, those of the first state first
    (`TreeGrammar.rules`); d features.

    Attributes
    ----------
    visits : float64, shape (S,). Number of items in each state.
    uses : float64, shape (R,). Number of times that each rule is taken.
    weights : float64, shape (R,). Sum, over the items visited where the rule is applicable, of its
        weight divided by the weights of all applicable rules: how often it would be taken by the
        labels alone. 0 where the grammar does not normalise.
    splits : float64, shape (R, d). Number of splits of each rule on each feature.
    """

    visits: NDArray[np.float64]
    uses: NDArray[np.float64]
    weights: NDArray[np.float64]
    splits: NDArray[np.float64]


def outside_sums(passes: Passes, grammar: TreeGrammar, likelihood: bool) -> Outside:
    """One descent over all items. Sums are right within 1e-11, rounding apart.

    Raises
    ------
    BudgetError
        The memory that the passes leave is not enough (E501).
    """
    visits, uses, weights, splits = passes.descend(
        "following the trees down",
        likelihood,
        lambda total, memory, _, report: passes.engine.expected_uses(total, memory, report),
    )
    return Outside(visits, uses, weights, splits.reshape(len(uses), len(grammar.features)))
