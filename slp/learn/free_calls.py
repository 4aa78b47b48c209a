"""Whether calls answer alike with the arguments that an observation binds and with free ones.

An observation y is an answer to a goal G, which is more general. Its probability is that of the
derivations of G whose answer is y. Its mass is summed over derivations of y itself, where the
arguments are bound from the start. In pure logic programs both are the same. A cut, a negation, a
comparison of terms or a condition may tell a free argument from a bound one.

`FreeRuns` therefore repeats each run of the observation's graph as a run of G. At a stochastic goal
and at the end of a proof, the answer so far must unify with the observation, else the way there is
left out. What remains must be the same stochastic goals with the same goals behind them, and as
many proofs. This is Lloyd's lifting lemma ("Foundations of Logic Programming", 1987, section 8),
tested at each step.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from slp.errors import ProgramError, SlpError
from slp.learn import faults
from slp.learn.pure_goals import Kind, kind_of_clauses, kind_of_goal, kind_of_program
from slp.resolution import Database, Limits, Meter
from slp.resolution.machine.clauses import PreparedClause, PreparedPredicate
from slp.resolution.machine.faults import LimitError
from slp.resolution.machine.loop import END, Action, Goal, Machine
from slp.resolution.machine.store import Numbering, Store
from slp.resolution.proofs.choices import enter
from slp.resolution.proofs.search import Exit, SearchMachine
from slp.resolution.proofs.tails import CROSSES, Tails
from slp.source import SourceSpan
from slp.terms import NIL, Atom, Struct, Term, Var, functor, substitute, variables

#: A term of the free run, and the part of the observation that it must become.
_Pair: TypeAlias = tuple[Term, Term]

#: Inferences of one call that is tried alone to find the place of a difference.
_INFERENCES_OF_A_CALL = 100_000


@dataclass(frozen=True)
class FreeExit:
    """A stochastic goal that a free run has reached, as `slp.resolution.proofs.search.Exit`.

    `awaited`: its free variables that the observation binds, with their values there. Two are equal
    if their `key` is.
    """

    goal: Goal = field(compare=False)
    args: tuple[Term, ...] = field(compare=False)
    awaited: tuple[_Pair, ...] = field(compare=False)
    first: int = field(compare=False)
    key: tuple[Hashable, ...]


@dataclass(frozen=True)
class _Call:
    """A call of a free run that may tell free arguments from bound ones: as it was called, and with
    what the observation binds."""

    free: Term
    bound: Term
    span: SourceSpan | None


class _FreeMachine(SearchMachine):
    """A run of the general goal. `awaited` are the pairs that must unify."""

    def __init__(
        self, database: Database, meter: Meter, store: Store, awaited: Sequence[_Pair], tails: Tails
    ) -> None:
        answer = tails.answers.first(NIL)
        super().__init__(database, meter, store, answer, tails, weights=False)
        self.awaited = awaited
        self.free_exits: list[FreeExit] = []

    def agrees(self) -> bool:
        """Make the answer so far that of the observation; bindings are left to undo."""
        return all(self.store.unify(x, y) for x, y in self.awaited)

    def choose(self, predicate: PreparedPredicate, goal: Goal, args: tuple[Term, ...]) -> None:
        """Record the goal twice, if it agrees with the observation: as the observation has it, in
        `exits`, and as it is."""
        mark, before = self.store.mark(), len(self.exits)
        if self.agrees():
            super().choose(predicate, goal, args)
        self.store.undo(mark)
        if len(self.exits) > before:
            self.free_exits.append(self._as_it_is(predicate, goal, args))

    def _as_it_is(
        self, predicate: PreparedPredicate, goal: Goal, args: tuple[Term, ...]
    ) -> FreeExit:
        tail, numbers = self._tails.put_down(self, goal.next)
        called = tuple(self.store.renumber(a, numbers) for a in args)
        mark = self.store.mark()
        awaited = _still_awaited(self.store, self.awaited, numbers)
        self.store.undo(mark)
        term = Struct(predicate.name, called) if called else Atom(predicate.name)
        apart = Goal(term, CROSSES, goal.depth, goal.span, tail)
        key = id(predicate), called, tail, awaited
        return FreeExit(apart, called, awaited, numbers.count + 1, key)


def _still_awaited(store: Store, awaited: Sequence[_Pair], numbers: Numbering) -> tuple[_Pair, ...]:
    """The pairs whose first term is a free variable that has a number, in these numbers. Free
    variables of the observation may be bound on the way."""
    numbered = numbers.count
    found: list[tuple[Var, Term]] = []
    todo = list(reversed(awaited))
    while todo:
        x, y = (store.deref(t) for t in todo.pop())
        if isinstance(x, Var):
            if x != y:
                found.append((x, y))
        elif isinstance(y, Var):
            store.bind(y, x)
        elif isinstance(x, Struct) and isinstance(y, Struct):
            todo.extend(zip(reversed(x.args), reversed(y.args), strict=True))
    living = [(new, y) for x, y in found if (new := numbers(x)).id <= numbered]
    return tuple((x, store.renumber(y, numbers)) for x, y in dict.fromkeys(living))


class _WatchingMachine(_FreeMachine):
    """A run that notes the calls that may tell free arguments from bound ones."""

    calls: list[_Call]

    def _step(self, goal: Goal) -> Goal | None:
        if not callable(goal.term):
            self._note(goal.term, goal.span)
        return super()._step(goal)

    def _note(self, term: Term, span: SourceSpan | None) -> None:
        store = self.store
        term = store.deref(term)
        key = functor(term)
        definition = None if key is None else self.definitions.get(key)
        if isinstance(definition, PreparedPredicate):
            if definition.is_stochastic:
                return
            kind = kind_of_clauses(definition, self.definitions)
        else:
            kind = kind_of_goal(term, self.definitions)
        if kind is Kind.PURE:
            return
        mark = store.mark()
        if self.agrees():
            bound = store.resolve(term)
            store.undo(mark)
            free = store.resolve(term)
            if free != bound:
                self.calls.append(_Call(free, bound, term.span or span))
        else:
            store.undo(mark)


@dataclass(eq=False)
class FreeRuns:
    """The companion of the graph of the observation `seen` (see `slp.resolution.proofs.graph`),
    which is an instance of `general`. Both have variables with different numbers, below `first`.

    Raises
    ------
    SlpError
        E289: some call answers otherwise with free arguments.
    """

    database: Database
    general: Term
    seen: Term
    first: int
    limits: Limits
    span: SourceSpan | None
    kind: Kind
    _tails: Tails = field(default_factory=Tails)

    @classmethod
    def of(
        cls,
        database: Database,
        general: Term,
        seen: Term,
        first: int,
        limits: Limits,
        span: SourceSpan | None,
    ) -> FreeRuns | None:
        """The companion, None where the program below the goal is pure."""
        kind = kind_of_program(general, database.definitions)
        if kind is Kind.PURE:
            return None
        return cls(database, general, seen, first, limits, span, kind)

    def follow(
        self,
        before: Hashable,
        clause: PreparedClause | None,
        exits: Sequence[Exit],
        proofs: int,
    ) -> Sequence[Hashable]:
        """See `slp.resolution.proofs.graph.Companion`. Each exit gets its free one, or None behind
        a run that could not be repeated within the limits."""
        if clause is not None and before is None:
            return [None] * len(exits)
        assert before is None or isinstance(before, FreeExit)
        if clause is not None and clause.is_instance and self._tells_free(clause):
            raise self._refusal(before, clause, None)
        try:
            free_proofs, views, free = self._run(before, clause)
        except LimitError as e:
            if self.kind is Kind.ERROR_OR_PURE:
                return [None] * len(exits)
            raise self._refusal(before, clause, e) from None
        except ProgramError as e:
            raise self._refusal(before, clause, e) from None
        found = _matched(exits, views, free)
        if found is None or free_proofs != proofs:
            raise self._refusal(before, clause, None)
        return found

    def _tells_free(self, clause: PreparedClause) -> bool:
        """Whether the goals that bind a label may tell free arguments from bound ones: an instance
        has the bindings that the observation gave them."""
        body = clause.source.body
        assert body is not None, "goals of the body bind the label"
        return kind_of_program(body, self.database.definitions) is Kind.OTHER

    def _machine(self, before: FreeExit | None, kind: type[_FreeMachine]) -> _FreeMachine:
        first = self.first if before is None else before.first
        awaited = ((self.general, self.seen),) if before is None else before.awaited
        meter = Meter(self.limits)
        return kind(self.database, meter, Store(first), awaited, self._tails)

    def _start(
        self, machine: Machine, before: FreeExit | None, clause: PreparedClause | None
    ) -> Goal:
        if before is None or clause is None:
            return Goal(self.general, 0, 0, None, END)
        return enter(machine, clause, before.goal, before.args)

    def _run(
        self, before: FreeExit | None, clause: PreparedClause | None
    ) -> tuple[int, list[Exit], list[FreeExit]]:
        """The proofs that agree with the observation, and the exits that do, in both forms."""
        machine = self._machine(before, _FreeMachine)
        proofs = 0
        for proved in machine.explore(self._start(machine, before, clause)):
            if proved:
                mark = machine.store.mark()
                proofs += machine.agrees()
                machine.store.undo(mark)
        return proofs, machine.exits, machine.free_exits

    # --- the place of a difference ---------------------------------------------------------------

    def _refusal(
        self, before: FreeExit | None, clause: PreparedClause | None, error: ProgramError | None
    ) -> SlpError:
        """E289 for the first call, in a clause, that has other answers alone. Without one it is for
        the goal of the run."""
        term = self.general if before is None else before.goal.term
        assert not callable(term)
        span = self._first_clause(term) if clause is None else clause.source.span
        for call in self._calls(before, clause):
            free = self._answers(call.free, call.bound)
            undecided = isinstance(free.error, LimitError) and not isinstance(error, LimitError)
            if undecided or free == self._answers(call.bound, call.bound):
                continue
            term, error = call.bound, free.error or error
            if call.span is not None:
                span = call.span
                break
        return faults.other_answers(term, span, self.span, error)

    def _first_clause(self, goal: Term) -> SourceSpan | None:
        key = functor(goal)
        found = None if key is None else self.database.definitions.get(key)
        return found.clauses[0].source.span if isinstance(found, PreparedPredicate) else None

    def _calls(self, before: FreeExit | None, clause: PreparedClause | None) -> list[_Call]:
        machine = self._machine(before, _WatchingMachine)
        assert isinstance(machine, _WatchingMachine)
        machine.calls = []
        try:
            for _ in machine.explore(self._start(machine, before, clause)):
                pass
        except ProgramError:
            pass  # the call that it comes from is the last one noted
        return machine.calls

    def _answers(self, goal: Term, wanted: Term) -> _CallAnswers:
        """The answers to a goal that are instances of what is wanted."""
        meter = Meter(Limits(_INFERENCES_OF_A_CALL, self.limits.depth))
        store = Store(1 + max((v.id for t in (goal, wanted) for v in variables(t)), default=0))
        machine = Machine(self.database.definitions, self.database.parameters, meter, store)
        found = []
        try:
            for _ in machine.prove([goal]):
                mark = store.mark()
                if store.unify(goal, wanted):
                    found.append(repr(_unnamed(store.resolve(goal))))
                store.undo(mark)
        except ProgramError as e:
            return _CallAnswers((e.diagnostics[0].code,), e)
        return _CallAnswers(tuple(sorted(found)))


@dataclass(frozen=True)
class _CallAnswers:
    """Answers to a call in any order, or the error that it has in place of answers."""

    found: tuple[str, ...]
    error: ProgramError | None = field(default=None, compare=False)


def _matched(
    exits: Sequence[Exit], views: Sequence[Exit], free: Sequence[FreeExit]
) -> list[FreeExit] | None:
    """For each exit of a run the free one that is the same where it is bound, None if the two runs
    have other exits."""
    if len(exits) != len(views):
        return None
    left = list(range(len(views)))
    found = []
    for own in exits:
        i = next((i for i in left if _same_goals(own, views[i])), None)
        if i is None:
            return None
        left.remove(i)
        found.append(free[i])
    return found


def _same_goals(one: Exit, other: Exit) -> bool:
    """Whether two exits have the same goals left, apart from the names of variables."""
    x, y = one.goal, other.goal
    while x is not y:
        if x is END or y is END or x.cut != y.cut or not _same_terms(x.term, y.term):
            return False
        x, y = x.next, y.next
    return True


def _same_terms(x: Term | Action, y: Term | Action) -> bool:
    if callable(x) or callable(y):
        return x == y
    return x == y or _unnamed(x) == _unnamed(y)


def _unnamed(term: Term) -> Term:
    return substitute(term, {v: Var("_", v.id) for v in variables(term)})
