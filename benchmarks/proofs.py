"""Times tables of proofs beside tabled SWI-Prolog, ProbLog and numpy.

    python benchmarks/proofs.py [--seconds 60] [CASE ...]

CASE is one or more of these; without any, all run. A line of a Markdown table tells the CPU seconds
of one computation, without imports and the start of a system, and its result, which all systems
must agree on. A system that takes longer than `--seconds` is left out for larger inputs. Systems
that are missing are left out: `swipl` on the path, `problog` installed.

    grammar   the probability of a sentence under three nonterminals in Chomsky form, all 27 rules
    inside    the probability of the symbols of a hidden Markov model of two states
    draws     draws of its symbols, and of its states given all symbols
    learning  a step of expectation-maximisation on 100 sequences of 60 symbols, beside
              Baum-Welch in NumPy: all sequences together, and one after the other
    fam       failure-adjusted maximisation on a grammar of some hundred rules with agreement
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import product
from random import Random
from tempfile import NamedTemporaryFile
from types import FrameType

import numpy as np
from numpy.typing import NDArray

import slp

LETTERS = (10, 20, 40, 60)
SYMBOLS = (60, 300, 1000, 3000)
NAMES = "abc"

MARKOV = """
seen(Symbols) :- start(State), from(State, Symbols).
from(_, []).
from(State, [Symbol | More]) :- shows(State, Symbol), next(State, Then), from(Then, More).
0.6 :: start(rain).      0.4 :: start(sun).
0.7 :: next(rain, rain). 0.3 :: next(rain, sun).
0.4 :: next(sun, rain).  0.6 :: next(sun, sun).
0.9 :: shows(rain, wet). 0.1 :: shows(rain, dry).
0.2 :: shows(sun, wet).  0.8 :: shows(sun, dry).
"""

#: Twenty lines of tabled SWI-Prolog for the grammar: probabilities of nonterminals over spans.
SWI_GRAMMAR = """
:- table p/4.
:- dynamic letter/2.
p(_, I, J, P) :- J =:= I + 1, !, letter(I, C), (C == u -> P = 0.35 ; P = 0.25).
p(X, I, J, P) :-
    First is I + 1, Last is J - 1, W is 0.4 / 9,
    aggregate_all(sum(W * A * B),
                  (between(First, Last, K), rule(X, Y, Z), p(Y, I, K, A), p(Z, K, J, B)), P).
run(Letters) :-
    forall(nth1(I, Letters, C), assertz(letter(I, C))),
    length(Letters, N), M is N + 1,
    statistics(cputime, Before), p(a, 1, M, P), statistics(cputime, After),
    T is After - Before, L is log(P), format("~w ~w~n", [T, L]), halt.
"""

SWI_MARKOV = """
:- table p/3.
start(rain, 0.6). start(sun, 0.4).
next(rain, rain, 0.7). next(rain, sun, 0.3). next(sun, rain, 0.4). next(sun, sun, 0.6).
shows(rain, wet, 0.9). shows(rain, dry, 0.1). shows(sun, wet, 0.2). shows(sun, dry, 0.8).
:- dynamic symbol/2.
% The logarithm of the mass of symbols from I on.
p(N, N, _, 0.0) :- !.
p(I, N, S, L) :-
    symbol(I, X), shows(S, X, A), J is I + 1,
    findall(Q, (next(S, T, B), p(J, N, T, M), Q = B-M), Qs),
    aggregate_all(max(M), member(_-M, Qs), Top),
    aggregate_all(sum(B * exp(M - Top)), member(B-M, Qs), Sum),
    L is log(A) + Top + log(Sum).
run(Symbols) :-
    forall(nth0(I, Symbols, X), assertz(symbol(I, X))), length(Symbols, N),
    statistics(cputime, Before), p(0, N, rain, A), p(0, N, sun, B), statistics(cputime, After),
    T is After - Before, L is A + log(0.6 + 0.4 * exp(B - A)), format("~w ~w~n", [T, L]), halt.
