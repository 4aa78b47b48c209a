"""Learning by tables gives what learning by the search gives, and says where the search sums."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest

import slp
from slp.learn import sample
from slp.learn.tabled import NoTablesError
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
