"""Every message of a proof, in full: code, words, underlined text, help."""

from __future__ import annotations

import pytest

from slp.errors import ProgramError
from slp.resolution import Limits, evaluate, solve, threshold_outcomes
from slp.resolution.machine import store as store_module
from slp.syntax import parse_term
from tests.resolution.programs import SMALL, answers, database, fault, instances_of, tree_rules

BIND = "bind it before it is used: in the head, or by a goal to the left"
NOT_BY_0 = "divide by another number, or keep 0 away by a guard to the left"
ELSEWHERE = "take another number, or keep such numbers away by a guard to the left"
SMALLER = "compute with smaller numbers, or with logarithms"
THAT_KIND = "give the kind of term that the message names"
A_GOAL = "write an atom or a compound term"
BOUND = "bound the recursion that makes it"
A_NAME = "give the name of a feature, or a variable"
A_NUMBER = "write a number, or arithmetic of numbers"
ROUNDED = "round it first: `floor`, `ceiling`, `round`"
BIND_LEFT = "bind it by a goal to the left"
ENDLESS = "does a clause call itself first (put that goal last), or lack a guard that ends it?"
INTERVALS = "this guard uses the threshold in a way that cannot be cut into intervals"

PROGRAM = """
loop(X) :- loop(X).
coin(1). coin(2).
half(X, Y) :- Y is X / 0.
0.5 :: toss(heads). 0.5 :: toss(tails).
again :- between(1, inf, _), fail.
list([]). list([_|T]) :- list(T).
use(X) :- missing(X).
"""

# goal, code, message, underlined, help
GOALS = [
    ("Y is X + 1", "E201", "arithmetic needs a number, but `X` is not bound", "X", BIND),
    ("1 < X", "E201", "arithmetic needs a number, but `X` is not bound", "X", BIND),
    (
        "X is alpa * 2",
        "E202",
        "`alpa` is neither a parameter nor a number",
        "alpa",
        "did you mean `alpha`?",
    ),
    (
        "X is zzz",
        "E202",
        "`zzz` is neither a parameter nor a number",
        "zzz",
        "declare it with `:- param(zzz, VALUE).`",
    ),
    (
        "X is sqr(4)",
        "E202",
        "`sqr/1` is not an arithmetic function",
        "sqr(4)",
        "did you mean `sqrt`?",
    ),
    ("X is 1 mod 0", "E203", "division by zero", "1 mod 0", NOT_BY_0),
    ("half(1, Y)", "E203", "division by zero", "X / 0", NOT_BY_0),
    (
        "X is log(-1)",
        "E204",
        "`log` has no value here: the result is not a real number",
        "log(-1)",
        ELSEWHERE,
    ),
    (
        "X is nan",
        "E204",
        "`nan` has no value here: the result is not a real number",
        "nan",
        ELSEWHERE,
    ),
    (
        "X is exp(1000)",
        "E205",
        "the result is too large for a floating-point number",
        "exp(1000)",
        SMALLER,
    ),
    (
        "X is 10^10^10",
        "E205",
        "the result has more than 8192 bits",
        "10^10^10",
        "write a float, such as 10.0 in place of 10, to compute with floating-point numbers",
    ),
    ("X is 1 + [a,b]", "E206", "arithmetic needs a number, not a list", "[a,b]", A_NUMBER),
    (
        'X is 1 + "two"',
        "E206",
        'arithmetic needs a number, not the string "two"',
        '"two"',
        A_NUMBER,
    ),
    ("X is 7.5 mod 2", "E206", "`mod` needs integers, not 7.5", "7.5 mod 2", ROUNDED),
    (
        "cion(X)",
        "E210",
        "unknown predicate `cion/1`",
        "cion(X)",
        "did you mean `coin/1`?",
    ),
    ("coin(X, Y)", "E210", "unknown predicate `coin/2`", "coin(X, Y)", "there is `coin/1`"),
    (
        "use(1)",
        "E210",
        "unknown predicate `missing/1`",
        "missing(X)",
        "define it by facts or clauses",
    ),
    (
        "length(L, N), atom_length(A, N)",
        "E211",
        "atom_length/2 needs an argument that is not bound yet",
        "atom_length(A, N)",
        BIND_LEFT,
    ),
    ("coin(1), G", "E211", "`G` is called as a goal, but is not bound", "G", BIND_LEFT),
    ("call(G, 1)", "E211", "`G` is called as a goal, but is not bound", "G", BIND_LEFT),
    (
        "X = f(Y), arg(a, X, Z)",
        "E212",
        "arg/3 needs an integer, not the atom `a`",
        "arg(a, X, Z)",
        THAT_KIND,
    ),
    (
        "length(L, -1)",
        "E212",
        "length/2 needs an integer from 0 up, not the number -1",
        "length(L, -1)",
        THAT_KIND,
    ),
    (
        "msort(f(x), L)",
        "E212",
        "msort/2 needs a list, not the term `f/1`",
        "msort(f(x), L)",
        THAT_KIND,
    ),
    ("(coin(1), 3)", "E213", "the number 3 is not a goal", "3", A_GOAL),
    ("again", "E214", "gave up after 20000 inferences", "fail", ENDLESS),
    (
        "length(L, 1000000000)",
        "E214",
        "gave up after 20000 inferences",
        "length(L, 1000000000)",
        ENDLESS,
    ),
    ("loop(1)", "E215", "gave up at a recursion 2000 calls deep", "loop(X)", ENDLESS),
    (
        "toss(X)",
        "E218",
        "`toss/1` has labelled clauses and cannot be called in a guard",
        "toss(X)",
        "a guard tests or computes: call a predicate whose clauses have no labels",
    ),
]


