"""No text of a program gives a traceback or a hang: it is checked, or has errors with codes."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from slp.analysis import check_program, expand_program
from slp.errors import ProgramError
from slp.ir.program import CheckedProgram
from slp.ir.words import describe_prior
from slp.source import SourceFile
from slp.syntax import parse_recovering

TOKENS = """
    :- use( growtree denison , [ ] ) ( { } . . . --> --> :: :: param( start( tree tree( leaf leaf
    split( F V D each gap feature( response( ignore( support( min_leaf( max_depth( constraint(
    constant( forbid( first( before( once( exclusive( interaction( majority( max_leaves( monotone(
    python( prolog( failure( condition weights feature_weight( box( b age dose -inf inf 0 1 2 0.5
    1.0e308 + - * / ^ ** < > =< is = | ; -> \\+ ! _ X _Y "s" 'q q' below( within( up local op( 700
    xfx most_leaves alpha phi \n % event( dirichlet( cuts( bins( quantile numeric
""".split(" ")

PIECES = [
    ":- use(growtree, [alpha = 0.9]).",
    ":- use(denison).",
    ":- start(t(0)).",
    ":- start(t).",
    ":- weights.",
    "0.5 :: t(D) --> split(F, V), t(D+1), t(D+1).",
    "0.5 :: t(D) --> { D > 2 ; D < 1 }, t(D-1).",
    "0.5 :: t(_) --> leaf.",
    "1 / D :: t(D) --> leaf.",
    "1 :: t --> split(F, V, each), { F == age, V < 3 }, t, leaf.",
    "-2 ** 0.5 :: t --> t(a).",
    "p(X) :- p(Y), X = f(Y).",
    "p(0).",
    "0.5 :: t(D) --> { p(D) }, leaf.",
    "box(b, age, 0, 1).",
    ":- constraint(constant(b)).",
    ":- constraint(before(a, b)).",
    ":- constraint(before(b, a)).",
    ":- constraint(interaction([[a], [b, c]])).",
    ":- param(p, q). :- param(q, p).",
    ":- param(phi, 10 ** 400).",
    ":- feature(_, [bins(width, 1.0e308)]).",
    ":- support(max_depth(1.0e300)).",
]


def check_text(text: str) -> None:
    source, _ = parse_recovering(SourceFile("<fuzz>", text))
    try:
        program = check_program(source)
    except ProgramError as e:
        assert e.diagnostics
        assert all(re.fullmatch(r"[EW][012]\d\d", d.code) for d in e.diagnostics)
        assert str(e)
        return
    assert isinstance(program, CheckedProgram)
    assert all(d.severity == "warning" for d in program.warnings)
    assert describe_prior(program) is not None
    reread, mistakes = parse_recovering(SourceFile("<expanded>", expand_program(program)))
    assert mistakes == ()
    assert len(reread.items) >= len(program.rules)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(TOKENS), max_size=25))
def test_soup_of_tokens(tokens: list[str]) -> None:
    check_text(" ".join(tokens) + " .")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(PIECES), max_size=8))
def test_soup_of_clauses(pieces: list[str]) -> None:
    check_text("\n".join(pieces))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from(PIECES), st.sampled_from(PIECES), st.data())
def test_clauses_with_a_token_changed(first: str, second: str, data: st.DataObject) -> None:
    words = re.findall(r"\w+\(|\w+|\s+|[^\w\s]+", f"{first}\n{second}")
    place = data.draw(st.integers(0, len(words) - 1))
    words[place] = data.draw(st.sampled_from(TOKENS))
    check_text("".join(words))


def test_deep_terms_do_not_overflow() -> None:
    deep = "f(" * 400 + "a" + ")" * 400
    wide = " + ".join(["1"] * 3000)
    goals = ", ".join(["true"] * 3000)
    for text in (
        f":- start({deep}).\n1 :: f(_) --> leaf.",
        f":- param(p, {wide}).\n:- use(denison, [phi = p]).",
        f":- start(t).\n{wide} :: t --> {{ {goals} }}, leaf.",
        f":- start(t).\n1 :: t --> {goals}.",
        f":- constraint({deep}).",
        f":- start(t([{', '.join(['a'] * 3000)}])).\n1 :: t(_) --> leaf.",
    ):
        check_text(text)
