"""The product of the local constraints of a program: one automaton, with states numbered in the
order in which they are found.

A split is OUTSIDE if it is OUTSIDE for one factor, else FORBIDDEN if it is FORBIDDEN for one, else
it leads to a pair of product states. A state's transitions are computed once and shared by all
nonterminals of the program that use it. Features that no factor mentions have one column in common.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from slp.ir.automaton import LOST, Automaton, Due, Paying
from slp.ir.cells import Cell, cells_between
from slp.ir.schema import Schema
from slp.ir.tree_grammar import FORBIDDEN, OUTSIDE
from slp.lower.columns import Pair, SplitColumn, SplitTable, union


class FactorPrior(NamedTuple):
    """The prior of the leaves of a factor's box: its number (`State.leaf_prior`), and whether it is
    a known distribution, beside which no other can apply."""

    number: int
    known: bool


class Product:
    """The product of `factors` over the features of `schema`, explored on demand from state 0.
    `breakpoints` are those of the features that a factor mentions, None of categorical ones.
    `priors`, if given, has for each factor the prior of its box's leaves."""

    def __init__(
        self,
        factors: Sequence[Automaton[Any]],
        schema: Schema,
        priors: Sequence[FactorPrior | None] = (),
    ) -> None:
        self._factors = tuple(factors)
        self._priors = tuple(priors) or (None,) * len(self._factors)
        mentioned = frozenset[str]().union(*(a.mentioned for a in factors))
        self._unmentioned = max(mentioned, default="") + "'"  # greater than any, so none of them
        self.breakpoints = {
            f: union(*(a.breakpoints.get(f, ()) for a in factors)) if levels is None else None
            for f, levels in zip(schema.features, schema.levels, strict=True)
            if f in mentioned
        }
        self._beside_thresholds = schema.beside_thresholds
        #: Steps of automata so far.
        self.steps = 0
        self._states: list[tuple[Hashable, ...]] = []
        self._numbers: dict[tuple[Hashable, ...], int] = {}
        self._tables: dict[int, SplitTable] = {}
        self._number(tuple(a.start for a in factors))

    def table(self, state: int) -> SplitTable:
        """The targets of splits from a state, as numbers of states."""
        if state not in self._tables:
            q = self._states[state]
            other = SplitColumn((self._pair(q, self._unmentioned, None),))
            columns = {f: self._column(q, f, bs) for f, bs in self.breakpoints.items()}
            self._tables[state] = SplitTable(other, columns)
        return self._tables[state]

    def majority(self, state: int) -> tuple[str, ...]:
        """The classes that no other class may outnumber in a leaf in this state, sorted."""
        tests = (a.majority(q) for a, q in zip(self._factors, self._states[state], strict=True))
        return tuple(sorted({outcome for outcome in tests if outcome is not None}))

    def leaf_prior(self, state: int) -> int:
        """The number of the prior of a leaf in this state: the first of those that apply, by the
        order of the factors. Their numbers have another order where two boxes share a prior."""
        return next((own.number for own in self._applying(state)), 0)

    def contradicts(self, state: int) -> bool:
        """Whether two known distributions apply to a leaf in this state."""
        return len({own.number for own in self._applying(state) if own.known}) > 1

    def _applying(self, state: int) -> Iterator[FactorPrior]:
        parts = zip(self._factors, self._priors, self._states[state], strict=True)
        return (own for a, own, q in parts if own is not None and a.is_leaf_of_box(q))

    def is_lost(self, state: int) -> bool:
        """Whether every derivation fails in a state."""
        parts = zip(self._factors, self._states[state], strict=True)
        return any(a.loses and isinstance(q, str) and q == LOST for a, q in parts)

    def preferred(self, state: int) -> tuple[tuple[str, float], ...]:
        """The classes that no other class should outnumber in a leaf in this state, each with the
        cost where one does."""
        parts = zip(self._factors, self._states[state], strict=True)
        found = [(a.preferred(q), a.cost) for a, q in parts if isinstance(a, Paying)]
        return tuple((outcome, cost) for outcome, cost in found if outcome is not None)

    def due(self, state: int) -> float:
        """What a state has to pay before it goes on, 0 where it has nothing to pay."""
        parts = zip(self._factors, self._states[state], strict=True)
        return sum(a.cost for a, q in parts if isinstance(a, Paying) and isinstance(q, Due))

    def paid(self, state: int) -> tuple[int, int]:
        """The states in which a state goes on: the one that has paid, and the one that is lost."""
        parts = self._states[state]
        after = tuple(q.state if isinstance(q, Due) else q for q in parts)
        lost = tuple(LOST if a.loses else a.start for a in self._factors)
        return self._number(after), self._number(lost)

    def n_parts(self, states: Iterable[int], places: Sequence[int]) -> int:
        """The number of different states that the factors at `places` have together in `states` of
        the product."""
        return len({tuple(self._states[state][i] for i in places) for state in states})

    def describe(self, state: int) -> str:
        """The state in words for people, such as `contains infant, age used`."""
        parts = (a.describe(q) for a, q in zip(self._factors, self._states[state], strict=True))
        return ", ".join(dict.fromkeys(part for part in parts if part))

    def _number(self, state: tuple[Hashable, ...]) -> int:
        number = self._numbers.setdefault(state, len(self._states))
        if number == len(self._states):
            self._states.append(state)
        return number

    def _column(
        self, state: tuple[Hashable, ...], feature: str, breakpoints: tuple[float, ...] | None
    ) -> SplitColumn:
        if breakpoints is None:
            return SplitColumn((self._pair(state, feature, None),))
        cells = cells_between(breakpoints)
        beside = feature in self._beside_thresholds
        of_missing = self._pair(state, feature, None) if beside else None
        pairs = tuple(self._pair(state, feature, cell) for cell in cells)
        return SplitColumn(pairs, breakpoints, of_missing)

    def _pair(self, state: tuple[Hashable, ...], feature: str, cell: Cell | None) -> Pair:
        self.steps += len(state)
        steps = [a.step(q, feature, cell) for a, q in zip(self._factors, state, strict=True)]
        refusals = [a.outside for a, s in zip(self._factors, steps, strict=True) if s is None]
        if refusals:
            target = OUTSIDE if any(refusals) else FORBIDDEN
            return target, target
        children = [step for step in steps if step is not None]
        left = self._number(tuple(left for left, _ in children))
        return left, self._number(tuple(right for _, right in children))
