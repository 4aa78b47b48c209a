"""Terms to text: the style, and that the text reads back as the same term."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from slp.syntax import parse_term, term_to_text
from slp.syntax.operators import DEFAULT_OPERATORS
from slp.syntax.printer import term_pieces
from slp.terms import Atom, Number, Struct, Term, Var, list_term
from tests.syntax.strategies import terms
from tests.syntax.swi_prolog import nodes, read_texts

STYLE = [
    "alpha * (1+D)^(-beta) :: tree(D) --> split(F, V), tree(D+1), tree(D+1)",
    "1 - alpha * (1+D)^(-beta) :: tree(D) --> leaf",
    "1/phi :: tree --> { K > 1, I + 1 < most_leaves }, leaf",
    "lambda / (I+1) :: count(I) --> count(I+1)",
    "1 - 1 / (K-J)",
    "exp(-lambda)",
    "a :- b, \\+ c, (d -> e ; f), \\+ (g, h), X = (:- i)",
    ":- dynamic foo/1, bar/2",
    ":- use(growtree, [alpha = 0.9, beta = 1.0e-5])",
    "f([], [a, b], [H | T], {}, { x }, \"it's\", 'it\\'s', [(a, b)], (a :- b))",
    "X is -1 + -(1) - -(-1) - -Y - -f(x) - -(a*b) - -'a b'",
    "(-1)^2 + (-a)^2 - (2^3)^4 + 2^3^4 - X^(-1) - 2 mod 3 // 4",
    "f(-, +, :-, - - 1, 1- -1, 2*(-X), a:b:c, - = (-))",
    "(-) = (\\+)",
    "-(-(1))",
    "f(A, _, B_1)",
    "1.0Inf + -1.0Inf",
    "'hello world'(x, 'X', '_', [], '1', '')",
    "-('[]'(a))",
    "a | b",
    "f((a | b), (a ; b))",
    "'\\n\\t\\\\\\x7\\\u00e9'",
]
# Texts that mean the same as what is printed.
OTHER_STYLE = {
    "f(-, +, :-, - - 1, 1- -1, 2*(-X), a:b:c, - = (-))": (
        "f(-, +, :-, -(-(1)), 1-(-1), 2*(-X), a:b:c, (-) = (-))"
    ),
    "X is -1 + -(1) - -(-1) - -Y - -f(x) - -(a*b) - -'a b'": (
        "X is -1 + -(1) - -(-1) - -Y - -f(x) - -(a*b) - -('a b')"
    ),
}


@pytest.mark.parametrize("text", STYLE)
def test_style(text: str) -> None:
    assert term_to_text(parse_term(text)) == OTHER_STYLE.get(text, text)


@given(terms)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_text_reads_back(term: Term) -> None:
    assert parse_term(term_to_text(term)) == term


def test_swi_prolog_reads_the_text_alike(swipl: str, tmp_path: Path) -> None:
    written: list[tuple[str, Term]] = []

    @given(terms)
    @settings(max_examples=150, deadline=None, derandomize=True, database=None)
    def collect(term: Term) -> None:
        written.append((f"{term_to_text(term)} .", term))

    collect()
    have = read_texts(swipl, [text for text, _ in written], tmp_path)
    want = [nodes(term) for _, term in written]
    texts = [text for text, _ in written]
    assert dict(zip(texts, have, strict=True)) == dict(zip(texts, want, strict=True))


@pytest.mark.slow
def test_long_terms() -> None:
    items = list_term([Number(i) for i in range(100_000)])
    assert term_to_text(items).endswith("99998, 99999]")
    term: Term = Atom("a")
    for _ in range(50_000):
        term = Struct("+", (term, Atom("a")))
    assert len(term_to_text(term)) == 4 * 50_000 + 1


def test_renamed_and_anonymous_variables() -> None:
    assert term_to_text(Struct("f", (Var("X", 3), Var("X"), Var("_")))) == "f(X_3, X, _)"
    once, twice = parse_term("f(_, _)"), parse_term("f(_)")
    assert term_to_text(once) == "f(_, _)"
    assert isinstance(twice, Struct)
    shared = Struct("f", (*twice.args, *twice.args))
    assert term_to_text(shared) == "f(_G1_0, _G1_0)"


def test_pieces_as_written() -> None:
    term = parse_term('f(1.0e-3, 1_000, \'a\', 0\'x, - 1, -1, "a""b")')
    plain = "".join(term_pieces(term, DEFAULT_OPERATORS))
    written = "".join(term_pieces(term, DEFAULT_OPERATORS, as_written=True))
    assert plain == 'f(0.001, 1000, a, 120, -(1), -1, "a\\"b")'
    assert written == 'f(1.0e-3, 1_000, \'a\', 0\'x, -(1), -1, "a""b")'


def test_operators_of_the_file() -> None:
    table = DEFAULT_OPERATORS.declare(700, "xfx", "===>").declare(0, "xfx", "is")
    term = Struct("===>", (Struct("is", (Atom("a"), Atom("b"))), Atom("c")))
    assert "".join(term_pieces(term, table)) == "is(a, b) ===> c"
    assert term_to_text(term) == "===>(a is b, c)"
