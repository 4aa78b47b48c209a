"""Goals that tell bound arguments from free ones: learned by the answers to the free goal, where
these end, else refused unless it makes no difference. Tables of labels are grouped as goals choose
among them, else refused (see also test_networks.py)."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from itertools import product
from random import Random
from unittest import mock

import pytest

import slp
from slp.learn import sample
from slp.learn.tabled import NoTablesError

COINS = "0.5 :: c(a).\n0.5 :: c(b).\n"
TWO = COINS + "t(X) :- c(Y), k(Y, X).\n"
NUMBERS = "0.5 :: n(1).\n0.5 :: n(2).\n"


def refusal(text: str, *goals: str, **options: object) -> tuple[str, str]:
    """The code, and the text of the place."""
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(text).learn(*goals, **options)
    (found,) = caught.value.diagnostics
    assert found.span is not None
    return found.code, found.span.text


def without_answers() -> AbstractContextManager[object]:
    """As where the goal with free arguments has answers without end."""
    return mock.patch.object(sample, "answers_by_tables", side_effect=NoTablesError("not now"))


@pytest.mark.parametrize(
    ("text", "goals", "place"),
    [
        (TWO + "k(a, one) :- !.\nk(_, other).\n", ["t(one)", "t(other)"], "k(Y, X)"),
        (TWO + "k(a, one) :- !.\nk(_, other).\n", ["t(other)"], "k(Y, X)"),
        (TWO + "k(_, X) :- X \\= one, X = other.\nk(_, one).\n", ["t(other)"], "k(Y, X)"),
        (TWO + "k(_, X) :- \\+ X = one, X = other.\nk(a, one).\n", ["t(other)"], "k(Y, X)"),
        (TWO + "k(Y, X) :- ( X == one -> Y = a ; X = other ).\n", ["t(one)"], "k(Y, X)"),
        (TWO + "k(_, X) :- nonvar(X).\n", ["t(a)"], "k(Y, X)"),
        (TWO + "k(Y, X) :- var(X), X = Y.\n", ["t(a)"], "k(Y, X)"),
        (TWO + "k(Y, X) :- once(m(Y, X)).\nm(_, one).\nm(_, other).\n", ["t(other)"], "k(Y, X)"),
        (TWO + "k(_, X) :- findall(X, m(X), [_]).\nm(one).\nm(two).\n", ["t(one)"], "k(Y, X)"),
        (COINS + "t(X) :- c(Y), memberchk(X, [Y, a]).\n", ["t(a)"], "memberchk(X, [Y, a])"),
        (COINS + "t(X, Y) :- X == Y, c(X).\n", ["t(a, a)"], "X == Y"),
        (NUMBERS + "t(X) :- X > 1, n(X).\n", ["t(2)"], "X > 1"),
        (NUMBERS + "t(X) :- n(Y), 3 =:= X + Y.\n", ["t(1)"], "3 =:= X + Y"),
    ],
)
def test_a_goal_that_tells_bound_from_free(text: str, goals: list[str], place: str) -> None:
    with without_answers():
        for failures in (True, False):
            assert refusal(text, *goals, failures=failures) == ("E289", place)


def test_the_observation_is_shown() -> None:
    with without_answers(), pytest.raises(slp.SlpError) as caught:
        slp.parse(TWO + "k(a, one) :- !.\nk(_, other).\n").learn("3 :: t(other)")
    (found,) = caught.value.diagnostics
    assert found.message == (
        "labels cannot be learned: `k(a, other)` has other solutions where the arguments that an "
        "observation binds are free"
    )
    assert [(r.message, r.span.text) for r in found.related] == [
        ("bound by this observation", "3 :: t(other).")
    ]


@pytest.mark.parametrize(
    ("text", "goals"),
    [
        (TWO + "k(a, X) :- !, X = one.\nk(_, other).\n", ["t(one)", "t(other)"]),
        (TWO + "k(Y, X) :- ( Y == a -> X = one ; X = other ).\n", ["t(one)", "t(other)"]),
        (TWO + "k(Y, X) :- \\+ Y = a, X = other.\nk(a, one).\n", ["t(one)", "t(other)"]),
        (NUMBERS + "t(X) :- n(Y), X is 3 - Y.\n", ["t(1)", "t(2)"]),
        (NUMBERS + "t(X) :- n(X), X > 0.\n", ["t(1)", "t(2)"]),
        (NUMBERS + "t(X, Y) :- n(X), n(Y), X == Y.\n", ["t(1, 1)", "t(2, 2)"]),
    ],
)
def test_a_goal_that_does_not(text: str, goals: list[str]) -> None:
    found = slp.parse(text).learn(*goals)
    assert [change.after for change in found.changes] == [0.5, 0.5]
    assert found.log_likelihoods[-1] == pytest.approx(2 * math.log(0.5))


def test_answers_without_end_are_refused() -> None:
    """`word` generates words of any length, and `kind` tells a bound second argument."""
    text = "0.5 :: word([]).\n0.5 :: word([a|W]) :- word(W).\nt(W, X) :- word(W), kind(W, X).\n"
    text += "kind([], none) :- !.\nkind(_, some).\n"
    limits = slp.resolution.Limits(inferences=5000)
    assert refusal(text, "t([], some)", limits=limits) == ("E289", "kind(W, X)")


def test_an_observation_that_is_no_answer() -> None:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(TWO + "k(_, X) :- ( X == one -> true ; X = other ).\n").learn(
            "t(one)", "t(other)"
        )
    (found,) = caught.value.diagnostics
    assert found.code == "E282" and found.message == "this observation is no answer to `t(_0_1)`"


def test_an_answer_that_is_more_general_than_an_observation() -> None:
    assert refusal(TWO + "k(_, X) :- var(X).\n", "t(a)") == ("E289", "k(Y, X)")


#: Blood types of the manual of PRISM, where the phenotype is told by cuts, and by conditions.
BLOOD = """
0.3333333333 :: gene(a). 0.3333333333 :: gene(b). 0.3333333334 :: gene(o).
blood(P) :- gene(X), gene(Y), shows(X, Y, P).
"""
CUTS = """
shows(X, X, X) :- !.
shows(o, Y, Y) :- !.
shows(X, o, X) :- !.
shows(_, _, ab).
"""
CONDITIONS = "shows(X, Y, P) :- ( X = Y -> P = X ; X = o -> P = Y ; Y = o -> P = X ; P = ab ).\n"


@pytest.mark.parametrize("rule", [CUTS, CONDITIONS])
@pytest.mark.parametrize("failures", [True, False])
def test_blood_types(rule: str, failures: bool) -> None:
    """The gene frequencies that PRISM's manual gives, and that gene counting gives."""
    seen = {"a": 40, "b": 20, "o": 30, "ab": 10}
    goals = [f"{n} :: blood({x})" for x, n in seen.items()]
    found = slp.parse(BLOOD + rule).learn(*goals, failures=failures)
    have = {c.name: c.after for c in found.changes}
    assert have == pytest.approx(
        {"gene(a)": 0.2923, "gene(b)": 0.1630, "gene(o)": 0.5447}, abs=5e-5
    )
    p, q, r = 0.3, 0.3, 0.4
    for _ in range(200):
        aa, bb = 40 * p / (p + 2 * r), 20 * q / (q + 2 * r)  # with two genes a, two genes b
        p, q = (40 + aa + 10) / 200, (20 + bb + 10) / 200
        r = 1 - p - q
    assert [*have.values()] == pytest.approx([p, q, r], abs=1e-5)


