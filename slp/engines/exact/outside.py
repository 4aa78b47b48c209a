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
    (`TreeGrammar.rules`); d features; N items.

    Attributes
    ----------
    visits : float64, shape (S,). Number of items in each state.
    uses : float64, shape (R,). Number of times that each rule is taken.
    weights : float64, shape (R,). Sum, over the items visited where the rule is applicable, of its
        weight divided by the weights of all applicable rules: how often it would be taken by the
        labels alone.
    splits : float64, shape (R, d). Number of splits of each rule on each feature.
    state : int32, shape (N,). Of the items listed, the grammar's state.
    rows : of each its distinct rows, uint32, ascending.
    probability : float64, shape (N,). That the tree has the item: outside times inside over the
        total.
    """

    visits: NDArray[np.float64]
    uses: NDArray[np.float64]
    weights: NDArray[np.float64]
    splits: NDArray[np.float64]
    state: NDArray[np.int32]
    rows: list[NDArray[np.uint32]]
    probability: NDArray[np.float64]


def outside_sums(
    passes: Passes, grammar: TreeGrammar, n_owed: int, likelihood: bool, least: float
) -> Outside:
    """One descent over all items; those of probability above `least` are listed, the largest boxes
    first. Sums are right within 1e-11, rounding apart.

    Raises
    ------
    BudgetError
        The memory that the passes leave is not enough (E501).
    """
    visits, uses, weights, splits, product, sizes, rows, probability = passes.descend(
        "following the trees down",
        likelihood,
        lambda total, memory, _, report: passes.engine.expected_uses(total, least, memory, report),
    )
    return Outside(
        visits,
        uses,
        weights,
        splits.reshape(len(uses), len(grammar.features)),
        product // n_owed,
        np.split(rows, np.cumsum(sizes)[:-1]) if len(sizes) else [],
        probability,
    )
