"""The leaf models: the one list that names them."""

from __future__ import annotations

from collections.abc import Mapping

from slp.leaves.declared import DeclaredModel
from slp.leaves.dirichlet import Dirichlet
from slp.leaves.gamma_exponential import GammaExponential
from slp.leaves.gamma_poisson import GammaPoisson
from slp.leaves.normal_inverse_gamma import NormalInverseGamma
from slp.leaves.normal_linear import NormalLinear
from slp.leaves.normal_shared import NormalShared
from slp.leaves.piecewise_exponential import PiecewiseExponential
from slp.leaves.signature import Signature
from slp.leaves.sum_normal import SumNormal
from slp.leaves.sum_probit import SumProbit

#: The built-in models by name.
MODELS: Mapping[str, type[DeclaredModel]] = {
    model.name: model
    for model in (
        Dirichlet,
        NormalInverseGamma,
        NormalShared,
        NormalLinear,
        GammaPoisson,
        GammaExponential,
        PiecewiseExponential,
        SumNormal,
        SumProbit,
    )
}

#: The models of a response without a declared one.
OF_CLASSES, OF_NUMBERS, OF_SOFT_TREES = Dirichlet, NormalInverseGamma, NormalShared
#: The same of sums of trees.
SUM_OF_CLASSES, SUM_OF_NUMBERS = SumProbit, SumNormal

#: What a program may declare, by name: the models, their short names, and those that users
#: registered.
SIGNATURES: dict[str, Signature] = {
    name: signature
    for model in MODELS.values()
    for name, signature in {model.name: model.signature, **model.short_names}.items()
}