def test_a_free_goal_with_endless_solutions_is_not_refused() -> None:
    """`length` has endless solutions where its list is free, and those of lists alone agree."""
    text = NUMBERS + "t(L) :- length(L, N), n(N).\n"
    limits = slp.resolution.Limits(inferences=5000)
    found = slp.parse(text).learn("t([a])", "t([_, _])", failures=False, limits=limits)
    assert [change.after for change in found.changes] == [0.5, 0.5]


def random_program(random: Random) -> str:
    """Labelled facts beside one to three clauses that may look at their arguments."""

    def test(depth: int = 0) -> str:
        x, y = (random.choice(["X", "Y", "a", "b", "one"]) for _ in range(2))
        kinds = [
            *("{x} = {y}", "{x} \\= {y}", "{x} == {y}", "var({x})", "nonvar({x})", "m({x}, {y})"),
            *("\\+ m({x}, {y})", "once(m({x}, {y}))", "memberchk({x}, [a, {y}])", "{x} @< {y}"),
            *("findall(Z, m({x}, Z), [{y}|_])", "! ; {x} = {y}" if depth == 0 else "atom({x})"),
        ]
        if depth < 2 and random.random() < 0.1:
            return f"( {test(2)} -> {test(2)} ; {test(2)} )"
        return f"( {random.choice(kinds)} )".format(x=x, y=y)

    facts = ["a", "b", "one"]
    lines = ["0.4 :: c(a).", "0.6 :: c(b).", "0.3 :: d(X, X).", "0.7 :: d(_, one)."]
    lines += [f"m({random.choice(facts)}, {random.choice(facts)})." for _ in range(3)]
    for _ in range(random.randint(1, 3)):
        head = random.choice(["k(X, Y)", "k(a, Y)", "k(X, one)", "k(X, a)"])
        lines.append(f"{head} :- {test()}, {test()}.")
    body = random.choice(
        ["c(X), k(X, Y)", "d(X, Y), k(X, Y)", "c(Z), k(Z, Y), d(Y, X)", "d(X, Z), c(Z), k(X, Y)"]
    )
    return "\n".join([*lines, f"t(X, Y) :- {body}."]) + "\n"


