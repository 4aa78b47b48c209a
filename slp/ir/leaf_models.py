"""The leaf models that a program may declare, and their hyperparameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Signature:
    """The form of a model and its hyperparameters. Those in `real` may be any finite number; the
    others are above 0. With `columns` the first argument is a list of columns, and the
    hyperparameters may be left out: then the response gives them. `make` is of a model that the
    user registered. `stands_for` is the model and the hyperparameters that a name is short for."""

    written: str
    parameters: tuple[str, ...]
    real: tuple[str, ...] = ()
    columns: bool = False
    make: Callable[..., Any] | None = None
    stands_for: tuple[str, tuple[float, ...]] | None = None


#: The most columns of a model that has them: the core keeps a leaf's matrix on the stack.
MOST_COLUMNS = 30

LEAF_MODELS = {
    "dirichlet": Signature("dirichlet(a) or dirichlet([a1, a2, ...])", ("a",)),
    "jeffreys": Signature("jeffreys", (), stands_for=("dirichlet", (0.5,))),
    "normal_inverse_gamma": Signature(
        "normal_inverse_gamma(mu, kappa, alpha, beta)", ("mu", "kappa", "alpha", "beta"), ("mu",)
    ),
    "normal_shared": Signature(
        "normal_shared(mean, sd, shape, scale)", ("mean", "sd", "shape", "scale"), ("mean",)
    ),
    "normal_linear": Signature(
        "normal_linear([x1, ...]) or normal_linear([x1, ...], mu, kappa, lambda, alpha, beta)",
        ("mu", "kappa", "lambda", "alpha", "beta"),
        ("mu",),
        columns=True,
    ),
    "gamma_poisson": Signature("gamma_poisson(a, b)", ("a", "b")),
    "gamma_exponential": Signature("gamma_exponential(a, b)", ("a", "b")),
}
