"""Any term can be called, evaluated, matched: answers or a diagnostic, never another exception."""

from __future__ import annotations

from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from slp.errors import ProgramError
from slp.ir.program import SplitBody
from slp.resolution import Limits, evaluate, evaluate_arguments, solve
from slp.resolution.boxes.cells import threshold_outcomes
from slp.resolution.boxes.instances import RuleInstance
from slp.resolution.machine.builtins import BUILTINS
from slp.resolution.machine.control import CONTROL
from slp.resolution.machine.library import library
from slp.terms import Atom, Number, Struct, Term, Text, Var
from tests.resolution.programs import database, tree_rules

FUNCTIONS = ["+", "-", "*", "/", "//", "mod", "**", "^", "<<", "min", "abs", "sqrt", "floor", "log"]
CALLABLE = sorted({*CONTROL, *BUILTINS, *library()})
PROGRAM = database("p(1). p(X) :- q(X, _). q(a, f(_)).", k=5.0, big=1e308)


def terms() -> st.SearchStrategy[Term]:
    """Terms of what a program could hold, goals of all built-ins among them."""
    leaves: st.SearchStrategy[Term] = st.one_of(
        st.sampled_from([Var("V"), Var("F"), Var("X"), Var("Y")]),
        st.sampled_from([Atom(a) for a in ("a", "[]", "!", "k", "big", "inf", "pi", "age", "p")]),
        st.integers(-3, 3).map(Number),
        st.sampled_from([Number(10**400), Number(0.5), Number(-0.0), Number(1e308), Text("a")]),
    )
    return st.recursive(leaves, _compound, max_leaves=8)


def _compound(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    called = st.sampled_from(CALLABLE).flatmap(
        lambda key: st.tuples(*[inner] * key[1]).map(
            lambda args: Struct(key[0], args) if args else Atom(key[0])
        )
    )
    computed = st.sampled_from(FUNCTIONS).flatmap(
        lambda name: st.lists(inner, min_size=1, max_size=2).map(lambda a: Struct(name, tuple(a)))
    )
    listed = st.tuples(inner, inner).map(lambda pair: Struct("[|]", pair))
    return st.one_of(called, called, computed, listed)


@settings(max_examples=300, deadline=None)
@given(terms())
def test_goals(goal: Term) -> None:
    try:
        for answer in islice(solve(goal, PROGRAM, Limits(inferences=2000, depth=500)), 20):
            answer.resolve(goal)
    except ProgramError as e:
        assert all(d.code.startswith("E2") for d in e.diagnostics)


@settings(max_examples=200, deadline=None)
@given(terms())
def test_arithmetic(term: Term) -> None:
    for compute in (evaluate, evaluate_arguments):
        try:
            compute(term, PROGRAM.parameters)
        except ProgramError as e:
            assert all(d.code.startswith("E2") for d in e.diagnostics)


@settings(max_examples=200, deadline=None)
@given(st.lists(terms(), max_size=2), terms(), st.booleans())
def test_guards_behind_a_split(guards: list[Term], child: Term, numeric: bool) -> None:
    (rule,) = tree_rules("1 :: t --> split(F, V), leaf, leaf.")
    body = SplitBody(Var("F"), Var("V"), "all", tuple(guards), Struct("t", (child,)), Atom("leaf"))
    instance = RuleInstance(rule, 1.0, body)
    try:
        levels = None if numeric else ("a", "b")
        found = threshold_outcomes(PROGRAM, instance, "age", levels, Limits(3000, 500))
        assert found is not None
        assert len(found.outcomes) == (2 * len(found.breakpoints) + 1 if numeric else 2)
    except ProgramError as e:
        assert all(d.code.startswith("E2") for d in e.diagnostics)
