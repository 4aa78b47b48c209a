"""Labels learned from observed goals: closed forms, one iteration against enumeration and
Baum-Welch, data drawn from known labels, and the increase of the log-likelihood."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from random import Random

import numpy as np
import pytest

import slp
from slp.errors import SlpError

DOUBLE = """% two throws
0.5 :: coin(h).   % heads
0.5 :: coin(t).
double(X) :- coin(X), coin(X).
"""

#: Three sides; two throws that differ are seen only where the second is larger.
DICE = """
{a} :: die(1).
{b} :: die(2).
{c} :: die(3).
rising(X, Y) :- die(X), die(Y), X < Y.
"""

HMM = """
0.6 :: initial(a).      0.4 :: initial(b).
0.7 :: moves(a, a).     0.3 :: moves(a, b).
0.4 :: moves(b, a).     0.6 :: moves(b, b).
0.5 :: emits(a, x).     0.5 :: emits(a, y).
0.1 :: emits(b, x).     0.9 :: emits(b, y).
hmm([O|Os]) :- initial(S), run(S, [O|Os]).
run(S, [O]) :- emits(S, O).
run(S, [O, P|Os]) :- emits(S, O), moves(S, T), run(T, [P|Os]).
"""


def log_likelihood(program: slp.Program, goal: str, seen: dict[str, float]) -> float:
    """sum of log mass(y) - log Z, by queries."""
    z = math.log(program.query(goal).success)
    return sum(n * (math.log(program.query(y).success) - z) for y, n in seen.items())


def data(seen: dict[str, float]) -> list[str]:
    return [f"{n} :: {y}" for y, n in seen.items()]


def after(result: slp.LearnResult) -> dict[str, float]:
    return {c.name: c.after for c in result.changes}


def never_falls(result: slp.LearnResult) -> bool:
    path = result.log_likelihoods
    return all(b >= a - 1e-10 for a, b in itertools.pairwise(path))


def test_doubles_of_a_coin() -> None:
    """P(h) = p^2 / (p^2 + q^2) is 36/52 where p is 0.6."""
    seen = {"double(h)": 36.0, "double(t)": 16.0}
    found = slp.parse(DOUBLE).learn(*data(seen))
    assert found.converged and never_falls(found)
    assert after(found)["coin(h)"] == pytest.approx(0.6, abs=1e-6)
    best = 36 * math.log(36 / 52) + 16 * math.log(16 / 52)
    assert found.log_likelihoods[-1] == pytest.approx(best, abs=1e-9)
    assert found.log_likelihoods[0] == pytest.approx(52 * math.log(0.5), abs=1e-9)


def test_failures_must_be_accounted_for() -> None:
    """Without failed derivations, p is the share of heads among successes: 36/52."""
    seen = {"double(h)": 36.0, "double(t)": 16.0}
    plain = slp.parse(DOUBLE).learn(*data(seen), failures=False)
    adjusted = slp.parse(DOUBLE).learn(*data(seen))
    assert after(plain)["coin(h)"] == pytest.approx(36 / 52, abs=1e-6)
    have = [log_likelihood(r.program, "double(_)", seen) for r in (plain, adjusted)]
    assert have[1] > have[0] + 0.5
    assert have[1] == pytest.approx(adjusted.log_likelihoods[-1], abs=1e-9)


def test_only_the_numbers_change() -> None:
    found = slp.parse(DOUBLE, "double.slp").learn("double(h)", "double(t)", "2 :: double(h)")
    p, q = after(found).values()
    assert p / (1 - p) == pytest.approx(math.sqrt(3), abs=1e-4)
    want = DOUBLE.replace("0.5 :: coin(h)", f"{p} :: coin(h)")
    assert found.text == want.replace("0.5 :: coin(t)", f"{q} :: coin(t)")
    assert p + q == 1


@pytest.mark.parametrize("seed", range(5))
def test_one_step_against_enumeration(seed: int) -> None:
    """The expected counts over successes, and over failures n (1/Z - 1) times, by listing all nine
    throws."""
    weights = [1 + seed, 2.0, 3 - seed / 2]
    label = {i + 1: w / sum(weights) for i, w in enumerate(weights)}
    seen = {(1, 2): 4.0, (1, 3): 1.0, (2, 3): 2.0}
    n = sum(seen.values())
    throws = list(itertools.product(label, label))
    mass = {t: label[t[0]] * label[t[1]] for t in throws}
    z = sum(mass[t] for t in throws if t[0] < t[1])
    psi: Counter[int] = Counter()
    for t, m in mass.items():
        for side in t:
            psi[side] += seen.get(t, 0.0) if t[0] < t[1] else n / z * m
    want = {f"die({i})": psi[i] / sum(psi.values()) for i in label}
    text = DICE.format(a=label[1], b=label[2], c=label[3])
    goals = [f"{k} :: rising({x}, {y})" for (x, y), k in seen.items()]
    found = slp.parse(text).learn(*goals, iterations=1)
    assert after(found) == pytest.approx(want, abs=2e-6)
    assert len(found.log_likelihoods) == 2 and not found.converged


def baum_welch(seen: dict[str, float]) -> dict[str, float]:
    """One step, by listing all paths of states."""
    start = {"a": 0.6, "b": 0.4}
    move = {"aa": 0.7, "ab": 0.3, "ba": 0.4, "bb": 0.6}
    emit = {"ax": 0.5, "ay": 0.5, "bx": 0.1, "by": 0.9}
    psi: Counter[str] = Counter()
    for word, n in seen.items():
        paths: dict[str, tuple[float, list[str]]] = {}
        for path in map("".join, itertools.product("ab", repeat=len(word))):
            mass, used = start[path[0]], [f"initial({path[0]})"]
            for s, o in zip(path, word, strict=True):
                mass *= emit[s + o]
                used.append(f"emits({s}, {o})")
            for s, t in itertools.pairwise(path):
                mass *= move[s + t]
                used.append(f"moves({s}, {t})")
            paths[path] = mass, used
        total = sum(mass for mass, _ in paths.values())
        for mass, used in paths.values():
            for clause in used:
                psi[clause] += n * mass / total
    names = {c.split(",")[0] if "," in c else c.split("(")[0] for c in psi}
    totals = {name: sum(v for c, v in psi.items() if c.startswith(name)) for name in names}
    return {c: v / totals[c.split(",")[0] if "," in c else c.split("(")[0]] for c, v in psi.items()}


def test_one_step_against_baum_welch() -> None:
    """A word's length is given with it, so that nothing fails but what is not seen: plain EM."""
    seen = {"xxy": 3.0, "yx": 2.0, "yyyx": 1.0}
    goals = [f"{n} :: hmm([{', '.join(w)}])" for w, n in seen.items()]
    found = slp.parse(HMM).learn(*goals, iterations=1, failures=False)
    assert after(found) == pytest.approx(baum_welch(seen), abs=2e-6)
    further = slp.parse(HMM).learn(*goals, failures=False, iterations=50)
    assert never_falls(further)
    assert further.log_likelihoods[1] == found.log_likelihoods[1]