""".replace(":- table p/3.", ":- table p/4.")

#: Plain SWI-Prolog, which makes one draw after the other.
SWI_DRAWS = """
pick([P-X | More], U, Y) :- (U < P -> Y = X ; V is U - P, pick(More, V, Y)).
next(rain, T) :- random(U), pick([0.7-rain, 0.3-sun], U, T).
next(sun, T) :- random(U), pick([0.4-rain, 0.6-sun], U, T).
shows(rain, X) :- random(U), pick([0.9-wet, 0.1-dry], U, X).
shows(sun, X) :- random(U), pick([0.2-wet, 0.8-dry], U, X).
from(_, []).
from(S, [X | More]) :- shows(S, X), next(S, T), from(T, More).
seen(Symbols) :- random(U), pick([0.6-rain, 0.4-sun], U, S), once(from(S, Symbols)).
run(N, Draws) :-
    statistics(cputime, Before),
    forall(between(1, Draws, _), (length(L, N), seen(L))), statistics(cputime, After),
    T is After - Before, format("~w ~w~n", [T, Draws]), halt.
"""

#: One choice at each time, so that the answer is the sum over all states.
PROBLOG_MARKOV = """
0.6 :: start(rain); 0.4 :: start(sun).
0.7 :: next(rain, rain, I); 0.3 :: next(rain, sun, I).
0.4 :: next(sun, rain, I); 0.6 :: next(sun, sun, I).
0.9 :: shows(rain, wet, I); 0.1 :: shows(rain, dry, I).
0.2 :: shows(sun, wet, I); 0.8 :: shows(sun, dry, I).
seen(State, I, []).
seen(State, I, [X | More]) :-
    shows(State, X, I), next(State, Then, I), J is I + 1, seen(Then, J, More).
seen(Symbols) :- start(State), seen(State, 0, Symbols).
"""


#: Prints the CPU seconds, those of what it starts among them, and the logarithm of a probability.
PROBLOG = """
import math, os, sys
from problog import get_evaluatable
from problog.program import PrologFile
def spent():
    return sum(os.times()[:4])
before = spent()
(found,) = get_evaluatable().create_from(PrologFile(sys.argv[1])).evaluate().values()
print(spent() - before, math.log(found))
"""


class TookLongerError(Exception):
    """A computation took longer than its time."""


def timed(run: Callable[[], float], seconds: int) -> tuple[float, float]:
    """CPU seconds and result of one call in this process."""

    def stop(_: int, __: FrameType | None) -> None:
        raise TookLongerError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        started = time.process_time()
        result = run()
        return time.process_time() - started, result
    finally:
        signal.alarm(0)


def printed(command: Sequence[str], seconds: int) -> tuple[float, float]:
    """CPU seconds and result that a command prints. It ends with all that it has started."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        told, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as e:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise TookLongerError from e
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    took, result = told.split()
    return float(took), float(result)


def swi(program: str, goal: str, seconds: int) -> tuple[float, float]:
    """CPU seconds and result of a goal of SWI-Prolog, which prints them."""
    with NamedTemporaryFile("w", suffix=".pl") as file:
        file.write(program)
        file.flush()
        return printed(["swipl", "-q", "--stack-limit=4g", "-g", goal, file.name], seconds)


def by_problog(text: str, seconds: int) -> tuple[float, float]:
    """CPU seconds, and the logarithm of the probability of the query of a ProbLog program."""
    with NamedTemporaryFile("w", suffix=".pl") as file:
        file.write(text)
        file.flush()
        return printed([sys.executable, "-c", PROBLOG, file.name], seconds)


def as_list(items: Sequence[str]) -> str:
    """A list as Prolog text."""
    return f"[{', '.join(items)}]"


# --- cases -------------------------------------------------------------------------------------


