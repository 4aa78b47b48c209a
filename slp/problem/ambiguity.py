"""Whether each tree has at most one derivation, decided on the grammar alone, for all tables.

A tree has two derivations if a state has two rules that begin alike (two leaves, or two splits in
one cell), and a common subtree can follow on each side. The pairs of states that can derive a
common tree are a least fixed point. The answer is conservative: "no" may be wrong, "yes" is not.
For a grammar with open states it is "yes" only if no state has a choice.
"""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.ir.row_function import MOST_ROWS
from slp.ir.tree_grammar import CallRule, LeafRule, OpenStates, SplitRule, TreeGrammar
from slp.problem.split_measures import flat_transitions

#: If more pairs of rules must be compared, the answer is "no".
_MOST_COMPARISONS = 10_000

_Pair: TypeAlias = tuple[int, int]


class _RulesReached(NamedTuple):
    """What a state can begin with after its calls: the number of leaf rules, and its split rules,
    once for each sequence of calls."""

    leaves: int
    splits: tuple[SplitRule, ...]


def derivations_are_trees(grammar: TreeGrammar) -> bool:
    """Whether it is certain that no tree has two derivations."""
    try:
        if isinstance(grammar.states, OpenStates):
            return grammar.states.single_derivation
        return _Overlaps(grammar).unambiguous()
    except _TooLargeError:
        return False


class _TooLargeError(Exception):
    """There are too many pairs of rules to compare."""


class _Overlaps:
    def __init__(self, grammar: TreeGrammar) -> None:
        self.grammar = grammar
        self.rules_reached: dict[int, _RulesReached] = {}
        self.tables: dict[int, NDArray[np.int32]] = {}
        #: for each pair of states found: the pairs (left, right), of which one must overlap on both
        #: sides
        self.needs: dict[_Pair, list[tuple[_Pair, _Pair]]] = {}
        self.overlap: set[_Pair] = set()
        self.comparisons = 0

    def unambiguous(self) -> bool:
        doubts: list[tuple[_Pair, _Pair]] = []
        states: list[_RulesReached] = []
        comparisons = 0  # counted first, as each takes 50 µs
        for state in range(len(self.grammar.all_states())):
            states.append(self._reached(state))
            if states[-1].leaves > 1:
                return False
            comparisons += math.comb(len(states[-1].splits), 2)
            if comparisons > _MOST_COMPARISONS:
                raise _TooLargeError
        for reached in states:
            for one, other in combinations(reached.splits, 2):
                doubts += self._sides(one, other)
        self._explore([pair for sides in doubts for pair in sides])
        self._settle()
        return not any(left in self.overlap and right in self.overlap for left, right in doubts)

    def _explore(self, pending: list[_Pair]) -> None:
        """Find the pairs that the overlap of each pair depends on."""
        while pending:
            pair = pending.pop()
            if pair in self.needs:
                continue
            self.needs[pair] = []
            a, b = self._reached(pair[0]), self._reached(pair[1])
            if pair[0] == pair[1] or (a.leaves and b.leaves):
                self.overlap.add(pair)
                continue
            for one, other in product(a.splits, b.splits):
                self.needs[pair] += self._sides(one, other)
            pending += [p for sides in self.needs[pair] for p in sides]

    def _settle(self) -> None:
        settled = False
        while not settled:
            settled = True
            for pair, needs in self.needs.items():
                if pair not in self.overlap and any(
                    left in self.overlap and right in self.overlap for left, right in needs
                ):
                    self.overlap.add(pair)
                    settled = False

    def _sides(self, one: SplitRule, other: SplitRule) -> list[tuple[_Pair, _Pair]]:
        """Pairs of left and of right states of two split rules, for splits that part rows alike."""
        self.comparisons += 1
        if self.comparisons > _MOST_COMPARISONS:
            raise _TooLargeError
        a, b = self._table(one), self._table(other)
        if self.grammar.by_partition:
            # Splits on two features may part the rows alike, also with exchanged sides.
            first, second = np.unique(a[a[:, 0] >= 0], axis=0), np.unique(b[b[:, 0] >= 0], axis=0)
            both = [(x, y) for x in first.tolist() for y in second.tolist()]
            both += [(x, y[::-1]) for x, y in both]
        else:
            live = (a[:, 0] >= 0) & (b[:, 0] >= 0)
            rows = np.unique(np.concatenate([a[live], b[live]], axis=1), axis=0)
            both = [(row[:2], row[2:]) for row in rows.tolist()]
        return [(_pair(x[0], y[0]), _pair(x[1], y[1])) for x, y in both]

    def _table(self, rule: SplitRule) -> NDArray[np.int32]:
        if id(rule) not in self.tables:
            self.tables[id(rule)] = flat_transitions(rule)
        return self.tables[id(rule)]

    def _reached(self, state: int) -> _RulesReached:
        """Each sequence of calls counts: a state called by two rules counts twice, unless these are
        those of a preference, of which a box passes one."""
        if state not in self.rules_reached:
            leaves, splits, pending = 0, [], [state]
            while pending:
                one_of = set[int]()
                for rule in self.grammar.states[pending.pop()].rules:
                    if isinstance(rule, LeafRule):
                        leaves += 1
                    elif isinstance(rule, CallRule) and _tests_most(rule):
                        one_of.add(rule.state)
                    elif isinstance(rule, CallRule):
                        pending.append(rule.state)
                    else:
                        splits.append(rule)
                pending += one_of
                if leaves + len(splits) + len(pending) > _MOST_COMPARISONS:
                    raise _TooLargeError
            self.rules_reached[state] = _RulesReached(leaves, tuple(splits))
        return self.rules_reached[state]


def _tests_most(rule: CallRule) -> bool:
    """Whether it is a rule of a preference for a class in leaves (`slp.lower.preferences`): those
    of one state that go on have tests which exclude each other."""
    return rule.rows is not None and MOST_ROWS in rule.rows.classes


def _pair(a: int, b: int) -> _Pair:
    return (a, b) if a <= b else (b, a)
