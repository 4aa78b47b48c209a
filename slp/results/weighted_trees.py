"""`AveragedTrees`: a few trees of a posterior with weights, which predict together and leave the
tool as one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slp.columns import Absent
from slp.data.table import Table
from slp.errors import UsageError
from slp.late import optional_module
from slp.leaves import Label, decided, label_array
from slp.messages.results import NO_CLASS_PROBABILITIES
from slp.messages.tree_texts import MEDIANS_OF_AVERAGE, NO_SOFT_AVERAGE, WEIGHTS_NOT_KNOWN
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.over_trees import ScoredTree, ScoredTrees
from slp.results.averages.weighted_draws import numbered
from slp.results.record.parts import Candidate
from slp.trees import SoftTree, Split, Tree
from slp.trees.exports import (
    Parts,
    parts_of_average,
    parts_to_python,
    parts_to_sql,
    trees_to_rules,
)
from slp.trees.exports.parts import outcome_of
from slp.trees.tree import RuleForm

#: Which trees of a posterior an average has.
Chosen = Literal["draws", "best", "found"]


class AveragedTrees:
    """Trees of a posterior with weights. They predict as the posterior would if these were all its
    trees: leaves by their model, rows whose side a split does not say as declared.

    Attributes
    ----------
    trees : the different trees, a tuple.
    weights : their weights, which sum to 1, float64, shape (U,).
    chosen : `"draws"`, where a weight is the share of the draws, and predictions are Monte Carlo
        estimates of the posterior's; `"found"`, of draws from the trees that were grown or
        searched alone; or `"best"`, where it is the posterior probability of a tree
        over that of all of these.
    probability : of the best trees, how probable they are together; None where that is not known,
        and of draws.
    """

    def __init__(
        self,
        table: Table,
        trees: Sequence[Tree],
        log_weights: NDArray[np.float64],
        chosen: Chosen,
        probability: float | None = None,
    ) -> None:
        self._table, self.chosen, self.probability = table, chosen, probability
        scored = ScoredTrees.of(table, [ScoredTree(tree, np.nan, np.nan) for tree in trees])
        self._averages = _OwnLeaves(
            table, scored, [np.arange(len(trees))], log_weights=[np.asarray(log_weights)]
        )
        self.weights: NDArray[np.float64] = self._averages.frequency
        self.trees: tuple[Tree, ...] = tuple(self._averages.arrays)

    def __len__(self) -> int:
        return len(self.trees)

    def __repr__(self) -> str:
        return f"<average of {len(self)} trees of {self._table.response}, {self.chosen}>"

    # --- predictions ---------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """For each row the most probable class (on a tie the first), under declared losses that of
        least expected loss, or the mean, of durations the median of the mixture of all trees, shape
        (m,).

        Raises
        ------
        DataError
            `X` lacks a column, or a value.
        """
        leaf = self._table.leaf
        if leaf.classes:
            said = decided(self.predict_proba(X), leaf.loss)
            return np.asarray(label_array(leaf.classes)[said])
        return self._averages.predictions(self._table.new_rows(X))[:, 0]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities of rows, shape (m, C), in the order of the table's classes.

        Raises
        ------
        UsageError
            The response is numeric (E506).
        DataError
            `X` lacks a column, or a value.
        """
        if not self._table.leaf.classes:
            raise UsageError(NO_CLASS_PROBABILITIES())
        return self._averages.predictions(self._table.new_rows(X))

    # --- out -----------------------------------------------------------------------------------

    def to_rules(self, form: RuleForm = "text") -> str:
        """A rule list of each tree, behind its weight, as text or `"markdown"`: see
        `slp.Tree.to_rules`."""
        return trees_to_rules(self.trees, self.weights.tolist(), form)

    def to_sql(self, probability: Label | None = None) -> str:
        """The prediction as an expression of SQL over the columns of a table, or the probability of
        the class `probability`: see `slp.Tree.to_sql`.

        Raises
        ------
        UsageError
            E618: it is no class; or the response are durations.
        """
        classes = self._table.leaf.classes
        outcome = None if probability is None else outcome_of(probability, classes)
        return parts_to_sql(self._parts, outcome)

    def to_python(self) -> str:
        """The source text of a Python module with `predict(row)`, and of classes
        `probabilities(row)`: see `slp.Tree.to_python`.

        Raises
        ------
        UsageError
            E618: the response are durations.
        """
        return parts_to_python(self._parts)

    def to_sklearn(
        self, feature_names: Sequence[str] | None = None, *, regressor: bool = False
    ) -> Any:
        """A fitted `RandomForestClassifier` or `RandomForestRegressor`, which averages the trees.
        Its `estimators_` are the list of them, with weights times their number folded into leaf
        values. With `regressor` classes too have a regressor, with an output for the probability
        of each: SHAP's `TreeExplainer` drops the weights of a classifier's trees, as it makes the
        values of their leaves sum to 1.

        Leaves predict by their model. Columns, `feature_names` and rows whose side a split does not
        say are as in `slp.Tree.to_sklearn`.

        Raises
        ------
        UsageError
            E618: the response are durations.
        DataError
            E614: leaves are lines. E643: `feature_names` lack a column.
        ImportError
            scikit-learn is not installed.
        """
        self._check_sums()
        classes = () if regressor else self._table.leaf.classes
        export = optional_module("estimators.export")
        return export.trees_to_sklearn(self.trees, self.weights, classes, feature_names)

    def to_onnx(self, feature_names: Sequence[str] | None = None) -> Any:
        """An ONNX model (`onnx.ModelProto`) of the forest of `to_sklearn`. Its input `X` has the
        columns as 32-bit numbers; its outputs are `variable`, the number, or `label` and
        `probabilities`, in 32 bits too. Numbers of 32 bits part as in the trees.

        Raises
        ------
        UsageError
            E618: the response are durations.
        DataError
            As `to_sklearn`.
        ImportError
            scikit-learn or onnx is not installed.
        """
        made = self.to_sklearn(feature_names)
        return optional_module("estimators.onnx").forest_to_onnx(made)

    @cached_property
    def _parts(self) -> Parts:
        self._check_sums()
        kinds = {feature.name: feature.kind for feature in self._table.features}

        def untold(split: Split, missing: bool) -> Absent:
            kind = kinds[split.feature]
            if not missing:
                return kind.way_of_untold(missing=False)
            if kind.missing is None:  # the posterior takes no such row
                return "error"
            return kind.way_of_untold(missing=kind.missing == "side")

        return parts_of_average(self.trees, self.weights.tolist(), self._table.leaf, untold)

    def _check_sums(self) -> None:
        if self._table.leaf.point == "median":
            raise UsageError(MEDIANS_OF_AVERAGE())