def grammar() -> tuple[Sequence[int], dict[str, Callable[[int, int], tuple[float, float]]]]:
    """The sentence of each length, by each system."""
    text, facts, choices = "", "", ""
    for x in NAMES:
        rules = [*product(NAMES, NAMES)]
        share = 0.4 / len(rules)
        text += "".join(f"{share} :: {x}(X, Z) :- {y}(X, Y), {z}(Y, Z).\n" for y, z in rules)
        text += f"0.35 :: {x}([u | R], R).\n0.25 :: {x}([v | R], R).\n"
        facts += "".join(f"rule({x}, {y}, {z}).\n" for y, z in rules)
        heads = [f"{share} :: rule(P, {x}, {y}, {z})" for y, z in rules]
        heads += [f"0.35 :: rule(P, {x}, u)", f"0.25 :: rule(P, {x}, v)"]
        choices += "; ".join(heads) + ".\n"
    program = slp.parse(text)
    # A choice for each place in a tree: ProbLog has no others.
    choices += "s(P, X, [W | R], R) :- rule(P, X, W).\n"
    choices += "s(P, X, A, C) :- rule(P, X, Y, Z), s(l(P), Y, A, B), B = [_ | _], s(r(P), Z, B, C)."

    def letters(n: int) -> str:
        rng = Random(n)
        return as_list([rng.choice("uv") for _ in range(n)])

    def by_slp(n: int, seconds: int) -> tuple[float, float]:
        return timed(lambda: program.query(f"a({letters(n)}, [])").log_success, seconds)

    def by_swi(n: int, seconds: int) -> tuple[float, float]:
        return swi(SWI_GRAMMAR + facts, f"run({letters(n)})", seconds)

    def in_problog(n: int, seconds: int) -> tuple[float, float]:
        return by_problog(f"{choices}\nquery(s(top, a, {letters(n)}, [])).", seconds)

    return (4, 5, *LETTERS), {"slp": by_slp, "SWI-Prolog": by_swi, "ProbLog": in_problog}


def forward(symbols: Sequence[str]) -> float:
    """The log probability of symbols, by numpy."""
    start, step = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]])
    shows = {"wet": np.array([0.9, 0.2]), "dry": np.array([0.1, 0.8])}
    state, log = start, 0.0
    for symbol in symbols:
        state = state * shows[symbol]
        whole = state.sum()
        log += math.log(whole)
        state = state / whole @ step
    return log


def inside() -> tuple[Sequence[int], dict[str, Callable[[int, int], tuple[float, float]]]]:
    """The symbols of each length, by each system."""
    program = slp.parse(MARKOV)

    def symbols(n: int) -> list[str]:
        rng = Random(n)
        return [rng.choice(["wet", "dry"]) for _ in range(n)]

    def by_slp(n: int, seconds: int) -> tuple[float, float]:
        goal = f"seen({as_list(symbols(n))})"
        return timed(lambda: program.query(goal).log_success, seconds)

    def by_swi(n: int, seconds: int) -> tuple[float, float]:
        return swi(SWI_MARKOV, f"run({as_list(symbols(n))})", seconds)

    def in_problog(n: int, seconds: int) -> tuple[float, float]:
        return by_problog(f"{PROBLOG_MARKOV}query(seen({as_list(symbols(n))})).", seconds)

    def by_numpy(n: int, seconds: int) -> tuple[float, float]:
        return timed(lambda: forward(symbols(n)), seconds)

    ways = {"slp": by_slp, "SWI-Prolog": by_swi, "ProbLog": in_problog, "numpy": by_numpy}
    return SYMBOLS, ways


def print_case(name: str, seconds: int) -> None:
    """The table of a case whose results can be compared."""
    sizes, ways = {"grammar": grammar, "inside": inside}[name]()
    print(f"\n| {name}: length | system | CPU seconds | log probability |")
    print("| ---: | --- | ---: | ---: |")
    left = {k for k in ways if is_there(k)}
    for n in sizes:
        results = []
        for system in [k for k in ways if k in left]:
            try:
                took, result = ways[system](n, seconds)
            except TookLongerError:
                left.discard(system)
                print(f"| {n:,} | {system} | over {seconds} | |")
                continue
            except Exception as e:  # another system's own limit
                if system == "slp":
                    raise
                left.discard(system)
                print(f"| {n:,} | {system} | fails: {type(e).__name__} | |")
                continue
            results.append(result)
            print(f"| {n:,} | {system} | {took:.3f} | {result:.8f} |", flush=True)
        assert np.ptp(results) <= 1e-7 * abs(results[0]), "systems differ"


