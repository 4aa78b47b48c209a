"""Unification with occurs check, undoing, copying, the standard order of terms."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slp.errors import ProgramError
from slp.resolution.machine.store import Store
from slp.syntax import parse_term, term_to_text
from slp.terms import Atom, Number, Struct, Term, Text, Var, list_term, substitute, variables

FIRST = 100


def terms() -> st.SearchStrategy[Term]:
    """Small terms over the variables A, B, C with numbers 1, 2, 3."""
    leaves = st.one_of(
        st.sampled_from([Var("A", 1), Var("B", 2), Var("C", 3)]),
        st.sampled_from([Atom("a"), Atom("b"), Number(1), Number(1.0), Number(2), Text("a")]),
    )
    return st.recursive(
        leaves,
        lambda inner: st.builds(
            Struct,
            st.sampled_from(["f", "g"]),
            st.lists(inner, min_size=1, max_size=3).map(tuple),
        ),
        max_leaves=6,
    )


def unified(a: str, b: str) -> str | None:
    """The first term after unification of two terms, variables of the same name being one."""
    both = parse_term(f"p({a}, {b})")
    store = Store()
    own = {v: store.fresh(v) for v in variables(both)}
    renamed = substitute(both, own)
    assert isinstance(renamed, Struct)
    if not store.unify(*renamed.args):
        return None
    back = {mine: v for v, mine in own.items()}
    return term_to_text(substitute(store.resolve(renamed.args[0]), back))


@pytest.mark.parametrize(
    ("a", "b", "want"),
    [
        ("f(X, 2)", "f(1, Y)", "f(1, 2)"),
        ("f(X, X)", "f(Y, a)", "f(a, a)"),
        ("X", "X", "X"),
        ("1", "1.0", None),
        ("a", '"a"', None),
        ("f(X)", "g(X)", None),
        ("f(X)", "f(X, Y)", None),
        ("X", "f(X)", None),
        ("f(X, Y)", "f(Y, g(X))", None),
        ("[X|T]", "[1, 2]", "[1, 2]"),
    ],
)
def test_unify(a: str, b: str, want: str | None) -> None:
    assert unified(a, b) == want


@settings(max_examples=300, deadline=None)
@given(terms(), terms())
def test_unified_terms_are_equal_and_undone(a: Term, b: Term) -> None:
    store = Store(FIRST)
    if store.unify(a, b):
        assert store.resolve(a) == store.resolve(b)
        assert store.compare(a, b) == 0
    store.undo(0)
    assert store.resolve(a) == a
    assert store.resolve(b) == b


@settings(max_examples=300, deadline=None)
@given(terms(), terms(), terms())
def test_standard_order_is_a_total_order(a: Term, b: Term, c: Term) -> None:
    store = Store(FIRST)
    assert (store.compare(a, b) == 0) == (a == b)
    assert (store.compare(a, b) > 0) == (store.compare(b, a) < 0)
    if store.compare(a, b) <= 0 and store.compare(b, c) <= 0:
        assert store.compare(a, c) <= 0


def test_a_copy_shares_no_variables() -> None:
    store = Store(FIRST)
    a, b = Var("A", 1), Var("B", 2)
    store.unify(b, Struct("f", (a,)))
    copy = store.rename(Struct("g", (a, b)))
    (x, y) = copy.args if isinstance(copy, Struct) else ()
    assert isinstance(x, Var)
    assert x.id >= FIRST
    assert y == Struct("f", (x,))


def test_ground() -> None:
    store = Store(FIRST)
    a = Var("A", 1)
    assert not store.is_ground(Struct("f", (a,)))
    store.unify(a, Number(1))
    assert store.is_ground(Struct("f", (a,)))


@pytest.mark.slow
def test_long_lists() -> None:
    store = Store(FIRST)
    items = [Number(i) for i in range(30_000)]
    one, other = list_term(items), list_term(items)
    assert one == other
    assert hash(one) == hash(other)
    assert store.unify(one, other)
    assert store.compare(one, other) == 0
    assert store.resolve(one) == other
    assert store.rename(list_term(items, Var("T", 1))) != one
    assert substitute(list_term(items, Var("T", 1)), {Var("T", 1): Atom("[]")}) == one


# --- terms of 2^n parts by n bindings -----------------------------------------------------------


def doubled(times: int) -> tuple[Store, Term]:
    """A store in which a variable stands for a term of 2^(times + 1) parts, by bindings."""
    store = Store()
    term: Term = Atom("a")
    for _ in range(times):
        variable = store.fresh(Var("X"))
        assert store.unify(variable, Struct("f", (term, term)))
        term = variable
    return store, term


def test_terms_of_shared_parts_are_walked_by_their_parts() -> None:
    store, term = doubled(60)
    assert store.is_ground(term)
    assert store.bind(store.fresh(Var("Y")), Struct("g", (term,)))
    assert store.compare(term, Struct("f", (Atom("a"), Atom("a")))) > 0
    assert store.work < 2_000_000, "and not 2^60"


def test_two_terms_of_shared_parts_are_unified_by_their_parts() -> None:
    store = Store()
    terms: list[Term] = [Atom("a"), Atom("a")]
    for _ in range(60):
        for i, term in enumerate(terms):
            terms[i] = store.fresh(Var("X"))
            assert store.unify(terms[i], Struct("f", (term, term)))
    assert store.unify(*terms)
    assert store.compare(*terms) == 0


def test_a_term_that_is_too_large_is_refused_before_it_is_written_out() -> None:
    store, term = doubled(60)
    before = store.work
    with pytest.raises(ProgramError, match="E216"):
        store.resolve(term)
    assert store.work - before < 10_000
    store, term = doubled(12)
    assert len(term_to_text(store.resolve(term))) > 2**12
