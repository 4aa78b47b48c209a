"""Conservative checks of a program without listing its states: that calls end, and that all states
have the same cells of thresholds.

Calls end if two conditions hold. No nonterminal calls itself through others. Each nonterminal that
calls itself directly has an argument X that all these calls move in one direction (each adds a
positive number, or each subtracts one), and a guard before each call bounds X in that direction. A
guard bounds X if it compares two expressions that are affine in X and in arguments that all these
calls pass on unchanged. Then X takes finitely many steps from any start. As a state has finitely
many rules, only finitely many states can be called in a row (Koenig). A "no" may be wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from slp.ir import program as ir
from slp.lower.affine_terms import Parameters, RuleArithmetic, Sum, added
from slp.terms import Struct, Term, Var, arguments, functor, variables

_Functor: TypeAlias = tuple[str, int] | None

#: Comparisons, each with whether its left side is the smaller one.
_LEFT_BELOW = {"<": True, "=<": True, ">": False, ">=": False}


def calls_end(program: ir.CheckedProgram, parameters: Parameters) -> bool:
    """Whether it is certain that calls end from every state."""
    calls: dict[_Functor, set[_Functor]] = {}
    to_itself: dict[_Functor, list[ir.TreeRule]] = {}
    for rule in program.rules:
        if isinstance(rule.body, ir.CallBody):
            caller, called = functor(rule.head), functor(rule.body.goal)
            if called is None:
                return False
            if caller == called:
                to_itself.setdefault(caller, []).append(rule)
            else:
                calls.setdefault(caller, set()).add(called)
    return not _goes_round(calls) and all(_ends(own, parameters) for own in to_itself.values())


def cells_are_fixed(program: ir.CheckedProgram, met: Collection[int]) -> bool:
    """Whether it is certain that further states have no new breakpoints: every split rule ignores
    thresholds, or tests them alike in every state and is among those `met` (the rules' ids)."""
    return all(
        _asks_nothing(rule) or (id(rule) in met and _asks_the_same(rule))
        for rule in program.rules
        if isinstance(rule.body, ir.SplitBody)
    )


def has_single_derivations(program: ir.CheckedProgram) -> bool:
    """Whether it is certain that no state has a call, two leaf rules or two split rules."""
    seen = set()
    for rule in program.rules:
        key = functor(rule.head), type(rule.body)
        if rule.before or isinstance(rule.body, ir.CallBody) or key in seen:
            return False
        seen.add(key)
    return True


# --- calls ---------------------------------------------------------------------------------------


def _goes_round(calls: Mapping[_Functor, set[_Functor]]) -> bool:
    """Whether the graph has a cycle."""
    left = {caller: set(called) for caller, called in calls.items()}
    while left:
        last = [caller for caller, called in left.items() if not called & left.keys()]
        if not last:
            return True
        for caller in last:
            del left[caller]
    return False


def _ends(rules: Sequence[ir.TreeRule], parameters: Parameters) -> bool:
    """Whether the calls of a nonterminal to itself end."""
    steps = [_SelfCall(rule, parameters) for rule in rules]
    kept = set.intersection(*(step.kept() for step in steps))
    return any(
        all(step.moves(place, sign) and step.bounds(place, sign, kept) for step in steps)
        for place in range(min(step.arity for step in steps))
        for sign in (1, -1)
    )


class _SelfCall:
    """A rule that calls its own nonterminal."""

    def __init__(self, rule: ir.TreeRule, parameters: Parameters) -> None:
        assert isinstance(rule.body, ir.CallBody)
        self._head, self._call = arguments(rule.head), arguments(rule.body.goal)
        self._guards, self._arithmetic = rule.before, RuleArithmetic(rule, parameters)
        self.arity = len(self._head)

    def kept(self) -> set[int]:
        """Positions of the arguments that it passes on unchanged."""
        return {
            i
            for i, (own, called) in enumerate(zip(self._head, self._call, strict=True))
            if isinstance(own, Var) and own == called
        }

    def moves(self, place: int, sign: int) -> bool:
        """Whether it adds a number of that sign to an argument."""
        own, new = self._head[place], self._arithmetic.sum(self._call[place])
        if not isinstance(own, Var) or new is None:
            return False
        return new.keys() <= {own, None} and (new.get(own) == 1.0 and sign * new.get(None, 0.0) > 0)

    def bounds(self, place: int, sign: int, kept: set[int]) -> bool:
        """Whether some guard bounds an argument on that side by what is kept."""
        own = self._head[place]
        assert isinstance(own, Var)  # as it moves
        others = {self._head[i] for i in kept if i != place}
        return any(
            room is not None
            and sign * room.get(own, 0.0) < 0
            and room.keys() <= {own, None} | others
            for room in map(self._room, self._guards)
        )

    def _room(self, guard: Term) -> Sum | None:
        """The expression that a guard requires to be at least 0, if the guard is a comparison of
        affine expressions."""
        if not isinstance(guard, Struct) or guard.name not in _LEFT_BELOW or len(guard.args) != 2:
            return None
        left, right = map(self._arithmetic.sum, guard.args)
        if left is None or right is None:
            return None
        return added(right, left, -1.0) if _LEFT_BELOW[guard.name] else added(left, right, -1.0)


# --- cells ---------------------------------------------------------------------------------------


def _asks_nothing(rule: ir.TreeRule) -> bool:
    """Whether a split rule treats all thresholds of a feature alike."""
    assert isinstance(rule.body, ir.SplitBody)
    asked = _all_variables((rule.head, *rule.before, *rule.body.after))
    return isinstance(rule.body.threshold, Var) and rule.body.threshold not in asked


def _asks_the_same(rule: ir.TreeRule) -> bool:
    """Whether the threshold is free until the guards behind the split, and these share no other
    variable but the feature with what comes before them, nor with the children."""
    body = rule.body
    assert isinstance(body, ir.SplitBody)
    before = _all_variables((rule.head, *rule.before))
    shared = _all_variables(body.after) & (before | _all_variables((body.left, body.right)))
    free = isinstance(body.threshold, Var) and body.threshold not in before
    return free and shared <= {body.feature} - before


def _all_variables(terms: Iterable[Term]) -> set[Var]:
    return {variable for term in terms for variable in variables(term)}