def is_there(system: str) -> bool:
    """Whether a system is installed."""
    if system == "SWI-Prolog":
        return shutil.which("swipl") is not None
    return system != "ProbLog" or importlib.util.find_spec("problog") is not None


def print_draws(seconds: int) -> None:
    """Draws a second of 100 symbols, and of the states behind them."""
    program = slp.parse(MARKOV)
    names = as_list([f"X{i}" for i in range(100)])
    seen = as_list([["wet", "dry"][i % 2] for i in range(100)])
    print("\n| draws of 100 symbols | system | draws | CPU seconds | draws a second |")
    print("| --- | --- | ---: | ---: | ---: |")

    def line(what: str, system: str, draws: int, took: float) -> None:
        print(f"| {what} | {system} | {draws:,} | {took:.3f} | {draws / took:,.0f} |", flush=True)

    for what, goal in (("symbols", f"seen({names})"), ("states given symbols", f"seen({seen})")):
        took, n = timed(lambda goal=goal: len(program.draw(goal, 20_000, seed=1).answers), seconds)
        line(what, "slp", int(n), took)
        if what == "symbols" and is_there("SWI-Prolog"):
            took, n = swi(SWI_DRAWS, "run(100, 20000)", seconds)
            line(what, "SWI-Prolog", int(n), took)


def agreeing_grammar(words: int) -> tuple[str, Callable[[Random], str]]:
    """Sentences of three words, of which all must have one number, else the derivation fails: some
    six rules for each of `words`. And a way to make sentences."""
    text = "s(A, D) :- det(N, A, B), noun(N, B, C), verb(N, C, D).\n"
    text += "s(A, C) :- noun(N, A, B), verb(N, B, C).\n"
    text = text.replace("s(A", "0.5 :: s(A")
    kinds = {"det": 4, "noun": 2 * words, "verb": words}
    for kind, count in kinds.items():
        for number in ("one", "many"):
            for i in range(count):
                text += f"{1 / (2 * count)!r} :: {kind}({number}, [{kind}{i}_{number} | R], R).\n"

    def sentence(rng: Random) -> str:
        number = "one" if rng.random() < 0.7 else "many"
        used = [kind for kind in kinds if kind != "det" or rng.random() < 0.6]
        drawn = [min(rng.randrange(kinds[kind]), rng.randrange(kinds[kind])) for kind in used]
        return f"s([{', '.join(f'{k}{i}_{number}' for k, i in zip(used, drawn, strict=True))}], [])"

    return text, sentence


