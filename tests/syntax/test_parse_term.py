"""Terms from text: tables of (text, term), and long inputs."""

from __future__ import annotations

import math

import pytest

from slp.errors import ProgramError
from slp.syntax import parse_term
from slp.terms import NIL, Atom, Number, Struct, Term, Text, Var, list_items, list_term

a, b, c = Atom("a"), Atom("b"), Atom("c")
X, Y = Var("X"), Var("Y")


def n(value: int | float) -> Number:
    return Number(value)


def s(name: str, *args: Term) -> Struct:
    return Struct(name, args)


CONSTANTS = [
    ("leaf", Atom("leaf")),
    ("'petal length'", Atom("petal length")),
    ("'it''s'", Atom("it's")),
    (r"'\n\t\\\'\x41\\101\\u00e9\s'", Atom("\n\t\\'AA\u00e9 ")),
    ("'a\\\nb'", Atom("ab")),
    ("''", Atom("")),
    ("[]", NIL),
    ("{}", Atom("{}")),
    ("!", Atom("!")),
    ("=..", Atom("=..")),
    ("\u00e9t\u00e9", Atom("\u00e9t\u00e9")),
    ("\u00c9t\u00e9", Var("\u00c9t\u00e9")),
    ("_x", Var("_x")),
    ('"a""b\\"c"', Text('a"b"c')),
    ("007", n(7)),
    ("1_000", n(1000)),
    ("0xfF", n(255)),
    ("0o17", n(15)),
    ("0b101", n(5)),
    ("0'a", n(97)),
    ("0'''", n(39)),
    ("0' ", n(32)),
    (r"0'\n", n(10)),
    (r"0'\\", n(92)),
    ("0'\\x41\\", n(65)),
    ("0'\\101\\", n(65)),
    ("16'fF", n(255)),
    ("36'zZ", n(1295)),
    ("2'101", n(5)),
    ("- 16'10", s("-", n(16))),
    ("-0'\\x41\\", n(-65)),
    ("1.0e-3", n(0.001)),
    ("1E5", n(1e5)),
    ("1.0Inf", n(math.inf)),
    ("-1.0Inf", n(-math.inf)),
    ("inf", Atom("inf")),
    ("-1", n(-1)),
    ("- 1", s("-", n(1))),
    ("-(1)", s("-", n(1))),
    ("+1", s("+", n(1))),
]

STRUCTURES = [
    ("f(a, X)", s("f", a, X)),
    ("'f g'(a)", s("f g", a)),
    ("f(a :- b, c)", s("f", s(":-", a, b), c)),
    ("f((a, b))", s("f", s(",", a, b))),
    ("f(-, +)", s("f", Atom("-"), Atom("+"))),
    ("f(;)", s("f", Atom(";"))),
    ("[a, b]", list_term([a, b])),
    ("[a, b | X]", list_term([a, b], X)),
    ("[-]", list_term([Atom("-")])),
    ("[- | -]", list_term([Atom("-")], Atom("-"))),
    ("[a :- b | c]", list_term([s(":-", a, b)], c)),
    ("{}(X)", s("{}", X)),
    ("{}(a, b)", s("{}", a, b)),
    ("{a, b}", s("{}", s(",", a, b))),
    ("((a))", a),
    ("f(% note\n a /* , */)", s("f", a)),
]

