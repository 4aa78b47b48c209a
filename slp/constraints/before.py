"""`before(F, G)`: every split on G has a split on F above it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from slp.constraints.form import Arguments, Form, and_this, because_of, of_kind
from slp.errors import Diagnostic
from slp.ir.automaton import DONE, Automaton
from slp.ir.cells import Cell
from slp.ir.constraints import Constraint, Support
from slp.messages import constraints as words
from slp.source import SourceSpan
from slp.terms import Term


@dataclass(frozen=True)
class Before(Constraint):
    """Every split on `then` has a split on `feature` above it."""

    name: ClassVar[str] = "before"
    feature: str
    then: str
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    def words(self) -> str:
        return f"Every split on {self.then} has a split on {self.feature} above it."

    def named_features(self) -> Iterator[tuple[str, SourceSpan | None]]:
        yield self.feature, self.span
        yield self.then, self.span

    def automaton(self) -> BeforeAutomaton:
        return BeforeAutomaton(self.feature, self.then)

    def can_be_broken(self, features: Collection[str]) -> bool:
        return self.then in features

    def against_first(self, feature: str, span: SourceSpan | None) -> Diagnostic | None:
        if self.then != feature or self.feature == feature:
            return None
        return words.FIRST_NEEDS_ANOTHER(
            span, related=and_this(self), feature=feature, other=self.feature
        )


@dataclass(frozen=True)
class BeforeAutomaton(Automaton[str]):
    """State: "waits" (F is not used above) or DONE."""

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

    def beyond(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str]:
        return (DONE, DONE) if feature == self.feature else (state, state)

    def describe(self, state: str) -> str:
        return "" if state == DONE else f"no {self.feature} yet"


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Before | None:
    feature, then = given.name(args[0]), given.name(args[1])
    return None if feature is None or then is None else Before(feature, then, span)


def _find(constraints: Sequence[Constraint], support: Support) -> Iterator[Diagnostic]:
    """Features that wait for a feature that is never split on."""
    befores = of_kind(constraints, Before)
    for cycle in _cycles(befores):
        if len(cycle) == 1:
            yield words.BEFORE_ITSELF(cycle[0].span, feature=cycle[0].feature)
        else:
            names = " before ".join(f"`{c.feature}`" for c in (*cycle, cycle[0]))
            others = and_this(*cycle[:-1])
            yield words.CIRCLE_OF_BEFORES(cycle[-1].span, related=others, features=names)
    for b in befores:
        for c in constraints:
            if b.feature != b.then and c.keeps_apart(b.feature, b.then):
                yield words.NEVER_TOGETHER(
                    b.span, related=and_this(c), feature=b.feature, then=b.then
                )
        never = [c for c in constraints if c.never_splits_on(b.feature)]
        if never:
            yield words.BEFORE_NEEDS_FORBIDDEN(
                b.span, related=because_of(never[-1]), feature=b.then, other=b.feature
            )


def _cycles(befores: Iterable[Before]) -> list[list[Before]]:
    """Cycles of `before`, each once."""
    waits: dict[str, list[Before]] = {}
    for b in befores:
        waits.setdefault(b.feature, []).append(b)
    out: list[list[Before]] = []
    done: set[str] = set()
    for start in waits:
        cycle = _cycle_from(start, waits, done)
        if cycle:
            out.append(cycle)
    return out


def _cycle_from(start: str, waits: dict[str, list[Before]], done: set[str]) -> list[Before]:
    """The first cycle on a walk from `start` through features that are not done."""
    path: list[Before] = []
    on_path = [start]
    choices = [iter(waits.get(start, ()))] if start not in done else []
    while choices:
        b = next(choices[-1], None)
        if b is None:
            choices.pop()
            done.add(on_path.pop())
            path = path[: max(len(choices) - 1, 0)]
        elif b.then in on_path:
            done.update(on_path)
            return [*path[on_path.index(b.then) :], b]
        elif b.then not in done:
            path.append(b)
            on_path.append(b.then)
            choices.append(iter(waits.get(b.then, ())))
    return []


FORM = Form(Before.name, "`before(F, G)`", (2,), _read, _find)
