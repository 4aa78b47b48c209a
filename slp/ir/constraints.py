"""What a program asks of its trees: constraints (docs/language.md), the boxes that they are about,
and support."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar

from slp.source import SourceSpan
from slp.terms import Term


@dataclass(frozen=True)
class Box:
    """A named box: `bounds[feature] = (min, max)` means min <= feature < max."""

    name: str
    bounds: Mapping[str, tuple[float, float]]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Support:
    """Structural limits: the least number of rows (with repeats) on each side of a split or, in its
    place, the least sum of their weights; and the greatest depth of a leaf."""

    min_leaf: int = 1
    max_depth: int | None = None
    min_weight: float | None = None


class ConstraintFacts:
    """What is asked of a constraint of any kind."""

    @property
    def at_finished_tree(self) -> bool:
        """Whether it is decided at the finished tree, not at a split or a leaf."""
        return False

    @property
    def by_code(self) -> bool:
        """Whether code decides it, in Python or Prolog."""
        return False

    @property
    def by_predictions(self) -> bool:
        """Whether the predictions of all leaves together decide it."""
        return False

    @property
    def about(self) -> Box | None:
        """The box that it is about."""
        return None


class _AtFinishedTree(ConstraintFacts):
    @property
    def at_finished_tree(self) -> bool:
        return True


@dataclass(frozen=True)
class Constant(ConstraintFacts):
    """A node whose region contains all of `box` has no split that cuts `box`."""

    box: Box
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def about(self) -> Box:
        return self.box


@dataclass(frozen=True)
class Forbid(ConstraintFacts):
    """No split on `feature`: anywhere, or at depth >= `below`, or at nodes inside the box
    `within`."""

    feature: str
    below: int | None = None
    within: Box | None = None
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def about(self) -> Box | None:
        return self.within


@dataclass(frozen=True)
class First(ConstraintFacts):
    """If the tree splits at all, the root splits on `feature`."""

    feature: str
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Before(ConstraintFacts):
    """Every split on `then` has a split on `feature` above it."""

    feature: str
    then: str
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Once(ConstraintFacts):
    """No path splits on `feature` twice."""

    feature: str
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Exclusive(ConstraintFacts):
    """No path splits on two of `features`."""

    features: tuple[str, ...]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Interaction(ConstraintFacts):
    """The features of each path lie together in one of `groups`."""

    groups: tuple[tuple[str, ...], ...]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Majority(ConstraintFacts):
    """In every leaf whose region meets the box, no class has more rows than `outcome`."""

    box: Box
    outcome: str
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def about(self) -> Box:
        return self.box


@dataclass(frozen=True)
class MaxLeaves(_AtFinishedTree):
    """At most `count` leaves. Global; exact by counting leaves in the weights."""

    count: int
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class MaxFeatures(_AtFinishedTree):
    """At most `count` distinct features. Global."""

    count: int
    span: SourceSpan | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Monotone(_AtFinishedTree):
    """Predictions never decrease (`up`) or never increase (`down`) as `feature` grows. Global."""

    feature: str
    direction: Literal["up", "down"]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def by_predictions(self) -> bool:
        return True


@dataclass(frozen=True)
class Predicate(ConstraintFacts):
    """A predicate in Python (`module:function`) or Prolog (a goal): on each node if `local`, else
    on the tree.

    `function` is the caller's function, or the function that `slp.trees.predicates` made of the
    goal. None if the goal names code that has not been loaded.
    """

    language: Literal["python", "prolog"]
    goal: Term
    local: bool = False
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
    function: Callable[[Any], object] | None = field(default=None, repr=False)

    @property
    def at_finished_tree(self) -> bool:
        return not self.local

    @property
    def by_code(self) -> bool:
        return True


Constraint: TypeAlias = (
    Constant
    | Forbid
    | First
    | Before
    | Once
    | Exclusive
    | Interaction
    | Majority
    | MaxLeaves
    | MaxFeatures
    | Monotone
    | Predicate
)
_C = TypeVar("_C", bound=ConstraintFacts)


def of_kind(constraints: Iterable[Constraint], kind: type[_C]) -> list[_C]:
    """The constraints of a kind, in order."""
    return [c for c in constraints if isinstance(c, kind)]
