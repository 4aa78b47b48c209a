"""Probabilities of answers, against closed forms. Each test's docstring has the derivation."""

from __future__ import annotations

import itertools
import math
from random import Random

import pytest

import slp
from slp.resolution import Limits, Query, answers_of_query, mass_text
from slp.resolution.answers.queries import _search
from slp.resolution.proofs.search import SearchMachine
from slp.terms import Atom

COIN = "0.6 :: coin(h).\n0.4 :: coin(t).\n"

PICK = """
1/N :: pick(X, [X|_], N).
1 - 1/N :: pick(X, [_|T], N) :- M is N - 1, pick(X, T, M).
any(X, L) :- length(L, N), pick(X, L, N).
"""

GRAMMAR = """
0.6 :: s([a|T], T).
0.4 :: s(S, T) :- s(S, M), s(M, T).
"""

HMM = """
0.6 :: initial(a).      0.4 :: initial(b).
0.7 :: moves(a, a).     0.3 :: moves(a, b).
0.4 :: moves(b, a).     0.6 :: moves(b, b).
0.5 :: emits(a, x).     0.5 :: emits(a, y).
0.1 :: emits(b, x).     0.9 :: emits(b, y).
hmm([S|Ss], Os) :- initial(S), run(S, Ss, Os).
run(S, [], [O]) :- emits(S, O).
run(S, [T|Ss], [O, P|Os]) :- emits(S, O), moves(S, T), run(T, Ss, [P|Os]).
"""


def query(text: str, goal: str, **options: object) -> slp.QueryResult:
    return slp.parse(text).query(goal, **options)  # type: ignore[arg-type]


def probabilities(found: slp.QueryResult) -> dict[tuple[object, ...], float]:
    return {tuple(a.values()): a.probability for a in found.answers}


def close(have: float, want: float) -> bool:
    return math.isclose(have, want, rel_tol=1e-12, abs_tol=1e-12)


def is_exact(found: slp.QueryResult) -> bool:
    return found.complete and found.open == 0.0 and found.upper == found.success


def test_coin() -> None:
    found = query(COIN, "coin(X)")
    assert probabilities(found) == {("h",): 0.6, ("t",): 0.4}
    assert (found.success, found.failure) == (1.0, 0.0)
    assert is_exact(found)


def test_labels_that_do_not_match_fail() -> None:
    found = query(COIN, "coin(h)")
    assert (found.success, found.failure) == (0.6, 0.4)
    assert probabilities(found) == {(): 1.0}
    assert found.answers[0].mass == 0.6


@pytest.mark.parametrize("size", [1, 2, 3, 10])
def test_uniform_member_of_a_list(size: int) -> None:
    """Position i is reached with probability (1 - 1/n)(1 - 1/(n-1))... = (n-i)/n, then taken with
    1/(n-i): 1/n for each."""
    found = query(PICK, f"any(X, {list(range(size))})")
    assert sorted(a["X"] for a in found.answers) == list(range(size))
    assert all(close(a.probability, 1 / size) for a in found.answers)
    assert close(found.success, 1) and is_exact(found)


def test_doubles_of_two_coins() -> None:
    """hh has 0.36 and tt 0.16: Z = 0.52, and what is left fails."""
    found = query(COIN + "double(X) :- coin(X), coin(X).", "double(X)")
    have = probabilities(found)
    assert close(have["h",], 0.36 / 0.52) and close(have["t",], 0.16 / 0.52)
    assert close(found.success, 0.52) and close(found.failure or 0, 0.48)
    assert close(found.answers[0].mass, 0.36)


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_grammar_has_its_inside_probabilities(length: int) -> None:
    """a^n has Catalan(n-1) derivations, each of 0.6^n 0.4^(n-1)."""
    found = query(GRAMMAR, f"s([{', '.join('a' * length)}], [])")
    catalan = math.comb(2 * length - 2, length - 1) // length
    assert close(found.success, catalan * 0.6**length * 0.4 ** (length - 1))
    assert found.complete and found.upper is not None
    assert found.upper - found.success <= 1e-12


