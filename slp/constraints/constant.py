"""`constant(Box)`: no split cuts the box at a node whose region contains all of it; `constant(Box,
[Class = P, ...])`: and the leaf that contains it has these class probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, ClassVar

from slp.constraints.form import Arguments, Form, and_this, of_kind
from slp.errors import Diagnostic
from slp.ir.automaton import DONE
from slp.ir.box_automaton import BoxAutomaton
from slp.ir.boxes import Box, BoxEnd
from slp.ir.cells import Cell
from slp.ir.constraints import Constraint, Support, TableFacts
from slp.ir.groups import Named, features_of, name_in_program
from slp.ir.leaves import BoxLeaf, ClassShares
from slp.ir.words import describe_box, describe_shares
from slp.messages import constraints as words
from slp.messages.names import joined
from slp.messages.on_table import CONSTANT_FORBIDS_NOTHING
from slp.source import SourceSpan
from slp.terms import Term


@dataclass(frozen=True)
class Constant(Constraint):
    """A node whose region contains all of `box` has no split that cuts `box`. A leaf whose region
    contains it has the class probabilities `shares`, if there are any."""

    name: ClassVar[str] = "constant"
    box: Box
    shares: ClassShares | None = None
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def about(self) -> Box:
        return self.box

    @property
    def by_more_than_features(self) -> str:
        return "`constant`"

    @property
    def leaf_in_box(self) -> BoxLeaf | None:
        if self.shares is None:
            return None
        return BoxLeaf(self.box, self.shares, contains=True, span=self.span)

    def without_leaf_prior(self) -> Constant:
        return replace(self, shares=None)

    def named_classes(self) -> Iterator[tuple[str, str, SourceSpan | None]]:
        for outcome, _ in () if self.shares is None else self.shares.shares:
            yield "constant", outcome, self.span

    def to_plain(self) -> dict[str, Any]:
        return {"kind": self.name, "box": self.box.to_plain()}  # what a tree satisfies

    def words(self) -> str:
        bounded = _bounded(self.box)
        told = f"The box {describe_box(self.box)} is not cut: "
        if bounded:
            told += f"a node that holds all of it splits on {joined(bounded, 'or')} alone, outside "
            told += "the box."
        else:
            told += "the tree does not split."
        if self.shares is None:
            return told
        return f"{told} The leaf that holds it has {describe_shares(self.shares)}."

    def automaton(self) -> ConstantAutomaton:
        return ConstantAutomaton(self.box)

    def against_first(self, feature: Named, span: SourceSpan | None) -> Diagnostic | None:
        bounded = _bounded(self.box)
        if not bounded or not features_of(feature).isdisjoint(bounded):
            return None
        return words.FIRST_CUTS_BOX(
            span, related=and_this(self), feature=name_in_program(feature), box=self.box.name
        )

    def check_on_table(self, table: TableFacts) -> Iterator[Diagnostic]:
        if self.shares is None and table.is_uncut(self.box):
            yield CONSTANT_FORBIDS_NOTHING(self.span, box=self.box.name)

    def missed_end(self, end: BoxEnd) -> Diagnostic | None:
        return words.CONSTANT_CUT_AT_END(end.box.span, **end.values) if end.is_cut else None


@dataclass(frozen=True)
class ConstantAutomaton(BoxAutomaton[str]):
    """State: "contains" (the region contains the box) or DONE."""

    box: Box
    start = "contains"

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

    def beyond(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str]:
        return DONE, DONE

    def is_leaf_of_box(self, state: str) -> bool:
        return state != DONE

    def describe(self, state: str) -> str:
        return "" if state == DONE else f"contains {self.box.name}"


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Constant | None:
    box = given.box(args[0])
    shares = given.shares(args[1]) if len(args) == 2 else None
    if box is None or (shares is None and len(args) == 2):
        return None
    return Constant(box, shares, span)


def _find(constraints: Sequence[Constraint], support: Support) -> Iterator[Diagnostic]:
    """Boxes because of which the root cannot split. The root contains every box, and a split on a
    feature that a box does not bound cuts the box."""
    constants = of_kind(constraints, Constant)
    yield from _two_shares(constants)
    if not constants or _common(constants):
        return
    alone = next((c for c in constants if not _bounded(c.box)), None)
    if alone is not None:
        yield words.FREE_BOX(alone.span, box=alone.box.name)
    else:
        first, *others = _without_common(constants)
        yield words.NO_COMMON_FEATURE(first.span, related=and_this(*others))


def _two_shares(constants: Sequence[Constant]) -> Iterator[Diagnostic]:
    """Boxes that meet and have different class probabilities: no leaf can have both, and no split
    puts them into different leaves."""
    for a, b in combinations([c for c in constants if c.shares is not None], 2):
        if a.shares != b.shares and a.box.meets(b.box):
            yield words.SHARES_MEET(b.span, related=and_this(a), one=a.box.name, other=b.box.name)


def _common(constants: Sequence[Constant]) -> set[str]:
    """The features that all of their boxes bound."""
    return set.intersection(*(set(_bounded(c.box)) for c in constants))


def _without_common(constants: Sequence[Constant]) -> list[Constant]:
    """A smallest part of those that have no bounded feature in common, first ones preferred."""
    part = list(constants)
    for c in reversed(constants):
        rest = [other for other in part if other is not c]
        if not _common(rest):
            part = rest
    return part


def _bounded(box: Box) -> list[str]:
    """Features with a finite bound."""
    return [f for f, (low, high) in box.bounds.items() if low > -math.inf or high < math.inf]


FORM = Form(
    Constant.name,
    "`constant(Box)` or `constant(Box, [yes = 0.2, no = 0.8])`",
    (1, 2),
    _read,
    _find,
)
