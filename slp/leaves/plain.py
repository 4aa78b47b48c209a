"""Leaf models as plain data, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from slp.ir.leaf_models import MOST_COLUMNS
from slp.leaves.base import LeafModel
from slp.leaves.dirichlet import Dirichlet
from slp.leaves.gamma_exponential import GammaExponential
from slp.leaves.gamma_poisson import GammaPoisson
from slp.leaves.labels import Label
from slp.leaves.normal_inverse_gamma import NormalInverseGamma
from slp.leaves.normal_linear import NormalLinear
from slp.leaves.normal_shared import NormalShared
from slp.leaves.own import OwnModel, own_model

#: In place of the name of a model that the user registered.
OWN = "registered"

#: A class of each type from its text.
_LABELS: Mapping[str, Callable[[str], Label]] = {
    "bool": {"True": True, "False": False}.__getitem__,
    "int": int,
    "float": float,
    "str": str,
}


def leaf_to_plain(leaf: LeafModel) -> dict[str, Any]:
    """A leaf model as plain data; classes are texts, beside the name of their type."""
    if isinstance(leaf, Dirichlet):
        own = leaf.concentration.tolist()
        return {
            "model": leaf.name,
            "classes": [str(label) for label in leaf.classes],
            "type": type(leaf.classes[0]).__name__,
            "concentration": own[0] if leaf.one_number else own,
        }
    if isinstance(leaf, OwnModel):
        own = list(map(float, leaf.hyperparameters))
        return {
            "model": OWN,
            "name": leaf.name,
            "hyperparameters": own,
            "n_statistics": leaf.n_statistics,
        }
    assert isinstance(
        leaf, NormalInverseGamma | NormalShared | NormalLinear | GammaPoisson | GammaExponential
    )
    found: dict[str, Any] = {
        "model": leaf.name,
        "hyperparameters": list(map(float, leaf.hyperparameters)),
    }
    if leaf.exposed:
        found["exposed"] = True
    if isinstance(leaf, NormalInverseGamma | NormalShared | NormalLinear):
        found["ref"] = float(leaf.ref)
    if isinstance(leaf, NormalLinear):
        found["regressors"] = list(leaf.regressors)
        found["centre"], found["scale"] = leaf.centre.tolist(), leaf.scale.tolist()
    return found


def leaf_from_plain(data: Mapping[str, Any]) -> LeafModel:
    """The leaf model that `leaf_to_plain` made the data from.

    Raises
    ------
    ValueError, or another error
        They are no leaf model.
    """
    if data["model"] == Dirichlet.name:
        own = data["concentration"]
        _check_numbers(own if isinstance(own, list) else [own], positive=True)
        labels = tuple(map(_LABELS[data["type"]], data["classes"]))
        if not labels or len(set(labels)) < len(labels):
            raise ValueError("classes are missing, or two are equal")
        return Dirichlet(labels, own)
    numbers = data["hyperparameters"]
    if data["model"] == OWN:
        if not isinstance(data["n_statistics"], int) or data["n_statistics"] < 2:
            raise ValueError("its statistics are too few")
        _check_numbers(numbers, positive=False)
        return own_model(data["name"], tuple(numbers), data["n_statistics"])
    of_numbers = {model.name: model for model in (NormalInverseGamma, NormalShared)}
    if data["model"] in of_numbers:
        centre, *others = numbers
        _check_numbers(others, positive=True)
        _check_numbers([centre, data["ref"]], positive=False)
        return of_numbers[data["model"]](centre, *others, ref=data["ref"])
    if data["model"] == NormalLinear.name:
        return _linear_from_plain(data)
    a, b = numbers
    _check_numbers(numbers, positive=True)
    if data["model"] == GammaPoisson.name:
        exposed = data.get("exposed", False)
        if not isinstance(exposed, bool):
            raise ValueError("whether its counts have exposures is not said")
        return GammaPoisson(a, b, exposed=exposed)
    return {GammaExponential.name: GammaExponential}[data["model"]](a, b)


def _linear_from_plain(data: Mapping[str, Any]) -> NormalLinear:
    names, (centre, *others) = data["regressors"], data["hyperparameters"]
    q = len(names)
    sound = all(isinstance(n, str) for n in names) and len(set(names)) == q
    if (
        not sound
        or not q == len(data["centre"]) == len(data["scale"])
        or not 1 <= q <= MOST_COLUMNS
    ):
        raise ValueError("its regressors are none that it can have")
    _check_numbers([*others, *data["scale"]], positive=True)
    _check_numbers([centre, data["ref"], *data["centre"]], positive=False)
    centres, scales = (np.array(data[key], np.float64) for key in ("centre", "scale"))
    return NormalLinear(names, data["hyperparameters"], centres, scales, ref=data["ref"])


def _check_numbers(numbers: list[Any], *, positive: bool) -> None:
    for number in numbers:
        if not isinstance(number, float) or not math.isfinite(number) or (positive and number <= 0):
            raise ValueError("a number of the leaf model is none that it can have")
