"""States of the grammar and their rules, found level by level from the start goal.

A state is a pair (goal, state of the constraints). Its *level* is the fewest splits on a path that
leads to it; calls do not add to it. At level `most_leaves - 1`, the *horizon*, no box of the table
can be split any more, so split rules are left out there: what remains is finite if each level is.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from slp.errors import Diagnostic, UnsupportedError
from slp.ir.program import Failure, Measure
from slp.ir.row_function import RowFunction
from slp.ir.schema import Schema
from slp.ir.tree_grammar import FORBIDDEN, OUTSIDE, CallRule, LeafRule
from slp.lower.columns import NOT_PROPOSED, SplitTable, combine
from slp.lower.goals import GoalCall, GoalLeaf, Goals, GoalSplit
from slp.lower.product import Product
from slp.seconds import check_time
from slp.source import SourceSpan

__all__ = ["MOST_CALLS", "MOST_STATES", "Expansion", "SplitDraft", "StateRule"]

#: States beyond which a program counts as not finite.
MOST_STATES = 100_000

#: Calls in a row, without a split, beyond which a program counts as not finite. A program that
#: counts up to the number of leaves, such as `pinball`, makes some `2 * most_leaves`.
MOST_CALLS = 10_000


@dataclass(frozen=True, slots=True)
class SplitDraft:
    """A split rule whose table, over states of the grammar, has cells of its own."""

    log_weight: float
    measure: Measure
    table: SplitTable
    rows: RowFunction | None
    span: SourceSpan | None


StateRule: TypeAlias = LeafRule | CallRule | SplitDraft


class Expansion:
    """All states that can be reached; state 0 is the start. `rules[s]` are those of state s."""

    def __init__(
        self, goals: Goals, product: Product, schema: Schema, failure: Failure, start: int
    ) -> None:
        self.horizon = max(schema.most_leaves - 1, 0)
        self.rules: dict[int, tuple[StateRule, ...]] = {}
        self._goals = goals
        self._product = product
        self._n_features = len(schema.features)
        self._failure = failure
        self._states: list[tuple[int, int]] = []
        self._numbers: dict[tuple[int, int], int] = {}
        self._number(start, 0)
        frontier = [0]
        for level in range(self.horizon + 1):
            frontier = self._expand_level(frontier, may_split=level < self.horizon)

    def name(self, state: int) -> str:
        """A state for people, such as `tree(2), contains infant`."""
        goal, constraints = self._states[state]
        parts = (self._goals.text(goal), self._product.describe(constraints))
        return ", ".join(part for part in parts if part)

    def __len__(self) -> int:
        return len(self._states)

    def _number(self, goal: int, constraints: int) -> int:
        key = goal, constraints
        number = self._numbers.setdefault(key, len(self._states))
        if number == len(self._states):
            self._states.append(key)
        return number

    def _expand_level(self, frontier: list[int], may_split: bool) -> list[int]:
        """Expand states and what they call; return the states that their splits lead to."""
        below: dict[int, None] = {}
        calls = dict.fromkeys(frontier, 0)  # how many in a row lead to a state of this level
        queue = deque(frontier)
        while queue:
            state = queue.popleft()
            if state in self.rules:
                continue
            check_time("lowering the program")
            self.rules[state] = tuple(self._state_rules(state, may_split))
            for rule in self.rules[state]:
                if isinstance(rule, SplitDraft):
                    pairs = rule.table.pairs()
                    below.update(dict.fromkeys(s for pair in pairs for s in pair if s >= 0))
                elif isinstance(rule, CallRule) and rule.state not in calls:
                    calls[rule.state] = calls[state] + 1
                    queue.append(rule.state)
                self._check_finite(rule, calls[state])
        return [state for state in below if state not in self.rules]

    def _state_rules(self, state: int, may_split: bool) -> Iterator[StateRule]:
        goal, constraints = self._states[state]
        rules = self._goals.rules(goal)
        # Engines check sums of labels that count classes, so these keep what cannot be applied.
        all_labels = any(rule.rows is not None and rule.rows.classes for rule in rules)
        for rule in rules:
            match rule:
                case GoalLeaf():
                    classes = self._product.majority(constraints)
                    yield LeafRule(rule.log_weight, classes, rule.rows, rule.span)
                case GoalCall():
                    called = self._number(rule.goal, constraints)
                    yield CallRule(rule.log_weight, called, rule.rows, rule.span)
                case GoalSplit() if may_split or all_labels:
                    table = SplitTable(NOT_PROPOSED, {})
                    if may_split:
                        allowed = self._product.table(constraints)
                        table = combine(rule.table, allowed, self._number, self._n_features)
                    if all_labels or self._proposes_something(table):
                        yield SplitDraft(rule.log_weight, rule.measure, table, rule.rows, rule.span)

    def _proposes_something(self, table: SplitTable) -> bool:
        """Whether the rule can be applicable to some box (see `slp.ir.tree_grammar`)."""
        refused = (OUTSIDE,) if self._failure == "condition" else (OUTSIDE, FORBIDDEN)
        return any(left not in refused for left, _ in table.pairs())

    def _check_finite(self, rule: StateRule, calls: int) -> None:
        """Stop where the states are too many, with the rule that led to the last of them."""
        if len(self) > MOST_STATES:
            goals = Counter(self._goals.indicator(goal) for goal, _ in self._states)
            most = " and ".join(f"`{name}` ({count:,})" for name, count in goals.most_common(2))
            message = f"more than {MOST_STATES:,} states are reached, most of them of {most}"
            raise _not_finite("E304", message, rule.span)
        if calls > MOST_CALLS:
            message = f"more than {MOST_CALLS:,} calls follow each other without a split"
            raise _not_finite("E305", message, rule.span)


def _not_finite(code: str, message: str, span: SourceSpan | None) -> UnsupportedError:
    return UnsupportedError(
        Diagnostic(
            code,
            f"the program has no finite tree grammar that fits here: {message}",
            span,
            help="let a guard bound the arguments, such as `{ K < most_leaves }`",
        )
    )
