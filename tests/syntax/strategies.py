"""Random terms for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from slp.terms import Atom, Number, Struct, Term, Text, Var, list_term

INFIX = [
    ":-", "-->", "::", "|", ";", "->", ",", "=", "is", "<", ":", "+", "-", "*", "/", "mod", "**",
    "^",
]  # fmt: skip
PREFIX = [":-", "dynamic", "\\+", "-", "+", "\\", "$", "?-"]
WORDS = [
    "a",
    "leaf",
    "petal length",
    "it's",
    "",
    "[]",
    "{}",
    "!",
    "X",
    "_x",
    "1",
    ".",
    "/*",
    "#",
    "a\nb",
]
SYMBOLS = ["\\", "\x07", "\u00e9", "=..", "is_", "\u00b2"]

names = st.sampled_from(INFIX + PREFIX + WORDS + SYMBOLS)
floats = st.floats(allow_nan=False) | st.sampled_from([1e22, 1e-7, -0.0, 0.1])
constants: st.SearchStrategy[Term] = st.one_of(
    names.map(Atom),
    st.sampled_from(["X", "Y", "_z", "\u00c9"]).map(Var),
    st.integers().map(Number),
    floats.map(Number),
    st.text(max_size=4).map(Text),
)


def _compounds(terms: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    def struct(names: list[str], arity: int) -> st.SearchStrategy[Term]:
        arguments = st.lists(terms, min_size=arity, max_size=arity).map(tuple)
        return st.builds(Struct, st.sampled_from(names), arguments)

    return st.one_of(
        struct(INFIX, 2),
        struct(PREFIX, 1),
        st.builds(Struct, names, st.lists(terms, min_size=1, max_size=3).map(tuple)),
        st.builds(list_term, st.lists(terms, max_size=3)),
        st.builds(list_term, st.lists(terms, min_size=1, max_size=2), terms),
        terms.map(lambda term: Struct("{}", (term,))),
    )


terms: st.SearchStrategy[Term] = st.recursive(constants, _compounds, max_leaves=12)
