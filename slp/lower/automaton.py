"""Automata of local constraints: the base class, and the final state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import ClassVar, Generic, Literal, TypeVar

from slp.ir.tree_grammar import FORBIDDEN
from slp.lower.cells import Cell

#: The state of a constraint that nothing below can break.
DONE: Literal["done"] = "done"

Q = TypeVar("Q", bound=Hashable)


class Automaton(ABC, Generic[Q]):
    """A local constraint, read from the root downwards, with states of type Q."""

    #: what a refused split becomes in a transition table: FORBIDDEN or OUTSIDE
    refusal: ClassVar[int] = FORBIDDEN

    @property
    @abstractmethod
    def mentioned(self) -> frozenset[str]:
        """Features that it treats differently from others."""

    @property
    def breakpoints(self) -> Mapping[str, frozenset[float]]:
        """Finite numbers with which thresholds of a feature are compared."""
        return {}

    @property
    @abstractmethod
    def start(self) -> Q:
        """State of the root."""

    @abstractmethod
    def step(self, state: Q, feature: str, cell: Cell | None) -> tuple[Q, Q] | None:
        """States of the left and right child of a split, None if it is refused."""

    def majority(self, state: Q) -> str | None:
        """The class that no other class may outnumber in a leaf in this state, None if any may."""
        return None

    @abstractmethod
    def describe(self, state: Q) -> str:
        """The state in words for people; "" if it says nothing."""