def test_what_is_not_refused_has_the_mass_of_the_free_goal() -> None:
    """Random programs: the mass of an observation is that of the answers to the free goal."""
    learned = absent = 0
    for seed in range(20):
        program = slp.parse(random_program(Random(seed)))
        free = program.query("t(X, Y)")
        answers = [tuple(map(str, a.values())) for a in free.answers]
        if any(not value.islower() for values in answers for value in values):
            continue  # answers with variables
        masses = {
            v: a.probability * free.success for v, a in zip(answers, free.answers, strict=True)
        }
        for x, y in product(["a", "b", "one"], repeat=2):
            want = masses.get((x, y), 0.0)
            try:
                found = program.learn(f"t({x}, {y})", failures=False, iterations=0)
            except slp.SlpError as e:
                assert e.diagnostics[0].code == "E282" and want == 0
                absent += 1
            else:
                assert math.exp(found.log_likelihoods[0]) == pytest.approx(want)
                learned += 1
    assert learned > 5 and absent > 2


def test_labels_that_sum_to_one_nowhere() -> None:
    text = "0.6 :: p(N, x) :- N > 1.\n0.4 :: p(_, y).\n0.6 :: p(N, z) :- N =< 1.\n"
    with pytest.raises(slp.SlpError, match="neither over all clauses nor for each value of some"):
        slp.parse(NUMBERS + text + "t(N, X) :- n(N), p(N, X).\n").learn("t(1, y)")


def test_labels_for_each_functor_of_an_argument() -> None:
    text = (
        "0.5 :: p([], x).\n0.5 :: p([], y).\n0.5 :: p([_|_], x).\n0.5 :: p([a|_], y).\n"
        "t(X) :- p([], X).\n"
    )
    found = slp.parse(text).learn("3 :: t(x)", "t(y)")
    assert [c.after for c in found.changes] == [0.75, 0.25, 0.5, 0.5]


@pytest.mark.parametrize("failures", [True, False])
def test_equal_labels_are_grouped_as_goals_choose(failures: bool) -> None:
    """Labels of 0.5 sum to 1 for each symbol as for each state; goals bind the state."""
    text = NUMBERS + "".join(f"0.5 :: e({x}, {s}).\n" for s in (1, 2) for x in "xy")
    goals = ["8 :: t(1, x)", "2 :: t(1, y)", "1 :: t(2, x)", "9 :: t(2, y)"]
    found = slp.parse(text + "t(S, X) :- n(S), e(X, S).\n").learn(*goals, failures=failures)
    assert [c.after for c in found.changes] == pytest.approx([0.5, 0.5, 0.8, 0.2, 0.1, 0.9])


def test_a_goal_that_chooses_across_sets() -> None:
    text = "".join(f"0.5 :: e({s}, {x}).\n" for s in (1, 2) for x in "xy")
    text += "t(S, X) :- e(S, x), e(1, X).\n"
    assert refusal(text, "t(1, x)") == ("E290", "0.5 :: e(1, x).")
