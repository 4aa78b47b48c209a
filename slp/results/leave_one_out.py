"""`LeaveOneOut`: how well a posterior predicts each of its own rows, given the responses of the
others.

Only the row's response is left out. The features of all rows stay, and with them splits, shares,
`min_leaf`, bins, and the numbers of the leaf model. `slp.results.averages.left_out` has the
mathematics, `slp.results.averages.smoothing` the estimate from draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import UsageError
from slp.messages.comparing import NO_LOO
from slp.results.averages.left_out import HeldRows, LeftOut
from slp.results.record.evidence import what_looks
from slp.results.record.result import Result
from slp.results.trust.judgement import LARGEST_K, Standing
from slp.trees.predicates import AskedPredicate


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Expected log predictive density by leave-one-out; of classes and counts, probability.

    Attributes
    ----------
    elpd : the sum of `pointwise`, in nats.
    standard_error : of `elpd` over rows, root of n times their variance: what another table of as
        many rows might give.
    monte_carlo_error : of `elpd` from draws; 0 where it is exact. It is that of the weights without
        smoothing, and says nothing where many k are bad.
    kind : `"exact"`, or `"estimate"` from draws, by Pareto-smoothed importance sampling.
    pointwise : log p(y_i | the other responses) of each row of the data, without those of weight 0,
        float64, shape (n,).
    pointwise_error : the Monte Carlo standard error of each, float64, shape (n,).
    pareto_k : float64, shape (n,), how heavy the tail of each row's weights is. -inf where the
        largest weight is common, inf where there are too few draws to tell. None where it is exact.
    bad_k : how many k are above 0.7: these rows are not to be used.
    standing : whether the run converged, so that an estimate may be used.
    notes : what must be said of the numbers.

    Source: Vehtari, Gelman & Gabry (2017), Statistics and Computing 27.
    """

    elpd: float
    standard_error: float
    monte_carlo_error: float
    kind: Literal["exact", "estimate"]
    standing: Standing
    pointwise: NDArray[np.float64] = field(repr=False)
    pointwise_error: NDArray[np.float64] = field(repr=False)
    pareto_k: NDArray[np.float64] | None = field(repr=False)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, held: HeldRows, found: LeftOut, standing: Standing, notes: tuple[str, ...]
    ) -> LeaveOneOut:
        """From what rows are worth."""
        own = held.of_data
        pointwise = found.log_predictive[own]
        return cls(
            float(pointwise.sum()),
            error_of_sum(pointwise),
            found.error_of_sum,
            "exact" if found.error is None else "estimate",
            standing,
            pointwise,
            np.zeros(len(own)) if found.error is None else found.error[own],
            None if found.pareto_k is None else found.pareto_k[own],
            notes,
        )

    @property
    def bad_k(self) -> int:
        """How many k are above 0.7; 0 where it is exact."""
        return 0 if self.pareto_k is None else int((self.pareto_k > LARGEST_K).sum())

    @property
    def converged(self) -> bool:
        """Whether the run converged; True for exact sums."""
        return self.standing == "converged"

    @property
    def usable(self) -> bool:
        """Whether the run converged, and no k is bad."""
        return self.converged and self.bad_k == 0

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data for JSON, without the numbers of single rows; None in place of
        infinity and NaN."""
        names = ("elpd", "standard_error", "monte_carlo_error")
        numbers = {name: getattr(self, name) for name in names}
        return {
            **{name: x if math.isfinite(x) else None for name, x in numbers.items()},
            "kind": self.kind,
            "bad_k": self.bad_k,
            "standing": self.standing,
            "notes": list(self.notes),
        }


def error_of_sum(values: NDArray[np.float64]) -> float:
    """The standard error of a sum over rows, root of n times the variance; NaN of one row."""
    n = len(values)
    return float(math.sqrt(n * np.var(values, ddof=1))) if n > 1 else math.nan


class LeavesOut:
    """The part of `slp.Posterior` that leaves each row out."""

    _result: Result
    table: Table
    likelihood: bool
    predicates: Sequence[AskedPredicate]

    @property
    def no_loo(self) -> str | None:
        """Why `loo` tells nothing, as a clause; None where it does."""
        looks = self._result.evidence.no_bayes_factor
        if not self.likelihood:
            return "it is a prior, which has seen no response"
        if looks is not None:
            return f"{what_looks(looks)}, so without a row's response the prior is another one"
        if self._result.trees_found is not None:
            return f"the engine {self._result.choice.engine} has neither draws nor sums over trees"
        if self._result.kind == "soft" and self.table.leaf.classes:
            return "leaves of soft trees share each row, so no likelihood of a row is its own"
        return None

    def loo(self) -> LeaveOneOut:
        """How well it predicts each row of the table from the responses of the others: a
        `LeaveOneOut`. Exact where the engine sums over all trees, else from the draws, with Pareto
        k.

        Raises
        ------
        UsageError
            E555: it tells nothing, as under priors that look at the response.
        UnsupportedError
            E562: it is a saved run without the single rows.
        """
        if self.no_loo is not None:
            raise UsageError(NO_LOO(why=self.no_loo))
        held = HeldRows.of(self.table)
        found, drawn = self._result.summary(lambda averages: averages.leave_out(held))
        judged = None if drawn is None else self._result.diagnostics()
        standing: Standing = "converged" if judged is None else judged.standing
        made = LeaveOneOut.of(held, found, standing, tuple(self._notes_on_loo()))
        return made if self._result.parameters() is None else replace(made, kind="estimate")

    def _notes_on_loo(self) -> Iterator[str]:
        if self._weights_differ_from_one():
            yield (
                "rows have weights: each is left out with its whole weight, and its number is that "
                "of its weighted likelihood"
            )
        if self.table.leaf_was_taken:
            yield (
                "numbers of the leaf model were taken from the response, and have seen the rows "
                "that are left out"
            )
        if self.predicates:
            yield "predicates can look at the response; if they do, these numbers are of no use"
        if self._result.kind == "soft":
            yield "what a row is worth is its likelihood given the means and the variance of a tree"
        if self._result.kind == "additive":
            yield "what a row is worth is its likelihood given the values of leaves and the noise"

    def _weights_differ_from_one(self) -> bool:
        weights = self.table.weights
        if weights is None:
            return False
        return bool((weights.units != weights.scale * self.table.counts).any())
