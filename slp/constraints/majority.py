"""`majority(Box, Class)`: in every leaf whose region meets the box, no class has more rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar

from slp.constraints.form import Arguments, Form, and_this, of_kind
from slp.errors import Diagnostic
from slp.ir.automaton import DONE
from slp.ir.box_automaton import BoxAutomaton
from slp.ir.boxes import Box, BoxEnd
from slp.ir.cells import Cell
from slp.ir.constraints import Constraint, Support
from slp.ir.words import describe_box
from slp.leaves import label_text
from slp.messages import constraints as words
from slp.source import SourceSpan
from slp.terms import Number, Term


@dataclass(frozen=True)
class Majority(Constraint):
    """In every leaf whose region meets the box, no class has more rows than `outcome`."""

    name: ClassVar[str] = "majority"
    box: Box
    outcome: str
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def about(self) -> Box:
        return self.box

    @property
    def decided_at(self) -> str:
        return "decided at the leaf"

    @property
    def counts_classes(self) -> bool:
        return True

    @property
    def by_more_than_features(self) -> str:
        return "`majority`"

    def named_classes(self) -> Iterator[tuple[str, str, SourceSpan | None]]:
        yield "majority", self.outcome, self.span

    def words(self) -> str:
        return (
            f"In every leaf that meets the box {describe_box(self.box)}, no class has more rows "
            f"than {self.outcome}."
        )

    def automaton(self) -> MajorityAutomaton:
        return MajorityAutomaton(self.box, self.outcome)

    def missed_end(self, end: BoxEnd) -> Diagnostic | None:
        if not end.is_cut:
            return None
        return words.MAJORITY_BEYOND_END(end.box.span, outcome=self.outcome, **end.values)


@dataclass(frozen=True)
class MajorityAutomaton(BoxAutomaton[str]):
    """State: "meets" (the region meets the box) or DONE."""

    box: Box
    outcome: str
    start = "meets"

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


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Majority | None:
    box = given.box(args[0])
    if isinstance(args[1], Number):
        outcome: str | None = label_text(args[1].value)
    else:
        outcome = given.name(args[1], "a class")
    return None if box is None or outcome is None else Majority(box, outcome, span)


def _find(constraints: Sequence[Constraint], support: Support) -> Iterator[Diagnostic]:
    for a, b in combinations(of_kind(constraints, Majority), 2):
        if a.outcome != b.outcome and a.box.meets(b.box):
            boxes = {"one": a.box.name, "other": b.box.name}
            yield words.MAJORITIES_MEET(
                b.span, related=and_this(a), this=a.outcome, that=b.outcome, **boxes
            )


FORM = Form(Majority.name, "`majority(Box, Class)`", (2,), _read, _find)