@pytest.mark.parametrize(("goal", "code", "message", "underlined", "help"), GOALS)
def test_goal(goal: str, code: str, message: str, underlined: str, help: str | None) -> None:
    with pytest.raises(ProgramError) as caught:
        answers(goal, database(PROGRAM, alpha=0.5), SMALL)
    assert fault(caught.value) == (code, message, underlined, help)


def test_too_many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "LARGEST", 1000)
    doubled = [f"X{i + 1} = f(X{i}, X{i})" for i in range(12)]
    goal = ", ".join([*doubled, "X12 = Y, copy_term(Y, Z)"])
    with pytest.raises(ProgramError) as caught:
        answers(goal)
    code, message, _, help = fault(caught.value)
    assert (code, message, help) == ("E216", "a term has more than 1000 parts", BOUND)


def test_terms_with_exponentially_many_parts_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "LARGEST", 100_000)
    doubled = [f"X{i + 1} = f(X{i}, X{i})" for i in range(60)]
    assert answers(", ".join([*doubled, "X60 == Y"])) == []
    with pytest.raises(ProgramError) as caught:
        answers(", ".join([*doubled, "X60 = Y, copy_term(Y, Z)"]))
    assert fault(caught.value)[0] == "E216"


def test_redefined_builtin() -> None:
    with pytest.raises(ProgramError) as caught:
        database("is(X, X).")
    want = ("E217", "`is/2` is built in", "is(X, X)", "give the predicate another name")
    assert fault(caught.value) == want


def test_head_that_is_no_predicate() -> None:
    from slp.ir.program import LogicClause
    from slp.resolution import Database
    from slp.terms import Number

    with pytest.raises(ProgramError) as caught:
        Database([LogicClause(Number(3), None, None)], {})
    assert fault(caught.value) == ("E213", "the number 3 is not a goal", None, A_GOAL)


def test_unknown_parameter_without_near_name() -> None:
    with pytest.raises(ProgramError) as caught:
        evaluate(parse_term("1 - gamma"), {"alpha": 1.0})
    help = "declare it with `:- param(gamma, VALUE).`"
    want = ("E202", "`gamma` is neither a parameter nor a number", "gamma", help)
    assert fault(caught.value) == want