def print_fam() -> None:
    """Seconds of an iteration of FAM."""
    print("\n| rules | sentences | iterations | CPU seconds | seconds an iteration |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for words in (10, 40):
        text, sentence = agreeing_grammar(words)
        rng = Random(1)
        sentences = [sentence(rng) for _ in range(300)]
        started = time.process_time()
        learned = slp.parse(text).learn(*sentences)
        took, steps = time.process_time() - started, len(learned.log_likelihoods) - 1
        rules = text.count(".\n")
        line = f"| {rules} | {len(sentences)} | {steps} | {took:.2f} | {took / max(steps, 1):.3f} |"
        print(line, flush=True)


def markov(states: int, symbols: int) -> tuple[str, tuple[NDArray[np.float64], ...]]:
    """A program and its tables: start, shape (S,), moves, (S, S), and symbols, (S, M)."""
    rng = np.random.default_rng(states)
    start = rng.dirichlet(np.ones(states))
    moves, shows = (rng.dirichlet(np.ones(n), states) for n in (states, symbols))
    lines = [f"{p!r} :: start(s{i})." for i, p in enumerate(start.tolist())]
    for name, table, to in (("next", moves, "s"), ("shows", shows, "o")):
        for i, row in enumerate(table.tolist()):
            lines += [f"{p!r} :: {name}(s{i}, {to}{j})." for j, p in enumerate(row)]
    lines.append("seen([O | Os]) :- start(S), from(S, [O | Os]).")
    lines.append("from(S, [O]) :- shows(S, O).")
    lines.append("from(S, [O, P | Os]) :- shows(S, O), next(S, T), from(T, [P | Os]).")
    return "\n".join(lines), (start, moves, shows)


def baum_welch(
    tables: tuple[NDArray[np.float64], ...], words: NDArray[np.int64]
) -> tuple[NDArray[np.float64], ...]:
    """Expected counts of the tables for words of shape (N, T), scaled (Rabiner 1989)."""
    start, moves, shows = tables
    (n, length), states = words.shape, len(start)
    likelihood = shows.T[words]
    forward, backward = np.empty((n, length, states)), np.ones((n, length, states))
    scale = np.empty((n, length, 1))
    for t in range(length):
        forward[:, t] = (start if t == 0 else forward[:, t - 1] @ moves) * likelihood[:, t]
        scale[:, t] = forward[:, t].sum(1, keepdims=True)
        forward[:, t] /= scale[:, t]
    for t in range(length - 2, -1, -1):
        later = likelihood[:, t + 1] * backward[:, t + 1] / scale[:, t + 1]
        backward[:, t] = later @ moves.T
    at = forward * backward
    later = (likelihood * backward / scale)[:, 1:].reshape(-1, states)
    went = moves * (forward[:, :-1].reshape(-1, states).T @ later)
    shown = np.array([at[words == symbol].sum(0) for symbol in range(shows.shape[1])]).T
    return at[:, 0].sum(0), went, shown


def print_em_steps(sequences: int = 100, length: int = 60, symbols: int = 4) -> None:
    """A line for each number of hidden states."""
    print("\n| learning: states | milliseconds a step | NumPy, together | NumPy, one by one |")
    print("| --- | --- | --- | --- |")
    for states in (2, 3):
        text, tables = markov(states, symbols)
        words = np.random.default_rng(1).integers(0, symbols, (sequences, length))
        goals = [f"seen([{', '.join(f'o{x}' for x in word)}])" for word in words]
        times: list[float] = []
        slp.parse(text).learn(
            *goals,
            failures=False,
            iterations=8,
            progress=lambda *_, times=times: times.append(time.process_time()),
        )
        own = np.diff(times).min()

        def seconds(run: Callable[[], object]) -> float:
            best = float("inf")
            for _ in range(5):
                started = time.process_time()
                run()
                best = min(best, time.process_time() - started)
            return best

        together = seconds(lambda: baum_welch(tables, words))  # noqa: B023
        one_by_one = seconds(lambda: [baum_welch(tables, word[None]) for word in words])  # noqa: B023
        print(
            f"| {states} | {1e3 * own:.1f} | {1e3 * together:.1f} ({own / together:.1f} times) "
            f"| {1e3 * one_by_one:.0f} ({own / one_by_one:.2f} times) |"
        )


def main() -> None:
    """Run what the command line asks for."""
    cases: dict[str, Callable[[int], None]] = {
        "grammar": lambda seconds: print_case("grammar", seconds),
        "inside": lambda seconds: print_case("inside", seconds),
        "draws": print_draws,
        "learning": lambda _: print_em_steps(),
        "fam": lambda _: print_fam(),
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    if unknown := set(options.cases) - set(cases):
        parser.error(f"no case {', '.join(sorted(unknown))}; there are {', '.join(cases)}")
    for name in options.cases or cases:
        cases[name](options.seconds)


if __name__ == "__main__":
    main()
