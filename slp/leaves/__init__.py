"""Leaf models: additive statistics, exact marginal likelihoods, posterior predictives.

Entry points: `leaf_model` (from a `:- leaf(...)` declaration, or the default for the response), the
conjugate models `Dirichlet`, `NormalInverseGamma`, `NormalLinear`, `GammaPoisson`,
`GammaExponential`, `NormalShared` of soft trees, and `LeafModel`, the protocol of every model;
`register_leaf_model` and `OwnModel`, those of users;
`leaf_to_plain` and `leaf_from_plain` for files. `labels` has classes in their own type.
"""

from __future__ import annotations

from slp.leaves.base import LeafModel
from slp.leaves.choose import leaf_model
from slp.leaves.dirichlet import Dirichlet
from slp.leaves.gamma_exponential import GammaExponential
from slp.leaves.gamma_poisson import GammaPoisson
from slp.leaves.labels import Label, label_array, label_of, label_text, sorted_labels
from slp.leaves.normal_inverse_gamma import NormalInverseGamma
from slp.leaves.normal_linear import NormalLinear
from slp.leaves.normal_shared import NormalShared
from slp.leaves.numbers import rounded_text
from slp.leaves.own import OwnModel, register_leaf_model
from slp.leaves.plain import leaf_from_plain, leaf_to_plain

__all__ = [
    "Dirichlet",
    "GammaExponential",
    "GammaPoisson",
    "Label",
    "LeafModel",
    "NormalInverseGamma",
    "NormalLinear",
    "NormalShared",
    "OwnModel",
    "label_array",
    "label_of",
    "label_text",
    "leaf_from_plain",
    "leaf_model",
    "leaf_to_plain",
    "register_leaf_model",
    "rounded_text",
    "sorted_labels",
]
