"""What a `Posterior` says of a row's way down its trees: which features are asked, and what that
costs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.columns.formula import Formula
from slp.data.table import Table
from slp.errors import SlpError, UsageError
from slp.late import late_import
from slp.messages.decisions import (
    COST_IN_FORMULA,
    FEWER_ROWS,
    NO_COST_DECLARED,
    NO_PATHS_OF_SOFT,
    ONE_ROW,
)
from slp.results.averages.asked import FeaturesAsked
from slp.results.averages.proximity import Proximity
from slp.results.beside_prior import BesidePrior
from slp.results.estimate import Kind, with_error
from slp.results.record.run import RunRecord
from slp.source import visible
from slp.trees import Split, Tree

#: The most rows whose pairs are followed.
_MOST_ROWS = 50


@dataclass(frozen=True, eq=False)
class ExpectedCost:
    """What it costs to predict rows, averaged over trees: of each row the sum of the costs of the
    distinct features on its path.

    Attributes
    ----------
    value : float64, shape (m,); of the table's rows on average a number.
    error : of the same shape. Monte Carlo standard error; 0 where it is exact, NaN where draws do
        not tell, and of trees that were found.
    kind : `"exact"`, `"estimate"` of draws, or `"found"`, of the trees found alone.
    """

    value: Any
    error: Any
    kind: Kind


@dataclass(frozen=True)
class TreeCost:
    """What it costs to predict by one tree: `by_leaf`, from left to right, the costs of the
    distinct features on the path to each leaf; `mean`, over the table's rows by their weights, NaN
    if the tree does not know its rows."""

    mean: float
    by_leaf: tuple[float, ...]

    @classmethod
    def of(cls, tree: Tree, costs: Mapping[str, float]) -> TreeCost:
        """Of a tree, with the costs of features; others are free. A defined feature costs what its
        columns do, and what is declared for itself."""
        splits = [node for node in tree.nodes() if isinstance(node, Split)]
        formulas = {n.feature: n.test.formula for n in splits if n.test.formula is not None}
        own = [
            math.fsum(costs.get(f, 0.0) for f in _paid(place.above, formulas))
            for place in tree.places()
            if not isinstance(place.node, Split)
        ]
        rows = [leaf.rows for leaf in tree.leaves()]
        mean = float(np.average(own, weights=rows)) if sum(rows) else np.nan
        return cls(mean, tuple(own))


def _paid(features: Collection[str], formulas: Mapping[str, Formula]) -> set[str]:
    """Features, and the columns of those that formulas make."""
    return {*features, *(c for f in features if f in formulas for c in formulas[f].columns)}


@dataclass(frozen=True)
class FeatureAsked:
    """A feature on a row's way: the `probability` that it is asked, the expected number of `tests`
    on it, the same `prior_probability`, None where it is not known, and the Monte Carlo errors of
    the probabilities, 0 where they are exact."""

    feature: str
    probability: float
    error: float
    tests: float
    prior_probability: float | None
    prior_error: float | None


@dataclass(frozen=True)
class RowExplanation:
    """What a row is asked on its way to a leaf, averaged over trees.

    Attributes
    ----------
    features : every feature of the table, most probable first.
    tests, tests_error : the expected number of splits on the way.
    cost, cost_error : what they are expected to cost; None where the program declares no costs, or
        some of a column that a formula takes.
    kind : of these numbers: `"exact"`, `"estimate"`, or `"found"`, of the trees found alone.
    prior_tests, prior_tests_error, prior_kind : the same of the prior, None where it is not known.
    prior_note : why it is not known; empty where it is.
    """

    features: tuple[FeatureAsked, ...]
    tests: float
    tests_error: float
    cost: float | None
    cost_error: float | None
    kind: Kind
    prior_tests: float | None
    prior_tests_error: float | None
    prior_kind: Kind | None
    prior_note: str

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Lines for a person."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        drawn = self.kind == "estimate"
        width = max(len(visible(f.feature)) for f in self.features)
        for f in self.features:
            beside = ""
            if f.prior_probability is not None:
                error = f.prior_error or 0.0
                shown = with_error(f.prior_probability, error, drawn=bool(error))
                beside = f" (prior {shown})"
            shown = with_error(f.probability, f.error, drawn=drawn)
            yield f"{visible(f.feature):<{width}}  asked with probability {shown}{beside}"
        tests = with_error(self.tests, self.tests_error, drawn=drawn)
        beside = ""
        if self.prior_tests is not None:
            own = self.prior_tests_error
            beside = f" (prior {with_error(self.prior_tests, own, drawn=bool(own))})"
        yield f"expected number of tests: {tests}{beside}"
        if self.cost is not None:
            cost = with_error(self.cost, self.cost_error, drawn=drawn)
            yield f"expected cost: {cost}"
        yield {
            "exact": "exact: averages over all trees",
            "estimate": "averages over draws of trees",
        }.get(self.kind, "averages over the trees found alone")
        if self.prior_note:
            yield f"the prior's numbers are not known: {self.prior_note}"

    def to_dict(self) -> dict[str, Any]:
        """As plain data, NaN as None."""
        plain: dict[str, Any] = _finite(asdict(self))
        return plain


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, tuple | list):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not np.isfinite(data) else data


class Asking(BesidePrior):
    """The part of `slp.Posterior` that tells what rows are asked."""

    table: Table
    record: RunRecord

    def expected_cost(self, X: Any = None) -> ExpectedCost:
        """What it costs to predict each row under `:- cost(feature, 120).`, averaged over trees:
        the costs of the distinct features that the row's path splits on. Without `X` it is the mean
        over the table's rows, by their weights. `ExpectedCost` has `value`, `error` and `kind`.

        Raises
        ------
        UsageError
            E565: the program declares no costs, or some of a column that a formula takes. E566:
            trees are soft.
        DataError
            `X` lacks a column, or a value.
        """
        if not self.record.costs:
            raise UsageError(NO_COST_DECLARED())
        if self._shared_cost is not None:
            raise UsageError(COST_IN_FORMULA(name=self._shared_cost))
        rows = None if X is None else self.table.new_rows(X)
        found = self._asked(rows)
        if rows is None:
            return ExpectedCost(float(found.cost[0]), float(found.cost_error[0]), found.kind)
        return ExpectedCost(found.cost, found.cost_error, found.kind)

    def cost_of_tree(self, tree: Tree) -> TreeCost:
        """What it costs to predict by a tree under the declared costs: `mean` over the table's rows
        and `by_leaf`.

        Raises
        ------
        UsageError
            E565: the program declares no costs. E566: the tree is soft.
        """
        if not self.record.costs:
            raise UsageError(NO_COST_DECLARED())
        if not isinstance(tree, Tree):
            raise UsageError(NO_PATHS_OF_SOFT())
        return TreeCost.of(tree, self.record.costs)

    def loss_of_tree(self, tree: Tree) -> float | None:
        """What the decisions of a tree lose a row, as its leaves expect: the mean of their expected
        losses over the table's rows. None where no losses are declared, and of trees whose leaves
        do not know their outcomes, as those of a prior."""
        known = [leaf.predictive for leaf in tree.leaves() if leaf.predictive is not None]
        if self.table.leaf.loss is None or len(known) < tree.n_leaves:
            return None
        own = [prediction().get("expected_loss", np.nan) for prediction in known]
        rows = [leaf.rows for leaf in tree.leaves()]
        return float(np.average(own, weights=rows)) if sum(rows) else None

    def explain(self, row: Any) -> RowExplanation:
        """What one row is asked on its way to a leaf: for each feature the probability that the
        path splits on it, averaged over trees, beside the same under the prior (`prior`); the
        expected number of tests, and where costs are declared the expected cost. `str` of it are
        lines for a person, `to_dict` is plain data.

        `row` is a frame or an array with one row, or a mapping from columns to values.

        Raises
        ------
        UsageError
            E567: there is not one row. E566: trees are soft.
        DataError
            The row lacks a column, or a value.
        """
        if isinstance(row, Mapping):
            row = late_import("polars").DataFrame({name: [value] for name, value in row.items()})
        rows = self.table.new_rows(row)
        if len(rows) != 1:
            raise UsageError(ONE_ROW(n=len(rows)))
        found = self._asked(rows)
        prior, why = self._asked_under_prior(rows)
        names = self.table.feature_names
        features = [
            FeatureAsked(
                name,
                *(float(x[0, f]) for x in (found.asked, found.asked_error, found.tests)),
                *(
                    (None, None)
                    if prior is None
                    else (float(prior.asked[0, f]), float(prior.asked_error[0, f]))
                ),
            )
            for f, name in enumerate(names)
        ]
        costs = bool(self.record.costs) and self._shared_cost is None
        return RowExplanation(
            tuple(sorted(features, key=lambda f: -f.probability)),
            float(found.all_tests[0]),
            float(found.all_tests_error[0]),
            float(found.cost[0]) if costs else None,
            float(found.cost_error[0]) if costs else None,
            found.kind,
            None if prior is None else float(prior.all_tests[0]),
            None if prior is None else float(prior.all_tests_error[0]),
            None if prior is None else prior.kind,
            why,
        )

    def proximity(self, rows: Any) -> Proximity:
        """The probability that two rows end in one leaf, of every pair of at most 50 rows:
        `Proximity` with `value`, `error` and `kind`. Exact where the engine is; where a split sends
        a row to both sides, or sums take long under `auto`, by draws.

        Raises
        ------
        UsageError
            E567: there are no rows, or more than 50. E566: trees are soft.
        DataError
            `rows` lacks a column, or a value.
        """
        told = self.table.new_rows(rows)
        if not 1 <= len(told) <= _MOST_ROWS:
            raise UsageError(FEWER_ROWS(most=_MOST_ROWS, n=len(told)))
        return self._result.proximity(told)

    def _asked(self, rows: NDArray[np.object_] | None) -> FeaturesAsked:
        return self._result.features_asked(rows, self._prices)

    def _asked_under_prior(self, rows: NDArray[np.object_]) -> tuple[FeaturesAsked | None, str]:
        """The same of the prior, or why it is not known."""
        prior = self._prior_beside()
        if isinstance(prior, str):
            return None, prior
        try:
            return prior.features_asked(rows, self._prices), ""
        except SlpError as error:
            return None, error.diagnostics[0].message

    @property
    def _shared_cost(self) -> str | None:
        """A column with a cost that a formula takes, which a path pays once for several features;
        None if there is none."""
        formulas = [f.kind.formula for f in self.table.features if f.kind.formula is not None]
        taken = (c for formula in formulas for c in formula.columns)
        return next((c for c in taken if self.record.costs.get(c, 0.0) > 0), None)

    @property
    def _prices(self) -> NDArray[np.float64]:
        """The cost of each feature, shape (d,)."""
        costs = self.record.costs
        return np.array([costs.get(name, 0.0) for name in self.table.feature_names], np.float64)
