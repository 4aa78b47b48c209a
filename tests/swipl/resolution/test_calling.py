"""maplist and foldl over stochastic goals, and built-ins that a program replaces, under both
engines."""

from __future__ import annotations

import pytest

import slp
from slp.errors import SlpError
from slp.resolution import Limits

ENGINES = pytest.mark.parametrize("engine", ["python", "prolog"])

PROGRAM = slp.parse("""
0.4 :: coin(1).
0.6 :: coin(2).
0.9 :: noisy(X, Y) :- Y = X.
0.1 :: noisy(X, Y) :- Y is 1 - X.
step(_, S, T) :- coin(X), T is S + X.
three(S) :- foldl(step, [a, b, c], 0, S).
twice(X, Y) :- Y is 2 * X.
chain(L) :- maplist(twice, [1, 2], L), !, coin(_).
wrong :- maplist(nosuch, [1]).
""")


@ENGINES
def test_goals_of_maplist_may_be_stochastic(engine: str) -> None:
    found = PROGRAM.query("maplist(coin, [X, Y])", engine=engine)
    have = {(a["X"], a["Y"]): a.mass for a in found.answers}
    assert have == pytest.approx({(1, 1): 0.16, (1, 2): 0.24, (2, 1): 0.24, (2, 2): 0.36})
    copy = PROGRAM.query("maplist(noisy, [0, 1, 1], [0, 1, 0])", engine=engine)
    assert copy.success == pytest.approx(0.9 * 0.9 * 0.1)


@ENGINES
def test_foldl_over_draws_has_the_masses_of_a_binomial(engine: str) -> None:
    found = PROGRAM.query("three(S)", engine=engine)
    have = {a["S"]: a.mass for a in found.answers}
    want = {3: 0.4**3, 4: 3 * 0.4**2 * 0.6, 5: 3 * 0.4 * 0.6**2, 6: 0.6**3}
    assert have == pytest.approx(want)


@ENGINES
def test_maplist_over_a_list_leaves_nothing_to_cut(engine: str) -> None:
    assert PROGRAM.query("chain(L)", engine=engine).success == pytest.approx(1)


@ENGINES
def test_a_fault_below_maplist_is_in_the_clause_that_calls_it(engine: str) -> None:
    with pytest.raises(SlpError) as caught:
        PROGRAM.query("wrong", engine=engine)
    (fault,) = caught.value.diagnostics
    assert fault.code == "E210" and "nosuch/1" in fault.message
    assert fault.span is not None and "wrong" in fault.span.file.text[fault.span.start - 17 :]


@ENGINES
@pytest.mark.parametrize(
    "goal",
    [
        "numlist(1, 100000000000, L)",
        pytest.param(
            "numlist(1, 70000, L), findall(0'a, member(_, L), C), atom_codes(A, C)",
            marks=pytest.mark.slow,
        ),
        "numlist(1, 2000, L), findall(0'1, member(_, L), C), number_codes(N, C)",
        "numlist(1, 4000, L), findall(0'a, member(_, L), C), atom_codes(A, C), "
        "findall(S, sub_atom(A, _, _, _, S), Ss)",
    ],
)
def test_sizes_are_limited(goal: str, engine: str) -> None:
    limits = Limits(inferences=300_000)
    try:
        found = PROGRAM.query(goal, engine=engine, limits=limits)
    except SlpError as error:
        assert error.diagnostics[0].code in ("E212", "E214", "E262", "E265")
    else:
        assert not found.complete and found.answers == ()


@ENGINES
def test_a_program_has_its_own_maplist_and_a_warning(engine: str) -> None:
    text = "maplist(a, b, c).\n"
    assert [d.code for d in slp.parse(text).warnings] == ["W114"]
    found = slp.parse(text).query("maplist(X, Y, Z)", engine=engine)
    assert [dict(a) for a in found.answers] == [{"X": "a", "Y": "b", "Z": "c"}]
    assert slp.parse(text).query("maplist(=(1), [X])", engine=engine).success == 1
