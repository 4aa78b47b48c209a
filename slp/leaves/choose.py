"""The leaf model: the declared one, with hyperparameters checked, or the response's default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.errors import DataError
from slp.ir.leaves import BoxLeaf, ClassShares, LeafDeclaration, LeafPrior
from slp.leaves.base import LeafModel
from slp.leaves.declared import DeclaredModel, Observed
from slp.leaves.known_shares import KnownShares
from slp.leaves.labels import Label, label_text
from slp.leaves.models import (
    MODELS,
    OF_CLASSES,
    OF_NUMBERS,
    OF_SOFT_TREES,
    SUM_OF_CLASSES,
    SUM_OF_NUMBERS,
)
from slp.leaves.of_boxes import leaves_of_boxes
from slp.leaves.own import OwnModel
from slp.messages.constraints import SHARES_WITHOUT_CLASS
from slp.messages.leaf_models import MODEL_NEEDS_CLASSES, MODEL_NEEDS_NUMBERS

#: How a note ends that says what a model took from the response.
TAKEN = "were taken from the response"


def leaf_class(declaration: LeafDeclaration) -> type[DeclaredModel]:
    """The class of a declared model."""
    return MODELS.get(declaration.model, OwnModel)


def leaf_model(
    declaration: LeafDeclaration | None,
    classes: Sequence[Label],
    y: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
    regressors: NDArray[np.float64] | None = None,
    *,
    soft: bool = False,
    trees: int | None = None,
) -> LeafModel:
    """The leaf model for a response.

    `declaration` is one that the checker has passed. `classes` are the sorted class labels, () for
    a numeric response. `y` is as for `LeafModel.statistics`. `weights` are those of the rows, shape
    (n,); None if all count alike. `regressors` are the columns of a regression, shape (n, q). The
    default for classes is that of every program of one tree; for numbers soft trees (`soft`) have
    their own, and sums of `trees`.

    Raises
    ------
    DataError
        E431: the length of a declared list is not the number of classes. E430: a model of classes
        for a numeric response, or the opposite.
    """
    observed = Observed(classes, y, weights, regressors)
    if declaration is None and trees is not None:
        model = SUM_OF_CLASSES if classes else SUM_OF_NUMBERS
        return model.declared(LeafDeclaration(model.name, (), trees=trees), observed)
    if declaration is None:
        if classes:
            return OF_CLASSES(classes, 1)
        return (OF_SOFT_TREES if soft else OF_NUMBERS).taken_from(observed)
    found = leaf_class(declaration)
    if found.responses == "classes" and not classes:
        raise DataError(MODEL_NEEDS_CLASSES(declaration.span))
    if found.responses != "classes" and classes:
        raise DataError(MODEL_NEEDS_NUMBERS(declaration.span, model=declaration.model))
    return found.declared(declaration, observed)


def with_boxes(
    leaf: LeafModel,
    said: Sequence[BoxLeaf],
    classes: Sequence[Label],
    y: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
) -> LeafModel:
    """A leaf model with the priors that `said` gives to leaves of boxes, in this order; other
    arguments are those of `leaf_model`, which made `leaf`.

    Raises
    ------
    DataError
        As `leaf_model`; E147: class probabilities lack a class.
    """
    numbers: dict[LeafPrior, int] = {}
    models, in_boxes = [leaf], []
    for own in said:
        prior = own.prior
        if prior is None or (isinstance(prior, ClassShares) and not classes):
            continue  # of a response without classes, whose names have an error of their own (E151)
        number = numbers.setdefault(prior, len(models))
        in_boxes.append((own, number))
        if number < len(models):
            continue
        if isinstance(prior, ClassShares):
            models.append(_known(prior, own, classes))
        else:
            models.append(leaf_model(prior, classes, y, weights))
    if not in_boxes:
        return leaf
    return leaves_of_boxes(models, in_boxes)


def _known(prior: ClassShares, own: BoxLeaf, classes: Sequence[Label]) -> KnownShares:
    shares, names = dict(prior.shares), list(map(label_text, classes))
    missing = [name for name in names if name not in shares]
    if missing:
        raise DataError(
            SHARES_WITHOUT_CLASS(
                own.span, box=own.box.name, outcome=missing[0], classes=", ".join(names)
            )
        )
    return KnownShares(classes, [shares[name] for name in names])


def taken_note(
    declaration: LeafDeclaration | None,
    classes: Sequence[Label],
    *,
    soft: bool = False,
    sums: bool = False,
) -> str | None:
    """What the leaf model of `leaf_model` takes from the response, in words, because the program
    does not declare it; None where it takes nothing."""
    model: type[DeclaredModel]
    if declaration is None and sums:
        model = SUM_OF_CLASSES if classes else SUM_OF_NUMBERS
        why = "no leaf model is declared"
    elif declaration is None:
        model = OF_CLASSES if classes else OF_SOFT_TREES if soft else OF_NUMBERS
        why = "no leaf model is declared"
    else:
        model = leaf_class(declaration)
        why = "numbers of the leaf model are not declared"
    if not model.taken or (declaration is not None and declaration.args):
        own = declaration is not None and model.taken and model.signature.named
        if not own or declaration is None or "k" not in declaration.names:
            return None
    return f"{why}, so {model.taken} {TAKEN}"


def model_of_classes(classes: Sequence[Label], concentration: Sequence[float]) -> LeafModel:
    """Classes whose probabilities have a Dirichlet prior with these numbers."""
    return OF_CLASSES(classes, concentration)
