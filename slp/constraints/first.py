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
from slp.ir.groups import Named, features_of, name_in_program
from slp.ir.made import Made
from slp.messages import constraints as words
from slp.messages.on_table import FIRST_LEAVES_ONE
from slp.source import SourceSpan
from slp.terms import Term


@dataclass(frozen=True)
class First(Constraint):
    """If the tree splits at all, the root splits on `feature`."""

    name: ClassVar[str] = "first"
    feature: Named
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
    made: Made = Made()

    def words(self) -> str:
        return f"If the tree splits at all, the root splits on {self.made.told(self.feature)}."

    def named_features(self) -> Iterator[tuple[str, SourceSpan | None]]:
        yield from self.each_named(self.feature)

    def automaton(self) -> FirstAutomaton:
        return FirstAutomaton(self.feature, self.made)

    def check_on_table(self, table: TableFacts) -> Iterator[Diagnostic]:
        if all(map(table.is_stuck, self.made.on(self.feature))):
            yield FIRST_LEAVES_ONE(self.span, feature=name_in_program(self.feature))


@dataclass(frozen=True)
class FirstAutomaton(Automaton[str]):
    """State: "root" or DONE."""

    feature: Named
    made: Made
    start = "root"

    @property
    def mentioned(self) -> frozenset[str]:
        return self.made.on(self.feature)

    def step(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str] | None:
        refused = state == "root" and not self.made.counts(feature, self.feature)
        return None if refused else (DONE, DONE)

    def beyond(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str]:
        return DONE, DONE

    def describe(self, state: str) -> str:
        return "" if state == DONE else "root"


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> First | None:
    feature = given.named(args[0])
    return First(feature, span, given.made(feature)) if feature is not None else None


def _find(constraints: Sequence[Constraint], support: Support) -> Iterator[Diagnostic]:
    firsts = of_kind(constraints, First)
    for a, b in combinations(firsts, 2):
        if a.made.on(a.feature).isdisjoint(b.made.on(b.feature)):
            one, other = name_in_program(a.feature), name_in_program(b.feature)
            yield words.TWO_FIRSTS(b.span, related=and_this(a), one=one, other=other)
    for first in firsts:
        # Where the root may split on what is made of the feature, all of these must be ruled out.
        made = first.made.on(first.feature) - features_of(first.feature)
        roots: tuple[Named, ...] = (first.feature, *sorted(made))
        for rival in constraints:
            found = [rival.against_first(root, first.span) for root in roots]
            if found[0] is not None and None not in found:
                yield found[0]


FORM = Form(First.name, "`first(F)`", (1,), _read, _find)