def forward(observed: str) -> float:
    """The forward algorithm on the model in HMM."""
    start = {"a": 0.6, "b": 0.4}
    move = {"aa": 0.7, "ab": 0.3, "ba": 0.4, "bb": 0.6}
    emit = {"ax": 0.5, "ay": 0.5, "bx": 0.1, "by": 0.9}
    alpha = {s: start[s] * emit[s + observed[0]] for s in "ab"}
    for o in observed[1:]:
        alpha = {t: sum(alpha[s] * move[s + t] for s in "ab") * emit[t + o] for t in "ab"}
    return sum(alpha.values())


@pytest.mark.parametrize("observed", ["x", "xy", "yxxy", "yyxyx"])
def test_hidden_markov_model_agrees_with_the_forward_algorithm(observed: str) -> None:
    found = query(HMM, f"hmm(_, [{', '.join(observed)}])")
    assert close(found.success, forward(observed))
    assert close(found.failure or 0, 1 - forward(observed))
    assert is_exact(found)


def test_hidden_states_given_what_is_seen() -> None:
    found = query(HMM, "hmm(States, [x, y])")
    best = found.answers[0]
    assert best["States"] == "[a, a]"
    assert close(best.probability, 0.6 * 0.5 * 0.7 * 0.5 / forward("xy"))
    assert close(sum(a.probability for a in found.answers), 1)


def test_a_condition_is_a_goal_that_shares_variables() -> None:
    have = query(HMM, "hmm(States, Seen)", given="Seen = [x, _], States = [b|_]", limits=SOME)
    assert {a["States"] for a in have.answers} == {"[b, a]", "[b, b]"}
    two = COIN + "two(X, Y) :- coin(X), coin(Y)."
    found = query(two, "two(X, Y)", given="X = t")
    have_two = probabilities(found)
    assert close(have_two["t", "h"], 0.6) and close(have_two["t", "t"], 0.4)
    assert close(found.success, 0.4) and close(found.failure or 0, 0.6)
    # Nameless variables of goal and condition are apart.
    assert len(query(two, "two(X, _)", given="coin(_)").answers) == 2


SOME = Limits(inferences=3000)


def test_constraints_in_impure_programs() -> None:
    """Three dice of 1 to 3 without repeats: 6 of 27 outcomes are left, each with 1/27."""
    text = """
    1/3 :: die(1). 1/3 :: die(2). 1/3 :: die(3).
    dice(L) :- L = [A, B, C], die(A), die(B), \\+ A = B, die(C), \\+ member(C, [A, B]).
    """
    found = query(text, "dice(L)")
    want = {str(list(p)) for p in itertools.permutations([1, 2, 3])}
    assert {a["L"] for a in found.answers} == want
    assert all(close(a.probability, 1 / 6) and close(a.mass, 1 / 27) for a in found.answers)
    assert close(found.failure or 0, 21 / 27)


def test_every_proof_counts() -> None:
    """member(h, [h, h, t]) has two proofs: h weighs 2 * 0.6, t 0.4."""
    found = query(COIN + "p(X) :- coin(X), member(X, [h, h, t]).", "p(X)")
    assert {a["X"]: a.mass for a in found.answers} == {"h": 1.2, "t": 0.4}
    assert close(found.answers[0].probability, 0.75)
    assert found.failure == 0.0


def test_logical_alternatives_before_a_choice() -> None:
    found = query(COIN + "p(I, X) :- member(I, [1, 2]), coin(X).", "p(I, X)")
    assert {tuple(a.values()): a.mass for a in found.answers} == {
        (1, "h"): 0.6,
        (2, "h"): 0.6,
        (1, "t"): 0.4,
        (2, "t"): 0.4,
    }
    assert (found.success, found.upper) == (2.0, 2.0)


