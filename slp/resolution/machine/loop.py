"""SLD resolution as a loop over goals to prove, choice points, and a store.

The search is depth first, with clauses in order. A proof in progress is a linked list of `Goal`s,
shared between the alternatives. The alternatives left are a stack of `ChoicePoint`s. A cut shortens
the stack to a height. Nothing recurses, so the depth of a proof is limited by memory only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

from slp.errors import ProgramError
from slp.resolution.machine import faults
from slp.resolution.machine.store import Store
from slp.source import SourceSpan
from slp.terms import Atom, Struct, Term, Var

if TYPE_CHECKING:
    from slp.resolution.machine.clauses import PreparedPredicate


@dataclass(frozen=True)
class Limits:
    """How much work one query may take: `inferences`, the goals that are called, and `depth`, the
    nested predicates of a proof.

    `inferences` counts one more for every 32 parts of terms visited.
    """

    inferences: int = 1_000_000
    depth: int = 200_000


DEFAULT_LIMITS = Limits()

#: The limits of the guards and labels of one state where a program is checked: a second or two.
STATE_LIMITS = Limits(DEFAULT_LIMITS.inferences // 5, DEFAULT_LIMITS.depth // 5)

#: Parts of terms visited that count as one inference.
PARTS_PER_INFERENCE = 32


@dataclass
class Meter:
    """The used part of the limits, for one query or several together."""

    limits: Limits
    inferences: int = 0

    def add_terms(self, store: Store) -> None:
        """Count the parts of terms that a finished store has visited."""
        self.inferences += store.work // PARTS_PER_INFERENCE


@dataclass(slots=True, eq=False, repr=False)
class Goal:
    """A goal, and the goals behind it.

    `cut` is the height to which `!` in it cuts the choice stack; `depth` the number of predicates
    around it; `span` the place in the program that it comes from.
    """

    term: Term | Action
    cut: int
    depth: int
    span: SourceSpan | None
    next: Goal

    def then(
        self, term: Term | Action, *, cut: int | None = None, next: Goal | None = None
    ) -> Goal:
        """Another goal in this one's place: same depth, and the same cut and rest unless given."""
        # A variable's place is that of its first occurrence, which may be another clause.
        span = (None if callable(term) or isinstance(term, Var) else term.span) or self.span
        cut = self.cut if cut is None else cut
        return Goal(term, cut, self.depth, span, self.next if next is None else next)


#: A step of the machine itself between goals, such as the cut behind a condition.
Action: TypeAlias = Callable[["Machine", Goal], Goal | None]


class Definition(Protocol):
    """The definition of a predicate."""

    def call(self, machine: Machine, goal: Goal, term: Struct | Atom) -> Goal | None:
        """Call `term`, the dereferenced goal. Returns the next goal, None if it fails."""
        ...


Definitions: TypeAlias = Mapping[tuple[str, int], Definition]


class ChoicePoint(Protocol):
    """A choice point; `mark` is the trail's length to restore."""

    mark: int

    def retry(self, machine: Machine) -> Goal | None:
        """The next alternative; bindings are undone, and this is off the stack."""
        ...


@dataclass(slots=True, eq=False)
class AlternativeGoal:
    """Continue with another goal; `dead` once a soft cut has removed it."""

    mark: int
    goal: Goal
    dead: bool = False

    def retry(self, machine: Machine) -> Goal | None:
        """The other goal."""
        return None if self.dead else self.goal


class Barrier:
    """A choice point that marks a condition, a negation or a collection in progress."""

    __slots__ = ()

    @property
    def is_open(self) -> bool:
        """Whether it is still in progress."""
        return True


#: Steps after which `explore` yields False.
_PAUSE = 10_000

#: Steps after which it calls `look`.
_LOOK = 250


class Machine:
    """One query in progress."""

    def __init__(
        self,
        definitions: Definitions,
        parameters: Mapping[str, int | float],
        meter: Meter,
        store: Store,
    ) -> None:
        self.definitions = definitions
        self.parameters = parameters
        self.meter = meter
        self.store = store
        self.choices: list[ChoicePoint] = []
        #: The place to report for an error.
        self.span: SourceSpan | None = None

    def prove(self, terms: Sequence[Term], span: SourceSpan | None = None) -> Iterator[None]:
        """Prove goals in order; yields at each proof, whose bindings the store holds.

        `span` is the place of goals without a span.

        Raises
        ------
        ProgramError
            E201 to E218, with the span of the faulty goal.
        """
        first = END
        for term in reversed(terms):
            first = Goal(term, 0, 0, term.span or span, first)
        for proved in self.explore(first):
            if proved:
                yield

    def explore(self, start: Goal) -> Iterator[bool]:
        """Prove a goal and those behind it: yields True for each proof, and False regularly in
        between."""
        goal: Goal | None = start
        steps = 0
        while goal is not None:
            if goal is END:
                yield True
                goal = None
            else:
                goal = self._guarded(self._step, goal)
            if goal is None:
                goal = self._guarded(self._retry)
            steps += 1
            if steps % _LOOK == 0:
                self.look()
            if steps % _PAUSE == 0:
                yield False

    def choose(
        self, predicate: PreparedPredicate, goal: Goal, args: tuple[Term, ...]
    ) -> Goal | None:
        """Call a stochastic predicate. Only a query on the program can do this."""
        raise faults.stochastic_goal(predicate.name, predicate.arity, self.span)

    def _guarded(self, advance: Callable[..., Goal | None], *args: object) -> Goal | None:
        """Call `advance`, and add the place to errors that have none."""
        try:
            return advance(*args)
        except ProgramError as e:
            if any(d.span is None for d in e.diagnostics):
                e.diagnostics = tuple(replace(d, span=d.span or self.span) for d in e.diagnostics)
            raise

    def _step(self, goal: Goal) -> Goal | None:
        self.spend(1, goal.span)
        term = goal.term
        if type(term) is Var:
            term = self.store.deref(term)
        if type(term) is Struct:
            definition = self.definitions.get((term.name, len(term.args)))
        elif type(term) is Atom:
            definition = self.definitions.get((term.name, 0))
        elif callable(term):
            return term(self, goal)
        else:
            raise _not_a_goal(term, goal.span)
        self.span = term.span or goal.span
        if definition is None:
            arity = len(term.args) if type(term) is Struct else 0
            raise faults.unknown_predicate(term.name, arity, self.definitions, self.span)
        return definition.call(self, goal, term)

    def _retry(self) -> Goal | None:
        """Return to the last choice point that has an alternative left."""
        while self.choices:
            choice = self.choices.pop()
            self.store.undo(choice.mark)
            goal = choice.retry(self)
            if goal is not None:
                return goal
        return None

    def spend(self, inferences: int, span: SourceSpan | None = None) -> None:
        """Count inferences, and stop with E214 at the limit."""
        meter = self.meter
        meter.inferences += inferences
        used = meter.inferences + self.store.work // PARTS_PER_INFERENCE
        if used > meter.limits.inferences:
            raise faults.too_many_inferences(meter.limits.inferences, span or self.span)

    def look(self) -> None:
        """Called regularly in a long proof."""

    def cut(self, height: int) -> None:
        """Forget the choice points above a height."""
        del self.choices[height:]


def _not_a_goal(term: Term, span: SourceSpan | None) -> ProgramError:
    if isinstance(term, Var):
        return faults.unbound_goal(term, term.span or span)
    return faults.not_callable(term, span)


def _nothing(machine: Machine, goal: Goal) -> Goal | None:
    return None


#: Behind the last goal of every proof: the one goal without a next.
END = Goal(_nothing, 0, 0, None, None)  # type: ignore[arg-type]
