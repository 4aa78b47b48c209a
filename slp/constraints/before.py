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
from slp.ir.groups import Named, features_of, name_in_program
from slp.ir.made import Made
from slp.messages import constraints as words
from slp.source import SourceSpan
from slp.terms import Term


@dataclass(frozen=True)
class Before(Constraint):
    """Every split on `then` has a split on `feature` above it."""

    name: ClassVar[str] = "before"
    feature: Named
    then: Named
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
    made: Made = Made()

    def words(self) -> str:
        waits, first = self.made.told(self.then, self.feature), self.made.told(self.feature)
        return f"Every split on {waits} has a split on {first} above it."

    def named_features(self) -> Iterator[tuple[str, SourceSpan | None]]:
        yield from self.each_named(self.feature)
        yield from self.each_named(self.then)

    def automaton(self) -> BeforeAutomaton:
        return BeforeAutomaton(self.feature, self.then, self.made)

    def can_be_broken(self, features: Collection[str]) -> bool:
        return any(waits_for(f, self.feature, self.then, self.made) for f in features)

    def against_first(self, feature: Named, span: SourceSpan | None) -> Diagnostic | None:
        waits = (waits_for(f, self.feature, self.then, self.made) for f in features_of(feature))
        if self.feature in (self.then, feature) or not all(waits):
            return None
        return words.FIRST_NEEDS_ANOTHER(
            span,
            related=and_this(self),
            feature=name_in_program(feature),
            other=name_in_program(self.feature),
        )


def waits_for(split: str, feature: Named, then: Named, made: Made) -> bool:
    """Whether a split needs one on `feature` above it, as it counts as one on `then`. Of
    `before(bmi, weight)` a split on bmi is one on bmi, and needs no other."""
    return then in made.closest(split, (feature, then))


@dataclass(frozen=True)
class BeforeAutomaton(Automaton[str]):
    """State: "waits" (F is not used above) or DONE."""

    feature: Named
    then: Named
    made: Made
    start = "waits"

    @property
    def mentioned(self) -> frozenset[str]:
        return self.made.on(self.feature) | self.made.on(self.then)

    def step(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str] | None:
        if state == DONE or feature not in self.mentioned:
            return state, state
        # before(F, F) requires another split on F above each split on F, so no split can be the
        # first.
        refused = waits_for(feature, self.feature, self.then, self.made)
        return None if refused else (DONE, DONE)

    def beyond(self, state: str, feature: str, cell: Cell | None) -> tuple[str, str]:
        return (DONE, DONE) if self.made.counts(feature, self.feature) else (state, state)

    def describe(self, state: str) -> str:
        return "" if state == DONE else f"no {name_in_program(self.feature)} yet"


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Before | None:
    feature, then = given.named(args[0]), given.named(args[1])
    if feature is None or then is None:
        return None
    return Before(feature, then, span, given.made(feature, then))


def _find(constraints: Sequence[Constraint], support: Support) -> Iterator[Diagnostic]:
    """Features that wait for a feature that is never split on."""
    befores = of_kind(constraints, Before)
    for cycle in _cycles(befores):
        if len(cycle) == 1:
            yield words.BEFORE_ITSELF(cycle[0].span, feature=name_in_program(cycle[0].feature))
        else:
            names = " before ".join(f"`{name_in_program(c.feature)}`" for c in (*cycle, cycle[0]))
            others = and_this(*cycle[:-1])
            yield words.CIRCLE_OF_BEFORES(cycle[-1].span, related=others, features=names)
    for b in befores:
        first, then = name_in_program(b.feature), name_in_program(b.then)
        firsts = b.made.on(b.feature)
        pairs = [(f, g) for f in firsts for g in features_of(b.then)]
        for c in constraints:
            if all(f != g and c.keeps_apart(f, g) for f, g in pairs):
                yield words.NEVER_TOGETHER(b.span, related=and_this(c), feature=first, then=then)
        never = [c for c in constraints if all(map(c.never_splits_on, firsts))]
        if never:
            yield words.BEFORE_NEEDS_FORBIDDEN(
                b.span, related=because_of(never[-1]), feature=then, other=first
            )


def _cycles(befores: Iterable[Before]) -> list[list[Before]]:
    """Cycles of `before`, each once."""
    waits: dict[Named, list[Before]] = {}
    for b in befores:
        waits.setdefault(b.feature, []).append(b)
    out: list[list[Before]] = []
    done: set[Named] = set()
    for start in waits:
        cycle = _cycle_from(start, waits, done)
        if cycle:
            out.append(cycle)
    return out


def _cycle_from(start: Named, waits: dict[Named, list[Before]], done: set[Named]) -> list[Before]:
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
