"""Times proofs: inferences a second of the Python engine and of SWI-Prolog, and steps a second of
Metropolis-Hastings over proofs.

    python benchmarks/proofs.py [--length 300] [--draws 200] [--steps 20000] [--tree-steps 400]
                                [CASE ...]

CASE is one or more of these; without any, all run. An inference is the resolution of a clause. The
number of inferences is computed from the program, so that it is the same for both engines. Times
are CPU seconds of this process, the best of three, without the loading of programs and the start of
SWI-Prolog.

    reverse      naive reverse of a list: logical clauses, which SWI-Prolog runs natively
    interpreted  the same by clauses that could reach a stochastic goal, which SWI-Prolog interprets
    draws        one draw of a hidden Markov model after another: stochastic clauses

One line of a Markdown table for each case and engine; SWI-Prolog's need janus-swi. Then steps of
one chain, for each proposal and engine: over the hidden states behind symbols that were seen; and
over trees on haberman, of which engine mh runs in the core (with 100 times the steps).

CASE `learning` is one step of expectation-maximisation on 100 sequences of 60 symbols of a hidden
Markov model, beside Baum-Welch in NumPy: all sequences together, and one after the other.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import slp
from slp.resolution import Limits

REVERSE = """
reversed([], []).
reversed([X | Xs], Ys) :- reversed(Xs, Zs), joined(Zs, [X], Ys).
joined([], Ys, Ys).
joined([X | Xs], Ys, [X | Zs]) :- joined(Xs, Ys, Zs).
"""

INTERPRETED = f"""{REVERSE}
1 :: certain.
joined(never, _, _) :- certain.
"""

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

HABERMAN = Path(__file__).parent.parent / "examples" / "haberman" / "haberman.csv"
LIMITS = Limits(inferences=50_000_000)
STEPS = 8


@dataclass(frozen=True)
class Case:
    """A computation for an engine, and how many inferences it takes."""

    program: str
    inferences: int
    run: Callable[[slp.Program, str], object]


def reverse(program: str, length: int) -> Case:
    """n + 1 calls of reversed, and i + 1 of joined for each i < n."""
    goal = f"reversed([{', '.join(map(str, range(length)))}], _)"
    inferences = length + 1 + length * (length + 1) // 2
    return Case(program, inferences, lambda p, engine: p.query(goal, engine=engine, limits=LIMITS))


def draws(count: int) -> Case:
    """A draw of `count` takes a clause for each of three goals a step, two before and one after."""
    variables = ", ".join(f"X{i}" for i in range(STEPS))
    inferences = count * (2 + 3 * STEPS + 1)
    return Case(
        MARKOV,
        inferences,
        lambda p, engine: p.draw(f"seen([{variables}])", count, engine=engine, seed=1),
    )


def cpu_seconds(case: Case, engine: str) -> float:
    """The best of three runs."""
    program = slp.parse(case.program)
    case.run(program, engine)  # starts SWI-Prolog
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        case.run(program, engine)
        best = min(best, time.process_time() - started)
    return best


def proof_chain(proposal: str, engine: str, steps: int) -> slp.SampledProofs:
    """One chain over the hidden states behind symbols."""
    goal = f"seen([{', '.join(['wet', 'dry'] * (STEPS // 2))}])"
    options = {"proposal": proposal, "engine": engine, "seed": 1}
    return slp.parse(MARKOV).sample_proofs(
        goal, draws=4, chains=1, warmup=0, thin=steps // 4, **options
    )


def tree_chain(proposal: str, engine: str, steps: int) -> slp.Posterior:
    """One chain over trees on haberman, under growtree."""
    table = pl.read_csv(HABERMAN)
    options = {"proposal": proposal, "engine": engine, "seed": 1}
    return slp.load("growtree").posterior(
        table, draws=4, chains=1, warmup=0, thin=steps // 4, **options
    )


def print_chains(
    what: str, run: Callable[[str, str, int], Any], engines: Mapping[str, int]
) -> None:
    """A line for each proposal and engine, which makes so many steps; the start is not counted."""
    print(f"\n| {what}: proposal | engine | CPU seconds | steps a second | accepted |")
    print("| --- | --- | --- | --- | --- |")
    for proposal in ("q_uc", "q_ind", f"q_n({2 * STEPS})"):
        for engine, steps in engines.items():
            run(proposal, engine, 4)  # starts SWI-Prolog
            started = time.process_time()
            (moves,) = run(proposal, engine, steps).diagnostics.moves.values()
            seconds = time.process_time() - started
            rate, accepted = steps / seconds, moves["accepted"] / steps
            print(f"| {proposal} | {engine} | {seconds:.3f} | {rate:,.0f} | {accepted:.1%} |")


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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--length", type=int, default=300)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--tree-steps", type=int, default=400)
    parser.add_argument("--engine", action="append", choices=["python", "prolog"])
    options = parser.parse_args()
    cases = {
        "reverse": reverse(REVERSE, options.length),
        "interpreted": reverse(INTERPRETED, options.length),
        "draws": draws(options.draws),
    }
    if unknown := set(options.cases) - {*cases, "learning"}:
        known = ", ".join([*cases, "learning"])
        parser.error(f"no case {', '.join(sorted(unknown))}; there are {known}")
    if options.cases == ["learning"]:
        print_em_steps()
        return
    print("| case | engine | inferences | CPU seconds | inferences a second |")
    print("| --- | --- | --- | --- | --- |")
    for name in [case for case in options.cases if case in cases] or cases:
        for engine in options.engine or ["python", "prolog"]:
            seconds = cpu_seconds(cases[name], engine)
            done = cases[name].inferences
            print(f"| {name} | {engine} | {done:,} | {seconds:.3f} | {done / seconds:,.0f} |")
    engines = options.engine or ["python", "prolog"]
    warnings.simplefilter("ignore", slp.SlpWarning)  # four draws are too few, which is said
    print_chains("proofs", proof_chain, dict.fromkeys(engines, options.steps))
    in_core = {"python": ("mh", 100 * options.tree_steps), "prolog": ("prolog", options.tree_steps)}
    print_chains("trees", tree_chain, dict(in_core[engine] for engine in engines))
    if not options.cases or "learning" in options.cases:
        print_em_steps()


if __name__ == "__main__":
    main()
