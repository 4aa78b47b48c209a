"""Tables of labels: predicates whose labels are numbers, and the sets of their clauses that goals
choose among."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

from slp.errors import SlpError
from slp.ir import program as ir
from slp.messages import learning as words
from slp.messages.names import joined
from slp.syntax import term_to_text
from slp.terms import Atom, Number, Struct, Term, Var, arguments, functor, subterms, variables

#: Sets of clauses. The labels of each sum to 1.
Grouping: TypeAlias = list[list[ir.LogicClause]]

#: Most arguments of a predicate for which the message of E290 looks for several that tell the sets
#: apart.
_MOST_ARGUMENTS = 8


@dataclass(frozen=True)
class LabelTable:
    """The clauses of a predicate whose labels are numbers.

    `groupings`: the ways to group them in sets whose labels sum to 1. Either all clauses are one
    set, or the clauses with the same term or functor at one argument are (the checker's rule of
    E130). The first one is used.
    """

    name: str
    arity: int
    clauses: Sequence[ir.LogicClause]
    groupings: Sequence[Grouping]

    @property
    def sets(self) -> Grouping:
        """The sets that have something to learn."""
        return [clauses for clauses in self.groupings[0] if len(clauses) > 1]

    @property
    def varies(self) -> bool:
        """Whether there is something to learn."""
        return any(len(clauses) > 1 for way in self.groupings for clauses in way)

    def grouped(self, exits: Iterable[Collection[ir.LogicClause]], *, strict: bool) -> LabelTable:
        """The table with the groupings of which no goal chooses among clauses of several sets.
        `exits` are the clauses that match a goal. If there is no such grouping, this is E290 where
        it is `strict`, else the table stays."""
        own = {id(c) for c in self.clauses}
        chosen = {frozenset(ids) for e in exits if own.issuperset(ids := [id(c) for c in e])}
        good = [way for way in self.groupings if all(map(_within_one(way), chosen))]
        if not good and strict:
            raise no_grouping(self)
        return replace(self, groupings=good or self.groupings)


def label_tables(clauses: Iterable[ir.LogicClause], goals: Iterable[Term]) -> list[LabelTable]:
    """The predicates below the goals whose labels are all numbers, in the order of the program."""
    predicates: dict[tuple[str, int], list[ir.LogicClause]] = {}
    for clause in clauses:
        key = functor(clause.head)
        assert key is not None, "the checker lets no other head pass"
        predicates.setdefault(key, []).append(clause)
    reached = _reached(predicates, goals)
    return [
        LabelTable(*key, found, _groupings(found, key[1]))
        for key, found in predicates.items()
        if key in reached and all(isinstance(c.label, Number) for c in found)
    ]


def labels_of_bodies(clauses: Sequence[ir.LogicClause], goals: Iterable[Term]) -> list[str]:
    """The predicates below the goals with labels that goals of their bodies give."""
    predicates: dict[tuple[str, int], list[ir.LogicClause]] = {}
    given: dict[tuple[str, int], None] = {}
    for clause in clauses:
        key = functor(clause.head)
        assert key is not None, "the checker lets no other head pass"
        predicates.setdefault(key, []).append(clause)
        if clause.label is not None and {*variables(clause.label)} - {*variables(clause.head)}:
            given[key] = None
    reached = _reached(predicates, goals)
    return [f"{name}/{arity}" for name, arity in given if (name, arity) in reached]


def plain_label(clause: ir.LogicClause) -> float:
    """The label of a clause whose label is a number."""
    assert isinstance(clause.label, Number)
    return float(clause.label.value)


def no_grouping(table: LabelTable) -> SlpError:
    """The diagnostic E290 for a predicate whose clauses cannot be grouped."""
    span = table.clauses[0].span
    name = term_to_text(Struct("/", (Atom(table.name), Number(table.arity))))
    if table.groupings:
        return SlpError(words.GOALS_ACROSS_SETS(span, predicate=name))
    for size in range(2, min(table.arity, _MOST_ARGUMENTS) + 1):
        for places in combinations(range(table.arity), size):
            if _parts(table.clauses, places):
                numbers = joined(str(i + 1) for i in places)
                return SlpError(words.SEVERAL_PARENTS(span, predicate=name, arguments=numbers))
    return SlpError(words.NO_GROUPING(span, predicate=name))


def _reached(
    predicates: Mapping[tuple[str, int], Sequence[ir.LogicClause]], goals: Iterable[Term]
) -> set[tuple[str, int]]:
    """The predicates that the goals can call, and perhaps some whose names are those of terms."""
    reached: set[tuple[str, int]] = set()
    todo = list(goals)
    while todo:
        for term in subterms(todo.pop()):
            key = functor(term)
            if key is not None and key in predicates and key not in reached:
                reached.add(key)
                todo.extend(c.body for c in predicates[key] if c.body is not None)
    return reached


def _groupings(clauses: Sequence[ir.LogicClause], arity: int) -> list[Grouping]:
    if _sums_to_one(clauses):
        return [[list(clauses)]]
    if all(plain_label(c) == 1 for c in clauses):
        return [[[c] for c in clauses]]  # each goal has one clause to choose
    ways: dict[tuple[tuple[int, ...], ...], Grouping] = {}
    for place in range(arity):
        for way in _parts(clauses, (place,)):
            ways.setdefault(tuple(tuple(map(id, part)) for part in way), way)
    return list(ways.values())


def _parts(clauses: Sequence[ir.LogicClause], places: Sequence[int]) -> list[Grouping]:
    """The sets of clauses with equal terms at some arguments, and those with equal functors, as far
    as the labels of each sum to 1. A term that is a variable divides nothing."""
    keys = [tuple(arguments(c.head)[place] for place in places) for c in clauses]
    if any(isinstance(term, Var) for key in keys for term in key):
        return []
    functors = [tuple(functor(term) or term for term in key) for key in keys]
    ways = []
    for chosen in (keys, functors):
        parts: dict[Hashable, list[ir.LogicClause]] = {}
        for key, clause in zip(chosen, clauses, strict=True):
            parts.setdefault(key, []).append(clause)
        if all(map(_sums_to_one, parts.values())):
            ways.append(list(parts.values()))
    return ways


def _sums_to_one(clauses: Iterable[ir.LogicClause]) -> bool:
    return abs(math.fsum(map(plain_label, clauses)) - 1) <= 1e-9


def _within_one(way: Grouping) -> Callable[[frozenset[int]], bool]:
    """Whether clauses, by their ids, are in one set of a grouping."""
    number = {id(c): i for i, clauses in enumerate(way) for c in clauses}
    return lambda ids: len({number[i] for i in ids}) <= 1
