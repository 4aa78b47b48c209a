"""Local constraints as small deterministic top-down tree automata.

An automaton reads a tree from the root. In state q at a node that splits on feature F with a
threshold in cell c, `step(q, F, c)` gives the states of the left and the right child, or None where
the constraint forbids that split. A tree satisfies the constraint if no split is refused and every
leaf passes the leaf test (only `majority` has one). The definitions are those of DESIGN 3:

- a node's *region* is `lo <= F < hi` for every numeric F; a split at t gives the left child hi = t
  and the right child lo = t. Automata may rely on `lo < t < hi`: a split of a box parts its rows.
- the region *contains* a box if lo <= min and hi >= max for every feature (a feature that the box
  does not bound has min = -inf, max = inf);
- it lies *inside* the box if lo >= min and hi <= max for every bounded feature;
- it *meets* the box if lo < max and hi > min for every bounded feature.

A state that can refuse nothing any more, on any path below, is `DONE`: the fewer states, the more
boxes are shared. Features outside `mentioned` are all treated alike, so that one of them can stand
for all. Categorical features have no cells (`cell` is None) and no bounds.

`automaton_of(constraint)` is the way in; `DepthLimit` stands for `support(max_depth(_))`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, assert_never

from slp.ir import program as ir
from slp.ir.tree_grammar import FORBIDDEN, OUTSIDE
from slp.lower.cells import Cell

__all__ = [
    "DONE",
    "Automaton",
    "BeforeAutomaton",
    "ConstantAutomaton",
    "DepthLimit",
    "ExclusiveAutomaton",
    "FirstAutomaton",
    "ForbidBelowAutomaton",
    "ForbidWithinAutomaton",
    "InteractionAutomaton",
    "MajorityAutomaton",
    "LocalConstraint",
    "OnceAutomaton",
    "automaton_of",
    "can_be_broken",
]

#: The state of a constraint that cannot be broken any more.
DONE: Literal["done"] = "done"

Q = TypeVar("Q", bound=Hashable)
Bound: TypeAlias = tuple[str, Literal["min", "max"]]
Within: TypeAlias = frozenset[Bound] | str
Groups: TypeAlias = frozenset[frozenset[str]]
LocalConstraint: TypeAlias = (
    ir.Constant
    | ir.Forbid
    | ir.First
    | ir.Before
    | ir.Once
    | ir.Exclusive
    | ir.Interaction
    | ir.Majority
)


class Automaton(ABC, Generic[Q]):
    """A local constraint, read from the root downwards, with states of type Q."""

    #: what a refused split becomes in a transition table: FORBIDDEN or OUTSIDE
    refusal: ClassVar[int] = FORBIDDEN

    @property
    @abstractmethod
    def mentioned(self) -> frozenset[str]:
        """Features that it tells from others."""

    @property
    def breakpoints(self) -> Mapping[str, frozenset[float]]:
        """Finite numbers with which thresholds of a feature are compared."""
        return {}

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
        """The state for people, "" where there is nothing to say."""


class _BoxAutomaton(Automaton[Q]):
    """An automaton that compares thresholds with the bounds of one box."""

    box: ir.Box

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset(self.box.bounds)

    @property
    def breakpoints(self) -> Mapping[str, frozenset[float]]:
        return {f: frozenset(filter(math.isfinite, b)) for f, b in self.box.bounds.items()}


# --- boxes -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ConstantAutomaton(_BoxAutomaton[str]):
    """`constant(Box)`. State: "contains" (the region contains the box) or DONE."""

    box: ir.Box

    def start(self) -> str:
        return "contains"

    def step(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str] | None:
        if state == DONE:
            return DONE, DONE
        if cell is None or feature not in self.box.bounds:
            return None
        low, high = self.box.bounds[feature]
        if cell.above(low) and cell.below(high):
            return None
        left = state if cell.at_least(high) else DONE
        right = state if cell.at_most(low) else DONE
        return left, right

    def describe(self, state: str) -> str:
        return "" if state == DONE else f"contains {self.box.name}"


@dataclass(frozen=True)
class MajorityAutomaton(_BoxAutomaton[str]):
    """`majority(Box, Class)`. State: "meets" (the region meets the box) or DONE."""

    box: ir.Box
    outcome: str

    def start(self) -> str:
        return "meets"

    def step(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str] | None:
        if state == DONE:
            return DONE, DONE
        if cell is None or feature not in self.box.bounds:
            return state, state
        low, high = self.box.bounds[feature]
        return state if cell.above(low) else DONE, state if cell.below(high) else DONE

    def majority(self, state: str) -> str | None:
        return None if state == DONE else self.outcome

    def describe(self, state: str) -> str:
        return "" if state == DONE else f"meets {self.box.name}"


@dataclass(frozen=True)
class ForbidWithinAutomaton(_BoxAutomaton[Within]):
    """`forbid(F, within(Box))`. State: the finite bounds that the region keeps, or DONE.

    A region that lies wholly beyond a bound stays there, so it is DONE.
    """

    feature: str
    box: ir.Box

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset(self.box.bounds) | {self.feature}

    def _needed(self) -> frozenset[Bound]:
        ends = self.box.bounds.items()
        lows: set[Bound] = {(f, "min") for f, (low, _) in ends if low > -math.inf}
        return frozenset(lows | {(f, "max") for f, (_, high) in ends if high < math.inf})

    def start(self) -> Within:
        return frozenset()

    def step(self, state: Within, feature: str, cell: Cell | None) -> tuple[Within, Within] | None:
        if isinstance(state, str):
            return DONE, DONE
        if feature == self.feature and state == self._needed():
            return None
        if cell is None or feature not in self.box.bounds:
            return state, state
        low, high = self.box.bounds[feature]
        left, right = state, state
        if high < math.inf and cell.at_most(high):
            left = state | {(feature, "max")}
        if low > -math.inf and cell.at_least(low):
            right = state | {(feature, "min")}
        return (
            DONE if cell.at_most(low) else left,
            DONE if cell.at_least(high) else right,
        )

    def describe(self, state: Within) -> str:
        if isinstance(state, str):
            return f"off {self.box.name}"
        if state == self._needed():
            return f"inside {self.box.name}"
        kept = [
            f"{f} >= {self.box.bounds[f][0]:g}"
            if end == "min"
            else f"{f} < {self.box.bounds[f][1]:g}"
            for f, end in sorted(state)
        ]
        return " and ".join(kept)


# --- depth -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ForbidBelowAutomaton(Automaton[int]):
    """`forbid(F, below(K))`, and `forbid(F)` as K = 0. State: min(depth, K)."""

    feature: str
    below: int

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset({self.feature})

    def start(self) -> int:
        return 0

    def step(self, state: int, feature: str, cell: Cell | None) -> tuple[int, int] | None:
        if feature == self.feature and state >= self.below:
            return None
        deeper = min(state + 1, self.below)
        return deeper, deeper

    def describe(self, state: int) -> str:
        if self.below == 0:
            return ""
        return f"depth {state}" if state < self.below else f"depth >= {self.below}"


@dataclass(frozen=True)
class DepthLimit(Automaton[int]):
    """`support(max_depth(K))`. State: depth. No split at depth K is proposed at all."""

    max_depth: int
    refusal: ClassVar[int] = OUTSIDE

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset()

    def start(self) -> int:
        return 0

    def step(self, state: int, feature: str, cell: Cell | None) -> tuple[int, int] | None:
        return None if state >= self.max_depth else (state + 1, state + 1)

    def describe(self, state: int) -> str:
        return f"depth {state}"


@dataclass(frozen=True)
class FirstAutomaton(Automaton[str]):
    """`first(F)`. State: "root" or DONE."""

    feature: str

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset({self.feature})

    def start(self) -> str:
        return "root"

    def step(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str] | None:
        return None if state == "root" and feature != self.feature else (DONE, DONE)

    def describe(self, state: str) -> str:
        return "" if state == DONE else "root"


# --- features used on the path -----------------------------------------------------------------


@dataclass(frozen=True)
class BeforeAutomaton(Automaton[str]):
    """`before(F, G)`. State: "waits" (F is not used above) or DONE."""

    feature: str
    then: str

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset({self.feature, self.then})

    def start(self) -> str:
        return "waits"

    def step(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str] | None:
        if state == DONE or feature not in self.mentioned:
            return state, state
        # before(F, F) asks that a split on F has another one above it: none can be the first.
        return None if feature == self.then else (DONE, DONE)

    def describe(self, state: str) -> str:
        return "" if state == DONE else f"no {self.feature} yet"


@dataclass(frozen=True)
class OnceAutomaton(Automaton[bool]):
    """`once(F)`. State: whether F is used above."""

    feature: str

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset({self.feature})

    def start(self) -> bool:
        return False

    def step(self, state: bool, feature: str, cell: Cell | None) -> tuple[bool, bool] | None:
        if feature != self.feature:
            return state, state
        return None if state else (True, True)

    def describe(self, state: bool) -> str:
        return f"{self.feature} used" if state else ""


@dataclass(frozen=True)
class ExclusiveAutomaton(Automaton[str]):
    """`exclusive(Features)`. State: the one of them used above, "" if none is."""

    features: frozenset[str]

    @property
    def mentioned(self) -> frozenset[str]:
        return self.features

    def start(self) -> str:
        return ""

    def step(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str] | None:
        if feature not in self.features:
            return state, state
        return (feature, feature) if state in ("", feature) else None

    def describe(self, state: str) -> str:
        return f"took {state}" if state else ""


@dataclass(frozen=True)
class InteractionAutomaton(Automaton[Groups]):
    """`interaction(Groups)`. State: the groups that hold every feature used above.

    A group within another of the state allows nothing that the other does not, and is left out.
    """

    groups: Groups

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset().union(*self.groups)

    def start(self) -> Groups:
        return _largest(self.groups)

    def step(self, state: Groups, feature: str, cell: Cell | None) -> tuple[Groups, Groups] | None:
        left = frozenset(group for group in state if feature in group)
        return (left, left) if left else None

    def describe(self, state: Groups) -> str:
        if state == self.start():
            return ""
        return "within " + " or ".join(sorted(f"[{', '.join(sorted(group))}]" for group in state))


def _largest(groups: Iterable[frozenset[str]]) -> Groups:
    """The groups that are no proper part of another."""
    all_groups = frozenset(groups)
    return frozenset(g for g in all_groups if not any(g < other for other in all_groups))


# --- from the program --------------------------------------------------------------------------


def automaton_of(constraint: LocalConstraint) -> Automaton[Any]:
    """The automaton that decides a local constraint."""
    match constraint:
        case ir.Constant(box=box):
            return ConstantAutomaton(box)
        case ir.Majority(box=box, outcome=outcome):
            return MajorityAutomaton(box, outcome)
        case ir.Forbid(feature=feature, within=ir.Box() as box):
            return ForbidWithinAutomaton(feature, box)
        case ir.Forbid(feature=feature, below=below):
            return ForbidBelowAutomaton(feature, below or 0)
        case ir.First(feature=feature):
            return FirstAutomaton(feature)
        case ir.Before(feature=feature, then=then):
            return BeforeAutomaton(feature, then)
        case ir.Once(feature=feature):
            return OnceAutomaton(feature)
        case ir.Exclusive(features=features):
            return ExclusiveAutomaton(frozenset(features))
        case ir.Interaction(groups=groups):
            return InteractionAutomaton(frozenset(map(frozenset, groups)))
        case _:
            assert_never(constraint)


def can_be_broken(constraint: LocalConstraint, features: Collection[str]) -> bool:
    """False only if no tree that splits on `features` alone can break the constraint."""
    match constraint:
        case ir.Forbid(feature=feature) | ir.Once(feature=feature) | ir.Before(then=feature):
            return feature in features
        case ir.Exclusive(features=exclusive):
            return len(set(exclusive) & set(features)) > 1
        case _:
            return True
