"""Tables of labels: predicates whose labels are numbers, and the sets of their clauses that goals
choose among."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from slp.analysis.derivations.groups import groups_that_sum_to_one
from slp.analysis.derivations.labels import TOLERANCE
from slp.errors import SlpError
from slp.ir import program as ir
from slp.messages import learning as words
from slp.syntax import term_to_text
from slp.terms import Atom, Number, Struct, Term, functor, subterms

#: Sets of clauses. The labels of each sum to 1.
Grouping: TypeAlias = list[list[ir.LogicClause]]

#: Clauses by name and arity of their predicate.
Predicates: TypeAlias = dict[tuple[str, int], list[ir.LogicClause]]


@dataclass(frozen=True)
class LabelTable:
    """The clauses of a predicate whose labels are numbers.

    `groupings`: the ways to group them in sets whose labels sum to 1. Either all clauses are one
    set, or the clauses with the same terms or functors at some arguments are: given these, the
    labels are the probabilities of the other arguments. The first one is used.
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


def called_predicates(clauses: Iterable[ir.LogicClause], goals: Iterable[Term]) -> Predicates:
    """The predicates that the goals can call, and perhaps some whose names are those of terms, in
    the order of the program."""
    predicates: Predicates = {}
    for clause in clauses:
        key = functor(clause.head)
        assert key is not None, "the checker lets no other head pass"
        predicates.setdefault(key, []).append(clause)
    reached: set[tuple[str, int]] = set()
    todo = list(goals)
    while todo:
        for term in subterms(todo.pop()):
            key = functor(term)
            if key is not None and key in predicates and key not in reached:
                reached.add(key)
                todo.extend(c.body for c in predicates[key] if c.body is not None)
    return {key: found for key, found in predicates.items() if key in reached}


def label_tables(called: Predicates) -> list[LabelTable]:
    """Those of some predicates whose labels are all numbers."""
    return [
        LabelTable(*key, found, _groupings(found))
        for key, found in called.items()
        if all(isinstance(c.label, Number) for c in found)
    ]


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
    return SlpError(words.NO_GROUPING(span, predicate=name))


def _groupings(clauses: Sequence[ir.LogicClause]) -> list[Grouping]:
    labels = [plain_label(c) for c in clauses]
    if abs(math.fsum(labels) - 1) <= TOLERANCE:
        return [[list(clauses)]]
    if all(label == 1 for label in labels):
        return [[[c] for c in clauses]]  # each goal has one clause to choose
    found = groups_that_sum_to_one([c.head for c in clauses], labels, TOLERANCE)
    return [[[clauses[k] for k in group] for group in groups] for groups in found]


def _within_one(way: Grouping) -> Callable[[frozenset[int]], bool]:
    """Whether clauses, by their ids, are in one set of a grouping."""
    number = {id(c): i for i, clauses in enumerate(way) for c in clauses}
    return lambda ids: len({number[i] for i in ids}) <= 1
