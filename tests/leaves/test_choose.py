"""The leaf model for a declaration or a response, and its messages."""

from __future__ import annotations

import numpy as np
import pytest

from slp.errors import DataError
from slp.ir.leaves import LeafDeclaration
from slp.leaves import leaf_model
from slp.leaves.normal_defaults import share_of_variance

NUMBERS = np.array([1.0, 2.0, 6.0])


def test_defaults():
    assert leaf_model(None, ("a", "b"), np.array([0, 1])).describe() == "dirichlet(1)"
    model = leaf_model(None, (), NUMBERS)
    assert model.hyperparameters == pytest.approx((3.0, 0.1, 3.0, share_of_variance(3) * 14 / 3))
    constant = leaf_model(None, (), np.full(3, 2.5))
    assert constant.hyperparameters == pytest.approx((2.5, 0.1, 3.0, share_of_variance(3)))


@pytest.mark.parametrize(
    "declaration",
    [
        LeafDeclaration("normal_inverse_gamma", (-1.5, 0.1, 2.0, 3.0)),
        LeafDeclaration("gamma_poisson", (1.0, 0.5)),
        LeafDeclaration("gamma_exponential", (1.0, 0.5)),
    ],
    ids=lambda d: d.model,
)
def test_declared_numbers(declaration):
    model = leaf_model(declaration, (), NUMBERS)
    assert model.name == declaration.model
    assert model.hyperparameters == declaration.args
    assert model.classes == ()


def test_declared_classes():
    model = leaf_model(LeafDeclaration("dirichlet", (0.5,)), ("a", "b"), np.array([0, 1]))
    assert (model.classes, model.describe()) == (("a", "b"), "dirichlet(0.5)")
    model = leaf_model(
        LeafDeclaration("dirichlet", (), listed=(0.5, 2.0)), ("a", "b"), np.array([0, 1])
    )
    assert model.describe() == "dirichlet([0.5, 2])"


FAULTS = [
    (
        LeafDeclaration("dirichlet", (), listed=(1.0, 2.0)),
        ("a", "b", "c"),
        "error[E431]: `dirichlet` has 2 numbers, but the response has 3 classes: a, b, c\n"
        "  help: give one number for each class, in this order",
    ),
    (
        LeafDeclaration("dirichlet", (), listed=(1.0, 2.0)),
        tuple("abcdefghij"),
        "error[E431]: `dirichlet` has 2 numbers, but the response has 10 classes: "
        "a, b, c, d, e, f, g, h, ...\n"
        "  help: give one number for each class, in this order",
    ),
    (
        LeafDeclaration("dirichlet", (1.0,)),
        (),
        "error[E430]: `dirichlet` needs classes, but the response holds numbers\n"
        "  help: for numbers leave the directive out, or declare normal_inverse_gamma",
    ),
    (
        LeafDeclaration("gamma_poisson", (1.0, 1.0)),
        ("a",),
        "error[E430]: `gamma_poisson` needs numbers, but the response holds classes\n"
        "  help: for classes write :- leaf(dirichlet(1)).",
    ),
]


@pytest.mark.parametrize(("declaration", "classes", "message"), FAULTS)
def test_faults(declaration, classes, message):
    with pytest.raises(DataError) as e:
        leaf_model(declaration, classes, NUMBERS)
    assert str(e.value) == message
