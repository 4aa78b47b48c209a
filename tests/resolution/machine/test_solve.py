"""SLD resolution: control, order of answers, laziness, limits, depth, and what cannot be called."""

from __future__ import annotations

from itertools import islice

import pytest

from slp.errors import ProgramError
from slp.resolution import Database, Limits, Meter, is_builtin, solve
from slp.syntax import parse_term, term_to_text
from slp.terms import Atom, Number, Struct, Var
from tests.resolution.programs import answers, database, fault, value

FAMILY = """
parent(ann, bob). parent(ann, cid). parent(bob, dot). parent(cid, eve).
ancestor(X, Y) :- parent(X, Y).
ancestor(X, Z) :- parent(X, Y), ancestor(Y, Z).
first_child(X, Y) :- parent(X, Y), !.
sign(X, neg) :- X < 0, !.
sign(0, zero) :- !.
sign(_, pos).
"""


def test_answers_come_in_the_order_of_the_clauses() -> None:
    have = value("X", "ancestor(ann, X)", database(FAMILY))
    assert have == ["bob", "cid", "dot", "eve"]


def test_each_proof_counts() -> None:
    assert answers("p(1)", database("p(1). p(1). p(X) :- X > 0.")) == ["p(1)"] * 3


def test_search_is_lazy() -> None:
    program = database("n(0). n(X) :- n(Y), X is Y + 1.")
    found = solve(parse_term("n(X)"), program)
    have = [b.resolve(Var("X")) for b in islice(found, 5)]
    assert have == [Number(i) for i in range(5)]


def test_answers_stay_good_when_the_search_goes_on() -> None:
    found = list(solve(parse_term("member(X, [1, 2, 3])"), database()))
    assert [b.resolve(Var("X")) for b in found] == [Number(1), Number(2), Number(3)]


def test_free_variables_stand_for_themselves() -> None:
    goal = parse_term("X = f(Y, Z), Y = W")
    (answer,) = solve(goal, database())
    assert term_to_text(answer.resolve(Var("X"))) == "f(W, Z)"
    assert answer.resolve(Var("Q")) == Var("Q")


def test_variables_of_the_goal_may_carry_numbers() -> None:
    goal = Struct("=", (Var("X", 7), Struct("f", (Var("X", 3), Var("Y", 7)))))
    (answer,) = solve(goal, database())
    assert answer.resolve(Var("X", 7)) == Struct("f", (Var("X", 3), Var("Y", 7)))


@pytest.mark.parametrize(
    ("goal", "want"),
    [
        ("first_child(ann, X)", ["bob"]),
        ("sign(-3, X)", ["neg"]),
        ("sign(0, X)", ["zero"]),
        ("sign(3, X)", ["pos"]),
        ("(X = 1 ; X = 2 ; X = 3)", ["1", "2", "3"]),
        ("(member(X, [1, 2, 3]), X > 1 -> true ; X = none)", ["2"]),
        ("(fail -> X = yes ; X = no)", ["no"]),
        ("(member(X, [1, 2]) *-> true ; X = none)", ["1", "2"]),
        ("(fail *-> true ; X = none)", ["none"]),
        ("(member(X, [1, 2]) *-> true)", ["1", "2"]),
        ("(X = 1, fail -> true)", []),
        ("member(X, [1, 2, 3]), \\+ X = 2", ["1", "3"]),
        ("\\+ \\+ X = 1, X = 2", ["2"]),
        ("once(member(X, [1, 2]))", ["1"]),
        ("forall(member(Y, [1, 2]), Y > 0), X = yes", ["yes"]),
        ("forall(member(Y, [1, 2]), Y > 1), X = yes", []),
        ("findall(Y, parent(ann, Y), X)", ["[bob, cid]"]),
        ("findall(Y, fail, X)", ["[]"]),
        ("member(X, [1, 2, 3]), !", ["1"]),
        ("member(X, [1, 2, 3]), X > 1, !", ["2"]),
        ("(member(X, [1, 2]), ! ; X = 3)", ["1"]),
        ("(member(X, [1, 2]), once(member(_, [a, b])) ; X = 3)", ["1", "2", "3"]),
        ("call((member(X, [1, 2]), !)) ; X = 3", ["1", "3"]),
        ("(! , fail -> X = 1 ; X = 2)", ["2"]),
        ("\\+ (!, fail), member(X, [1, 2])", ["1", "2"]),
        ("G = member(X), call(G, [1, 2])", ["1", "2"]),
        ("G = (X = 1 ; X = 2), G", ["1", "2"]),
        ("call(=, X, 1)", ["1"]),
        ("member(Y, [1, 2]), (Y > 1, ! ; fail), X = Y", ["2"]),
        ("between(1, 3, X), X =\\= 2", ["1", "3"]),
    ],
)
def test_control(goal: str, want: list[str]) -> None:
    assert value("X", goal, database(FAMILY)) == want