def test_answers_that_differ_in_names_of_free_variables_are_one() -> None:
    found = query("0.5 :: p(X, X, _Y).\n0.5 :: p(A, B, A) :- A = B.", "p(X, Y, Z)")
    assert [a.bindings for a in found.answers] == [
        {"X": "_A", "Y": "_A", "Z": "_B"},
        {"X": "_A", "Y": "_A", "Z": "_A"},
    ]


def test_values_are_numbers_or_prolog_text() -> None:
    (answer,) = query("1 :: p(1, 2.5, 'A b', \"s\", f(x)).", "p(A, B, C, D, E), _F = 1").answers
    assert dict(answer) == {"A": 1, "B": 2.5, "C": "'A b'", "D": '"s"', "E": "f(x)"}


def test_weights_are_normalised_over_proofs() -> None:
    found = query(":- weights.\n3 :: p(a).\n1 :: p(b).", "p(X)")
    assert probabilities(found) == {("a",): 0.75, ("b",): 0.25}
    assert (found.success, found.failure) == (4.0, None)


# --- small and large masses --------------------------------------------------------------------

RARE = "0.00000001 :: rare(yes).\n0.99999999 :: rare(no).\ntwo :- rare(yes), rare(yes).\n"

TOSSES = """
0.5 :: coin(fair).      0.5 :: coin(biased).
0.5 :: toss(fair, h).   0.5 :: toss(fair, t).
0.9 :: toss(biased, h). 0.1 :: toss(biased, t).
tosses(_, []).
tosses(C, [X|Xs]) :- toss(C, X), tosses(C, Xs).
seen(C, Xs) :- coin(C), tosses(C, Xs).
"""


def test_a_rare_event() -> None:
    found = query(RARE, "two")
    assert math.isclose(found.success, 1e-16, rel_tol=1e-12) and is_exact(found)
    assert math.isclose(found.log_success, math.log(1e-16), rel_tol=1e-12)


def test_a_posterior_of_a_long_observation() -> None:
    """24 heads and 12 tails: 0.5^36 if fair, 0.9^24 0.1^12 if biased."""
    found = query(TOSSES, f"seen(C, [{', '.join('hht' * 12)}])")
    fair, biased = 0.5**36, 0.9**24 * 0.1**12
    have = probabilities(found)
    assert close(have["fair",], fair / (fair + biased))
    assert close(have["biased",], biased / (fair + biased))
    assert math.isclose(found.success, (fair + biased) / 2, rel_tol=1e-12) and is_exact(found)


def test_masses_hundreds_of_orders_apart() -> None:
    """One proof of 10^-400 beside one of 10^-800, and failure with the rest."""
    text = "0.1 :: deep(0).\n0.1 :: deep(N) :- N > 0, M is N - 1, deep(M).\n0.8 :: deep(z).\n"
    text += "either(a) :- deep(399).\neither(b) :- deep(799).\n"
    found = query(text, "member(X, [a, b]), either(X)", tolerance=0.0)
    first, second = found.answers
    assert (first["X"], second["X"]) == ("a", "b")
    assert math.isclose(first.log_mass, -400 * math.log(10), rel_tol=1e-13)
    assert math.isclose(second.log_probability, -400 * math.log(10), rel_tol=1e-13)
    assert (first.mass, first.probability, second.probability) == (0.0, 1.0, 0.0)


