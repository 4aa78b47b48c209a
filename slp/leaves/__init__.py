"""Leaf models: additive statistics, exact marginal likelihoods, posterior predictives.

Entry points: `leaf_model` (from a `:- leaf(...)` declaration, or the default for the response), the
conjugate models `Dirichlet`, `NormalInverseGamma`, `NormalLinear`, `GammaPoisson`,
`GammaExponential`, `NormalShared` of soft trees, `SumNormal` and `SumProbit` of sums, and
`LeafModel`, the protocol of every model; `register_leaf_model` and `OwnModel`, those of users;
`with_boxes` adds the priors of leaves in boxes (`of_boxes`); `leaf_to_plain` and `leaf_from_plain`
are for files; `loss_matrix`, `least_losses`, `most_tied` and `decided` of decisions. `labels` has
classes in their own type.
"""

from __future__ import annotations

from slp.leaves.base import LARGEST, LeafModel, Responses
from slp.leaves.choose import (
    TAKEN,
    leaf_class,
    leaf_model,
    model_of_classes,
    taken_note,
    with_boxes,
)
from slp.leaves.dirichlet import Dirichlet
from slp.leaves.gamma_exponential import GammaExponential
from slp.leaves.gamma_poisson import GammaPoisson
from slp.leaves.labels import Label, label_array, label_of, label_text, sorted_labels
from slp.leaves.losses import decided, least_losses, loss_matrix, most_tied
from slp.leaves.models import MODELS, OF_CLASSES, OF_NUMBERS, OF_SOFT_TREES, SIGNATURES
from slp.leaves.normal_inverse_gamma import NormalInverseGamma
from slp.leaves.normal_linear import NormalLinear
from slp.leaves.normal_shared import NormalShared
from slp.leaves.numbers import rounded_text, three_digits, whole_or_float
from slp.leaves.own import OwnModel, register_leaf_model
from slp.leaves.piecewise_exponential import PiecewiseExponential
from slp.leaves.plain import leaf_from_plain, leaf_to_plain
from slp.leaves.sum_normal import SumNormal
from slp.leaves.sum_probit import SumProbit

__all__ = [
    "Dirichlet",
    "GammaExponential",
    "GammaPoisson",
    "Label",
    "LARGEST",
    "LeafModel",
    "MODELS",
    "OF_CLASSES",
    "OF_NUMBERS",
    "OF_SOFT_TREES",
    "SIGNATURES",
    "TAKEN",
    "NormalInverseGamma",
    "NormalLinear",
    "NormalShared",
    "OwnModel",
    "PiecewiseExponential",
    "Responses",
    "SumNormal",
    "SumProbit",
    "decided",
    "label_array",
    "label_of",
    "label_text",
    "leaf_class",
    "leaf_from_plain",
    "leaf_model",
    "leaf_to_plain",
    "least_losses",
    "loss_matrix",
    "model_of_classes",
    "most_tied",
    "register_leaf_model",
    "rounded_text",
    "sorted_labels",
    "taken_note",
    "three_digits",
    "whole_or_float",
    "with_boxes",
]
