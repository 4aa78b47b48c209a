"""Learning by tables gives what learning by the search gives, and says where the search sums."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest

import slp
from slp.learn import ProgramText, observations_of_text, sample
from slp.learn.goals import most_general
from slp.learn.label_values import Labels
from slp.learn.tabled import NoTablesError
from slp.resolution import Limits
from tests.learn.test_labels import DICE, DOUBLE, HMM
from tests.learn.test_networks import ALARM

#: Words up to three letters long; most derivations that give longer ones fail.
SHORT = """
0.3 :: s(X, Y) :- s(X, Z), s(Z, Y).
0.4 :: s([a | X], X).
0.3 :: s([b | X], X).
word(A, B, C) :- s([A, B, C], []).
ab(A) :- letter(A), letter(B), s([A, B, A], []).
0.5 :: letter(a). 0.5 :: letter(b).
"""

#: A label with an argument, and labels that goals of the bodies give.
ARGUMENTS = """
:- param(q, 0.4).
weight(heads, 1). weight(tails, 0).
q * W + (1 - q) * (1 - W) :: toss(X) :- weight(X, W).
q :: again(K) :- K1 is K - 1, rest(K1).
1 - q :: again(_).
0.3 :: rest(0). 0.7 :: rest(1).
both(X, K) :- toss(X), again(K).
"""

#: A goal with an argument bound, so that labels of its set are lost.
BOUND = """
0.2 :: c(a). 0.3 :: c(b). 0.5 :: c(d).
0.6 :: t(a, x). 0.4 :: t(a, y). 0.1 :: t(b, x). 0.9 :: t(b, y). 0.5 :: t(d, x). 0.5 :: t(d, y).
p(X) :- c(X), t(X, x), c(Y), at_most(X, Y).
at_most(a, _). at_most(b, b). at_most(b, d). at_most(d, d).
"""

#: Success in 6 of 1,000 derivations.
RARE = """
p(X, Y) :- rare(yes), q(X), q(Y), differ(X, Y).
0.01 :: rare(yes). 0.99 :: rare(no).
0.5 :: q(a). 0.3 :: q(b). 0.2 :: q(c).
differ(a, b). differ(b, a). differ(a, c). differ(c, b).
"""

CASES: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "double": (DOUBLE, ["36 :: double(h)", "16 :: double(t)"], {}),
    "dice": (
        DICE.format(a=0.5, b=0.2, c=0.3),
        ["4 :: rising(1, 2)", "rising(1, 3)", "2 :: rising(2, 3)"],
        {},
    ),
    "hmm": (HMM, ["3 :: hmm([x, x, y])", "hmm([y, x])"], {"failures": False}),
    "short": (SHORT, ["3 :: ab(a)", "ab(b)"], {}),
    "rare": (RARE, ["3 :: p(a, b)", "p(c, b)"], {"only": ["q"]}),
    "arguments": (ARGUMENTS, ["3 :: both(heads, 1)", "both(tails, 1)"], {"goal": "both(_, 1)"}),
    "network": (ALARM, ["w(1, _, 1)", "3 :: w(0, 1, _)", "w(_, _, 0)"], {}),
    "bound": (BOUND, ["5 :: p(a)", "2 :: p(b)", "p(d)"], {}),
}


def no_tables(*_: object) -> None:
    raise NoTablesError("not now")


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_tables_and_search_learn_the_same(
    name: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, goals, options = CASES[name]
    program = slp.parse(text)
    if not compiled:
        monkeypatch.setenv("SLP_KERNELS", "reference")
    found = program.learn(*goals, iterations=5, **options)
    assert found.notes == ()
    with (
        mock.patch.object(sample, "proofs_by_tables", no_tables),
        mock.patch.object(sample, "derivations_by_tables", no_tables),
    ):
        want = program.learn(*goals, iterations=5, **options)
    assert want.notes
    assert found.log_likelihoods == pytest.approx(want.log_likelihoods, rel=1e-8)
    assert [c.after for c in found.changes] == pytest.approx(
        [c.after for c in want.changes],
        abs=2e-6,  # they are written with six decimals
    )


@pytest.mark.parametrize("name", ["double", "dice", "short", "network", "bound"])
def test_expected_counts_are_derivatives(name: str) -> None:
    """The derivative of the log-likelihood where one label of a set grows at the cost of another,
    by expected counts and by differences."""
    text, goals, _ = CASES[name]
    program = slp.parse(text)
    observations = [o for goal in goals for o in observations_of_text(goal)]
    asked = [(o, most_general(o, program.ir)) for o in observations]
    of_goals = [o.goal for o in observations]
    labels = Labels.of(program.ir, ProgramText(program.source), (), lambda _: True, of_goals, {})
    found = sample.Sample(program.ir, asked, Limits(), failures=True)
    found.weigh(labels)
    labels.group(found.exits(labels), strict=True)
    for clauses in labels.sets:
        first, last = (id(c) for c in clauses[:2])
        if not labels.value[first] * labels.value[last]:
            continue
        counts = found.weigh(labels).net_counts(labels).clauses
        shares = [counts.get(c, 0.0) / labels.value[c] for c in (first, last)]
        want = shares[0] - shares[1]
        ends = []
        for step in (1e-6, -1e-6):
            moved = labels.copy()
            moved.value[first] += step
            moved.value[last] -= step
            ends.append(found.weigh(moved).log_likelihood)
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(want, rel=1e-5, abs=1e-5)


def baum_welch(
    start: np.ndarray, moves: np.ndarray, shows: np.ndarray, words: list[list[int]]
) -> tuple[tuple[np.ndarray, ...], float]:
    """One step of Baum-Welch (Rabiner 1989), and the log-likelihood before it."""
    counts = np.zeros_like(start), np.zeros_like(moves), np.zeros_like(shows)
    log_likelihood = 0.0
    for word in words:
        n = len(word)
        forward, backward, scale = np.zeros((n, len(start))), np.ones((n, len(start))), np.zeros(n)
        for t, symbol in enumerate(word):
            forward[t] = (start if t == 0 else forward[t - 1] @ moves) * shows[:, symbol]
            scale[t] = forward[t].sum()
            forward[t] /= scale[t]
        for t in range(n - 2, -1, -1):
            backward[t] = moves @ (shows[:, word[t + 1]] * backward[t + 1]) / scale[t + 1]
        log_likelihood += float(np.log(scale).sum())
        counts[0][:] += forward[0] * backward[0]
        for t, symbol in enumerate(word):
            counts[2][:, symbol] += forward[t] * backward[t]
            if t > 0:
                later = shows[:, symbol] * backward[t] / scale[t]
                counts[1][:] += np.outer(forward[t - 1], later) * moves
    return tuple(c / c.sum(-1, keepdims=True) for c in counts), log_likelihood


def test_sequences_of_any_length_against_baum_welch() -> None:
    """Twenty words, three hidden states, five iterations: log-likelihoods are those of NumPy."""
    random = np.random.default_rng(4)
    tables: tuple[np.ndarray, ...] = tuple(
        random.dirichlet(np.ones(n), k) for n, k in ((3, 1), (3, 3), (2, 3))
    )
    tables = (tables[0][0], *tables[1:])
    words = [random.integers(0, 2, random.integers(1, 12)).tolist() for _ in range(20)]
    lines = [f"{p!r} :: initial({i})." for i, p in enumerate(tables[0].tolist())]
    for name, table in (("moves", tables[1]), ("emits", tables[2])):
        for i, row in enumerate(table.tolist()):
            lines += [f"{p!r} :: {name}({i}, {j})." for j, p in enumerate(row)]
    text = "\n".join([*lines, *HMM.splitlines()[6:]])
    found = slp.parse(text).learn(
        *(f"hmm({word})" for word in words), failures=False, iterations=5, tolerance=0
    )
    want = []
    for _ in range(6):
        tables, log_likelihood = baum_welch(*tables, words)
        want.append(log_likelihood)
    assert found.notes == ()
    assert found.log_likelihoods == pytest.approx(want, rel=1e-11)
