"""`first(F)`: if the tree splits at all, the root splits on F."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar

from slp.constraints.form import Arguments, Form, and_this, of_kind
from slp.errors import Diagnostic
from slp.ir.automaton import DONE, Automaton
from slp.ir.cells import Cell
from slp.ir.constraints import Constraint, Support, TableFacts
from slp.messages import constraints as words
from slp.messages.on_table import FIRST_LEAVES_ONE
from slp.source import SourceSpan
from slp.terms import Term


@dataclass(frozen=True)
class First(Constraint):
    """If the tree splits at all, the root splits on `feature`."""

    name: ClassVar[str] = "first"
    feature: str
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    def words(self) -> str:
        return f"If the tree splits at all, the root splits on {self.feature}."

    def named_features(self) -> Iterator[tuple[str, SourceSpan | None]]:
        yield self.feature, self.span

    def automaton(self) -> FirstAutomaton:
        return FirstAutomaton(self.feature)

    def check_on_table(self, table: TableFacts) -> Iterator[Diagnostic]:
        if table.is_stuck(self.feature):
            yield FIRST_LEAVES_ONE(self.span, feature=self.feature)


@dataclass(frozen=True)
class FirstAutomaton(Automaton[str]):
    """State: "root" or DONE."""

    feature: str
    start = "root"

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset({self.feature})

    def step(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str] | None:
        return None if state == "root" and feature != self.feature else (DONE, DONE)

    def beyond(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str]:
        return DONE, DONE

    def describe(self, state: str) -> str:
        return "" if state == DONE else "root"


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> First | None:
    feature = given.name(args[0])
    return First(feature, span) if feature is not None else None


def _find(constraints: Sequence[Constraint], support: Support) -> Iterator[Diagnostic]:
    firsts = of_kind(constraints, First)
    for a, b in combinations(firsts, 2):
        if a.feature != b.feature:
            yield words.TWO_FIRSTS(b.span, related=and_this(a), one=a.feature, other=b.feature)
    for first in firsts:
        for other in constraints:
            contradiction = other.against_first(first.feature, first.span)
            if contradiction is not None:
                yield contradiction


FORM = Form(First.name, "`first(F)`", (1,), _read, _find)