def test_a_long_observation_does_not_underflow() -> None:
    """Against the forward algorithm, scaled at each step: 1,200 symbols."""
    symbols = Random(1).choices("xy", k=1200)
    text = HMM + "any(Os) :- initial(S), next(S, Os).\nnext(S, [O]) :- emits(S, O).\n"
    text += "next(S, [O, P|Os]) :- emits(S, O), moves(S, T), next(T, [P|Os]).\n"
    found = query(text, f"any([{', '.join(symbols)}])")
    want = 0.0
    pieces = {"a": 0.6, "b": 0.4}
    emits = {"ax": 0.5, "ay": 0.5, "bx": 0.1, "by": 0.9}
    moves = {"aa": 0.7, "ab": 0.3, "ba": 0.4, "bb": 0.6}
    for symbol in symbols:
        seen = {s: pieces[s] * emits[s + symbol] for s in "ab"}
        total = sum(seen.values())
        want += math.log(total)
        pieces = {t: sum(seen[s] / total * moves[s + t] for s in "ab") for t in "ab"}
    assert found.complete and found.success == 0.0
    assert math.isclose(found.log_success, want, rel_tol=1e-12)


def test_nothing_is_found_within_the_limits() -> None:
    text = "0.5 :: p(N) :- N > 0, M is N - 1, p(M).\n0.5 :: p(N) :- N < 0.\n"
    found = query(text, "p(1000000)", limits=Limits(20_000, 200_000))
    assert not found.complete and not found.answers
    assert found.log_upper is not None and found.log_upper < -100
    assert found.reason == "gave up after 20000 inferences"


def test_the_time_and_ctrl_c_leave_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "0.75 :: p(a).\n0.25 :: p(b) :- member(Z, [a|Z]), Z == c."
    timed = query(text, "p(X)", time=0.5)
    assert (timed.success, timed.open, timed.upper) == (0.75, 0.25, 1.0)
    assert timed.reason == "the time of 0.5 s is over while proofs were searched for"

    def stop(self: SearchMachine) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SearchMachine, "look", stop)
    stopped = query(text, "p(X)")
    assert stopped.interrupted and stopped.reason == "interrupted"
    assert (stopped.success, stopped.open, stopped.upper) == (0.75, 0.25, 1.0)


# --- programs that do not end ------------------------------------------------------------------


def test_recursion_ends_by_the_open_mass() -> None:
    """p succeeds with probability 1 after infinitely many proofs of 2^-k."""
    found = query("0.5 :: p :- p.\n0.5 :: p.", "p", tolerance=1e-6)
    assert found.complete and found.reason is None
    assert 0 < found.open <= 1e-6
    assert close(found.success + found.open, 1) and found.upper == 1.0


def test_an_endless_logical_goal_is_bounded() -> None:
    found = query("l :- l.\n0.3 :: p :- l.\n0.7 :: p.", "p", limits=Limits(50_000, 1_000))
    assert (found.success, found.open, found.upper, found.failure) == (0.7, 0.3, 1.0, 0.0)
    assert not found.complete
    assert found.reason == "gave up at a recursion 1000 calls deep"
    (answer,) = found.answers
    assert (answer.probability, answer.lower, answer.upper) == (1.0, 0.7, 1.0)


def test_an_endless_failure_driven_loop_does_not_keep_others_waiting() -> None:
    text = "l :- repeat_, fail.\nrepeat_.\nrepeat_ :- repeat_.\n0.7 :: p(a) :- l.\n0.3 :: p(b)."
    found = query(text, "p(X)", limits=Limits(50_000, 100_000))
    assert [a["X"] for a in found.answers] == ["b"]
    assert (found.success, found.open, found.upper) == (0.3, 0.7, 1.0)
    assert found.reason == "gave up after 50000 inferences"


def test_bounds_hold_the_truth() -> None:
    """Of the search alone: tables would end it. A walk that goes up with 0.6 dies out with
    probability q = 0.4 + 0.6 q^2, so q = 2/3."""
    asked = Query(slp.parse("0.6 :: w :- w, w.\n0.4 :: w.").ir, Atom("w"))
    found = answers_of_query(asked, limits=Limits(20_000, 1_000), searcher=_search)
    assert not found.complete
    assert found.upper is not None
    assert 0.6 < float(found.success) < 2 / 3 < float(found.upper) <= 1
    assert close(float(found.success.plus(found.open)), float(found.upper))


