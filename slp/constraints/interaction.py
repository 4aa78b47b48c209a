"""`interaction([[F, G], [H]])`: the features of each path lie together in one of the groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from slp.constraints.form import Arguments, Form, and_this
from slp.errors import Diagnostic
from slp.ir.automaton import Automaton
from slp.ir.cells import Cell
from slp.ir.constraints import Constraint
from slp.ir.groups import Group, Named, features_of, name_in_program
from slp.messages import constraints as words
from slp.source import SourceSpan
from slp.terms import Term, list_items

Groups: TypeAlias = frozenset[frozenset[str]]


@dataclass(frozen=True)
class Interaction(Constraint):
    """The features of each path lie together in one of `groups`, which have what is made of their
    features alone."""

    name: ClassVar[str] = "interaction"
    groups: tuple[tuple[str, ...], ...]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    def words(self) -> str:
        sets = " or ".join("{" + ", ".join(group) + "}" for group in self.groups)
        return f"The features of each path lie together in {sets}."

    def named_features(self) -> Iterator[tuple[str, SourceSpan | None]]:
        for feature in dict.fromkeys(f for group in self.groups for f in group):
            yield feature, self.span

    def automaton(self) -> InteractionAutomaton:
        return InteractionAutomaton(frozenset(map(frozenset, self.groups)))

    def keeps_apart(self, a: str, b: str) -> bool:
        return not any(a in group and b in group for group in self.groups)

    def against_first(self, feature: Named, span: SourceSpan | None) -> Diagnostic | None:
        if any(not features_of(feature).isdisjoint(group) for group in self.groups):
            return None
        return words.FIRST_IN_NO_GROUP(
            span, related=and_this(self), feature=name_in_program(feature)
        )


@dataclass(frozen=True)
class InteractionAutomaton(Automaton[Groups]):
    """State: the groups that hold every feature used above.

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

    def beyond(self, state: Groups, feature: str, cell: Cell | None) -> tuple[Groups, Groups]:
        return frozenset(), frozenset()

    def describe(self, state: Groups) -> str:
        if state == self.start:
            return ""
        if not state:
            return "within no group"
        return "within " + " or ".join(sorted(f"[{', '.join(sorted(group))}]" for group in state))


def _largest(groups: Iterable[frozenset[str]]) -> Groups:
    """The groups that are no proper part of another."""
    all_groups = frozenset(groups)
    return frozenset(g for g in all_groups if not any(g < other for other in all_groups))


def _spread(names: Iterable[Named]) -> tuple[str, ...]:
    """Features, with those of groups in their place."""
    listed = [own.features if isinstance(own, Group) else (own,) for own in names]
    return tuple(feature for features in listed for feature in features)


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> Interaction | None:
    items = list_items(args[0])
    if not items:
        given.malformed(words.NO_GROUPS, args[0])
        return None
    groups = [given.names(t, 1) for t in items]
    found = tuple(_spread(g) for g in groups if g is not None)
    if len(found) < len(groups):
        return None
    return Interaction(tuple(map(given.every_made.within, found)), span)


FORM = Form(Interaction.name, "`interaction([[F, G], [H]])`", (1,), _read)
