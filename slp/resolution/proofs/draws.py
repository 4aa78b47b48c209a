"""Draws of proofs by two methods, which treat failures differently and have different
distributions.

*Rejection*: each stochastic goal draws one of its matching clauses with the labels' probabilities
(if they sum to less than 1, the rest fails). A draw that fails is rejected as a whole. Draws have
exactly the distribution of the log-linear model: P(proof) = product of its labels / success
probability (Cussens 2001, section 3).

*Backtracking*: if a proof fails, the last stochastic goal with clauses left draws again among
these, by their labels. It is faster if failures are frequent, but has another distribution, because
the draws before the failed goal are kept (Cussens, "Stochastic logic programs: sampling, inference
and applications", UAI 2000; the system bims).

Logical alternatives are tried in order. Under rejection a draw looks at all of them; if several
lead to proofs, one draw would hold several proofs, and E244 says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.machine import faults
from slp.resolution.machine.clauses import PreparedPredicate
from slp.resolution.machine.database import Database
from slp.resolution.machine.loop import Goal, Limits, Machine, Meter
from slp.resolution.machine.store import Store
from slp.resolution.proofs.best_first import check_budgets
from slp.resolution.proofs.choices import Option, enter, options_at
from slp.terms import Term

Failure: TypeAlias = Literal["rejection", "backtracking"]


class DrawnPath(NamedTuple):
    """A proof that was drawn: its answer, and the labelled clauses used, in order, with the values
    of their labels."""

    answer: Term
    path: list[tuple[ir.LogicClause, float]]


@dataclass(slots=True, eq=False)
class _Drawn:
    """Marks the call of a stochastic goal behind `before` other choices, with the clauses that are
    left to draw."""

    mark: int
    before: int
    goal: Goal
    args: tuple[Term, ...]
    left: list[Option]

    def retry(self, machine: Machine) -> Goal | None:
        """Draw again among the clauses left."""
        assert isinstance(machine, _DrawingMachine)
        del machine.path[self.before :]
        return machine.draw(self) if self.left else None


class _DrawingMachine(Machine):
    """A machine in which stochastic goals draw their clause."""

    def __init__(
        self, database: Database, meter: Meter, store: Store, random: Random, sampler: Sampler
    ) -> None:
        super().__init__(database.definitions, database.parameters, meter, store)
        self._random = random
        self._backtracks = sampler.failure == "backtracking"
        self._weights = sampler.weights
        #: The labelled clauses that are used so far. What backtracking takes back is cut off by
        #: the mark of the first choice behind the place to which it goes.
        self.path: list[tuple[ir.LogicClause, float]] = []

    def look(self) -> None:
        """Check the budgets that are held."""
        check_budgets()

    def choose(
        self, predicate: PreparedPredicate, goal: Goal, args: tuple[Term, ...]
    ) -> Goal | None:
        """Draw one of the clauses that match."""
        options = options_at(self, predicate, args, weights=self._weights)
        if not options:
            return None
        if self._backtracks:
            return self.draw(_Drawn(self.store.mark(), len(self.path), goal, args, options))
        if self.choices and not isinstance(self.choices[-1], _Drawn):
            self.choices.append(_Drawn(self.store.mark(), len(self.path), goal, args, []))
        chosen = self._pick(options, 1.0)
        return None if chosen is None else self._enter(options[chosen], goal, args)

    def draw(self, choice: _Drawn) -> Goal:
        """Draw by the labels of the clauses left, and leave the others for later."""
        total = sum(label for _, label in choice.left)
        chosen = self._pick(choice.left, total)
        option = choice.left.pop(len(choice.left) - 1 if chosen is None else chosen)
        self.choices.append(choice)
        return self._enter(option, choice.goal, choice.args)

    def _enter(self, option: Option, goal: Goal, args: tuple[Term, ...]) -> Goal:
        clause, label = option
        self.path.append((clause.source, label))
        return enter(self, clause, goal, args)

    def _pick(self, options: list[Option], total: float) -> int | None:
        """Index of an option, with probability label / total; None with the remaining
        probability."""
        at = self._random.random() * total
        for i, (_, label) in enumerate(options):
            at -= label
            if at < 0:
                return i
        return None

    def cut(self, height: int) -> None:
        """Forget the logical alternatives above a height; clauses left to draw are not
        alternatives.

        E241 if some of them stand before a stochastic goal, as in the search for all proofs.
        """
        above = self.choices[height:]
        drawn = [c for c in above if isinstance(c, _Drawn)]
        if drawn != above[: len(drawn)]:
            raise faults.crossing_cut(self.span)
        self.choices[height:] = drawn


@dataclass
class Sampler:
    """Draws of a goal's proofs, each giving an instance of `answer`.

    Variables of both are numbered below `first`; `limits` are those of one draw, all its tries
    together. `tries` counts the draws begun, rejected ones included, and `inferences` what all of
    them took.
    """

    database: Database
    goal: Goal
    answer: Term
    first: int
    limits: Limits
    failure: Failure
    weights: bool
    random: Random
    tries: int = field(default=0, init=False)
    inferences: int = field(default=0, init=False)

    def draw(self) -> DrawnPath:
        """One draw.

        Raises
        ------
        ProgramError
            E214 if the limits do not suffice, E244 for several proofs in one draw, E245 if there
            is no proof to backtrack to, E246 for rejection where labels are weights.
        """
        if self.failure == "rejection" and self.weights:
            raise faults.weighted_draws(self.goal.span)
        meter = Meter(self.limits)
        try:
            return self._draw(meter)
        finally:
            self.inferences += meter.inferences

    def _draw(self, meter: Meter) -> DrawnPath:
        begun = self.tries
        while True:
            check_budgets()
            self.tries += 1
            rejected, spent = self.tries - begun - 1, meter.inferences
            try:
                found = self._try(meter)
            except faults.LimitError as error:
                # A draw that takes more than all before it may be endless: its own message fits.
                if not error.ends_search or spent <= self.limits.inferences // 2:
                    raise
                limit, span = self.limits.inferences, self.goal.span
                raise faults.all_draws_rejected(limit, rejected, span) from error
            if len(found) > 1:
                raise faults.several_proofs(self.goal.span)
            if found:
                return found[0]
            if self.failure == "backtracking":
                raise faults.nothing_to_draw(self.goal.span)

    def _try(self, meter: Meter) -> list[DrawnPath]:
        """The proofs that one try finds: at most two, one if it backtracks."""
        store = Store(self.first)
        machine = _DrawingMachine(self.database, meter, store, self.random, self)
        wanted = 1 if self.failure == "backtracking" else 2
        found: list[DrawnPath] = []
        for proved in machine.explore(self.goal):
            if proved:
                found.append(DrawnPath(store.resolve(self.answer), [*machine.path]))
            if len(found) == wanted:
                break
        meter.add_terms(store)
        return found