def test_no_upper_bound_where_logical_goals_have_several_proofs() -> None:
    text = "0.5 :: p :- member(_, [1, 2]), p.\n0.5 :: p."
    found = query(text, "p", limits=Limits(5_000, 1_000))
    assert found.upper is None and not found.complete
    assert found.answers[0].lower is None and found.answers[0].upper is None


def test_no_upper_bound_for_weights() -> None:
    found = query(":- weights.\n2 :: p :- p.\n1 :: p.", "p", limits=Limits(2_000, 1_000))
    assert found.upper is None and not found.complete


# --- best proofs -------------------------------------------------------------------------------


def test_best_proofs_come_best_first_with_their_clauses() -> None:
    found = query(HMM, "hmm(States, [x, y])", best=2)
    first, second = found.best
    assert found.best_certified
    assert first.bindings == {"States": "[a, a]"}
    assert [c.text for c in first.clauses] == [
        "0.6 :: initial(a).",
        "0.5 :: emits(a, x).",
        "0.7 :: moves(a, a).",
        "0.5 :: emits(a, y).",
    ]
    assert [c.label for c in first.clauses] == [0.6, 0.5, 0.7, 0.5]
    assert close(first.mass, 0.105) and close(first.probability, 0.105 / forward("xy"))
    assert second.bindings == {"States": "[a, b]"} and close(second.mass, 0.081)
    where = first.clauses[0].span
    assert where is not None and where.text == "0.6 :: initial(a)."


def test_best_proofs_of_endless_programs() -> None:
    found = query("0.4 :: p :- p, p.\n0.6 :: p.", "p", best=3, tolerance=1e-3)
    assert [round(p.mass, 12) for p in found.best] == [0.6, 0.144, 0.06912 / 2]
    assert found.best_certified


def test_best_proofs_are_all_looked_at_under_weights() -> None:
    text = ":- weights.\n1 :: p(a).\n0.5 :: p(b) :- q.\n4 :: q."
    found = query(text, "p(X)", best=1)
    assert found.best[0].bindings == {"X": "b"} and found.best_certified


# --- why a goal failed -------------------------------------------------------------------------


def test_the_deepest_failed_goals_are_named() -> None:
    text = COIN + "two(X, Y) :- coin(X), coin(Y), X \\= Y."
    found = query(text, "two(X, X)")
    assert (found.success, found.failure, found.answers) == (0.0, 1.0, ())
    assert [(d.code, d.message, d.span and d.span.text) for d in found.failed] == [
        ("W240", "`h \\= h` failed", "X \\= Y"),
        ("W240", "`t \\= t` failed", "X \\= Y"),
    ]


def test_a_negation_that_does_not_hold_is_named_by_its_place() -> None:
    text = COIN + "p :- coin(X), \\+ member(X, [h, t])."
    (failed,) = query(text, "p").failed
    assert failed.span is not None and failed.span.text == "\\+ member(X, [h, t])"
    assert failed.message == "`\\+ member(X, [h, t])` failed"


def test_a_stochastic_goal_that_nothing_matches_is_named() -> None:
    (failed,) = query(COIN + "p(X) :- coin(X).", "p(x)").failed
    assert (failed.message, failed.span and failed.span.text) == ("`coin(x)` failed", "coin(X)")


@pytest.mark.parametrize("power", [309, 700, 1000])
@pytest.mark.parametrize("mantissa", [1.0, 9.9999996 / 10, 2.5])
def test_texts_of_masses_beyond_floats(power: int, mantissa: float) -> None:
    """The digits are rounded before the power of ten is chosen."""
    for sign in (1, -1):
        log_mass = math.log(mantissa) + sign * power * math.log(10)
        digits, exponent = mass_text(log_mass).split("e")
        assert (float(digits), int(exponent)) == (float(f"{mantissa:.6g}"), sign * power)
