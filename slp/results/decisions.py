"""Decisions: the class of least posterior expected loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import UsageError
from slp.ir.decisions import ClassLoss
from slp.leaves import label_array, label_of, label_text, least_losses, loss_matrix
from slp.messages.decisions import (
    LOSS_OF_NO_CLASS,
    LOSSES_UNREADABLE,
    NO_DECISIONS,
    NOT_A_LOSS,
    NOT_A_LOSS_MATRIX,
)
from slp.messages.names import name_help
from slp.results.record.result import Result


class HasPredictProba(Protocol):
    """What predicts classes of new rows."""

    table: Table
    _result: Result

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """See `slp.Posterior`."""
        ...


@dataclass(frozen=True, eq=False)
class Decisions:
    """For each of m rows the class of least posterior expected loss.

    Attributes
    ----------
    decision : shape (m,). The class, in the type that it has in the table; of several with the
        least expected loss the one listed first.
    expected_loss : float64, shape (m,). Of the decision.
    error : float64, shape (m,). Monte Carlo standard error of `expected_loss`; 0 if it is exact,
        NaN if there are too few draws to tell.
    margin : float64, shape (m,). The expected loss of the best other class, less that of the
        decision.
    margin_error : float64, shape (m,). Its Monte Carlo standard error. Where it is not small beside
        `margin`, other draws may decide otherwise.
    tied : bool, shape (m,). Whether another class has the same expected loss, rounding apart.
    expected_losses : float64, shape (m, C). Of saying each class, in the order of `classes`.
    classes : shape (C,).
    loss : float64, shape (C, C). What it costs to say a class (column) where another (row) is true.
    """

    decision: NDArray[Any]
    expected_loss: NDArray[np.float64]
    error: NDArray[np.float64]
    margin: NDArray[np.float64]
    margin_error: NDArray[np.float64]
    tied: NDArray[np.bool_]
    expected_losses: NDArray[np.float64]
    classes: NDArray[Any]
    loss: NDArray[np.float64]


def decisions_of(posterior: HasPredictProba, X: Any, loss: Any) -> Decisions:
    """See `slp.Posterior.decide`."""
    matrix = losses_of(posterior.table, loss)
    expected = posterior.predict_proba(X) @ matrix
    said, tied = least_losses(expected, matrix)
    which = np.arange(len(said))
    others = expected.copy()
    others[which, said] = np.inf
    second = others.argmin(axis=1)
    least = expected[which, said]
    classes = label_array(posterior.table.leaf.classes)
    margin = np.maximum(others[which, second] - least, 0.0)
    # Both are linear in the class probabilities: shape (m, C, 2).
    columns = np.stack([matrix[:, said].T, (matrix[:, second] - matrix[:, said]).T], axis=2)
    errors = posterior._result.error_of_new_rows(posterior.table.new_rows(X), columns)
    error, margin_error = np.zeros((2, len(said))) if errors is None else errors.T
    return Decisions(
        classes[said], least, error, margin, margin_error, tied, expected, classes, matrix
    )


def losses_of(table: Table, loss: Any) -> NDArray[np.float64]:
    """The loss matrix (C, C) that a call gives, or that the program declares, or else 1 for each
    wrong class.

    Raises
    ------
    UsageError
        E564: the response is numeric, or the losses do not fit its classes.
    """
    leaf = table.leaf
    if not leaf.classes:
        raise UsageError(NO_DECISIONS(response=table.response))
    if loss is None:
        return loss_matrix(leaf.classes, ()) if leaf.loss is None else leaf.loss
    texts = [label_text(c) for c in leaf.classes]
    if isinstance(loss, Mapping):
        return loss_matrix(leaf.classes, [_given(table, texts, *own) for own in loss.items()])
    try:
        out = np.array(loss, np.float64)
    except (TypeError, ValueError):
        raise UsageError(LOSSES_UNREADABLE(what=type(loss).__name__)) from None
    n = len(texts)
    if out.shape != (n, n):
        raise UsageError(NOT_A_LOSS_MATRIX(shape=str(out.shape), n=n))
    for t, s in np.argwhere(~(np.isfinite(out) & (out >= 0))):
        raise UsageError(NOT_A_LOSS(truth=texts[t], said=texts[s], value=float(out[t, s])))
    return out


def _given(table: Table, classes: list[str], pair: Any, amount: Any) -> ClassLoss:
    """One loss of a mapping."""
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise UsageError(LOSSES_UNREADABLE(what=f"of {pair!r}, which is no pair (truth, said)"))
    truth, said = (label_text(label_of(c)) for c in pair)
    for name in (truth, said):
        if name not in classes:
            help = name_help(name, classes, "class")
            raise UsageError(LOSS_OF_NO_CLASS(response=table.response, name=name, help=help))
    number = isinstance(amount, int | float | np.number) and not isinstance(amount, bool)
    if not number or not 0 <= amount < np.inf:
        raise UsageError(NOT_A_LOSS(truth=truth, said=said, value=repr(amount)))
    return ClassLoss(truth, said, float(amount))
