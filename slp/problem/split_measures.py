"""What split rules propose: the transitions of their cells, the splits that their measure is taken
over, and the features of the measure `range` (docs/language.md)."""

from __future__ import annotations

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


def range_total(rule: SplitRule, grammar: TreeGrammar, table: Table, soft: bool = False) -> float:
    """For a rule with the measure `range`, the sum of the feature weights over R; else 0.

    Raises
    ------
    DataError
        E154: a split may be on a feature that is categorical, cut or binned.
    """
    total = 0.0
    for f, feature in enumerate(table.features if rule.measure == "range" else ()):
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
            total += float(grammar.feature_weights[f])
    return total


def check_ranges(grammar: TreeGrammar, table: Table, soft: bool = False) -> None:
    """Raise DataError E154 if a split with the measure `range` may be on a feature that is not of
    numbers. Of states that are made on demand, the first ones are checked here. `soft` if trees are
    soft, which do not take such a column even where it is forbidden."""
    for _, rule in grammar.rules():
        if isinstance(rule, SplitRule):
            range_total(rule, grammar, table, soft)
