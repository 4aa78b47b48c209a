"""Times proofs: inferences a second of the Python engine and of SWI-Prolog, and steps a second of
Metropolis-Hastings over proofs.

    python benchmarks/inferences.py [--length 300] [--steps 20000] [--tree-steps 400] [CASE ...]

CASE is one or more of these; without any, all run. An inference is the resolution of a clause. The
number of inferences is computed from the program, so that it is the same for both engines. Times
are CPU seconds of this process, the best of three, without the loading of programs and the start of
SWI-Prolog.

    reverse      naive reverse of a list: logical clauses, which SWI-Prolog runs natively
    interpreted  the same by clauses that could reach a stochastic goal, which SWI-Prolog interprets

One line of a Markdown table for each case and engine; SWI-Prolog's need janus-swi. Then steps of
one chain, for each proposal and engine: over the hidden states behind symbols that were seen; and
over trees on haberman, of which engine mh runs in the core (with 100 times the steps).
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

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


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--length", type=int, default=300)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--tree-steps", type=int, default=400)
    parser.add_argument("--engine", action="append", choices=["python", "prolog"])
    options = parser.parse_args()
    cases = {
        "reverse": reverse(REVERSE, options.length),
        "interpreted": reverse(INTERPRETED, options.length),
    }
    if unknown := set(options.cases) - set(cases):
        parser.error(f"no case {', '.join(sorted(unknown))}; there are {', '.join(cases)}")
    print("| case | engine | inferences | CPU seconds | inferences a second |")
    print("| --- | --- | --- | --- | --- |")
    for name in options.cases or cases:
        for engine in options.engine or ["python", "prolog"]:
            seconds = cpu_seconds(cases[name], engine)
            done = cases[name].inferences
            print(f"| {name} | {engine} | {done:,} | {seconds:.3f} | {done / seconds:,.0f} |")
    engines = options.engine or ["python", "prolog"]
    warnings.simplefilter("ignore", slp.SlpWarning)  # four draws are too few, which is said
    print_chains("proofs", proof_chain, dict.fromkeys(engines, options.steps))
    in_core = {"python": ("mh", 100 * options.tree_steps), "prolog": ("prolog", options.tree_steps)}
    print_chains("trees", tree_chain, dict(in_core[engine] for engine in engines))


if __name__ == "__main__":
    main()
