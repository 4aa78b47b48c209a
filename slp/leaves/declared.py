"""What a leaf model says of itself, and how one is made of its declaration."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.ir.leaves import LeafDeclaration
from slp.leaves.base import LeafFacts, LeafModel
from slp.leaves.labels import Label
from slp.leaves.signature import Signature
from slp.messages import Wording


@dataclass(frozen=True, eq=False)
class Observed:
    """The response that a model is for: the sorted classes, () if it is numeric; the outcomes as
    `LeafModel.statistics` takes them, without regressors; the weights of rows, shape (n,), None if
    all count alike; the values of the regressors, shape (n, q)."""

    classes: Sequence[Label]
    y: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    regressors: NDArray[np.float64] | None = None

    @property
    def mean(self) -> float:
        """That of the outcomes (n,), 0 without rows: near the rows of most weight, whose squares
        would cancel far from it."""
        return float(np.average(self.y, weights=self.weights)) if len(self.y) else 0.0


class FirstDeclaration(NamedTuple):
    """A declaration for a table that has none yet: its numbers, and comments for a person, above
    the declaration and behind it."""

    numbers: tuple[float, ...]
    above: tuple[str, ...] = ()
    behind: str = ""


class DeclaredModel(LeafFacts, ABC):
    """Base of the models that a program declares: what a class says of itself, and how one of it is
    made."""

    name: str
    #: how a program writes it; of a registered model `SIGNATURES` has it
    signature: ClassVar[Signature]
    #: names that stand for the model with its numbers
    short_names: ClassVar[Mapping[str, Signature]] = {}
    #: what the second column of a response may be
    second_column: ClassVar[Literal["event", "exposure"] | None] = None
    #: what it takes from the response where its numbers are not declared, if it does
    taken: ClassVar[str] = ""
    #: whether leaves in boxes may have it with other numbers (`slp.leaves.of_boxes`)
    for_boxes: ClassVar[bool] = False
    #: the message for a response that `allows` does not
    not_allowed: ClassVar[Wording | None] = None

    @property
    def core_name(self) -> str:
        """That of the model."""
        return self.name

    @classmethod
    def allows(cls, y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which numbers (n,) a response may be."""
        return np.ones(y.shape, np.bool_)

    @classmethod
    @abstractmethod
    def declared(cls, declaration: LeafDeclaration, observed: Observed) -> LeafModel:
        """The model of a declaration that the checker has passed, for a response of its kind."""

    @abstractmethod
    def to_plain(self) -> dict[str, Any]:
        """The model as plain data, with its name as `model`."""

    @classmethod
    @abstractmethod
    def from_plain(cls, data: Mapping[str, Any]) -> LeafModel:
        """The model that `to_plain` made the data from. ValueError or another error: of none."""

    @classmethod
    def first_declaration(cls, y: NDArray[Any]) -> FirstDeclaration | None:
        """For a response (n,), or (n, 2) with the event indicator; None where the model is not for
        a first program."""
        return None

    @classmethod
    def mean_formula(cls, declaration: LeafDeclaration | None) -> Mapping[str, Any] | None:
        """The posterior mean of a leaf as a formula over its summary, for checks of finished trees
        and certificates (`slp.trees.formulas` says how it is read); None where the summary does
        not determine it. It shares nothing with `mean`."""
        return None