def scaled_baum_welch(word: list[int]) -> tuple[dict[str, float], float]:
    """One step of the scaled forward-backward algorithm (Rabiner 1989, section V.A), and the
    log-likelihood before it."""
    start, moves = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]])
    emits = np.array([[0.06, 0.94], [0.02, 0.98]])
    n = len(word)
    forward, backward, scale = np.zeros((n, 2)), np.ones((n, 2)), np.zeros(n)
    for t, symbol in enumerate(word):
        forward[t] = (start if t == 0 else forward[t - 1] @ moves) * emits[:, symbol]
        scale[t] = forward[t].sum()
        forward[t] /= scale[t]
    for t in range(n - 2, -1, -1):
        backward[t] = moves @ (emits[:, word[t + 1]] * backward[t + 1]) / scale[t + 1]
    at = forward * backward
    went = np.zeros((2, 2))
    for t in range(n - 1):
        went += np.outer(forward[t], emits[:, word[t + 1]] * backward[t + 1] / scale[t + 1]) * moves
    shown = np.array([at[np.array(word) == symbol].sum(0) for symbol in (0, 1)]).T
    found = {f"initial({s})": at[0, i] for i, s in enumerate("ab")}
    for i, s in enumerate("ab"):
        found |= {f"moves({s}, {to})": went[i, j] / went[i].sum() for j, to in enumerate("ab")}
        found |= {f"emits({s}, {o})": shown[i, j] / shown[i].sum() for j, o in enumerate("xy")}
    return found, float(np.log(scale).sum())


def test_one_step_from_an_observation_whose_mass_is_below_all_floats() -> None:
    """Most of the 300 symbols are the rare one."""
    text = HMM.replace("0.5 :: emits(a, x).     0.5", "0.06 :: emits(a, x).    0.94")
    text = text.replace("0.1 :: emits(b, x).     0.9", "0.02 :: emits(b, x).    0.98")
    word = [int(x) for x in np.random.default_rng(1).random(300) < 0.05]
    goal = f"hmm([{', '.join('xy'[s] for s in word)}])"
    found = slp.parse(text).learn(goal, iterations=1, failures=False)
    labels, log_mass = scaled_baum_welch(word)
    assert log_mass < math.log(1e-323)
    assert found.log_likelihoods[0] == pytest.approx(log_mass, rel=1e-12)
    assert after(found) == pytest.approx(labels, abs=2e-6)  # written with six decimals


