"""The program whose trees are those of another that satisfy one more statement, each with the
weight that it has there: the sum of its weights, over that of the other, is the probability that
the statement is satisfied.

Constraints that are decided at the finished tree and, under `failure(condition)`, all others do
just that. What else a program says restricts: it changes the weights of the trees that are left.
So here a split that a constraint refuses loses (`Satisfies`), and rules are parted from the tests
of their boxes: a node's state calls one more state, whose only rule has the test, so that no label
is renormalised where it does not hold.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeAlias

from slp.constraints.avoids import Avoids, DeeperThan
from slp.constraints.prefer import Prefer, without_preference
from slp.constraints.satisfies import Satisfies
from slp.ir.constraints import Constraint
from slp.ir.program import CallBody, CheckedProgram, LeafBody, SplitBody, TreeRule
from slp.source import SourceSpan
from slp.terms import Atom, Number, Struct, Term, Var, functor

_Key: TypeAlias = tuple[str, int]
_LEAF = Atom("leaf")


def conditions(program: CheckedProgram, constraint: Constraint) -> bool:
    """Whether a program with a constraint is that without it, given that it is satisfied."""
    by_failure = program.failure == "condition"
    if isinstance(constraint, Prefer):
        return math.isinf(constraint.cost)
    if constraint.leaf_in_box is not None:
        return False  # it changes the likelihood, too
    return program.failure != "backtrack" and (by_failure or constraint.at_finished_tree)


def satisfying(without: CheckedProgram, constraint: Constraint) -> CheckedProgram | None:
    """The trees of a program that can be summed over, and of these the ones that satisfy one more
    constraint, with the weights that they have there; None where no program says so. A preference
    is satisfied where no split and no leaf is against it."""
    constraint = without_preference(constraint).without_leaf_prior()
    if constraint.by_code or constraint.beyond_grammar() is not None:
        return None
    without = _not_going_back(without)
    if conditions(without, constraint):
        return _with(without, constraint)
    if _tests_leaves(constraint):
        if any(map(_tests_leaves, without.constraints)):
            return None  # theirs are tests of the rules that this would part from the test
        return _with(_parted_leaves(without), constraint)
    return _with(without, Satisfies(constraint))


def within_limit(without: CheckedProgram, name: str, limit: float) -> CheckedProgram | None:
    """As `satisfying`, for a limit of `support`; None for `min_weight`, which no rule can test."""
    without = _not_going_back(without)
    if name == "max_depth":
        return _with(without, Avoids(DeeperThan(int(limit))))
    if name == "min_leaf":
        return _sides_of(without, int(limit))
    return None


def _tests_leaves(constraint: Constraint) -> bool:
    decides = constraint.automaton()
    return decides is not None and decides.tests_leaves


def _not_going_back(program: CheckedProgram) -> CheckedProgram:
    """A program that can be summed over goes back nowhere, as if it restricted."""
    failure = "restrict" if program.failure == "backtrack" else program.failure
    return replace(program, failure=failure)


def _with(program: CheckedProgram, constraint: Constraint) -> CheckedProgram:
    return replace(program, constraints=(*program.constraints, constraint))


def _parted_leaves(program: CheckedProgram) -> CheckedProgram:
    """The program whose rules for leaves call a state that is nothing but a leaf."""
    tested = Atom("leaf, tested")
    rules = [
        replace(rule, body=CallBody(tested)) if isinstance(rule.body, LeafBody) else rule
        for rule in program.rules
    ]
    leaf = TreeRule(Number(1), tested, (), LeafBody(), rules[0].span)
    return replace(program, rules=(*rules, leaf))


def _sides_of(program: CheckedProgram, least: int) -> CheckedProgram:
    """The program that fails where a side of a split has fewer rows than `least`."""
    keys: dict[_Key, None] = {}
    rules = []
    for rule in program.rules:
        if isinstance(rule.body, SplitBody):
            sides = rule.body.left, rule.body.right
            keys |= {key: None for side in sides if (key := functor(side)) is not None}
            left, right = map(_tested, sides)
            rule = replace(rule, body=replace(rule.body, left=left, right=right))
        rules.append(rule)
    tests = (_test(key, least, program.rules[0].span) for key in keys)
    return replace(program, rules=(*rules, *tests))


def _tested(state: Term) -> Term:
    """The state that tests a side before it goes on as `state`."""
    if isinstance(state, Struct):
        return Struct(f"{state.name}, tested", state.args)
    assert isinstance(state, Atom)
    return Atom(f"{state.name}, tested")


def _test(key: _Key, least: int, span: SourceSpan) -> TreeRule:
    """`1 :: tested(X...) --> {rows(N), N >= least}, state(X...).`"""
    name, arity = key
    state: Term = Atom(name)
    if arity:
        state = Struct(name, tuple(Var(f"X{i}") for i in range(arity)))
    n = Var("N")
    guards = (Struct("rows", (n,)), Struct(">=", (n, Number(least))))
    body = LeafBody() if state == _LEAF else CallBody(state)
    return TreeRule(Number(1), _tested(state), guards, body, span)
