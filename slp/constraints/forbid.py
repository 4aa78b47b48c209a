"""`forbid(F)`: no split on F; `forbid(F, below(K))`: none at depth K or deeper; `forbid(F,
within(Box))`: none at nodes whose region lies inside the box."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from slp.constraints.form import Arguments, Form, and_this, of_kind
from slp.errors import Diagnostic
from slp.ir.automaton import Automaton
from slp.ir.box_automaton import InsideAutomaton, Within
from slp.ir.boxes import Box, BoxEnd
from slp.ir.cells import Cell
from slp.ir.constraints import Constraint, Support
from slp.ir.groups import Named, features_of, name_in_program
from slp.ir.made import Made
from slp.ir.words import describe_box
from slp.messages import constraints as words
from slp.source import SourceSpan
from slp.terms import Struct, Term, functor


@dataclass(frozen=True)
class Forbid(Constraint):
    """No split on `feature`: anywhere, or at depth >= `below`, or at nodes inside the box
    `within`."""

    name: ClassVar[str] = "forbid"
    feature: Named
    below: int | None = None
    within: Box | None = None
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
    made: Made = Made()

    @property
    def about(self) -> Box | None:
        return self.within

    @property
    def by_more_than_features(self) -> str | None:
        return None if self.within is None else "`within`"

    def words(self) -> str:
        where = "" if self.below is None else f" at depth {self.below} or deeper (the root is 0)"
        if self.within is not None:
            where = f" at nodes that lie inside the box {describe_box(self.within)}"
        return f"No split is on {self.made.told(self.feature)}{where}."

    def named_features(self) -> Iterator[tuple[str, SourceSpan | None]]:
        yield from self.each_named(self.feature)

    def automaton(self) -> Automaton[Any]:
        if self.within is not None:
            return ForbidWithinAutomaton(self.within, self.made.on(self.feature))
        return ForbidBelowAutomaton(self.made.on(self.feature), self.below or 0)

    def can_be_broken(self, features: Collection[str]) -> bool:
        return not self.made.on(self.feature).isdisjoint(features)

    def never_splits_on(self, feature: str) -> bool:
        forbidden = self.made.counts(feature, self.feature)
        return forbidden and self.within is None and not self.below

    def against_first(self, feature: Named, span: SourceSpan | None) -> Diagnostic | None:
        if not all(map(self.never_splits_on, features_of(feature))):
            return None
        return words.FIRST_FORBIDDEN(span, related=and_this(self), feature=name_in_program(feature))

    def missed_end(self, end: BoxEnd) -> Diagnostic | None:
        if not end.is_missed_inside:
            return None
        return words.FORBID_MISSES_NODES(
            end.box.span, forbidden=name_in_program(self.feature), **end.values
        )


@dataclass(frozen=True)
class ForbidBelowAutomaton(Automaton[int]):
    """`forbid(F, below(K))`, and `forbid(F)` as K = 0, with what is made of F. State: min(depth,
    K)."""

    features: frozenset[str]
    below: int
    start = 0

    @property
    def mentioned(self) -> frozenset[str]:
        return self.features

    def step(self, state: int, feature: str, cell: Cell | None) -> tuple[int, int] | None:
        if feature in self.features and state >= self.below:
            return None
        return self.beyond(state, feature, cell)

    def beyond(self, state: int, feature: str, cell: Cell | None) -> tuple[int, int]:
        deeper = min(state + 1, self.below)
        return deeper, deeper

    def describe(self, state: int) -> str:
        if self.below == 0:
            return ""
        return f"depth {state}" if state < self.below else f"depth >= {self.below}"


@dataclass(frozen=True)
class ForbidWithinAutomaton(InsideAutomaton):
    """`forbid(F, within(Box))`, with what is made of F."""

    features: frozenset[str]

    @property
    def mentioned(self) -> frozenset[str]:
        return super().mentioned | self.features

    def step(self, state: Within, feature: str, cell: Cell | None) -> tuple[Within, Within] | None:
        if feature in self.features and self.is_inside(state):
            return None
        return super().step(state, feature, cell)

    def is_leaf_of_box(self, state: Within) -> bool:
        return False


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Forbid | None:
    feature = given.named(args[0])
    below, within = None, None
    if len(args) == 2:
        where = args[1]
        if functor(where) == ("below", 1) and isinstance(where, Struct):
            below = given.whole(where.args[0], "the depth in `below`", 0)
        elif functor(where) == ("within", 1) and isinstance(where, Struct):
            within = given.box(where.args[0])
        else:
            given.malformed(words.NO_PART_TO_FORBID, where)
        if below is None and within is None:
            return None
    return None if feature is None else Forbid(feature, below, within, span, given.made(feature))


def _find(constraints: Sequence[Constraint], support: Support) -> Iterator[Diagnostic]:
    most = support.max_depth
    for c in of_kind(constraints, Forbid):
        if most is not None and c.below is not None and c.below >= most:
            yield words.FORBIDS_NOTHING(c.span, depth=c.below, most=most)


FORM = Form(
    Forbid.name,
    "`forbid(F)`, `forbid([F, G])`, `forbid(F, below(K))` or `forbid(F, within(Box))`",
    (1, 2),
    _read,
    _find,
    listed=True,
)