def average_of_draws(table: Table, draws: Sequence[Tree], chosen: Chosen) -> AveragedTrees:
    """The average of draws, each different tree by its share of them.

    Raises
    ------
    UsageError
        E618: trees are soft.
    """
    _check_hard(draws)
    trees, (chain,) = numbered([draws])
    shares = np.bincount(chain) / len(draws)
    return AveragedTrees(table, trees, np.log(shares), chosen)


def average_of_best(table: Table, found: Sequence[Candidate]) -> AveragedTrees:
    """The average of the best trees, by their probabilities.

    Raises
    ------
    UsageError
        E618: trees are soft, or the run does not know their probabilities.
    """
    _check_hard([candidate.tree for candidate in found])
    different = {candidate.tree: candidate for candidate in found}  # of several derivations
    joints = [c.log_joint for c in different.values()]
    if None in joints and len(joints) > 1:
        raise UsageError(WEIGHTS_NOT_KNOWN())
    log_weights = np.array([0.0 if joint is None else joint for joint in joints])
    posteriors = [c.log_posterior for c in different.values()]
    known = [p for p in posteriors if p is not None]
    together = min(1.0, math.fsum(map(math.exp, known))) if len(known) == len(posteriors) else None
    return AveragedTrees(table, list(different), log_weights, "best", together)


def _check_hard(trees: Sequence[Tree]) -> None:
    if any(isinstance(tree, SoftTree) for tree in trees):
        raise UsageError(NO_SOFT_AVERAGE())


class _OwnLeaves(DrawnTrees):
    """Averages by what the leaves of the trees know, with what smoothing added."""

    @cached_property
    def _statistics(self) -> NDArray[np.float64]:
        own, added = self.arrays.statistics, self.arrays.added
        return own if added is None else own + added
