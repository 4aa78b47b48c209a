"""What a person must know to read the masses of a query as the program means them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from slp.ir.program import LogicClause, Program
from slp.proofs.terms import Number, Struct, Term, Var, functor

__all__ = ["notes_on_masses"]

_Key = tuple[str, int]

#: How far masses may be from 1 by rounding.
_ROUNDING = 1e-9


def notes_on_masses(
    program: Program, goal: Term, success: float, failure: float | None
) -> tuple[str, ...]:
    """Sentences about success and failure (masses; failure None under `:- weights.`).

    They say why the two sum to more than 1, and which recursive predicates lose mass because an
    argument, and no label, decides which of their clauses applies.
    """
    if failure is None:
        return ()
    notes = []
    if success + failure > 1 + _ROUNDING:
        notes.append(
            "success and failure sum to more than 1: some logical goal has several solutions, and "
            "the choices behind it count once for each of them"
        )
    if failure > _ROUNDING:
        notes += [_lost(*key) for key in _parted_by_an_argument(program, goal)]
    return tuple(notes)


def _lost(name: str, arity: int) -> str:
    predicate = f"`{name}/{arity}`"
    return (
        f"every call of {predicate} loses the labels of the clauses whose heads do not match it: "
        "its labels are the chances of its clauses whatever the arguments. If an argument decides "
        f"which clause applies, write `1 ::` in front of each clause of {predicate}"
    )


def _parted_by_an_argument(program: Program, goal: Term) -> Iterator[_Key]:
    """Recursive stochastic predicates below a goal, each of whose clauses applies to another form
    of some argument, as `[]` and `[X|Xs]` are, with labels other than 1."""
    clauses: dict[_Key, list[LogicClause]] = defaultdict(list)
    for clause in program.clauses:
        if (key := functor(clause.head)) is not None:
            clauses[key].append(clause)
    for key in _reached(goal, clauses):
        own = clauses[key]
        labels = [c.label for c in own]
        chosen = None not in labels and any(label != Number(1) for label in labels)
        if len(own) > 1 and chosen and _is_parted(own) and _calls_itself(key, clauses):
            yield key


def _is_parted(clauses: Sequence[LogicClause]) -> bool:
    heads = [c.head for c in clauses if isinstance(c.head, Struct)]
    for arguments in zip(*(h.args for h in heads), strict=True):
        kinds = {functor(t) for t in arguments}
        forms = any(isinstance(t, Struct) for t in arguments)
        if forms and len(kinds) == len(clauses) and not any(isinstance(t, Var) for t in arguments):
            return True
    return False


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
