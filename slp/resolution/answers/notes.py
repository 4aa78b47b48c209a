"""Notes for people on the masses of a query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from slp.ir.program import CheckedProgram, LogicClause
from slp.resolution.proofs.masses import Mass
from slp.terms import Number, Struct, Term, Var, conjuncts, functor

_Key = tuple[str, int]

#: How far masses may be from 1 by rounding.
_ROUNDING = 1e-9


def notes_on_masses(
    program: CheckedProgram, goal: Term, success: Mass, failure: Mass | None
) -> tuple[str, ...]:
    """Sentences about success and failure (masses; failure None under `:- weights.`).

    They say why the two sum to more than 1, and which recursive predicates lose mass because an
    argument, and no label, decides which of their clauses applies.
    """
    if failure is None:
        return ()
    notes = []
    if float(success.plus(failure)) > 1 + _ROUNDING:
        notes.append(
            "success and failure sum to more than 1: some logical goal has several solutions, and "
            "the choices behind it count once for each of them"
        )
    if success and float(failure) > _ROUNDING:
        notes += [_lost(*key) for key in _parted_by_an_argument(program, goal)]
    return tuple(notes)


def notes_on_condition(program: CheckedProgram, goal: Term, given: Term | None) -> tuple[str, ...]:
    """A sentence, if a condition may call a stochastic predicate that the goal may call: its call
    makes a choice of its own, and says nothing of the goal's."""
    clauses = _clauses_of(program)
    reached = {} if given is None else _reached(given, clauses)
    both = (key for key in reached if key in _reached(goal, clauses))
    twice = next((k for k in both if any(c.label is not None for c in clauses[k])), None)
    if twice is None:
        return ()
    return (
        "the condition is one more goal: it makes choices of its own of `{}/{}`, apart from those "
        "of the first goal. To condition one proof, name its choices in one goal that shares "
        "variables with the condition".format(*twice),
    )


def _lost(name: str, arity: int) -> str:
    predicate = f"`{name}/{arity}`"
    return (
        f"every call of {predicate} loses the labels of the clauses whose heads do not match it: "
        "its labels are the probabilities of its clauses, whatever the arguments. If an argument "
        f"decides which clause applies, write `1 ::` in front of each clause of {predicate}"
    )


def _parted_by_an_argument(program: CheckedProgram, goal: Term) -> Iterator[_Key]:
    """Recursive stochastic predicates whose clauses differ in the form of an argument, as `[]` and
    `[X|Xs]`, if a goal calls them with this argument bound. Predicates with labels 1 are left out.
    """
    clauses = _clauses_of(program)
    for called in conjuncts(goal):
        key = functor(called)
        own = clauses.get(key, []) if key is not None else []
        labels = [c.label for c in own]
        chosen = None not in labels and any(label != Number(1) for label in labels)
        if key is None or not isinstance(called, Struct) or len(own) < 2 or not chosen:
            continue
        bound = (i for i in _parting(own) if not isinstance(called.args[i], Var))
        if next(bound, None) is not None and _calls_itself(key, clauses):
            yield key


def _clauses_of(program: CheckedProgram) -> dict[_Key, list[LogicClause]]:
    clauses: dict[_Key, list[LogicClause]] = defaultdict(list)
    for clause in program.clauses:
        if (key := functor(clause.head)) is not None:
            clauses[key].append(clause)
    return clauses


def _parting(clauses: Sequence[LogicClause]) -> Iterator[int]:
    """Positions at which each clause has a different form."""
    heads = [c.head for c in clauses if isinstance(c.head, Struct)]
    for i, arguments in enumerate(zip(*(h.args for h in heads), strict=True)):
        kinds = {functor(t) for t in arguments}
        forms = any(isinstance(t, Struct) for t in arguments)
        if forms and len(kinds) == len(clauses) and not any(isinstance(t, Var) for t in arguments):
            yield i


def _calls_itself(key: _Key, clauses: Mapping[_Key, Sequence[LogicClause]]) -> bool:
    bodies = [c.body for c in clauses[key] if c.body is not None]
    return any(key in _reached(body, clauses) for body in bodies)


def _reached(goal: Term, clauses: Mapping[_Key, Sequence[LogicClause]]) -> dict[_Key, None]:
    """Predicates of the program that a goal may call, in the order in which they are met."""
    found: dict[_Key, None] = {}
    todo = [goal]
    while todo:
        term = todo.pop()
        key = functor(term)
        if key in clauses and key not in found and key is not None:
            found[key] = None
            todo += [c.body for c in clauses[key] if c.body is not None]
        elif key not in clauses and isinstance(term, Struct):
            todo += term.args  # of control constructs
    return found
