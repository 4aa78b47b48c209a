"""Values of arithmetic, and arithmetic in the arguments of nonterminals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slp.errors import ProgramError
from slp.resolution import evaluate, evaluate_arguments
from slp.resolution.machine.affine import Affine, NotAffineError, Trace
from slp.resolution.machine.functions import MAX_BITS
from slp.syntax import parse_term
from slp.terms import Number, Struct, Term

VALUES: list[tuple[str, int | float]] = [
    ("1 + 2 * 3", 7),
    ("7 / 2", 3.5),
    ("4 / 2", 2),
    ("4 / 2.0", 2.0),
    ("-7 // 2", -3),
    ("-7 div 2", -4),
    ("-7 mod 3", 2),
    ("-7 rem 3", -1),
    ("2 ** 3", 8),
    ("2 ** -1", 0.5),
    ("2 ^ (-1)", 0.5),
    ("(-1) ^ (-3)", -1),
    ("2 ** 3.0", 8.0),
    ("(1 + 2) ^ (-1.0)", 1 / 3),
    ("max(1, 1.0)", 1.0),
    ("min(2, 3.0)", 2),
    ("abs(-3)", 3),
    ("sign(-2.5)", -1.0),
    ("gcd(12, 18)", 6),
    ("1 << 4 \\/ 1", 17),
    ("-5 >> 1", -3),
    ("(6 /\\ 3) xor 1", 3),
    ("\\ 5", -6),
    ("round(2.5) + round(-2.5)", 0),
    ("truncate(-2.7)", -2),
    ("floor(-2.1) + ceiling(-2.1)", -5),
    ("integer(2.4)", 2),
    ("float(3)", 3.0),
    ("exp(0)", 1.0),
    ("log(e)", 1.0),
    ("sqrt(16)", 4.0),
    ("cos(pi)", -1.0),
    ("atan2(1, 1) * 4", math.pi),
    ("inf", math.inf),
    ("1 / inf", 0.0),
    ("0 ^ 10000000000", 0),
    ("alpha * (1 + 3) ^ (-beta)", 0.95 / 4),
    ("most_leaves - 1", 11),
]


@pytest.mark.parametrize(("text", "want"), VALUES)
def test_value(text: str, want: float) -> None:
    have = evaluate(parse_term(text), {"alpha": 0.95, "beta": 1.0, "most_leaves": 12})
    assert have == pytest.approx(want, rel=1e-15)
    assert type(have) is type(want)


def test_a_parameter_hides_a_constant() -> None:
    assert evaluate(parse_term("2 * e"), {"e": 5.0}) == 10.0


@pytest.mark.parametrize(
    "text",
    ["10^10^10", "2 << 10**9", "7 ** 100000", "(2 << 8000) * (2 << 8000)", "2 >> -(10**12)"],
)
def test_huge_integers_are_refused_at_once(text: str) -> None:
    with pytest.raises(ProgramError, match="more than 8192 bits"):
        evaluate(parse_term(text), {})


def test_the_largest_integers() -> None:
    largest = evaluate(parse_term(f"2 ** {MAX_BITS - 1} - 1 + 2 ** {MAX_BITS - 1}"), {})
    assert largest == 2**MAX_BITS - 1


@pytest.mark.slow
def test_deep_expressions() -> None:
    left: Term = Number(0)
    right: Term = Number(0)
    for _ in range(50_000):
        left = Struct("+", (left, Number(1)))
        right = Struct("+", (Number(1), right))
    assert evaluate(left, {}) == evaluate(right, {}) == 50_000


# --- arguments of nonterminals -----------------------------------------------------------------

ARGUMENTS: list[tuple[str, str]] = [
    ("tree(2+1)", "tree(3)"),
    ("tree(2*(1+1), left)", "tree(4, left)"),
    ("tree", "tree"),
    ("owe(k)", "owe(5)"),
    ("owe(k-1)", "owe(4)"),
    ("owe(k/2)", "owe(2.5)"),
    ("owe(k*0.5)", "owe(2.5)"),
    ("owe(half)", "owe(0.5)"),
    ("tree(2+1.0)", "tree(3.0)"),
    ("tree(4/2)", "tree(2)"),
    ("node(a-b)", "node(a-b)"),
    ("node(k-b)", "node(k-b)"),
    ("node(pi)", "node(pi)"),
    ("node(f(1+1))", "node(f(1+1))"),
    ("node([1+1])", "node([1+1])"),
    ("node(X+1)", "node(X+1)"),
    ("node(sqrt(k+4))", "node(3.0)"),
    ('node("a")', 'node("a")'),
]


@pytest.mark.parametrize(("goal", "want"), ARGUMENTS)
def test_arguments(goal: str, want: str) -> None:
    have = evaluate_arguments(parse_term(goal), {"k": 5.0, "half": 0.5})
    assert have == parse_term(want)


def test_arguments_without_value() -> None:
    with pytest.raises(ProgramError, match="division by zero"):
        evaluate_arguments(parse_term("tree(1/0)"), {})


# --- numbers that depend on a threshold --------------------------------------------------------


def affine_terms() -> st.SearchStrategy[str]:
    """Expressions that are a*v + b, piece by piece."""
    numbers = st.integers(-8, 8).map(lambda i: f"({i / 4})")
    small = st.sampled_from(["v", "v"]) | numbers
    return st.recursive(
        small,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["+", "-"]), inner).map(lambda t: f"({' '.join(t)})"),
            st.tuples(inner, numbers).map(lambda t: f"({t[0]} * {t[1]})"),
            st.tuples(inner, st.sampled_from(["2", "-4", "0.5"])).map(
                lambda t: f"({t[0]} / ({t[1]}))"
            ),
            st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(
                lambda t: f"{t[0]}({t[1]}, {t[2]})"
            ),
            inner.map(lambda t: f"abs({t})"),
            inner.map(lambda t: f"- ({t})"),
        ),
        max_leaves=6,
    )


@settings(max_examples=150, deadline=None)
@given(affine_terms(), st.integers(-40, 40))
def test_affine_numbers_compute_like_floats(text: str, eighths: int) -> None:
    probe = Fraction(eighths, 8)
    term = parse_term(text)
    known: Mapping[str, float] = {"v": float(probe)}
    want = evaluate(term, known)
    assert evaluate(term, {"v": Trace(probe).threshold()}) == want


def test_critical_points_are_noted() -> None:
    trace = Trace(Fraction(0))
    v = trace.threshold()
    assert [v < 3, 2 * v >= 5.0, v + v == v - 1, abs(v + 4) > 0, v == v] == [
        True,
        False,
        False,
        True,
        True,
    ]
    assert trace.critical == {3, Fraction(5, 2), -1, -4}


def test_comparison_with_infinity_has_no_critical_point() -> None:
    trace = Trace(Fraction(0))
    v = trace.threshold()
    assert [v < math.inf, v > -math.inf, v == math.inf] == [True, True, False]
    assert [v + math.inf, v / math.inf] == [math.inf, 0.0]
    assert trace.critical == set()


def test_a_constant_is_no_longer_affine() -> None:
    v = Trace(Fraction(1)).threshold()
    assert not isinstance(v - v + 3, Affine)


def test_products_and_quotients_are_not_affine() -> None:
    v = Trace(Fraction(1)).threshold()
    for compute in (lambda: v * v, lambda: 1 / v, lambda: v / v, lambda: v * math.inf):
        with pytest.raises(NotAffineError):
            compute()


def test_a_threshold_compares_with_numbers_only() -> None:
    v = Trace(Fraction(1)).threshold()
    with pytest.raises(TypeError, match="cannot compare a threshold with str"):
        _ = v == "1"


def test_endless_digits_are_refused() -> None:
    term: Term = parse_term("v")
    for _ in range(200):
        term = Struct("*", (term, Number(1e-300)))
    with pytest.raises(ProgramError, match="too large"):
        evaluate(term, {"v": Trace(Fraction(1)).threshold()})
