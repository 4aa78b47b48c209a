"""`constant(Box)`: no split cuts the box at a node whose region contains all of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from slp.constraints.box_automaton import BoxAutomaton
from slp.constraints.form import Arguments, Form, and_this, of_kind
from slp.errors import Diagnostic
from slp.ir.automaton import DONE
from slp.ir.cells import Cell
from slp.ir.constraints import Box, BoxEnd, Constraint, Support, TableFacts
from slp.ir.groups import Named, features_of, name_in_program
from slp.ir.words import describe_box
from slp.messages import constraints as words
from slp.messages.names import joined
from slp.messages.on_table import CONSTANT_FORBIDS_NOTHING
from slp.source import SourceSpan
from slp.terms import Term


@dataclass(frozen=True)
class Constant(Constraint):
    """A node whose region contains all of `box` has no split that cuts `box`."""

    name: ClassVar[str] = "constant"
    box: Box
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def about(self) -> Box:
        return self.box

    @property
    def by_more_than_features(self) -> str:
        return "`constant`"

    def words(self) -> str:
        bounded = _bounded(self.box)
        if not bounded:
            return f"The box {describe_box(self.box)} is not cut: the tree does not split."
        return (
            f"The box {describe_box(self.box)} is not cut: a node that holds all of it splits on "
            f"{joined(bounded, 'or')} alone, outside the box."
        )

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
        if table.is_uncut(self.box):
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

    def describe(self, state: str) -> str:
        return "" if state == DONE else f"contains {self.box.name}"


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Constant | None:
    box = given.box(args[0])
    return Constant(box, span) if box else None


def _find(constraints: Sequence[Constraint], support: Support) -> Iterator[Diagnostic]:
    """Boxes because of which the root cannot split. The root contains every box, and a split on a
    feature that a box does not bound cuts the box."""
    constants = of_kind(constraints, Constant)
    if not constants or _common(constants):
        return
    alone = next((c for c in constants if not _bounded(c.box)), None)
    if alone is not None:
        yield words.FREE_BOX(alone.span, box=alone.box.name)
    else:
        first, *others = _without_common(constants)
        yield words.NO_COMMON_FEATURE(first.span, related=and_this(*others))


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


FORM = Form(Constant.name, "`constant(Box)`", (1,), _read, _find)
