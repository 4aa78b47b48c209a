"""What it costs to say a class where another one is true, and the class of least expected loss.

A loss matrix L has a row for each true class and a column for each class that may be said:
`L[t, s]`, at least 0 and finite. With the probabilities p of the classes, to say s has the expected
loss sum over t of p_t L[t, s] (Berger 1985, Statistical Decision Theory, section 4.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slp.leaves.labels import Label, label_text

if TYPE_CHECKING:
    from slp.ir.decisions import ClassLoss

#: Expected losses that differ by less, relative to the largest loss, are equal.
TIED = 1e-9


def loss_matrix(classes: Sequence[Label], losses: Iterable[ClassLoss]) -> NDArray[np.float64]:
    """The loss matrix, shape (C, C): 1 where what is said is wrong, 0 where it is right, and what
    is declared. Of classes that there are not nothing is said."""
    place = {label_text(label): c for c, label in enumerate(classes)}
    out = 1.0 - np.eye(len(classes))
    for loss in losses:
        if loss.truth in place and loss.said in place:
            out[place[loss.truth], place[loss.said]] = loss.amount
    return out


def decided(shares: NDArray[np.float64], loss: NDArray[np.float64] | None) -> NDArray[np.intp]:
    """The place of the class that is predicted by class probabilities (..., C): of least expected
    loss, or without losses the most probable one."""
    return shares.argmax(axis=-1) if loss is None else least_losses(shares @ loss, loss)[0]


def least_losses(
    expected: NDArray[np.float64], loss: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The class of least expected loss, on a tie the first, and whether it is tied, of shape (...)
    each, by the expected losses (..., C) of saying each class."""
    near = expected <= expected.min(axis=-1, keepdims=True) + most_tied(loss)
    return near.argmax(axis=-1), near.sum(axis=-1) > 1


def most_tied(loss: NDArray[np.float64]) -> float:
    """The most that expected losses may differ and be equal."""
    return TIED * float(loss.max(initial=0.0))
