"""Control: `,` `;` `->` `*->` `\\+` `!` call/N once/1 forall/2 findall/3 true fail false.

`prolog/1`, which calls SWI-Prolog, is refused here: see `slp.swipl.prolog`.

A construct replaces itself by other goals, leaves choice points, and inserts actions of the machine
(cut back to here, collect this answer) between goals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from slp.resolution.machine import faults
from slp.resolution.machine.loop import Action, AlternativeGoal, Barrier, Goal, Machine
from slp.terms import Atom, Struct, Term, Var, functor, list_term

_MOST_CALL_ARGUMENTS = 8

#: Control constructs and built-ins that call goals, with the positions of these goals.
GOALS_IN = {
    (",", 2): (0, 1),
    (";", 2): (0, 1),
    ("->", 2): (0, 1),
    ("*->", 2): (0, 1),
    ("call", 1): (0,),
    ("\\+", 1): (0,),
    ("once", 1): (0,),
    ("forall", 2): (0, 1),
    ("findall", 3): (1,),
}


@dataclass(frozen=True)
class _Control:
    """A construct: `run(machine, goal, *args)` gives the next goal, None if it fails."""

    run: Callable[..., Goal | None]

    def call(self, machine: Machine, goal: Goal, term: Struct | Atom) -> Goal | None:
        """Run the construct on its arguments."""
        return self.run(machine, goal, *(term.args if isinstance(term, Struct) else ()))


@dataclass(frozen=True, slots=True)
class CutTo:
    """The action that takes the choice stack back to a height."""

    height: int

    def __call__(self, machine: Machine, goal: Goal) -> Goal:
        machine.span = goal.span
        machine.cut(self.height)
        return goal.next


class _Otherwise(AlternativeGoal, Barrier):
    """A choice point that is reached if the goal of a condition or a negation fails."""

    __slots__ = ()

    @property
    def is_open(self) -> bool:
        return not self.dead


#: Constructs that pass the height of their clause's cut to goals inside them.
_TRANSPARENT = {("!", 0), (",", 2), (";", 2), ("->", 2), ("*->", 2)}


def passes_cut(term: Term) -> bool:
    """Whether a `!` in or at this place can cut the surrounding clause. A variable may be bound to
    a cut."""
    return isinstance(term, Var) or functor(term) in _TRANSPARENT


def _true(machine: Machine, goal: Goal) -> Goal:
    return goal.next


def _fail(machine: Machine, goal: Goal) -> None:
    return None


def _cut(machine: Machine, goal: Goal) -> Goal:
    machine.cut(goal.cut)
    return goal.next


def _and(machine: Machine, goal: Goal, left: Term, right: Term) -> Goal:
    return goal.then(left, next=goal.then(right))


def _or(machine: Machine, goal: Goal, left: Term, right: Term) -> Goal:
    left = machine.store.deref(left)
    height = len(machine.choices)
    mark = machine.store.mark()
    if isinstance(left, Struct) and len(left.args) == 2 and left.name in ("->", "*->"):
        condition, then = left.args
        other = _Otherwise(mark, goal.then(right))
        machine.choices.append(other)
        commit = CutTo(height) if left.name == "->" else _soft_cut(other)
        return _conditional(goal, condition, commit, then, height + 1)
    machine.choices.append(AlternativeGoal(mark, goal.then(right)))
    return goal.then(left)


def _soft_cut(choice: _Otherwise) -> Action:
    def act(machine: Machine, goal: Goal) -> Goal:
        choice.dead = True
        return goal.next

    return act


def _conditional(goal: Goal, condition: Term, commit: Action, then: Term, height: int) -> Goal:
    """condition, commit, then; a cut in the condition stays in it."""
    return goal.then(condition, cut=height, next=goal.then(commit, next=goal.then(then)))


def _if_then(machine: Machine, goal: Goal, condition: Term, then: Term) -> Goal:
    height = len(machine.choices)
    return _conditional(goal, condition, CutTo(height), then, height)


def _if_then_soft(machine: Machine, goal: Goal, condition: Term, then: Term) -> Goal:
    return goal.then(condition, cut=len(machine.choices), next=goal.then(then))


def _once(machine: Machine, goal: Goal, inner: Term) -> Goal:
    height = len(machine.choices)
    return goal.then(inner, cut=height, next=goal.then(CutTo(height)))


def _not(machine: Machine, goal: Goal, inner: Term) -> Goal:
    height = len(machine.choices)
    machine.choices.append(_Otherwise(machine.store.mark(), goal.next))
    refuted = goal.then(Atom("fail"))
    return goal.then(inner, cut=height + 1, next=goal.then(CutTo(height), next=refuted))


def _forall(machine: Machine, goal: Goal, condition: Term, then: Term) -> Goal:
    counterexample = Struct(",", (condition, Struct("\\+", (then,))))
    return _not(machine, goal, counterexample)


def _call(machine: Machine, goal: Goal, inner: Term, *more: Term) -> Goal:
    return goal.then(_with_arguments(machine, goal, inner, more), cut=len(machine.choices))


def _with_arguments(machine: Machine, goal: Goal, inner: Term, more: tuple[Term, ...]) -> Term:
    inner = machine.store.deref(inner)
    if not more:
        return inner
    if isinstance(inner, Struct):
        return Struct(inner.name, inner.args + more, inner.span)
    if isinstance(inner, Atom):
        return Struct(inner.name, more, inner.span)
    if isinstance(inner, Var):
        raise faults.unbound_goal(inner, inner.span or goal.span)
    raise faults.not_callable(inner, goal.span)


@dataclass(slots=True, eq=False)
class _Collected(Barrier):
    """Choice point below a findall: when its goal has no more answers, give the list of them."""

    mark: int
    goal: Goal
    answers: list[Term]
    result: Term

    def retry(self, machine: Machine) -> Goal | None:
        """Unify the list with the result."""
        machine.span = self.goal.span
        same = machine.store.unify(self.result, list_term(self.answers))
        return self.goal.next if same else None


def _findall(machine: Machine, goal: Goal, answer: Term, inner: Term, result: Term) -> Goal:
    answers: list[Term] = []

    def collect(machine: Machine, goal: Goal) -> None:
        answers.append(machine.store.rename(answer))

    machine.choices.append(_Collected(machine.store.mark(), goal, answers, result))
    return goal.then(inner, cut=len(machine.choices), next=goal.then(collect))


def _prolog(machine: Machine, goal: Goal, inner: Term) -> Goal:
    raise faults.needs_prolog(machine.span)


CONTROL: Mapping[tuple[str, int], _Control] = {
    ("true", 0): _Control(_true),
    ("fail", 0): _Control(_fail),
    ("false", 0): _Control(_fail),
    ("!", 0): _Control(_cut),
    (",", 2): _Control(_and),
    (";", 2): _Control(_or),
    ("->", 2): _Control(_if_then),
    ("*->", 2): _Control(_if_then_soft),
    ("\\+", 1): _Control(_not),
    ("once", 1): _Control(_once),
    ("forall", 2): _Control(_forall),
    ("findall", 3): _Control(_findall),
    ("prolog", 1): _Control(_prolog),
    **{("call", n): _Control(_call) for n in range(1, _MOST_CALL_ARGUMENTS + 1)},
}
