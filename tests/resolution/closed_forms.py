"""Small programs with answers worked out by hand, for every interpreter of them.

`CASES` are the goals; `program_text(case)` reads the program of one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CASES", "Case", "program_text"]

_FOLDER = Path(__file__).with_name("closed_form_programs")


@dataclass(frozen=True)
class Case:
    """A goal of a program in `closed_form_programs`, and what it comes to.

    `masses` maps each answer, the values of the goal's named variables in their order (numbers as
    numbers, other terms as Prolog text), to the sum of the masses of its proofs. `failure` is None
    where failure has no mass. `single`: a draw holds one proof at most.
    """

    program: str
    goal: str
    masses: Mapping[tuple[int | float | str, ...], float]
    failure: float | None
    because: str
    given: str | None = None
    single: bool = True

    @property
    def success(self) -> float:
        """Z, the sum of all masses."""
        return math.fsum(self.masses.values())

    @property
    def probabilities(self) -> dict[tuple[int | float | str, ...], float]:
        """Each answer's mass over Z."""
        return {answer: mass / self.success for answer, mass in self.masses.items()}

    def __str__(self) -> str:
        return f"{self.program}: {self.goal}"


def program_text(case: Case) -> str:
    """The program of a case."""
    return (_FOLDER / f"{case.program}.slp").read_text("utf-8")


def _coins() -> Iterator[Case]:
    yield Case("coin", "coin(X)", {("h",): 0.6, ("t",): 0.4}, 0.0, "as it is written")
    yield Case("coin", "coin(h)", {(): 0.6}, 0.4, "the other clause does not match, and fails")
    yield Case(
        "coin",
        "double(X)",
        {("h",): 0.36, ("t",): 0.16},
        0.48,
        "two heads, two tails; what differs fails",
    )
    yield Case(
        "coin",
        "two(X, Y)",
        {("t", "h"): 0.24, ("t", "t"): 0.16},
        0.6,
        "the condition fails where the first is heads",
        given="X = t",
    )
    yield Case(
        "coin",
        "listed(X)",
        {("h",): 1.2, ("t",): 0.4},
        0.0,
        "h is a member in two ways, and each proof counts",
        single=False,
    )


def _picks() -> Iterator[Case]:
    for n in (1, 2, 3, 10):
        yield Case(
            "pick",
            f"any(X, {list(range(n))})",
            {(i,): 1 / n for i in range(n)},
            0.0,
            "place i is come to with (n - i) / n, then taken with 1 / (n - i)",
        )


def _strings() -> Iterator[Case]:
    for n in (1, 2, 3, 4):
        trees = math.comb(2 * n - 2, n - 1) // n
        yield Case(
            "grammar",
            f"s([{', '.join('a' * n)}], [])",
            {(): trees * 0.6**n * 0.4 ** (n - 1)},
            None,
            "Catalan(n - 1) trees of n leaves; the rest fails, in endlessly many ways",
        )


_START = {"a": 0.6, "b": 0.4}
_MOVE = {"aa": 0.7, "ab": 0.3, "ba": 0.4, "bb": 0.6}
_EMIT = {"ax": 0.5, "ay": 0.5, "bx": 0.1, "by": 0.9}


def _forward(seen: str) -> float:
    """The forward algorithm."""
    alpha = {s: _START[s] * _EMIT[s + seen[0]] for s in "ab"}
    for o in seen[1:]:
        alpha = {t: sum(alpha[s] * _MOVE[s + t] for s in "ab") * _EMIT[t + o] for t in "ab"}
    return sum(alpha.values())


def _markov_models() -> Iterator[Case]:
    for seen in ("x", "xy", "yxxy"):
        mass = _forward(seen)
        goal = f"hmm(_, [{', '.join(seen)}])"
        yield Case("hmm", goal, {(): mass}, 1 - mass, "the forward algorithm")
    states = {
        (f"[{s}, {t}]",): _START[s] * _EMIT[s + "x"] * _MOVE[s + t] * _EMIT[t + "y"]
        for s in "ab"
        for t in "ab"
    }
    want = "start, emission, move, emission"
    yield Case("hmm", "hmm(States, [x, y])", states, 1 - _forward("xy"), want)


def _others() -> Iterator[Case]:
    orders = {(str(list(p)),): 1 / 27 for p in itertools.permutations([1, 2, 3])}
    yield Case("dice", "dice(L)", orders, 21 / 27, "6 of 27 outcomes have no repeat")
    numbers = {(v,): 0.3 ** (v.bit_count()) * 0.7 ** (3 - v.bit_count()) for v in range(8)}
    yield Case("parameters", "number(3, V)", numbers, 0.0, "three independent bits")
    yield Case("weights", "p(X)", {("a",): 3.0, ("b",): 1.0}, None, "weights as they are written")
    yield Case("weights", "q(X)", {("a",): 9.0, ("b",): 1.0}, None, "weights multiply")


CASES: tuple[Case, ...] = (
    *_coins(),
    *_picks(),
    *_strings(),
    *_markov_models(),
    *_others(),
)