def test_a_called_variable_does_not_cut_its_clause() -> None:
    program = database("p(X, G) :- member(X, [1, 2]), G.")
    assert value("X", "p(X, !)", program) == ["1", "2"]


def test_findall_copies() -> None:
    assert value("L == [X, X]", "findall(X, member(_, [1, 2]), L), \\+ L = [a, b]") == []
    assert value("L", "findall(Y-X, member(X, [1, 2]), L), L = [a-_, b-_]") == ["[a-1, b-2]"]


def test_a_program_may_define_its_own_list_predicates() -> None:
    program = database("member(X, Y) :- X = odd(Y).")
    assert value("X", "member(X, [])", program) == ["odd([])"]


def test_parameters_are_known_to_arithmetic_alone() -> None:
    program = database("small(K) :- K < most_leaves.", most_leaves=8)
    assert answers("small(7)", program) == ["small(7)"]
    assert answers("small(8)", program) == []
    assert answers("most_leaves = 8", program) == []


def test_first_arguments_are_told_apart() -> None:
    program = database('v(1, int). v(1.0, float). v(a, atom). v("a", text). v(f(_), f). v(_, all).')
    for first, want in [
        ("1", ["int", "all"]),
        ("1.0", ["float", "all"]),
        ("a", ["atom", "all"]),
        ('"a"', ["text", "all"]),
        ("f(3)", ["f", "all"]),
        ("g(3)", ["all"]),
        ("_", ["int", "float", "atom", "text", "f", "all"]),
    ]:
        assert value("X", f"v({first}, X)", program) == want


def test_facts_are_found_by_their_first_argument() -> None:
    program = database("\n".join(f"fact({i}, {i * i})." for i in range(3000)))
    meter = Meter(Limits())
    (answer,) = solve(parse_term("fact(2999, X)"), program, meter)
    assert answer.resolve(Var("X")) == Number(2999 * 2999)
    assert meter.inferences <= 2


# --- depth and limits --------------------------------------------------------------------------

DEEP = """
count(N, N) :- !.
count(I, N) :- J is I + 1, count(J, N).
len([], 0).
len([_|T], N) :- len(T, M), N is M + 1.
list(0, []) :- !.
list(N, [N|T]) :- M is N - 1, list(M, T).
"""


@pytest.mark.slow
def test_count_to_fifty_thousand() -> None:
    assert answers("count(0, 50000)", database(DEEP), Limits()) == ["count(0, 50000)"]


@pytest.mark.slow
def test_length_of_a_hundred_thousand() -> None:
    goal = parse_term("length(L, 100000), len(L, N)")
    (answer,) = solve(goal, database(DEEP))
    assert answer.resolve(Var("N")) == Number(100_000)


@pytest.mark.slow
def test_long_lists_in_and_out() -> None:
    goal = parse_term(
        "list(30000, L), append(L, [x], M), reverse(M, [X|_]), msort(M, S), last(S, Z)"
    )
    (answer,) = solve(goal, database(DEEP))
    assert answer.resolve(Var("X")) == answer.resolve(Var("Z")) == Atom("x")


def test_left_and_right_recursion_end_at_the_limits() -> None:
    program = database("left(X) :- left(Y), X is Y + 1. many(X) :- member(X, [1, 2]), many(_).")
    for goal, code in [
        ("left(X)", "E215"),
        ("many(X)", "E215"),
        ("between(1, inf, X), fail", "E214"),
    ]:
        with pytest.raises(ProgramError) as caught:
            answers(goal, program)
        assert fault(caught.value)[0] == code


def test_queries_can_share_limits() -> None:
    meter = Meter(Limits(inferences=100))
    goal = parse_term("between(1, 20, X), X > 19")
    assert len(list(solve(goal, database(), meter))) == 1
    with pytest.raises(ProgramError, match="gave up after 100 inferences"):
        for _ in range(10):
            list(solve(goal, database(), meter))


# --- the world outside -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "goal",
    [
        "shell(ls)",
        "open('x', write, S)",
        "consult(x)",
        "assertz(p(1))",
        "retract(p(1))",
        "write(hello)",
        "halt",
        "py_call(os:getcwd, X)",
        'python("os:getcwd")',
        "system:true",
        "use_module(library(process))",
        "read_term(X, [])",
        "nb_setval(a, 1)",
        "G =.. [shell, ls], call(G)",
        "atom_to_term('shell(ls)', G, _), call(G)",
    ],
)
def test_nothing_outside_the_program_can_be_called(goal: str) -> None:
    with pytest.raises(ProgramError) as caught:
        answers(goal)
    assert fault(caught.value)[:1] == ("E210",)


def test_which_predicates_are_built_in() -> None:
    assert is_builtin("is", 2)
    assert is_builtin(",", 2)
    assert is_builtin("call", 8)
    assert not is_builtin("member", 2)
    assert not is_builtin("is", 3)
    assert Database([], {}).definitions.keys() >= {("member", 2), ("append", 3), ("select", 3)}