# rule, feature's levels, code, message, underlined, help
RULES = [
    (
        "1 - D :: tree(D) --> leaf.",
        None,
        "E220",
        "the label is negative (-1)",
        "1 - D",
        "a label is a number from 0 up",
    ),
    (
        "inf :: tree(D) --> leaf.",
        None,
        "E220",
        "the label is infinite",
        "inf",
        "a label is a number from 0 up",
    ),
    (
        "1/K :: tree(D) --> leaf.",
        None,
        "E201",
        "arithmetic needs a number, but `K` is not bound",
        "K",
        BIND,
    ),
    (
        "1/(D-2) :: tree(D) --> leaf.",
        None,
        "E203",
        "division by zero",
        "1/(D-2)",
        NOT_BY_0,
    ),
    (
        "1 :: tree(D) --> split(F, V), tree(X), leaf.",
        None,
        "E221",
        "`X` in a nonterminal's argument is not bound",
        "X",
        "bind it in the head or by a guard",
    ),
    (
        "1/cos(N) :: tree(D) --> {rows(N)}, leaf.",
        None,
        "E223",
        "`cos/1` cannot be taken of a number of rows",
        "cos(N)",
        "there are `-`, `abs`, `sign`, `exp`, `log`, `sqrt`, `floor`, `ceiling`, `truncate`, "
        "`round`, `integer`, `+`, `*`, `/`, `min`, `max`, `**`, `^`, `//`, `div`, `mod`, `rem`",
    ),
    (
        "1/(N/2 mod 2) :: tree(D) --> {rows(N)}, leaf.",
        None,
        "E223",
        "`mod` needs integers, and this number of rows need not be one",
        "N/2 mod 2",
        "round it first: `floor`, `ceiling`, `round`",
    ),
    (
        "1 :: tree(D) --> {rows(N), plus(N, 1, M), M > D}, leaf.",
        None,
        "E223",
        "the term `plus/3` asks about a number of rows, which differs from box to box",
        "plus(N, 1, M)",
        "compare the number (`N >= 10`), or compute with it (`M is N // 2`)",
    ),
    (
        "1 :: tree(D) --> {rows(C, N), N > 1}, leaf.",
        None,
        "E223",
        "`rows(Class, N)` needs the name of a class, not the variable `C`",
        "C",
        "name it, as in `rows(yes, N)`",
    ),
    (
        "1 :: tree(D) --> {rows(many)}, leaf.",
        None,
        "E223",
        "the atom `many` is no number of rows",
        "many",
        "write a variable or a number",
    ),
    (
        "1 :: tree(D) --> split(3, V), leaf, leaf.",
        None,
        "E222",
        "a split needs a feature's name, not the number 3",
        "3",
        A_NAME,
    ),
    (
        "1 :: tree(D) --> split(F, V), {V*V < 3}, leaf, leaf.",
        None,
        "E230",
        INTERVALS,
        "V*V",
        "compare sums and multiples of the threshold with numbers",
    ),
    (
        "1 :: tree(D) --> split(F, V), {floor(V) > 3}, leaf, leaf.",
        None,
        "E230",
        INTERVALS,
        "floor(V)",
        "compare sums and multiples of the threshold with numbers",
    ),
    (
        "1 :: tree(D) --> split(F, V), {atom_length(V, 3)}, leaf, leaf.",
        None,
        "E230",
        INTERVALS,
        "atom_length(V, 3)",
        "compare sums and multiples of the threshold with numbers",
    ),
    (
        "1 :: tree(D) --> split(F, V), tree(V+1), leaf.",
        None,
        "E231",
        "the threshold is in a nonterminal's argument: there would be endlessly many states",
        "tree(V+1)",
        "pass on what a comparison of the threshold decides, such as `low` or `high`",
    ),
    (
        "1 :: tree(D) --> split(F, V), {member(S, [a, b])}, {true}, tree(S), leaf.",
        None,
        "E232",
        "the guards behind the split have answers that lead to different children",
        "member(S, [a, b])}, {true",
        "choose before the split",
    ),
    (
        "1 :: tree(D) --> split(F, V), {V < 3}, leaf, leaf.",
        ("blue", "red"),
        "E202",
        "`blue` is neither a parameter nor a number",
        "V < 3",
        "`age` is categorical, its threshold is a level: test the feature before computing with "
        "the threshold",
    ),
    (
        "1 :: tree(D) --> split(F, V), {V < foo}, leaf, leaf.",
        None,
        "E202",
        "`foo` is neither a parameter nor a number",
        "foo",
        "declare it with `:- param(foo, VALUE).`",
    ),
]


@pytest.mark.parametrize(("rule", "levels", "code", "message", "underlined", "help"), RULES)
def test_rule(
    rule: str,
    levels: tuple[str, ...] | None,
    code: str,
    message: str,
    underlined: str,
    help: str | None,
) -> None:
    program = database()
    with pytest.raises(ProgramError) as caught:
        for instance in instances_of(program, tree_rules(rule), parse_term("tree(2)")):
            threshold_outcomes(program, instance, "age", levels)
    assert fault(caught.value) == (code, message, underlined, help)


def test_state_that_is_not_ground() -> None:
    with pytest.raises(ProgramError) as caught:
        instances_of(database(), tree_rules("1 :: tree(D) --> leaf."), parse_term("tree(X)"))
    help = "bind it in the head or by a guard"
    want = ("E221", "`X` in a nonterminal's argument is not bound", "X", help)
    assert fault(caught.value) == want


def test_place_of_last_resort() -> None:
    from slp.terms import Atom

    clause = tree_rules("1 :: tree(D) --> leaf.")[0]
    with pytest.raises(ProgramError) as caught:
        list(solve(Atom("nobody"), database(), Limits(), span=clause.span))
    assert fault(caught.value)[2] == "1 :: tree(D) --> leaf."
