"""The protocol of leaf models: additive sufficient statistics, marginal likelihood, predictive."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.errors import Diagnostic
from slp.ir.leaves import BoxLeaf
from slp.leaves.labels import Label
from slp.source import SourceSpan

#: Probability of the credible intervals of a leaf.
LEVEL = 0.9
#: No statistic that counts is larger, so that sums of counts stay whole.
LARGEST_COUNT = 1e12
#: No response is larger, so that squares and their sums stay finite.
LARGEST = 1e150
#: What a leaf model is one of.
Responses = Literal["classes", "numbers", "counts", "durations"]

#: What of its predictive distribution is the point prediction of a number.
Point = Literal["mean", "median"]

_M = TypeVar("_M")


def are_counts(S: NDArray[np.float64]) -> bool:
    """Whether numbers are numbers or weights of rows, or of events."""
    return bool((S >= 0).all() and (S <= LARGEST_COUNT).all())


class LeafFacts:
    """What `LeafModel` asks, as it holds of most models."""

    classes: tuple[Label, ...] = ()
    responses: Responses = "numbers"
    weighted = False
    regressors: tuple[str, ...] = ()
    exposed = False
    soft_trees = False
    of_sums = False
    ref = 0.0
    squares = False
    predicted_in_core = True
    point: Point = "mean"
    mean_needs: float = -1.0
    of_response = False
    concentration: NDArray[np.float64] = np.zeros(0)
    one_concentration = False
    loss: NDArray[np.float64] | None = None
    in_boxes: tuple[tuple[BoxLeaf, int], ...] = ()

    def doubts(self, y: NDArray[Any], span: SourceSpan | None) -> tuple[Diagnostic, ...]:
        """None: the numbers of most models go with all responses that the model allows."""
        return ()

    def without_rows(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """Zeros: a leaf without rows tells nothing."""
        return np.zeros_like(S)

    def with_prior(self, S: NDArray[np.float64], prior: Any) -> NDArray[np.float64]:
        """The statistics themselves: all leaves have the same prior."""
        return S

    def prior_of(self, S: NDArray[np.float64]) -> NDArray[np.int64]:
        """0."""
        return np.zeros(np.shape(S)[:-1], np.int64)

    def with_added(self: _M, rows: NDArray[np.float64]) -> _M:
        """No model but those of classes: TypeError."""
        raise TypeError("rows are added to the prior of classes alone")

    def rounding(
        self, distances: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """None: no statistic is a square."""
        return None

    def are_sound(self, S: NDArray[np.float64]) -> bool:
        """Whether the number of rows is one."""
        return are_counts(S[..., :1])

    def scores(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean response: the second statistic over the first."""
        return np.asarray(S[..., 1] / S[..., 0])

    def log_least(self, S: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """No model but those of classes: TypeError."""
        raise TypeError("a bound on the probability of a row is known of classes alone")

    def design(self, x: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """None: leaves predict the same of every row."""
        return None

    def design_of_sums(self, S: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """None: leaves predict the same of every row."""
        return None

    def at(self: _M, row: NDArray[np.float64]) -> _M:
        """The model itself."""
        return self

    def spread(self, S: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """None: it is not known in closed form."""
        return None


class LeafModel(Protocol):
    """A conjugate model of the responses in one leaf.

    `S` below is an array of statistics, float64, shape (..., k), additive over rows.
    """

    name: str
    #: sorted class labels in their own type, () if the response is numeric
    classes: tuple[Label, ...]
    #: what it is a model of
    responses: Responses
    #: whether statistics are sums over rows with weights
    weighted: bool
    #: names of the features whose values a prediction depends on, () for most models
    regressors: tuple[str, ...]
    #: whether a response has an exposure
    exposed: bool
    #: whether leaves depend on each other, so that soft trees alone have the model
    soft_trees: bool
    #: whether it is of sums of trees alone, whose draws have the values of leaves
    of_sums: bool
    #: what statistics subtract from a response, 0 for most models
    ref: float
    #: whether statistics are n, the sum of (y - ref) and that of (y - ref)^2
    squares: bool
    #: whether the core knows its predictive mean, or class probabilities
    predicted_in_core: bool
    #: what the point prediction of a number is; of durations the median, as a mean may be infinite
    point: Point
    #: a leaf has a predictive mean if its rows weigh more; below 0 where all leaves have one
    mean_needs: float
    #: whether its numbers were taken from the response
    of_response: bool
    #: of classes the numbers of their Dirichlet prior, float64 (C,)
    concentration: NDArray[np.float64]
    #: whether one number is declared for all of them
    one_concentration: bool
    #: of classes what it costs to say one (column) where another (row) is true, float64 (C, C);
    #: None where the program declares none
    loss: NDArray[np.float64] | None
    #: what is said of the leaves of boxes, in the order in which it counts, with the numbers of the
    #: priors (`State.leaf_prior`)
    in_boxes: tuple[tuple[BoxLeaf, int], ...]

    @property
    def n_statistics(self) -> int:
        """k."""
        ...

    @property
    def core_name(self) -> str:
        """The name by which the core knows it."""
        ...

    def statistics(self, y: NDArray[Any]) -> NDArray[np.float64]:
        """Statistics of single rows, shape (n, k). `y`: class indices (n,), or float64 (n,), or
        (n, 2) with the event indicator (1 seen, 0 censored) or the exposure in the second column,
        or (n, 1 + q) with the values of q regressors behind y."""
        ...

    def outcomes_of(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """What rows of weight 1 with these statistics (n, k) have as a response, as `statistics`
        takes it, without regressors and exposures. Only for numeric responses."""
        ...

    def log_marginal(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log marginal likelihood of the ordered responses of a leaf, shape (...): a proper log
        probability (density) of the data, constants included."""
        ...

    def doubts(self, y: NDArray[Any], span: SourceSpan | None) -> tuple[Diagnostic, ...]:
        """Warnings about numbers of the declaration at `span` that may not be meant for the
        responses y of a table, as `statistics` takes them."""
        ...

    def without_rows(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The statistics of leaves without rows, in place of leaves with S, shape (..., k)."""
        ...

    def with_prior(self, S: NDArray[np.float64], prior: Any) -> NDArray[np.float64]:
        """The statistics of leaves that have the prior of this number (`State.leaf_prior`), int or
        integers (...), given those that their rows add up to, (..., k)."""
        ...

    def prior_of(self, S: NDArray[np.float64]) -> NDArray[np.int64]:
        """The numbers of the priors of leaves with statistics (..., k), shape (...)."""
        ...

    def with_added(self: _M, rows: NDArray[np.float64]) -> _M:
        """The model whose prior has these weights of classes (C,) in addition. Only for classes."""
        ...

    def rounding(
        self, distances: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """How far rounded squares can change the log marginal likelihood of leaves, each of rows of
        one response, at these distances from `ref` and of these weights together; None if no
        statistic is a square."""
        ...

    def are_sound(self, S: NDArray[np.float64]) -> bool:
        """Whether finite statistics (..., k) are those that rows can have, roughly."""
        ...

    def scores(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """What puts groups of rows, none empty, in the order of their responses, shape (k,) for
        statistics (k, n_statistics): the mean, the rate, the share of the second of two classes, or
        the shares along their first principal direction."""
        ...

    def log_parted(self, S: NDArray[np.float64]) -> float:
        """Log of a bound on the marginal likelihood of any partition into leaves of rows with
        statistics (n, k) (see `native/core/search/leaf_bound.hpp`); inf where none is known."""
        ...

    def numbers_for_core(self, S: NDArray[np.float64]) -> NDArray[np.float64] | str:
        """The numbers by which the core knows the model on a table whose rows have the statistics
        S, shape (n, k); if it does not take the model, why, as the end of a sentence."""
        ...

    def log_least(self, S: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
        """A lower bound on the log probability of each row, with statistics S (m, k), given others
        of its leaf that weigh at most as much as all rows, `weight`, together: shape (m,). Only for
        classes."""
        ...

    def design(self, x: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """What a row's prediction weighs the `values` of its leaf by, shape (m, J), of rows with
        these values of the regressors, shape (m, q); None if leaves predict the same of every
        row."""
        ...

    def design_of_sums(self, S: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """The same at the mean of rows with statistics S, shape (..., J)."""
        ...

    def at(self, row: NDArray[np.float64]) -> LeafModel:
        """The model as it predicts a row with this design, shape (J,)."""
        ...

    def values(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """The J numbers that leaves predict by, shape (..., J): the class probabilities, the mean
        (`point`: or the median), or the coefficients of a line."""
        ...

    def predict_proba(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """Posterior predictive class probabilities, shape (..., C). Only for classes."""
        ...

    def mean(self, S: NDArray[np.float64]) -> NDArray[np.float64]:
        """Posterior predictive mean, shape (...). Only for numeric responses (inf if the mean is
        infinite)."""
        ...

    def cdf(self, S: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Posterior predictive P(Y <= y), broadcast over (...). Only for numeric responses."""
        ...

    def class_cdf(self, S: NDArray[np.float64], outcome: int, p: float) -> NDArray[np.float64]:
        """Posterior P(the class of index `outcome` has probability at most p), shape (...). Only
        for classes."""
        ...

    def log_density(self, S: NDArray[np.float64], y: NDArray[Any]) -> NDArray[np.float64]:
        """Log posterior predictive density of a further response y, of classes (their indices) and
        counts the log probability; broadcast over (...). -inf where the model does not allow y."""
        ...

    def draw_parameters(
        self, S: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """A draw of the parameters of each leaf from their posterior, shape (..., r)."""
        ...

    def values_of(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The J numbers that leaves with these parameters predict by, shape (..., J): the class
        probabilities, the mean (of durations too), or the coefficients of a line."""
        ...

    def draw_outcomes(
        self,
        parameters: NDArray[np.float64],
        rng: np.random.Generator,
        design: NDArray[np.float64] | None = None,
    ) -> NDArray[Any]:
        """A response drawn from each leaf with these parameters, shape (...): the index of a class,
        a number, a count in one unit of exposure, or a duration that is not censored. `design` is
        that of the rows, shape (..., J), where there is one."""
        ...

    def spread(self, S: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Posterior variance of each of `values_of`, shape (..., J), inf where there is none; where
        rows have a design the covariance of all, shape (..., J, J). None where no closed form is
        known."""
        ...

    def summary(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """One leaf for `Tree` JSON: `{"counts": {class: n}}` or `{"n": .., "mean": ..}` (sample
        mean)."""
        ...

    def predictive(self, S: NDArray[np.float64]) -> dict[str, Any]:
        """The prediction of one leaf, for people and JSON: `{"probabilities": {class: p},
        "intervals": {class: [.., ..]}}`, or a mean (for counts `"rate"`), with central credible
        intervals of probability `LEVEL`."""
        ...

    def describe(self) -> str:
        """The model as in a declaration, such as `dirichlet(1)`."""
        ...

    def to_plain(self) -> dict[str, Any]:
        """The model as plain data (`slp.leaves.plain`)."""
        ...