RARE = """
p(X, Y) :- rare(yes), q(X), q(Y), X \\== Y.
{c} :: rare(yes). {d} :: rare(no).
0.5 :: q(a). 0.3 :: q(b). 0.2 :: q(c).
"""


@pytest.mark.parametrize("c", ["1e-6", "1e-12", "1e-30", "1e-200"])
def test_rare_success_teaches_the_same(c: str) -> None:
    """Z is c times 0.62. A factor of Z without labels to learn changes nothing."""
    seen = ["3 :: p(a, b)", "2 :: p(b, a)", "1 :: p(a, c)", "1 :: p(c, b)"]
    want = slp.parse(RARE.format(c="1", d="0")).learn(*seen, only=["q"])
    found = slp.parse(RARE.format(c=c, d=1 - float(c))).learn(*seen, only=["q"])
    assert found.converged
    assert found.log_likelihoods[-1] == pytest.approx(want.log_likelihoods[-1], abs=1e-7)
    assert [after(found)[f"q({x})"] for x in "abc"] == pytest.approx(
        [after(want)[f"q({x})"] for x in "abc"],
        abs=1e-4,  # the iterations end a little before the maximum
    )


def test_slow_iterations_are_not_taken_for_the_maximum() -> None:
    """Failures come after the choice that is learned, so an iteration moves by a share Z."""
    text = "p(X) :- q(X), rare(yes).\n1e-8 :: rare(yes). 0.99999999 :: rare(no).\n"
    text += "0.5 :: q(a). 0.5 :: q(b).\n"
    found = slp.parse(text).learn("9 :: p(a)", "p(b)", iterations=5)
    assert not found.converged


def test_success_too_rare_for_floats_is_refused() -> None:
    text = "p(X) :- rare(yes), rare(yes), q(X).\n1e-200 :: rare(yes). 1 :: rare(no).\n"
    text += "0.5 :: q(a). 0.5 :: q(b).\n"
    with pytest.raises(SlpError) as caught:
        slp.parse(text).learn("p(a)")
    assert caught.value.diagnostics[0].code == "E257"


def test_a_grammar_with_loops_and_endless_strings() -> None:
    """s gives a^n b; of each a there are n, so the label is the mean over 1 + the mean."""
    text = "0.5 :: s([a|S], T) :- s(S, T).\n0.5 :: s([b|T], T).\nword(W) :- s(W, []).\n"
    words = ["word([b])", "word([a, b])", "word([a, a, a, b])", "word([a, a, b])"]
    found = slp.parse(text).learn(*words)
    mean = 6 / 4
    assert list(after(found).values()) == pytest.approx(
        [mean / (1 + mean), 1 / (1 + mean)], abs=1e-6
    )


def test_a_parameter_is_learned_where_labels_are_expressions() -> None:
    text = DOUBLE.replace("0.5 :: coin(h)", ":- param(p, 0.5). % start\np :: coin(h)")
    found = slp.parse(text.replace("0.5 :: coin(t)", "1 - p :: coin(t)")).learn(
        "36 :: double(h)", "16 :: double(t)"
    )
    assert never_falls(found) and found.converged
    (change,) = found.changes
    assert (change.kind, change.name, change.before) == ("parameter", "p", 0.5)
    assert change.after == pytest.approx(0.6, abs=1e-5)
    assert f":- param(p, {float(f'{change.after:.10g}')}). % start\np ::" in found.text


def test_a_label_that_depends_on_an_argument() -> None:
    """q^k :: the k-th time on, else stop: P(n) = q q^2 ... q^n (1 - q^(n+1))."""
    text = """
    :- param(q, 0.5).
    q^K :: run(K, N, M) :- N1 is N + 1, K1 is K + 1, run(K1, N1, M).
    1 - q^K :: run(K, N, N).
    length_of(M) :- run(1, 0, M).
    """
    seen = {0: 5, 1: 8, 2: 6, 3: 2}

    def log_mass(q: float) -> float:
        return sum(
            k * (math.log(q) * n * (n + 1) / 2 + math.log(1 - q ** (n + 1)))
            for n, k in seen.items()
        )

    best = max((i / 1000 for i in range(1, 1000)), key=log_mass)
    goals = [f"{k} :: length_of({n})" for n, k in seen.items()]
    found = slp.parse(text).learn(*goals)
    (change,) = found.changes
    assert change.after == pytest.approx(best, abs=1e-3)
    assert found.log_likelihoods[-1] == pytest.approx(log_mass(change.after), abs=1e-6)


def test_clauses_that_bind_the_goal_do_not_bind_each_others_labels() -> None:
    found = slp.parse("""
    :- param(q, 0.4).
    q * W :: toss(heads, W).
    1 - q * W :: toss(tails, W).
    flip(X) :- toss(X, 1).
    """).learn("3 :: flip(heads)", "1 :: flip(tails)")
    assert after(found) == {"q": pytest.approx(0.75, abs=1e-5)}


