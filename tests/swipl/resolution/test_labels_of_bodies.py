"""Labels that goals of the body bind, under both engines: against the same program with a clause
for each instance, and against sums by hand."""

from __future__ import annotations

from collections import Counter

import pytest

import slp
from slp.errors import SlpError

ENGINES = pytest.mark.parametrize("engine", ["python", "prolog"])

PROGRAM = """
w(1, 0.3). w(2, 0.5). w(3, 0.2).
P :: a(X) :- w(X, P).
edge(a, b, 0.25). edge(a, c, 0.5). edge(b, d, 0.5). edge(b, c, 0.5). edge(c, d, 0.9).
edge(a, e, 0.25). edge(c, e, 0.1).
P :: step(X, Y) :- edge(X, Y, P).
path(X, X, 0).
path(X, Z, N) :- step(X, Y), path(Y, Z, M), N is M + 1.
0.4 :: r(1). 0.6 :: r(2).
P :: both(X, Y) :- w(X, P), r(Y).
N / 4 :: pick(X, Y) :- member(X-N, [u-1, v-3]), a(Y).
P :: same(X, X, Y) :- w(Y, P).
"""

PLAIN = """
0.3 :: a(1). 0.5 :: a(2). 0.2 :: a(3).
0.25 :: step(a, b). 0.5 :: step(a, c). 0.5 :: step(b, d). 0.5 :: step(b, c). 0.9 :: step(c, d).
0.25 :: step(a, e). 0.1 :: step(c, e).
path(X, X, 0).
path(X, Z, N) :- step(X, Y), path(Y, Z, M), N is M + 1.
0.4 :: r(1). 0.6 :: r(2).
0.3 :: both(1, Y) :- r(Y). 0.5 :: both(2, Y) :- r(Y). 0.2 :: both(3, Y) :- r(Y).
0.25 :: pick(u, Y) :- a(Y). 0.75 :: pick(v, Y) :- a(Y).
0.3 :: same(X, X, 1). 0.5 :: same(X, X, 2). 0.2 :: same(X, X, 3).
"""

GOALS = """a(X)
a(2)
a(4)
path(a, d, N)
path(a, X, N)
both(X, Y), X > Y
both(2, Y)
pick(X, Y)
pick(u, 2)
same(A, f(B), C), r(B)
same(A, k, 1), A = k
a(X), a(Y), X < Y
step(X, Y)
step(d, Y)""".splitlines()


@ENGINES
@pytest.mark.parametrize("goal", GOALS)
def test_instances_are_clauses(goal: str, engine: str) -> None:
    outcomes = []
    for text in (PROGRAM, PLAIN):
        try:
            found = slp.parse(text).query(goal, engine=engine)
        except SlpError as error:
            outcomes.append(error.diagnostics[0].code)
            continue
        answers = {repr(dict(a)): pytest.approx(a.mass, rel=1e-12) for a in found.answers}
        outcomes.append((answers, pytest.approx(found.success), pytest.approx(found.failure)))
    assert outcomes[0] == outcomes[1]


@ENGINES
def test_masses_by_hand(engine: str) -> None:
    found = slp.parse(PROGRAM).query("path(a, d, N)", engine=engine)
    assert {a["N"]: a.mass for a in found.answers} == pytest.approx(
        {2: 0.25 * 0.5 + 0.5 * 0.9, 3: 0.25 * 0.5 * 0.9}
    )


@ENGINES
@pytest.mark.parametrize("failure", ["rejection", "backtracking"])
def test_draws(engine: str, failure: str) -> None:
    """Each frequency of 4000 is within 4.5 standard errors: under 1 in 50,000 to fail by chance."""
    drawn = slp.parse(PROGRAM).draw("pick(v, Y)", 4000, seed=3, engine=engine, failure=failure)
    counts = Counter(a["Y"] for a in drawn.answers)
    for y, p in ((1, 0.3), (2, 0.5), (3, 0.2)):
        assert abs(counts[y] / 4000 - p) < 4.5 * (p * (1 - p) / 4000) ** 0.5


@ENGINES
def test_chains_over_proofs_are_those_of_the_plain_program(engine: str) -> None:
    have, want = (
        slp.parse(text).sample_proofs("both(X, Y), X > Y", draws=300, seed=5, engine=engine)
        for text in (PROGRAM, PLAIN)
    )
    assert [a.probability for a in have.answers] == [a.probability for a in want.answers]


@ENGINES
@pytest.mark.parametrize(
    ("text", "goal", "code"),
    [
        ("u(1, 0.9). u(2, 0.9). P :: p(X) :- u(X, P).", "p(X)", "E242"),
        ("u(1). P :: p(X) :- u(X), f(P). f(_).", "p(X)", "E201"),
        ("u(1, -0.5). P :: p(X) :- u(X, P).", "p(X)", "E220"),
        ("u(1, b). P :: p(X) :- u(X, P).", "p(X)", "E202"),
        ("1 :: r(1). h(X, 0.5) :- r(X). P :: p(X) :- h(X, P).", "p(X)", "E240"),
        ("1 :: r(1, 0.5). P :: p(X) :- r(X, P).", "", "E118"),
        ("P :: p(X) :- X = 1.", "", "E118"),
    ],
)
def test_what_is_refused(text: str, goal: str, code: str, engine: str) -> None:
    with pytest.raises(SlpError) as caught:
        slp.parse(text).query(goal or "p(1)", engine=engine)
    assert caught.value.diagnostics[0].code == code


def test_an_open_goal_of_large_sum_may_be_asked_bound() -> None:
    program = slp.parse("u(1, 0.9). u(2, 0.9). P :: p(X) :- u(X, P).")
    assert program.query("p(1)").success == pytest.approx(0.9)


def test_learning_leaves_such_labels_and_says_so() -> None:
    program = slp.parse(PROGRAM)
    data = ["both(1, 1)", "both(2, 1)", "both(1, 2)", "both(3, 1)"]
    learned, plain = program.learn(*data), slp.parse(PLAIN).learn(*data, only=["r"])
    assert [(c.name, c.after) for c in learned.changes] == [("r(1)", 0.75), ("r(2)", 0.25)]
    assert learned.log_likelihoods == pytest.approx(plain.log_likelihoods)
    assert [vars(one) for one in learned.not_learned] == [
        {"name": "both/2", "reason": "goals of the bodies give them"}
    ]


def test_learning_of_a_parameter_in_such_a_label() -> None:
    text = (
        ":- param(q, 0.5).\nv(1, 1, 0). v(2, 0, 1).\nA * q + B * (1 - q) :: p(X) :- v(X, A, B).\n"
    )
    learned = slp.parse(text).learn("3 :: p(1)", "1 :: p(2)")
    assert [(c.name, c.after) for c in learned.changes] == [("q", pytest.approx(0.75, abs=1e-5))]
