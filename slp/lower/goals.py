"""Goals of a program, numbered in the order in which they are found, and their rules: the part of
lowering that needs proofs.

A goal is a ground nonterminal with its arithmetic evaluated. The targets of its splits are a
`SplitTable` of goals' numbers. A rule that does not depend on its split has one column for all
features.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeAlias

from slp.errors import DataError
from slp.ir import program as ir
from slp.ir.schema import Schema
from slp.ir.tree_grammar import FORBIDDEN, CallRule, LeafRule
from slp.lower.columns import NOT_PROPOSED, Pair, SplitColumn, SplitDraft, SplitTable
from slp.lower.least_leaves import LeastLeaves
from slp.messages.lowering import RULE_ON_UNKNOWN_FEATURE
from slp.messages.names import nearest
from slp.resolution import Limits, Meter, StateRules
from slp.resolution.boxes.cells import ThresholdOutcome, outcome_of_missing, threshold_outcomes
from slp.resolution.boxes.instances import RuleInstance
from slp.source import SourceSpan
from slp.terms import Atom, Number, Struct, Term, Text, functor, list_items

#: Largest number of goals called in all guards of one program together.
_MOST_INFERENCES = 5_000_000

_LEAF = Atom("leaf")


#: A rule of a goal, in which numbers of goals stand for those of states.
GoalRule: TypeAlias = LeafRule | CallRule | SplitDraft

#: Raises SlpError if something is wrong with a state, given the instances of its rules.
StateCheck: TypeAlias = Callable[[Term, Sequence[RuleInstance]], None]


class Goals:
    """The goals of `program` over `schema`, with their rules from `states`. `missing_features` are
    features that rules name and the schema lacks. `parameters` are the program's and `most_leaves`.
    `split_rules` are the ids of the rules that have split some goal's box so far. `check` is called
    for each goal with the instances of its rules before they are used."""

    def __init__(
        self,
        program: ir.CheckedProgram,
        schema: Schema,
        states: StateRules,
        check: StateCheck | None = None,
    ) -> None:
        self._states, self._check = states, check
        self.parameters = states.database.parameters
        self.missing_features: list[str] = []
        self.split_rules: set[int] = set()
        self._schema = schema
        self._least_leaves = LeastLeaves(program, self.parameters)
        self._levels = dict(zip(schema.features, schema.levels, strict=True))
        self._meter = Meter(Limits(inferences=_MOST_INFERENCES))
        self._goals: list[Term] = []
        self._numbers: dict[Term, int] = {}
        self._rules: dict[int, tuple[GoalRule, ...]] = {}

    def number(self, goal: Term) -> int:
        """Number of a goal, whose arithmetic is evaluated first."""
        goal = self._states.state(goal)
        number = self._numbers.setdefault(goal, len(self._goals))
        if number == len(self._goals):
            self._goals.append(goal)
        return number

    def rules(self, goal: int) -> tuple[GoalRule, ...]:
        """The rules that a goal has, in the program's order."""
        if goal not in self._rules:
            self._rules[goal] = tuple(self._find_rules(self._goals[goal]))
        return self._rules[goal]

    def text(self, goal: int) -> str:
        """A goal as text for people."""
        return _text(self._goals[goal])

    @property
    def inferences(self) -> int:
        """How many inferences the rules of goals have taken so far."""
        return self._meter.inferences

    def unordered(self, goal: int) -> Hashable:
        """What a goal has in common with those whose lists have the same members in another
        order."""
        term = self._goals[goal]
        args = term.args if isinstance(term, Struct) else ()
        lists = [list_items(arg) for arg in args]
        members = [
            arg if items is None else frozenset(Counter(items).items())
            for arg, items in zip(args, lists, strict=True)
        ]
        return functor(term), tuple(members)

    def least_leaves(self, goal: int) -> int:
        """A lower bound on the number of leaves of every tree that a goal derives."""
        return self._least_leaves.of(self._goals[goal])

    def indicator(self, goal: int) -> str:
        """Name and arity of a goal."""
        name, arity = functor(self._goals[goal]) or ("", 0)
        return f"{name}/{arity}"

    def arguments(self, goals: Iterable[int]) -> Iterable[tuple[Term, ...]]:
        """For each argument, the values that goals of one name and arity have."""
        terms = (self._goals[goal] for goal in goals)
        return zip(*(t.args for t in terms if isinstance(t, Struct)), strict=True)

    def _find_rules(self, goal: Term) -> Iterator[GoalRule]:
        if goal == _LEAF:
            yield LeafRule(0.0)
            return
        instances = self._states.instances(goal, self._meter)
        if self._check is not None:
            self._check(goal, instances)
        for instance in instances:
            log_weight, span = math.log(instance.label), instance.rule.span
            rows = instance.rows
            match instance.body:
                case ir.LeafBody():
                    yield LeafRule(log_weight, rows=rows, span=span)
                case ir.CallBody(goal=callee):
                    yield CallRule(log_weight, self.number(callee), rows, span)
                case ir.SplitBody(measure=measure):
                    table = self._table(instance, instance.body)
                    yield SplitDraft(log_weight, measure, table, rows, span)

    def _table(self, instance: RuleInstance, body: ir.SplitBody) -> SplitTable:
        """The targets of the splits of a rule."""
        self.split_rules.add(id(instance.rule))
        if not instance.depends_on_split:
            return SplitTable(SplitColumn((self._pair((body.left, body.right)),)), {})
        features = self._schema.features
        if isinstance(body.feature, Atom):
            name = body.feature.name
            features = (name,) if self._is_present(name, instance.rule.span) else ()
        return SplitTable(NOT_PROPOSED, {f: self._column(instance, f) for f in features})

    def _is_present(self, feature: str, span: SourceSpan) -> bool:
        """Whether the schema has a feature that a rule names. It is an error if a table's schema
        lacks it."""
        if feature in self._levels:
            return True
        if self._schema.from_table:
            near = nearest(feature, self._levels)
            raise DataError(RULE_ON_UNKNOWN_FEATURE(span, feature=feature, nearest=near))
        if feature not in self.missing_features:
            self.missing_features.append(feature)
        return False

    def _column(self, instance: RuleInstance, feature: str) -> SplitColumn:
        levels = self._levels[feature]
        names = self._states.level_numbers.get(feature, {})
        database, meter = self._states.database, self._meter
        found = threshold_outcomes(database, instance, feature, levels, meter, names)
        if found is None:
            return NOT_PROPOSED
        of_missing = None
        if feature in self._schema.beside_thresholds:
            of_missing = self._pair(outcome_of_missing(database, instance, feature, meter))
        return SplitColumn(tuple(map(self._pair, found.outcomes)), found.breakpoints, of_missing)

    def _pair(self, outcome: ThresholdOutcome) -> Pair:
        if outcome is None:
            return FORBIDDEN, FORBIDDEN
        left, right = outcome
        return self.number(left), self.number(right)


def _text(term: Term) -> str:
    """A ground term on one line, without quotes and operators."""
    out: list[str] = []
    todo: list[Term | str] = [term]
    while todo:
        part = todo.pop()
        match part:
            case str():
                out.append(part)
            case Number(value=value):
                out.append(str(value))
            case Struct(name=name, args=args):
                items = list_items(part)
                opening, closing = (f"{name}(", ")") if items is None else ("[", "]")
                inner: list[Term | str] = []
                for arg in args if items is None else items:
                    inner += [", ", arg]
                todo += [closing, *reversed(inner[1:]), opening]
            case Text(value=value):
                out.append(value)
            case _:
                out.append(part.name)
    return "".join(out)
