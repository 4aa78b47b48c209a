"""What split rules propose: the transitions of their cells, the splits that their measure is taken
over, and the features of the measure `range` (docs/language.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import DataError
from slp.ir.program import Failure
from slp.ir.tree_grammar import FORBIDDEN, OUTSIDE, SplitRule, TreeGrammar, cell_of
from slp.messages.names import atom
from slp.messages.on_table import NO_RANGE, NO_SOFT_RANGE


def flat_transitions(rule: SplitRule) -> NDArray[np.int32]:
    """Transitions of all features one below the other, shape (cells, 2); row `Cut.cell` is a
    cut's."""
    return np.concatenate([np.empty((0, 2), np.int32), *rule.transitions]).astype(np.int32)


def splits_taken_over(left: NDArray[np.int32], failure: Failure) -> NDArray[np.bool_]:
    """Whether splits belong to V, from the first column of their transitions."""
    proposed = left != OUTSIDE
    return np.asarray(proposed if failure == "condition" else proposed & (left != FORBIDDEN))


@dataclass(frozen=True, eq=False)
class RuleWeights:
    """What the features of a rule weigh in every box, where no box changes it.

    Attributes
    ----------
    total : of the measure `range`, the sum of the weights over R; else 0.
    weights : float64, shape (d,): of `range` and `per_feature`, where features are in groups, what
        stands for the feature weights and for 1 / d; else None.
    """

    total: float = 0.0
    weights: NDArray[np.float64] | None = None


def weights_of_rule(rule: SplitRule, grammar: TreeGrammar, table: Table) -> RuleWeights:
    """The weights of a rule. Under `range` a group is drawn among those with a feature in R, under
    `per_feature` among all, each feature of it with the same probability.

    Raises
    ------
    DataError
        E154: see `_range_weights`.
    """
    groups = grammar.groups
    if rule.measure == "per_feature" and groups is not None:
        n_features = np.bincount(groups)
        return RuleWeights(0.0, 1.0 / (len(n_features) * n_features[groups]))
    if rule.measure != "range":
        return RuleWeights()
    weights = _range_weights(rule, grammar, table)
    if groups is None:
        return RuleWeights(float(weights.sum()))
    of_group = np.bincount(groups, weights)
    shares = np.divide(weights, of_group[groups], out=np.zeros(len(weights)), where=weights > 0)
    return RuleWeights(float((of_group > 0).sum()), shares)


def _range_weights(
    rule: SplitRule, grammar: TreeGrammar, table: Table, soft: bool = False
) -> NDArray[np.float64]:
    """For a rule with the measure `range`, the feature weights, 0 outside R.

    Raises
    ------
    DataError
        E154: a split may be on a feature that is categorical, cut or binned.
    """
    out = np.zeros(len(table.features))
    for f, feature in enumerate(table.features):
        if feature.kind.n_values < 2:
            continue
        left = rule.transitions[f][:, 0]
        values = feature.kind.values
        if values is not None:
            first, last = (cell_of(grammar.breakpoints[f], values[i]) for i in (0, -1))
            left = left[first : last + 1]
        if splits_taken_over(left, grammar.failure).any():
            if values is None:
                kind, name = feature.kind.word, feature.name
                wording = NO_SOFT_RANGE if soft else NO_RANGE
                raise DataError(wording(feature=name, kind=kind, atom=atom(name)))
            out[f] = grammar.feature_weights[f]
    return out


def check_ranges(grammar: TreeGrammar, table: Table, soft: bool = False) -> None:
    """Raise DataError E154 if a split with the measure `range` may be on a feature that is not of
    numbers. Of states that are made on demand, the first ones are checked here. `soft` if trees are
    soft, which do not take such a column even where it is forbidden."""
    for _, rule in grammar.rules():
        if isinstance(rule, SplitRule) and rule.measure == "range":
            _range_weights(rule, grammar, table, soft)
