"""Automata that depend on depth and on the features above, and on no threshold."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias, TypeVar

from slp.ir.tree_grammar import OUTSIDE
from slp.lower.automaton import DONE, Automaton
from slp.lower.cells import Cell

Groups: TypeAlias = frozenset[frozenset[str]]
Q = TypeVar("Q", bound=Hashable)


class _FeatureAutomaton(Automaton[Q]):
    """An automaton that tells one feature from the others."""

    feature: str

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset({self.feature})


# --- depth -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ForbidBelowAutomaton(_FeatureAutomaton[int]):
    """`forbid(F, below(K))`, and `forbid(F)` as K = 0. State: min(depth, K)."""

    feature: str
    below: int
    start = 0

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
    """`support(max_depth(K))`. State: depth. No split at depth K is proposed at all; without a
    limit it only tells the depth."""

    max_depth: int | None
    refusal: ClassVar[int] = OUTSIDE
    start = 0

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset()

    def step(self, state: int, feature: str, cell: Cell | None) -> tuple[int, int] | None:
        limited = self.max_depth is not None and state >= self.max_depth
        return None if limited else (state + 1, state + 1)

    def describe(self, state: int) -> str:
        return f"depth {state}"


@dataclass(frozen=True)
class FirstAutomaton(_FeatureAutomaton[str]):
    """`first(F)`. State: "root" or DONE."""

    feature: str
    start = "root"

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
    start = "waits"

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset({self.feature, self.then})

    def step(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str] | None:
        if state == DONE or feature not in self.mentioned:
            return state, state
        # before(F, F) requires another split on F above each split on F, so no split can be the
        # first.
        return None if feature == self.then else (DONE, DONE)

    def describe(self, state: str) -> str:
        return "" if state == DONE else f"no {self.feature} yet"


@dataclass(frozen=True)
class OnceAutomaton(_FeatureAutomaton[bool]):
    """`once(F)`. State: whether F is used above."""

    feature: str
    start = False

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
    start = ""

    @property
    def mentioned(self) -> frozenset[str]:
        return self.features

    def step(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str] | None:
        if feature not in self.features:
            return state, state
        return (feature, feature) if state in ("", feature) else None

    def describe(self, state: str) -> str:
        return f"took {state}" if state else ""


@dataclass(frozen=True)
class InteractionAutomaton(Automaton[Groups]):
    """`interaction(Groups)`. State: the groups that hold every feature used above.

    A group that is a subset of another group of the state adds nothing, and is left out.
    """

    groups: Groups

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset().union(*self.groups)

    @property
    def start(self) -> Groups:
        return _largest(self.groups)

    def step(self, state: Groups, feature: str, cell: Cell | None) -> tuple[Groups, Groups] | None:
        left = frozenset(group for group in state if feature in group)
        return (left, left) if left else None

    def describe(self, state: Groups) -> str:
        if state == self.start:
            return ""
        return "within " + " or ".join(sorted(f"[{', '.join(sorted(group))}]" for group in state))


def _largest(groups: Iterable[frozenset[str]]) -> Groups:
    """The groups that are no proper part of another."""
    all_groups = frozenset(groups)
    return frozenset(g for g in all_groups if not any(g < other for other in all_groups))
