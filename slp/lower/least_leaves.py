"""Lower bounds on the number of leaves of a goal's trees, from the goal's arguments.

A program that distributes leaves, such as `pinball`, can begin a tree of five leaves with
infinitely many states, unless lowering knows that `owe(7)` derives no such tree. So lowering looks
for arguments that are lower bounds on the leaves. The candidates are each argument, and each
argument plus 1. Candidates that a rule contradicts, given the others, are dropped (the largest
inductive set of candidates; Flanagan & Leino, Houdini, 2001). For each rule, the candidate at the
head must be at most 1 if the rule is a leaf, at most a bound of the goal that it calls, or at most
the sum of bounds of the two goals that it splits into. The remaining candidates hold for each tree,
by induction over its derivations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import TypeAlias

from slp.ir import program as ir
from slp.lower.affine_terms import Parameters, RuleArithmetic, Sum, added
from slp.terms import Number, Term, arguments, functor

#: Position of an argument, and the number added to it.
_Candidate: TypeAlias = tuple[int, int]
_Functor: TypeAlias = tuple[str, int] | None

_MOST = 2**31 - 1


class LeastLeaves:
    """Lower bounds on the leaves of the trees of goals."""

    def __init__(self, program: ir.CheckedProgram, parameters: Parameters) -> None:
        self._rules = [(rule, RuleArithmetic(rule, parameters)) for rule in program.rules]
        self._kept: dict[_Functor, set[_Candidate]] = {}
        for rule in program.rules:
            arity = len(arguments(rule.head))
            self._kept[functor(rule.head)] = set(product(range(arity), (0, 1)))
        while self._drop():
            pass

    def of(self, goal: Term) -> int:
        """A lower bound on the number of leaves of every tree that a ground goal derives."""
        args = arguments(goal)
        found = [1]
        for place, more in self._kept.get(functor(goal), ()):
            value = args[place]
            if isinstance(value, Number) and value.value < _MOST:
                found.append(math.ceil(value.value) + more)
        return max(found)

    def _drop(self) -> bool:
        """Drop the candidates that a rule contradicts; whether there were any."""
        dropped = False
        for rule, arithmetic in self._rules:
            kept = self._kept[functor(rule.head)]
            bounds = self._bounds_of_body(rule.body, arithmetic)
            for candidate in sorted(kept):
                own = _at(candidate, arguments(rule.head), arithmetic)
                if own is None or not any(_at_most(own, bound) for bound in bounds):
                    kept.remove(candidate)
                    dropped = True
        return dropped

    def _bounds_of_body(self, body: ir.Body, arithmetic: RuleArithmetic) -> list[Sum]:
        if isinstance(body, ir.SplitBody):
            sides = (self._bounds(goal, arithmetic) for goal in (body.left, body.right))
            return [added(left, right) for left, right in product(*sides)]
        if isinstance(body, ir.CallBody):
            return self._bounds(body.goal, arithmetic)
        return [{None: 1.0}]

    def _bounds(self, goal: Term, arithmetic: RuleArithmetic) -> list[Sum]:
        args = arguments(goal)
        found = (_at(kept, args, arithmetic) for kept in self._kept.get(functor(goal), ()))
        return [{None: 1.0}, *(bound for bound in found if bound is not None)]


def _at(candidate: _Candidate, args: Sequence[Term], arithmetic: RuleArithmetic) -> Sum | None:
    place, more = candidate
    own = arithmetic.sum(args[place])
    return None if own is None else added(own, {None: float(more)})


def _at_most(one: Sum, other: Sum) -> bool:
    """Whether one sum is at most another for all values of the variables."""
    room = added(other, one, -1.0)
    return room.keys() <= {None} and room.get(None, 0.0) >= 0