OPERATORS = [
    ("a :: b --> c", s("-->", s("::", a, b), c)),
    ("a :: b :- c", s(":-", s("::", a, b), c)),
    ("a, b :- c", s(":-", s(",", a, b), c)),
    ("a ; b, c", s(";", a, s(",", b, c))),
    ("(a -> b ; c)", s(";", s("->", a, b), c)),
    ("a | b", s("|", a, b)),
    ("a:b:c", s(":", a, s(":", b, c))),
    ("a - b - c", s("-", s("-", a, b), c)),
    ("2^3^4", s("^", n(2), s("^", n(3), n(4)))),
    ("a -1", s("-", a, n(1))),
    ("a - -1", s("-", a, n(-1))),
    ("-1^2", s("^", n(-1), n(2))),
    ("- 1^2", s("-", s("^", n(1), n(2)))),
    ("-(1)^2", s("^", s("-", n(1)), n(2))),
    ("-a^2", s("-", s("^", a, n(2)))),
    ("- - a", s("-", s("-", a))),
    ("a-(b-c)", s("-", a, s("-", b, c))),
    ("a-(b, c)", s("-", a, s(",", b, c))),
    ("a = (:-)", s("=", a, Atom(":-"))),
    ("- = X", s("=", Atom("-"), X)),
    ("X = -", s("=", X, Atom("-"))),
    ("- mod -", s("mod", Atom("-"), Atom("-"))),
    ("mod mod mod", s("mod", Atom("mod"), Atom("mod"))),
    ("* = *", s("=", Atom("*"), Atom("*"))),
    ("+ - a", s("+", s("-", a))),
    (r"\+ a, b", s(",", s("\\+", a), b)),
    (r"\+ (a, b)", s("\\+", s(",", a, b))),
    (r"\+(a, b)", s("\\+", a, b)),
    ("dynamic a/1, b/2", s("dynamic", s(",", s("/", a, n(1)), s("/", b, n(2))))),
    ("X is Y mod 2", s("is", X, s("mod", Y, n(2)))),
    ("a -->{b}, c", s("-->", a, s(",", s("{}", b), c))),
]


@pytest.mark.parametrize(("text", "want"), CONSTANTS + STRUCTURES + OPERATORS)
def test_text_reads_as_term(text: str, want: Term) -> None:
    assert parse_term(text) == want
    assert parse_term(text + " .") == want


def test_integers_and_floats_are_different() -> None:
    assert parse_term("1") != parse_term("1.0")


def test_each_underscore_is_its_own_variable() -> None:
    have = parse_term("f(_, _, X, X)")
    assert isinstance(have, Struct)
    assert len(set(have.args)) == 3


@pytest.mark.parametrize(
    ("text", "path", "want"),
    [
        ("f(a, (b + c) * d)", (1,), "(b + c) * d"),
        ("f(a, (b + c) * d)", (1, 0), "b + c"),
        ("f(a, [b, c])", (1,), "[b, c]"),
        ("f(a, [b, c])", (1, 1), "c]"),
        ("x - -1", (1,), "-1"),
        ("a :- {b} , c", (1, 0), "{b}"),
        ("x :: y --> z", (0,), "x :: y"),
    ],
)
def test_spans(text: str, path: tuple[int, ...], want: str) -> None:
    term = parse_term(text)
    for i in path:
        assert isinstance(term, Struct)
        term = term.args[i]
    assert term.span is not None
    assert term.span.text == want


@pytest.mark.slow
def test_long_list() -> None:
    items = list_items(parse_term("[" + ", ".join(map(str, range(100_000))) + "]"))
    assert items is not None
    assert items[-1] == n(99_999)
    assert len(items) == 100_000


def test_long_terms_compare_and_hash() -> None:
    have, want = (parse_term("[" + "a, " * 20_000 + "a]") for _ in range(2))
    assert have == want
    assert hash(have) == hash(want)


@pytest.mark.slow
@pytest.mark.parametrize("separator", [" + ", ", ", "^"])
def test_long_operator_chain(separator: str) -> None:
    term, count = parse_term(separator.join(["a"] * 30_000)), 0
    name = separator.strip()
    while isinstance(term, Struct) and term.name == name:
        left, right = term.args
        term = left if isinstance(left, Struct) else right
        count += 1
    assert count == 29_999


def test_long_prefix_chain() -> None:
    term = parse_term("- " * 30_000 + "a")
    assert isinstance(term, Struct)


def test_brackets_nest_to_a_limit() -> None:
    assert parse_term("(" * 500 + "a" + ")" * 500) == a
    with pytest.raises(ProgramError, match="more than 500 deep"):
        parse_term("(" * 501 + "a" + ")" * 501)


@pytest.mark.parametrize(("text", "count"), [("", "none"), ("% a", "none"), ("a. b.", "2")])
def test_one_term_is_expected(text: str, count: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse_term(text)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "E050"
    assert diagnostic.message == f"one term is expected here, and this text has {count}"
