"""States of the grammar and their rules, found level by level from the start goal, or made one by
one.

A state is a pair (goal, state of the constraints). Its *level* is the fewest splits on a path that
leads to it; calls do not add to it. At level `horizon` no box of the table can be split any more,
so split rules are left out there: what remains is finite if each level is.

Listing takes a tenth of a millisecond for each state. A prior that counts depth has a state for
each depth that the table allows: a million for a million rows. A prior that distributes leaves
(`pinball`) has half a billion for thirty thousand rows. A chain reaches a few dozen of them. So
lowering lists the `FIRST_STATES` nearest to the start. If there are more, and it is certain that a
derivation can always end (`slp.lower.endings`), the other states stay open: they are made when an
engine reaches them (`slp.lower.opened`). docs/design/large-tables.md has the alternatives that were
refused.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from slp.budgets.seconds import check_time
from slp.errors import NoGrammarError, UnsupportedError
from slp.ir.constraints import Constraint
from slp.ir.leaves import BoxLeaf
from slp.ir.program import Failure
from slp.ir.schema import Schema
from slp.ir.tree_grammar import FORBIDDEN, OUTSIDE, CallRule, LeafRule
from slp.lower.columns import NOT_PROPOSED, SplitDraft, SplitTable, combine
from slp.lower.goals import Goals
from slp.lower.preferences import LeafTests, shares_of_cost
from slp.lower.product import Product
from slp.messages import Wording
from slp.messages.constraints import SHARES_BESIDE_CLASS_LABELS
from slp.messages.lowering import (
    BOUND_ARGUMENTS,
    FEWER_STATES,
    LIMIT_DEPTH,
    TOO_MANY_CALLS,
    TOO_MANY_RULES,
    TOO_MANY_STATES,
    TOO_MANY_STATES_MADE,
    TOO_MANY_STEPS,
)
from slp.source import SourceSpan

#: States that are listed before lowering checks whether the others can stay open,
FIRST_STATES = 2_000
#: for an engine that reaches few of them,
FEW_STATES = 32
#: and rules of such states: a guard with many answers makes as many rules of one.
FIRST_RULES = 20_000

#: States that may be listed, and states that may be made on demand.
MOST_STATES = 100_000

#: Rules that the states which were listed or made may have, together.
MOST_RULES = 200_000

#: Steps of constraints, one for each constraint, state and interval of a feature, that listing the
#: states takes at most without a table.
MOST_STEPS = 2_000_000

#: Calls in a row, without a split, beyond which a program counts as not finite, unless it is
#: certain that its calls end.
MOST_CALLS = 10_000

#: Progress is told each time that guards of states have taken so many more inferences. Most
#: programs take fewer for all of their states.
TOLD_EACH = 50_000

#: Stands for the goal of a state that is a leaf with tests; the other number is that of the tests.
_LEAF = -1

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


StateRule: TypeAlias = LeafRule | CallRule | SplitDraft

#: Is told how many states are listed, and the name of the phase.
ListingProgress: TypeAlias = Callable[[int, str], None]


class TooManyStatesError(NoGrammarError, UnsupportedError):
    """E304, E305: a grammar has too many states, or infinitely many."""


class Expansion:
    """The states found so far; state 0 is the start. `rules[s]` are those of state s, `levels[s]`
    its level, or, of a state made on demand, the splits on the path on which it was found.

    `calls_end`: whether it is known that every sequence of calls ends. `constraints` are those of
    the factors of `product`, None for the limit of depth.
    """

    def __init__(
        self,
        goals: Goals,
        product: Product,
        schema: Schema,
        failure: Failure,
        start: int,
        calls_end: bool,
        constraints: Sequence[Constraint | BoxLeaf | None],
        progress: ListingProgress | None = None,
    ) -> None:
        self._progress, self._tell_at = progress, TOLD_EACH
        self.horizon = schema.most_splits
        self.rules: dict[int, tuple[StateRule, ...]] = {}
        self.levels: list[int] = []
        self._goals = goals
        self._product = product
        self._constraints = constraints
        self._n_features = len(schema.features)
        self._from_table = schema.from_table
        self._failure = failure
        self._calls_end = calls_end
        self._states: list[tuple[int, int]] = []
        self._numbers: dict[tuple[int, int], int] = {}
        self._number(start, 0, 0)
        self._tests: list[LeafTests] = []
        self._numbers_of_tests: dict[LeafTests, int] = {}
        self._walk = self._by_level()
        self._made = 0
        self._n_rules = 0

    def list_states(self, most: int | None = None) -> bool:
        """Expand states, those of least level first, until `most` states are expanded,
        `FIRST_RULES` rules are known, or all states are expanded. Returns whether all are.

        Raises
        ------
        TooManyStatesError
            E304, E305: there are too many, or infinitely many.
        """
        for _ in self._walk:
            if self._progress is not None and self._goals.inferences >= self._tell_at:
                self._progress(len(self.rules), "listing states")
                self._tell_at = self._goals.inferences + TOLD_EACH
            if most is not None and (len(self.rules) >= most or self._n_rules >= FIRST_RULES):
                return False
        return True

    def make(self, state: int) -> tuple[StateRule, ...]:
        """The rules of a state that was found. They are made now if necessary.

        Raises
        ------
        TooManyStatesError
            E304: too many were made, or they have too many rules.
        """
        if state not in self.rules:
            self._made += 1
            if self._made > MOST_STATES:
                raise self._too_many(TOO_MANY_STATES_MADE, most=MOST_STATES)
            self._expand(state, may_split=True)
        return self.rules[state]

    def differ_in_order(self) -> bool:
        """Whether at least half of the states listed equal others but for the order of a list."""
        listed = [self._states[state] for state in self.rules if self._states[state][0] != _LEAF]
        return 2 * len({(self._goals.unordered(g), c) for g, c in listed}) <= len(listed)

    def name(self, state: int) -> str:
        """A state in words for people, such as `tree(2), contains infant`."""
        goal, constraints = self._states[state]
        if goal == _LEAF:
            return self._tests[constraints].describe()
        parts = (self._goals.text(goal), self._product.describe(constraints))
        return ", ".join(part for part in parts if part)

    def least_leaves(self, state: int) -> int:
        """A lower bound on the number of leaves of every tree that a state derives."""
        goal = self._states[state][0]
        return 1 if goal == _LEAF else self._goals.least_leaves(goal)

    def leaf_prior(self, state: int) -> int:
        """The number of the prior of a leaf in a state (`State.leaf_prior`)."""
        goal, constraints = self._states[state]
        if goal == _LEAF:
            return self._tests[constraints].prior
        return self._product.leaf_prior(constraints)

    def _number(self, goal: int, constraints: int, level: int) -> int:
        key = goal, constraints
        number = self._numbers.setdefault(key, len(self._states))
        if number == len(self._states):
            self._states.append(key)
            self.levels.append(level)
        return number

    def _by_level(self) -> Iterator[None]:
        """Expand all states, with a stop after each."""
        frontier = [0]
        for level in range(self.horizon + 1):
            below: dict[int, None] = {}  # states that splits of this level lead to
            calls = dict.fromkeys(frontier, 0)  # calls in a row before each state
            queue = deque(frontier)
            while queue:
                state = queue.popleft()
                if state in self.rules:
                    continue
                check_time("lowering the program")
                self.levels[state] = level
                self._expand(state, level < self.horizon)
                for rule in self.rules[state]:
                    if isinstance(rule, SplitDraft):
                        pairs = rule.table.pairs()
                        below.update(dict.fromkeys(s for pair in pairs for s in pair if s >= 0))
                    elif isinstance(rule, CallRule) and rule.state not in calls:
                        calls[rule.state] = calls[state] + 1
                        queue.append(rule.state)
                    self._check_finite(rule, calls[state])
                yield
            frontier = [state for state in below if state not in self.rules]

    def _expand(self, state: int, may_split: bool) -> None:
        """Find the rules of a state."""
        self.rules[state] = rules = tuple(self._state_rules(state, may_split))
        self._n_rules += len(rules)
        if self._n_rules > MOST_RULES:
            raise self._too_many(TOO_MANY_RULES, rules[-1].span, most=MOST_RULES)

    def _state_rules(self, state: int, may_split: bool) -> Iterator[StateRule]:
        goal, constraints = self._states[state]
        level = self.levels[state]
        if goal == _LEAF:
            yield from self._tests[constraints].rules(level, self._number_of_test)
            return
        if self._product.is_lost(constraints):
            return
        cost = self._product.due(constraints)
        if cost:
            paid, lost = self._product.paid(constraints)
            kept, left = shares_of_cost(cost)
            yield CallRule(kept, self._number(goal, paid, level))
            yield CallRule(left, self._number(goal, lost, level))
            return

        def below(goal: int, constraints: int) -> int:
            return self._number(goal, constraints, level + 1)

        rules = self._goals.rules(goal)
        # Engines check sums of labels that count classes, so such states keep inapplicable rules.
        all_labels = any(rule.rows is not None and rule.rows.classes for rule in rules)
        for rule in rules:
            match rule:
                case LeafRule():
                    yield from self._leaf(rule, constraints, level, all_labels)
                case CallRule(state=called):
                    yield replace(rule, state=self._number(called, constraints, level))
                case SplitDraft() if may_split or all_labels:
                    table = SplitTable(NOT_PROPOSED, {})
                    if may_split:
                        allowed = self._product.table(constraints)
                        table = combine(rule.table, allowed, below, self._n_features)
                    if all_labels or self._proposes_something(table):
                        yield replace(rule, table=table)

    def _leaf(
        self, rule: LeafRule, constraints: int, level: int, all_labels: bool
    ) -> Iterator[LeafRule | CallRule]:
        """A rule for leaves in a state of the constraints. A leaf that they forbid is not there or,
        under `failure(condition)`, fails."""
        if self._product.contradicts(constraints):
            if self._failure == "condition":
                lost = self._number_of_test(LeafTests((), lost=True), level)
                yield CallRule(rule.log_weight, lost, rule.rows, rule.span)
            elif all_labels:
                raise UnsupportedError(SHARES_BESIDE_CLASS_LABELS(rule.span))
            return
        majority = self._product.majority(constraints)
        preferred = self._product.preferred(constraints)
        if not preferred:
            yield replace(rule, majority=majority)
            return
        prior = self._product.leaf_prior(constraints)
        state = self._number_of_test(LeafTests(majority, preferred, prior=prior), level)
        yield CallRule(rule.log_weight, state, rule.rows, rule.span)

    def _number_of_test(self, tests: LeafTests, level: int) -> int:
        number = self._numbers_of_tests.setdefault(tests, len(self._tests))
        if number == len(self._tests):
            self._tests.append(tests)
        return self._number(_LEAF, number, level)

    def _proposes_something(self, table: SplitTable) -> bool:
        """Whether the rule can be applicable to some box (see `slp.ir.tree_grammar`)."""
        refused = (OUTSIDE,) if self._failure == "condition" else (OUTSIDE, FORBIDDEN)
        return any(left not in refused for left, _ in table.pairs())

    def _check_finite(self, rule: StateRule, calls: int) -> None:
        """Raise an error if there are too many states, with the rule that led to the last one."""
        if len(self._states) > MOST_STATES:
            raise self._too_many(TOO_MANY_STATES, rule.span, most=MOST_STATES)
        if not self._from_table and self._product.steps > MOST_STEPS:
            states = len(self._states)
            raise self._too_many(TOO_MANY_STEPS, rule.span, most=MOST_STEPS, states=states)
        if calls > MOST_CALLS and not self._calls_end:
            raise self._too_many(TOO_MANY_CALLS, rule.span, most=MOST_CALLS)

    def _too_many(
        self, wording: Wording, span: SourceSpan | None = None, **values: Any
    ) -> TooManyStatesError:
        """The error of this wording, which tells what grows and what to do about it."""
        what, help = self._growth()
        return TooManyStatesError(wording(span, what=what, help=help, **values))

    def _growth(self) -> tuple[str, str]:
        """What most of the states found differ in, an argument or what constraints remember, and
        what to do about it."""
        constraints = {state for goal, state in self._states if goal != _LEAF}
        if len(constraints) > len({goal for goal, _ in self._states if goal != _LEAF}):
            return self._growth_of(constraints)
        return self._growing_argument(), BOUND_ARGUMENTS

    def _growth_of(self, states: Collection[int]) -> tuple[str, str]:
        """`_growth` where the states of the constraints grow: the kind with the most."""
        places: dict[type[Constraint | BoxLeaf] | None, list[int]] = {}
        for i, constraint in enumerate(self._constraints):
            places.setdefault(type(constraint) if constraint else None, []).append(i)
        sizes = {kind: self._product.n_parts(states, of) for kind, of in places.items()}
        kind = max(sizes, key=lambda kind: sizes[kind])
        if kind is None:
            return f"they differ in depth ({sizes[kind]:,} so far)", LIMIT_DEPTH
        what = f"what `{kind.name}` remembers of a path grows ({sizes[kind]:,} states so far)"
        how = kind.fewer_states.format(constraint=kind.name)
        return what, FEWER_STATES.format(how=how) if self._from_table else how

    def _growing_argument(self) -> str:
        own = [goal for goal, _ in self._states if goal != _LEAF]
        by_name = Counter(map(self._goals.indicator, own))
        name, _ = by_name.most_common(1)[0]
        goals = {goal for goal in own if self._goals.indicator(goal) == name}
        values = [len(set(column)) for column in self._goals.arguments(goals)]
        if max(values, default=1) == 1:
            return f"most are those of `{name}`"
        place = values.index(max(values))
        which = _ORDINALS[place] if place < len(_ORDINALS) else f"{place + 1}th"
        return f"the {which} argument of `{name}` grows ({values[place]:,} values so far)"
