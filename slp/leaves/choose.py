"""The leaf model: the declared one, with hyperparameters checked, or the response's default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import DataError
from slp.ir.leaf_models import LEAF_MODELS
from slp.ir.program import LeafDeclaration
from slp.leaves.base import LeafModel
from slp.leaves.dirichlet import Dirichlet
from slp.leaves.gamma_exponential import GammaExponential
from slp.leaves.gamma_poisson import GammaPoisson
from slp.leaves.labels import Label, label_text
from slp.leaves.normal_inverse_gamma import NormalInverseGamma
from slp.leaves.normal_linear import NormalLinear
from slp.leaves.normal_shared import NormalShared
from slp.leaves.own import OwnModel
from slp.messages.leaf_models import (
    MODEL_NEEDS_CLASSES,
    MODEL_NEEDS_NUMBERS,
    WRONG_NUMBER_OF_CLASSES,
)


def leaf_model(
    declaration: LeafDeclaration | None,
    classes: Sequence[Label],
    y: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
    regressors: NDArray[np.float64] | None = None,
) -> LeafModel:
    """The leaf model for a response.

    `declaration` is one that the checker has passed. `classes` are the sorted class labels, () for
    a numeric response. `y` is as for `LeafModel.statistics`. `weights` are those of the rows, shape
    (n,); None if all count alike. `regressors` are the columns of `normal_linear`, shape (n, q).

    The default is `dirichlet(1)` for classes. For numbers it is
    `normal_inverse_gamma(mean(y), 0.1, 3, var(y) / 10)`, where var is the mean squared deviation,
    or 1 if all responses are equal. Then the prior mean of the variance within a leaf is var(y) /
    20, with the weight of 2 alpha = 6 rows. It is smaller than var(y), because a leaf varies less
    than the whole response. With the total variance, intervals were too wide
    (docs/design/leaves.md). `normal_linear` without numbers takes these too, and 0.1 as `lambda`.

    Raises
    ------
    DataError
        E431: the number of a Dirichlet list's entries is not the number of classes. E430: a model
        of classes for a numeric response, or the opposite.
    """
    if declaration is None:
        return Dirichlet(classes, 1) if classes else _default_numeric(y, weights)
    _check_response(declaration, classes)
    if declaration.model == "dirichlet":
        args = declaration.args
        return Dirichlet(classes, args[0] if len(args) == 1 else args)
    if declaration.model == "normal_inverse_gamma":
        mu, kappa, alpha, beta = declaration.args
        return NormalInverseGamma(mu, kappa, alpha, beta, ref=_reference(y, weights))
    if declaration.model == NormalLinear.name:
        assert regressors is not None, "the table has its columns"
        return _linear(declaration, y, weights, regressors)
    if declaration.model == NormalShared.name:
        return NormalShared(*declaration.args, ref=_reference(y, weights))
    if LEAF_MODELS[declaration.model].make is not None:
        return OwnModel(declaration.model, declaration.args).checked(y)
    if declaration.model == GammaExponential.name:
        return GammaExponential(*declaration.args)
    return GammaPoisson(*declaration.args, exposed=y.ndim == 2)


def _reference(y: NDArray[Any], weights: NDArray[np.float64] | None) -> float:
    """The mean: near the rows of most weight, whose squares would cancel far from it."""
    return float(np.average(y, weights=weights)) if len(y) else 0.0


def _default_numeric(y: NDArray[Any], weights: NDArray[np.float64] | None) -> NormalInverseGamma:
    mean, variance = 0.0, 0.0
    if len(y):
        mean = float(np.average(y, weights=weights))
        variance = float(np.average((y - mean) ** 2, weights=weights))
    return NormalInverseGamma(mean, 0.1, 3.0, 0.1 * (variance or 1.0), ref=mean)


def _linear(
    declaration: LeafDeclaration,
    y: NDArray[Any],
    weights: NDArray[np.float64] | None,
    x: NDArray[np.float64],
) -> NormalLinear:
    centre = np.average(x, axis=0, weights=weights)
    scale = np.sqrt(np.average((x - centre) ** 2, axis=0, weights=weights))
    scale = np.where(scale > 0, scale, 1.0)
    args = declaration.args
    if not args:
        mu, kappa, alpha, beta = _default_numeric(y, weights).hyperparameters
        args = (mu, kappa, kappa, alpha, beta)
    return NormalLinear(declaration.columns, args, centre, scale, ref=_reference(y, weights))


def _check_response(declaration: LeafDeclaration, classes: Sequence[Label]) -> None:
    if declaration.model != "dirichlet":
        if classes:
            raise DataError(MODEL_NEEDS_NUMBERS(declaration.span, model=declaration.model))
        return
    if not classes:
        raise DataError(MODEL_NEEDS_CLASSES(declaration.span))
    if len(declaration.args) not in (1, len(classes)):
        numbers, some = len(declaration.args), _some(classes)
        raise DataError(
            WRONG_NUMBER_OF_CLASSES(
                declaration.span, numbers=numbers, classes=len(classes), some=some
            )
        )


def _some(labels: Sequence[Label], most: int = 8) -> str:
    shown = ", ".join(map(label_text, labels[:most]))
    return shown if len(labels) <= most else f"{shown}, ..."
