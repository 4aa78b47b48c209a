"""Numbers with a normal distribution whose variance all leaves of a soft tree share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slp.ir.leaves import LeafDeclaration
from slp.leaves.declared import Observed
from slp.leaves.normal_defaults import SHARE, is_of_response, known_numbers, moments
from slp.leaves.normal_moments import NormalByMoments
from slp.leaves.signature import Signature


class NormalShared(NormalByMoments):
    """`normal_shared(mean, sd, shape, scale)`.

    mu_l ~ Normal(mean, sd^2) for each leaf l, s2 ~ InverseGamma(shape, scale) for the whole tree,
    y ~ Normal(sum of phi_l mu_l, s2), where phi_l is the probability that the row reaches leaf l.

    Leaves depend on each other, so a leaf has no marginal likelihood, and only soft trees have this
    model. Statistics (k = 3): n, sum of (y - ref), sum of (y - ref)^2. Those that a soft tree
    predicts a row by are the moments of its normal distribution: (1, m - ref, (m - ref)^2 + s2).
    """

    name = "normal_shared"
    taken = "its mean and scale"
    signature = Signature(
        "normal_shared(mean, sd, shape, scale)", ("mean", "sd", "shape", "scale"), ("mean",)
    )
    soft_trees = True

    def __init__(
        self,
        mean: float,
        sd: float,
        shape: float,
        scale: float,
        *,
        ref: float = 0.0,
        of_response: bool = False,
    ) -> None:
        self.hyperparameters = (mean, sd, shape, scale)
        self.ref, self.of_response = ref, of_response

    @classmethod
    def declared(cls, declaration: LeafDeclaration, observed: Observed) -> NormalShared:
        """With the declared numbers."""
        return cls(*declaration.args, ref=observed.mean)

    @classmethod
    def taken_from(cls, observed: Observed) -> NormalShared:
        """With numbers taken from the response: mean and standard deviation of the leaves' means
        are its own, and the prior mean of s2 is a twentieth of its variance."""
        _, mean, variance = moments(observed)
        return cls(mean, variance**0.5, 3.0, SHARE * variance, ref=observed.mean, of_response=True)

    def to_plain(self) -> dict[str, Any]:
        """With `ref`, and whether the numbers are taken from the response."""
        return super().to_plain() | {"ref": float(self.ref), "of_response": self.of_response}

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> NormalShared:
        """See `DeclaredModel`."""
        return cls(*known_numbers(data), ref=data["ref"], of_response=is_of_response(data))
