"""`max_cost(200)` with `:- cost(mri, 120).`: the features of each path from the root to a leaf cost
at most 200 together.

A feature costs once on a path: to split on it again is free. Without a declared cost it is free.
Costs are added as the decimal numbers that they are printed as: 0.1 and 0.2 fit `max_cost(0.3)`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, ClassVar, NamedTuple

from slp.constraints.form import Arguments, Form, and_this, because_of, of_kind
from slp.errors import Diagnostic
from slp.ir.automaton import Automaton
from slp.ir.cells import Cell
from slp.ir.constraints import Constraint, Support
from slp.ir.decisions import FeatureCost
from slp.ir.groups import Named, features_of, name_in_program
from slp.ir.made import Made
from slp.messages import constraints as words
from slp.messages.names import joined
from slp.messages.numbers import number_text
from slp.source import SourceSpan
from slp.terms import Term

#: So many costs are told in words.
_TOLD = 8


@dataclass(frozen=True)
class MaxCost(Constraint):
    """The distinct features of each path cost at most `most` together."""

    name: ClassVar[str] = "max_cost"
    fewer_states: ClassVar[str] = "give fewer features a cost"
    most: float
    costs: tuple[FeatureCost, ...]
    span: SourceSpan | None = field(default=None, compare=False, repr=False)
    made: Made = Made()

    def words(self) -> str:
        told = [f"{c.feature} {number_text(c.amount)}" for c in self.costs[:_TOLD]]
        more = len(self.costs) - len(told)
        told += [f"and {more} more"] if more else []
        listed = f": {', '.join(told)}" if told else ""
        most = number_text(self.most)
        made = [name for name, _ in self.made.of]
        whole = f", with what {joined(made)} {_is(made)} made of," if made else ""
        return f"The features of each path{whole} cost at most {most} together, each once{listed}."

    def to_plain(self) -> dict[str, Any]:
        costs = {c.feature: c.amount for c in self.costs}
        made = {"made": self.made.to_plain()} if self.made else {}
        return {"kind": self.name, "most": self.most, "costs": costs, **made}

    def automaton(self) -> MaxCostAutomaton:
        priced = {c.feature: _decimal(c.amount) for c in self.costs if c.amount > 0}
        most = _decimal(self.most)
        unit = lcm(most.denominator, *(amount.denominator for amount in priced.values()))
        units = tuple((f, int(amount * unit)) for f, amount in priced.items())
        return MaxCostAutomaton(int(most * unit), units, unit, self.made)

    def can_be_broken(self, features: Collection[str]) -> bool:
        return self._sum(features) > _decimal(self.most)

    def never_splits_on(self, feature: str) -> bool:
        return self._sum([feature]) > _decimal(self.most)

    def keeps_apart(self, a: str, b: str) -> bool:
        apart = self.never_splits_on(a) or self.never_splits_on(b)
        return not apart and self._sum({a, b}) > _decimal(self.most)

    def against_first(self, feature: Named, span: SourceSpan | None) -> Diagnostic | None:
        if not all(map(self.never_splits_on, features_of(feature))):
            return None
        cost = min(float(self._sum([f])) for f in features_of(feature))
        name = name_in_program(feature)
        return words.FIRST_TOO_DEAR(
            span, related=and_this(self), feature=name, cost=cost, most=self.most
        )

    def _sum(self, features: Collection[str]) -> Fraction:
        """What features cost together, with what they are made of."""
        asked = frozenset[str]().union(*map(self.made.counted, features))
        return sum((_decimal(c.amount) for c in self.costs if c.feature in asked), Fraction(0))


class Bill(NamedTuple):
    """The state of a path.

    Attributes
    ----------
    paid : the features that the path has paid for. None where they no longer matter: all others
        that cost no more than is left can be paid together.
    refused : the features that cost more than is left.
    """

    paid: frozenset[str] | None
    refused: frozenset[str]


@dataclass(frozen=True)
class MaxCostAutomaton(Automaton[Bill]):
    """State: the set of priced features used above, as long as it matters which they are. Costs are
    whole numbers of 1 / `unit`."""

    most: int
    costs: tuple[tuple[str, int], ...]
    unit: int
    made: Made
    #: whether it keeps the features that are paid where no refusal depends on them
    keeps_all: bool = False

    @cached_property
    def _cost(self) -> Mapping[str, int]:
        return dict(self.costs)

    @property
    def mentioned(self) -> frozenset[str]:
        return frozenset(self._priced)

    @cached_property
    def _priced(self) -> Mapping[str, frozenset[str]]:
        """By feature what a split on it pays for, where that is something."""
        each = {f: self.made.counted(f) for f in (*self._cost, *dict(self.made.of))}
        return {f: own & self._cost.keys() for f, own in each.items() if own & self._cost.keys()}

    @cached_property
    def start(self) -> Bill:
        return self._bill(frozenset())

    def _bill(self, paid: frozenset[str]) -> Bill:
        left = self.most - self._total(paid)
        more = {f: own - paid for f, own in self._priced.items()}
        refused = {f for f, own in more.items() if own and self._total(own) > left}
        open_ = frozenset[str]().union(*(own for f, own in more.items() if f not in refused))
        keeps = self.keeps_all or self._total(open_) > left
        return Bill(paid if keeps else None, frozenset(refused))

    def _total(self, features: Iterable[str]) -> int:
        return sum(self._cost[f] for f in features)

    def step(self, state: Bill, feature: str, cell: Cell | None) -> tuple[Bill, Bill] | None:
        if feature in state.refused:
            return None
        pays = self._priced.get(feature, frozenset())
        if state.paid is not None and not pays <= state.paid:
            state = self._bill(state.paid | pays)
        return state, state

    def beyond(self, state: Bill, feature: str, cell: Cell | None) -> tuple[Bill, Bill]:
        assert state.paid is not None, "it keeps all"
        over = self._bill(state.paid | self._priced.get(feature, frozenset()))
        return over, over

    def remembering(self) -> MaxCostAutomaton:
        return replace(self, keeps_all=True)

    def describe(self, state: Bill) -> str:
        if state.paid is None:
            return f"too dear: {', '.join(sorted(state.refused))}" if state.refused else ""
        cost = f"cost {number_text(float(Fraction(self._total(state.paid), self.unit)))}"
        return f"{cost} ({', '.join(sorted(state.paid))})" if state.paid else cost


def _decimal(number: float) -> Fraction:
    """The number that it is printed as."""
    return Fraction(repr(number))


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _read(args: tuple[Term, ...], given: Arguments, span: SourceSpan) -> MaxCost | None:
    most = given.amount(args[0], "`max_cost`")
    costs = given.costs
    if most is None or costs is None:
        return None
    return MaxCost(most, costs, span, given.made(*(c.feature for c in costs)))


def _find(constraints: Sequence[Constraint], support: Support) -> Iterator[Diagnostic]:
    limits = of_kind(constraints, MaxCost)
    for limit in limits:
        priced = [c.feature for c in limit.costs if c.amount > 0]
        least = min(limits, key=lambda other: other.most)
        if not limit.costs:
            yield words.NO_COSTS(limit.span)
        elif not limit.can_be_broken(priced):
            yield words.COSTS_FIT(limit.span, total=float(limit._sum(priced)))
        elif all(map(limit.never_splits_on, priced)):
            yield words.ALL_TOO_DEAR(limit.span, most=limit.most)
        elif least.most < limit.most:
            related = because_of(least)
            yield words.LOWER_LIMIT(limit.span, related=related, name=MaxCost.name, most=least.most)


FORM = Form(MaxCost.name, "`max_cost(200)`", (1,), _read, _find)
