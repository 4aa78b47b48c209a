"""Arithmetic under SWI-Prolog: the functions of the Python engine and no others, as bounded."""

from __future__ import annotations

import random

import pytest

import slp
from slp.errors import SlpError
from slp.resolution.machine.functions import FUNCTIONS

#: Ways to have an expression evaluated: compiled with a clause, known only when it is called, by a
#: clause that is interpreted, and in a list.
WAYS = ("X is {}", "E = {}, X is E", "t({}, X)", "u({}, X)", "sum_list([{}], X)")
PROGRAM = slp.parse("1 :: q. t(E, X) :- q, X is E. u(E, X) :- X is E.")

LEAVES = (
    "0 1 2 3 -1 -7 10 0.5 2.5 -1.5 1e300 9007199254740993 1152921504606846976 inf pi e nan "
    'epsilon foo random cputime max_tagged_integer "a" [1] [] random(5) msb(8) 100000 8192 20000'
).split()


def outcome(goal: str, engine: str) -> list[str] | tuple[str, str]:
    """The answers, or the code and the message of the fault."""
    try:
        found = PROGRAM.query(goal, engine=engine)
    except SlpError as error:
        said = error.diagnostics[0]
        return said.code, said.message
    return [str(answer["X"]) for answer in found.answers]


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("2 ** 20000", "E205"),
        ("2 ^ (2 ^ 60)", "E205"),
        ("1 << 100000000000", "E205"),
        ("(7 ** 2900) * (7 ** 2900)", "E205"),
        ("random(5)", "E202"),
        ("random", "E202"),
        ("random_float", "E202"),
        ("cputime", "E202"),
        ("realtime", "E202"),
        ("max_tagged_integer", "E202"),
        ("cot(1)", "E202"),
        ('"a"', "E206"),
        ("[1]", "E206"),
        ("7 mod 2.0", "E206"),
        ("sqrt(-1)", "E204"),
        ("inf - inf", "E204"),
        ("1 / 0", "E203"),
    ],
)
def test_what_is_refused(expression: str, code: str) -> None:
    for way in WAYS:
        goal = way.format(expression)
        have, want = outcome(goal, "prolog"), outcome(goal, "python")
        assert have == want and have[0] == code, goal


def test_large_integers_come_back() -> None:
    for engine in ("python", "prolog"):
        (answer,) = PROGRAM.query("X is 2 ** 8000", engine=engine).answers
        assert answer["X"] == 2**8000


def test_small_numbers_that_grow() -> None:
    """Clauses that add and multiply small numbers natively look out for large ones."""
    text = "up(0, X, X). up(N, X, Y) :- N > 0, M is N - 1, Z is X * X, up(M, Z, Y)."
    program = slp.parse(text)
    for engine in ("python", "prolog"):
        assert program.query("up(12, 3, X)", engine=engine).answers[0]["X"] == 3**4096
        with pytest.raises(SlpError, match="E205"):
            program.query("up(13, 3, X)", engine=engine)


def test_random_expressions() -> None:
    rng = random.Random(1)

    def expression(depth: int) -> str:
        if depth == 0 or rng.random() < 0.2:
            return rng.choice(LEAVES)
        name, arity = rng.choice(sorted(FUNCTIONS.keys() - {("**", 2), ("^", 2)}))
        name = name.replace("\\", "\\\\")
        return f"'{name}'({', '.join(expression(depth - 1) for _ in range(arity))})"

    for _ in range(120):
        goal = rng.choice(WAYS).format(expression(rng.choice((1, 1, 2, 3))))
        assert outcome(goal, "prolog") == outcome(goal, "python"), goal
