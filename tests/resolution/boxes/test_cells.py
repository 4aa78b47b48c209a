"""Guards behind a split: the intervals found, against the guards' answers at single thresholds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from slp.ir.program import SplitBody
from slp.ir.tree_grammar import cell_of
from slp.resolution import (
    Database,
    RuleInstance,
    evaluate_arguments,
    solve,
    threshold_outcomes,
)
from slp.resolution.boxes.cells import ThresholdOutcome, ThresholdOutcomes
from slp.syntax import parse_term, term_to_text
from slp.terms import Atom, Number, Struct, Var, conjunction
from tests.resolution.programs import database, instances_of, tree_rules

HELPERS = """
window(V) :- V >= 2, V < 6.
window(V) :- V > 9.5.
side(V, low) :- V < 5, !.
side(V, middle) :- V =< 7, !.
side(_, high).
bin(X, V) :- member(X, [1, 2, 3, 4]), V < X * 10, !.
special(3.0, a). special(5.5, b). special(-2.0, c).
sum([], 0). sum([X|T], S) :- sum(T, R), S is R + X.
"""

PROGRAM = database(HELPERS, k=5.0)


def instance(body: str, goal: str = "t(2)") -> RuleInstance:
    """The one instance of `1 :: t(D) --> body` at a goal."""
    (found,) = instances_of(PROGRAM, tree_rules(f"1 :: t(D) --> {body}."), parse_term(goal))
    return found


def outcomes(
    body: str, levels: tuple[str, ...] | None = None, feature: str = "age"
) -> ThresholdOutcomes | None:
    return threshold_outcomes(PROGRAM, instance(body), feature, levels)


def words(body: str, levels: tuple[str, ...] | None = None) -> tuple[list[float], list[str]]:
    """Breakpoints, and for each cell `left / right` or `-`."""
    found = outcomes(body, levels)
    assert found is not None
    texts = ["-" if o is None else " / ".join(map(term_to_text, o)) for o in found.outcomes]
    return list(found.breakpoints), texts


YES, NO = "t(3) / leaf", "-"


@pytest.mark.parametrize(
    ("guard", "breakpoints", "want"),
    [
        ("true", [], [YES]),
        ("fail", [], [NO]),
        ("V < 3", [3], [YES, NO, NO]),
        ("V =< 3", [3], [YES, YES, NO]),
        ("V =:= 3", [3], [NO, YES, NO]),
        ("V =\\= 3", [3], [YES, NO, YES]),
        ("3 < V", [3], [NO, NO, YES]),
        ("2 * V + 1 > k", [2], [NO, NO, YES]),
        ("-V / 4 >= 1", [-4], [YES, YES, NO]),
        ("V < 3 ; V > 5", [3, 5], [YES, NO, NO, NO, YES]),
        ("\\+ V < 3, V < 5", [3, 5], [NO, YES, YES, NO, NO]),
        ("V < 3 -> fail ; true", [3], [NO, YES, YES]),
        ("X is V - 2, X * 2 < V", [4], [YES, NO, NO]),
        ("abs(V - 1) < 2", [-1, 3], [NO, NO, YES, NO, NO]),
        ("max(V, 3) > 4", [4], [NO, NO, YES]),
        ("min(V, 3) >= 3", [3], [NO, YES, YES]),
        ("sign(V) >= 0", [0], [NO, YES, YES]),
        ("V = 3.0", [3], [NO, YES, NO]),
        ("V = 3", [], [NO]),
        ("V == 3.0", [3], [NO, YES, NO]),
        ("V \\== 3.0", [3], [YES, NO, YES]),
        ("V @< 3", [3], [YES, YES, NO]),
        ("member(V, [1.0, 2.0])", [1, 2], [NO, YES, NO, YES, NO]),
        ("memberchk(V, [1.0])", [1], [NO, YES, NO]),
        ("special(V, _)", [-2, 3, 5.5], [NO, YES, NO, YES, NO, YES, NO]),
        ("window(V)", [2, 6, 9.5], [NO, YES, YES, NO, NO, NO, YES]),
        ("sum([V, 1, V], 5.0)", [2], [NO, YES, NO]),
        ("sum_list([V, V], S), S > 3", [1.5], [NO, NO, YES]),
        ("max_list([V, 1, 2], S), S =:= 2", [2], [YES, YES, NO]),
        ("msort([2.0, V], [V, _])", [2], [YES, YES, NO]),
        ("sort([2.0, V], [_])", [2], [NO, YES, NO]),
        ("findall(X, (member(X, [1, 2]), X < V), [_])", [1, 2], [NO, NO, YES, YES, NO]),
        ("number(V), float(V), \\+ integer(V), \\+ atom(V)", [], [YES]),
        ("V < inf, V > -inf", [], [YES]),
        ("V - V =:= 0", [], [YES]),
        ("float(V) < 1", [1], [YES, NO, NO]),
        ("F == age, V < 1", [1], [YES, NO, NO]),
        ("F == dose", [], [NO]),
        ("V < 0.1 + 0.2", [0.1 + 0.2], [YES, NO, NO]),
        ("3 * V < 1", [1 / 3], [YES, YES, NO]),  # 1/3 as a float is below 1/3
        ("V < 1.0e308 * 1", [1e308], [YES, NO, NO]),
        ("V * 0.5 < 1.5e308", [], [YES]),  # no float reaches 3e308
    ],
)
def test_guard(guard: str, breakpoints: list[float], want: list[str]) -> None:
    assert words(f"split(F, V), {{{guard}}}, t(D+1), leaf") == (breakpoints, want)


def test_children_may_depend_on_the_side() -> None:
    have = words("split(F, V), {side(V, S)}, t(S), t(F)")
    low, middle, high = "t(low) / t(age)", "t(middle) / t(age)", "t(high) / t(age)"
    assert have == ([5, 7], [low, middle, middle, middle, high])


def test_answers_that_lead_to_equal_children_are_one() -> None:
    have = words("split(F, V), {member(_, [a, b]), V < 3}, t(1), t(2)")
    assert have == ([3], ["t(1) / t(2)", "-", "-"])


def test_different_rules_at_different_thresholds_are_not_ambiguous() -> None:
    have = words("split(F, V), {V < 3, S = a ; V >= 3, S = b}, t(S), leaf")
    assert have == ([3], ["t(a) / leaf", "t(b) / leaf", "t(b) / leaf"])


def test_bound_feature() -> None:
    assert outcomes("split(dose, V), leaf, leaf") is None
    assert words("split(age, V), t(D), leaf") == ([], ["t(2) / leaf"])
    assert outcomes("{F = dose}, split(F, V), t(F), leaf") is None
    assert words("split(F, V), {F = age}, t(F), leaf") == ([], ["t(age) / leaf"])


def test_bound_threshold() -> None:
    yes = "t(2) / leaf"
    assert words("split(age, 30), t(D), leaf") == ([30], ["-", yes, "-"])
    assert words("split(F, 30.5), t(D), leaf") == ([30.5], ["-", yes, "-"])
    assert words("split(F, k), t(D), leaf") == ([5], ["-", yes, "-"])
    assert words("split(F, D * 10 + k), t(D), leaf") == ([25], ["-", yes, "-"])
    assert words("{V = 3}, split(F, V), {V > 1}, t(V), leaf") == ([3], ["-", "t(3) / leaf", "-"])
    assert words("{V = 3}, split(F, V), {V > 4}, t(V), leaf") == ([], ["-"])
    assert words("split(F, red), t(D), leaf") == ([], ["-"])
    assert words("split(F, inf), t(D), leaf") == ([], ["-"])
    assert words(f"split(F, 1{'0' * 400}), t(D), leaf") == ([], ["-"])


def test_levels() -> None:
    colours = ("blue", "green", "red")
    yes = "t(2) / leaf"
    assert words("split(F, V), t(D), leaf", colours) == ([], [yes] * 3)
    assert words("split(F, V), {V \\= green}, t(D), leaf", colours) == ([], [yes, "-", yes])
    assert words("split(F, red), t(D), leaf", colours) == ([], ["-", "-", yes])
    have = words("split(F, V), {member(V, [red, blue])}, t(V), leaf", colours)
    assert have == ([], ["t(blue) / leaf", "-", "t(red) / leaf"])
    assert words("split(F, V), {F \\== age -> V < 3 ; true}, leaf, leaf", ("a",))[1] != ["-"]
    assert outcomes("split(dose, V), leaf, leaf", colours) is None


def test_only_split_rules_have_outcomes() -> None:
    with pytest.raises(TypeError, match="split rule"):
        outcomes("leaf")


# --- against one threshold after another -------------------------------------------------------

THRESHOLDS = [float(i) for i in range(-15, 16)]
#: Guards compute exactly, floats round: answers may differ within a rounding error of a breakpoint.
NEAR = 2.0**-20


def brute_force(rule: RuleInstance, program: Database, threshold: float) -> ThresholdOutcome:
    """The outcome at one threshold, by running the guards with a plain number."""
    body = rule.body
    assert isinstance(body, SplitBody)
    goals = [
        Struct("=", (body.feature, Atom("age"))),
        Struct("=", (body.threshold, Number(threshold))),
        *body.after,
    ]
    found = {
        (
            evaluate_arguments(b.resolve(body.left), program.parameters),
            evaluate_arguments(b.resolve(body.right), program.parameters),
        )
        for b in solve(conjunction(goals), program)
    }
    assert len(found) <= 1
    return found.pop() if found else None


def affine(draw: st.DrawFn) -> str:
    slope = draw(
        st.sampled_from(["V", "-V", "2*V", "V/2", "(V-1)*4", "V+V", "abs(V)", "max(V, 1)"])
    )
    shift = draw(st.integers(-12, 12))
    return f"{slope} + {shift / 2}"


@st.composite
def guards(draw: st.DrawFn) -> str:
    """Comparisons of affine expressions, joined and negated, binding S now and then."""
    kind = draw(st.integers(0, 7))
    if kind <= 2:
        sign = draw(st.sampled_from(["<", "=<", ">", ">=", "=:=", "=\\="]))
        other = affine(draw) if draw(st.booleans()) else str(draw(st.integers(-10, 10)))
        return f"{affine(draw)} {sign} {other}"
    if kind == 3:
        return f"({draw(guards())}, {draw(guards())})"
    if kind == 4:
        return f"once(({draw(guards())} ; {draw(guards())}))"
    if kind == 5:
        return f"\\+ ({draw(guards())})"
    if kind == 6:
        return f"({draw(guards())} -> {draw(guards())} ; {draw(guards())})"
    return draw(st.sampled_from(["window(V)", "bin(_, V)", "special(V, _)", "side(V, middle)"]))


@settings(max_examples=30, deadline=None)
@given(guards(), st.sampled_from(["side(V, S)", "bin(S, V)", "(V < 0 -> S = n ; S = p)", "S = 1"]))
@example("V =:= 2 ; V =:= 2.25", "S = 1")
def test_cells_agree_with_brute_force(guard: str, binding: str) -> None:
    rule = instance(f"split(F, V), {{{guard}}}, {{once({binding})}}, t(S), t(D+1)")
    found = threshold_outcomes(PROGRAM, rule, "age", None)
    assert found is not None
    _check_shape(found)
    breakpoints = np.array(found.breakpoints)
    near = [b + step for b in found.breakpoints for step in (-NEAR, NEAR)]
    exact = [b for b in found.breakpoints if (64 * b).is_integer()]
    for threshold in [*THRESHOLDS, *near, *exact]:
        outcome = found.outcomes[cell_of(breakpoints, threshold)]
        assert outcome == brute_force(rule, PROGRAM, threshold), threshold


def _check_shape(found: ThresholdOutcomes) -> None:
    points: Sequence[float] = found.breakpoints
    assert len(found.outcomes) == 2 * len(points) + 1
    assert all(a < b for a, b in zip(points, points[1:], strict=False))
    for i in range(len(points)):
        assert len(set(map(str, found.outcomes[2 * i : 2 * i + 3]))) > 1  # each one is needed


def test_many_breakpoints() -> None:
    cuts = ", ".join(f"{i}.0" for i in range(60))
    found = outcomes(f"split(F, V), {{member(X, [{cuts}]), V < X, !}}, t(X), leaf")
    assert found is not None
    assert list(found.breakpoints) == [float(i) for i in range(60)]
    assert found.outcomes[-1] is None
    assert found.outcomes[4] == (parse_term("t(2.0)"), Atom("leaf"))


def test_variables_of_one_name_in_guards_and_children_are_one() -> None:
    found = outcomes("split(F, V), {X = 1, V > 0}, t(X), leaf")
    assert found is not None
    assert found.outcomes[-1] == (parse_term("t(1)"), Atom("leaf"))
    assert Var("X") == Var("X")