def test_estimates_converge_and_beat_plain_em() -> None:
    """On draws from known labels, with failures: the error shrinks, and is within four standard
    errors (which errs in about 1 of 10,000 seeds; the seed is fixed)."""
    truth = {"die(1)": 0.5, "die(2)": 0.2, "die(3)": 0.3}
    known = slp.parse(DICE.format(a=0.5, b=0.2, c=0.3))
    rising = {tuple(a.values()): a.probability for a in known.query("rising(X, Y)").answers}
    start = slp.parse(DICE.format(a=0.34, b=0.33, c=0.33))
    errors = []
    for n in (100, 6400):
        drawn = Counter(Random(n).choices(list(rising), list(rising.values()), k=n))
        goals = {f"rising({x}, {y})": float(k) for (x, y), k in drawn.items()}
        learned, plain = (start.learn(*data(goals), failures=f) for f in (True, False))
        assert never_falls(learned)
        errors.append(max(abs(after(learned)[c] - p) for c, p in truth.items()))
        assert errors[-1] < 4 * 0.7 / math.sqrt(n)
        fits = [log_likelihood(r.program, "rising(_, _)", goals) for r in (learned, plain)]
        truly = log_likelihood(known, "rising(_, _)", goals)
        assert fits[0] >= truly and fits[0] > fits[1]
    assert errors[1] < errors[0]
    assert max(abs(after(plain)[c] - p) for c, p in truth.items()) > 5 * errors[1]


def test_no_small_change_is_better() -> None:
    seen = {"rising(1, 2)": 4.0, "rising(1, 3)": 1.0, "rising(2, 3)": 2.0}
    found = slp.parse(DICE.format(a=0.4, b=0.3, c=0.3)).learn(*data(seen))
    label = list(after(found).values())
    best = log_likelihood(found.program, "rising(_, _)", seen)
    for i, j in itertools.permutations(range(3), 2):
        other = list(label)
        other[i] += 1e-3
        other[j] -= 1e-3
        text = DICE.format(a=other[0], b=other[1], c=other[2])
        assert log_likelihood(slp.parse(text), "rising(_, _)", seen) < best


def test_only_what_is_asked_for() -> None:
    text = (
        DOUBLE + "0.5 :: colour(red).\n0.5 :: colour(blue).\nboth(X, C) :- double(X), colour(C).\n"
    )
    goals = ["3 :: both(h, red)", "both(t, blue)"]
    found = slp.parse(text).learn(*goals, only=["colour"])
    assert after(found) == pytest.approx({"colour(red)": 0.75, "colour(blue)": 0.25})
    assert DOUBLE in found.text
    everything = slp.parse(text).learn(*goals)
    assert set(after(everything)) == {"coin(h)", "coin(t)", "colour(red)", "colour(blue)"}


def test_a_wider_goal_that_all_observations_answer() -> None:
    """Given the state, only its own clauses can be taken: nothing fails."""
    text = "0.5 :: emits(a, x).\n0.5 :: emits(a, y).\n0.9 :: emits(b, x).\n0.1 :: emits(b, y).\n"
    found = slp.parse(text).learn("3 :: emits(a, x)", "emits(a, y)", goal="emits(a, _)")
    assert list(after(found).values()) == pytest.approx([0.75, 0.25, 0.9, 0.1])


def test_labels_that_become_tiny_keep_their_digits() -> None:
    found = slp.parse(DOUBLE).learn("1000000 :: coin(h)", "coin(t)")
    assert after(found)["coin(t)"] == pytest.approx(1 / 1_000_001, rel=1e-3)


def test_learning_again_from_what_was_learned_changes_nothing() -> None:
    once = slp.parse(DOUBLE).learn("36 :: double(h)", "16 :: double(t)")
    twice = once.program.learn("36 :: double(h)", "16 :: double(t)")
    assert after(twice) == pytest.approx(after(once), abs=2e-6)
    assert len(twice.log_likelihoods) <= 3


@pytest.mark.parametrize("starts", [1, 3])
def test_labels_that_do_not_change_stay_as_written(starts: int) -> None:
    """Labels of 0, those that are right, and those that no observation uses."""
    text = (
        "0.5000 :: c(a).\n0.50 :: c(b).\n0 :: c(z).\n"
        "0.3333333333 :: u(1).\n0.6666666667 :: u(2).\n"
        "d(X) :- c(X), c(X).\nd(Y) :- fail, u(Y).\n"
    )
    found = slp.parse(text).learn("36 :: d(a)", "36 :: d(b)", iterations=50, starts=starts, seed=1)
    if starts == 1:
        assert found.text == text
    assert "\n0 :: c(z).\n0.3333333333 :: u(1).\n0.6666666667 :: u(2).\n" in found.text
