"""Clauses prepared for use: terms whose variables are numbered places in a frame.

A frame is a list with one place for each variable of a clause, None until the variable is met.
Matching a head with a goal fills places and makes no variables or terms. Instantiation then makes a
body's terms. So a clause that does not match costs little, and the first occurrence of a variable
needs no occurs check. Ground subterms are shared by all uses of the clause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from slp.resolution.machine import faults
from slp.resolution.machine.store import LARGEST, Store
from slp.source import SourceSpan
from slp.terms import Struct, Term, Var


@dataclass(frozen=True, slots=True)
class Slot:
    """A variable of a clause: its place in the frame."""

    index: int
    variable: Var


@dataclass(slots=True, eq=False, repr=False)
class Pattern:
    """A compound term that holds variables of the clause."""

    name: str
    args: tuple[Template, ...]
    span: SourceSpan | None
    _code: tuple[Template, ...] | None = None

    @property
    def code(self) -> tuple[Template, ...]:
        """The term in postfix order, a `Pattern` standing for "build it from the last parts"."""
        if self._code is None:
            prefix: list[Template] = []  # from the right, so that its reverse is postfix
            todo: list[Template] = [self]
            while todo:
                part = todo.pop()
                prefix.append(part)
                if type(part) is Pattern:
                    todo.extend(part.args)
            self._code = tuple(reversed(prefix))
        return self._code


#: A `Term` in here is ground.
Template: TypeAlias = Slot | Pattern | Term
ClauseFrame: TypeAlias = list[Term | None]


def template(term: Term, slots: dict[Var, Slot]) -> Template:
    """Prepare a term. `slots` has the places of the variables, and gets new ones."""
    built: list[Template] = []
    todo: list[tuple[Term, bool]] = [(term, False)]  # True: its arguments are on top of `built`
    while todo:
        t, ready = todo.pop()
        if isinstance(t, Var):
            built.append(slots.setdefault(t, Slot(len(slots), t)))
        elif not isinstance(t, Struct):
            built.append(t)
        elif not ready:
            todo.append((t, True))
            todo.extend([(a, False) for a in reversed(t.args)])
        else:
            args = tuple(built[-len(t.args) :])
            del built[-len(t.args) :]
            ground = not any(isinstance(a, Slot | Pattern) for a in args)
            built.append(t if ground else Pattern(t.name, args, t.span))
    return built[0]


def instantiate(prepared: Template, frame: ClauseFrame, store: Store) -> Term:
    """The term of a template. Variables not met before are new."""
    for part in prepared.code if type(prepared) is Pattern else (prepared,):
        if type(part) is Slot and frame[part.index] is None:
            frame[part.index] = store.fresh(part.variable)
    return build(prepared, frame)


def build(prepared: Template, frame: Sequence[Term | None]) -> Term:
    """The term of a template whose variables have all been met."""
    if type(prepared) is Slot:
        return frame[prepared.index]  # type: ignore[return-value]  # met
    if type(prepared) is not Pattern:
        return prepared  # type: ignore[return-value]  # ground
    built: list[Term] = []
    for part in prepared.code:
        if type(part) is Slot:
            built.append(frame[part.index])  # type: ignore[arg-type]  # met
        elif type(part) is Pattern:
            count = len(part.args)
            args = tuple(built[-count:])
            del built[-count:]
            built.append(Struct(part.name, args, part.span))
        else:
            built.append(part)  # type: ignore[arg-type]  # ground
    return built[0]


def match_all(
    heads: Sequence[Template], terms: Sequence[Term], frame: ClauseFrame, store: Store
) -> bool:
    """Unify a head's arguments with a goal's; on False, bindings may be left to undo."""
    todo = list(zip(reversed(heads), reversed(terms), strict=True))
    for parts in range(LARGEST):
        if not todo:
            store.work += parts
            return True
        head, term = todo.pop()
        if type(head) is Slot:
            met = frame[head.index]
            if met is None:
                frame[head.index] = store.deref(term)
                continue
            same = store.unify(met, term)
        else:
            term = store.deref(term)
            if type(term) is Var:
                same = store.bind(term, instantiate(head, frame, store))
            elif type(head) is Pattern:
                same = False
                if type(term) is Struct and head.name == term.name:
                    same = len(head.args) == len(term.args)
                    todo.extend(zip(reversed(head.args), reversed(term.args), strict=False))
            else:
                same = store.unify(head, term)  # type: ignore[arg-type]  # ground
        if not same:
            return False
    raise faults.too_large(LARGEST, None)
