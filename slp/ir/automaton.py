"""Local constraints as small deterministic top-down tree automata: the base class, the final
states, and automata that lose where others refuse.

An automaton reads a tree from the root. In state q at a node that splits on feature F with a
threshold in cell c, `step(q, F, c)` gives the states of the left and the right child, or None if
the constraint forbids that split. A tree satisfies the constraint if no split is refused and every
leaf passes the leaf test (only `majority` has one). The definitions are those of docs/language.md:

- a node's *region* is `lo <= F < hi` for every numeric F; a split at t gives the left child hi = t
  and the right child lo = t. Automata may rely on `lo < t < hi`: a split of a box parts its rows.
- the region *contains* a box if lo <= min and hi >= max for every feature (a feature that the box
  does not bound has min = -inf, max = inf);
- it lies *inside* the box if lo >= min and hi <= max for every bounded feature;
- it *meets* the box if lo < max and hi > min for every bounded feature.

A state that refuses nothing on any path below is `DONE`: with fewer states, more items are shared.
Features outside `mentioned` are all treated alike, so one column serves all of them. Categorical
features have no cells (`cell` is None) and no bounds.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar

from slp.ir.cells import Cell

#: The state of a constraint that nothing below can break.
DONE: Literal["done"] = "done"

#: The state of an automaton that `loses`, in which every derivation fails.
LOST: Literal["lost"] = "lost"

Q = TypeVar("Q", bound=Hashable)


class Automaton(ABC, Generic[Q]):
    """A local constraint, read from the root downwards, with states of type Q."""

    #: whether a refused split is not proposed at all (OUTSIDE in a transition table, not FORBIDDEN)
    outside: ClassVar[bool] = False
    #: whether no derivation goes on from the state `LOST`, which a step may lead to: the split
    #: keeps its share, and the derivation fails, under either `failure`
    loses: ClassVar[bool] = False

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

    def beyond(self, state: Q, feature: str, cell: Cell | None) -> tuple[Q, Q]:
        """States of the left and right child of a split that `step` refuses, as though it were
        allowed: for `prefer`."""
        return state, state

    def remembering(self) -> Automaton[Any]:
        """The automaton that still tells each refusal below a refused split; one that forgets what
        no longer matters to a tree without refusals overrides this."""
        return self

    def majority(self, state: Q) -> str | None:
        """The class that no other class may outnumber in a leaf in this state, None if any may."""
        return None

    @property
    def tests_leaves(self) -> bool:
        """Whether leaves have a test, `majority`."""
        return type(self).majority is not Automaton.majority

    def is_leaf_of_box(self, state: Q) -> bool:
        """Whether the prior of its box's leaves (`slp.ir.leaves`) is that of a leaf in this
        state."""
        return False

    @abstractmethod
    def describe(self, state: Q) -> str:
        """The state in words for people; "" if it says nothing."""


@dataclass(frozen=True)
class Losing(Automaton[Any]):
    """An automaton without a test of leaves, with the state LOST below each split that it
    refuses."""

    decides: Automaton[Any]
    loses: ClassVar[bool] = True

    @property
    def mentioned(self) -> frozenset[str]:
        """See `Automaton`."""
        return self.decides.mentioned

    @property
    def breakpoints(self) -> Mapping[str, frozenset[float]]:
        """See `Automaton`."""
        return self.decides.breakpoints

    @property
    def start(self) -> Any:
        """See `Automaton`."""
        return self.decides.start

    def step(self, state: Any, feature: str, cell: Cell | None) -> tuple[Any, Any]:
        """See `Automaton`."""
        return self.decides.step(state, feature, cell) or (LOST, LOST)

    def describe(self, state: Any) -> str:
        """See `Automaton`."""
        return "lost" if state == LOST else self.decides.describe(state)


@dataclass(frozen=True)
class Due:
    """A state that has to pay for the split above it, before it goes on as `state`."""

    state: Hashable


@dataclass(frozen=True)
class Paying(Automaton[Any]):
    """An automaton that refuses nothing: each split and leaf that `decides` refuses multiplies the
    weight of the tree by exp(-`cost`). The left child of such a split is `Due`; where the cost is
    infinite, both are LOST."""

    decides: Automaton[Any]
    cost: float
    loses: ClassVar[bool] = True

    @property
    def mentioned(self) -> frozenset[str]:
        """See `Automaton`."""
        return self.decides.mentioned

    @property
    def breakpoints(self) -> Mapping[str, frozenset[float]]:
        """See `Automaton`."""
        return self.decides.breakpoints

    @property
    def start(self) -> Any:
        """See `Automaton`."""
        return self.decides.start

    def step(self, state: Any, feature: str, cell: Cell | None) -> tuple[Any, Any]:
        """See `Automaton`."""
        allowed = self.decides.step(state, feature, cell)
        if allowed is not None:
            return allowed
        if math.isinf(self.cost):
            return LOST, LOST
        left, right = self.decides.beyond(state, feature, cell)
        return Due(left), right

    def preferred(self, state: Any) -> str | None:
        """The class that no other class should outnumber in a leaf in this state."""
        return self.decides.majority(state)

    def describe(self, state: Any) -> str:
        """See `Automaton`."""
        if state == LOST:
            return "lost"
        if isinstance(state, Due):
            return f"pays {self.cost:g}"
        return self.decides.describe(state)
