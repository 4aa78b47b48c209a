"""Soft trees: seconds of a step. The tables of their paper are in soft_tables.py.

    python benchmarks/soft_trees.py speed DATA [TUNING]    CPU ms of a step, acceptance, leaves
    python benchmarks/soft_trees.py large                    100,000 rows: CPU seconds, memory

DATA is the folder with the tables as CSV files. The results are in docs/notes/soft-trees.md.
"""

from __future__ import annotations

import resource
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl

import slp
from slp.compile import compile_problem
from slp.engines import read_for
from slp.engines.rjhmc import SoftChains
from slp.engines.rjhmc.options import SoftTreeOptions
from slp.runner import Phase

#: File, and h, its value at the begin of warm-up, alpha and beta. Those of iris and breast cancer
#: are the paper's; the others are chosen here.
CASES = {
    "iris": (0.01, None, 0.7, 1.0),
    "breast_cancer_wisconsin_complete": (0.025, 0.1, 0.95, 2.0),
    "wine": (0.05, None, 0.95, 1.0),
    "raisin": (0.05, None, 0.95, 2.0),
    "cgm_train": (0.01, 0.1, 0.95, 1.0),
}


def program_of(name: str) -> slp.Program:
    h, _, alpha, beta = CASES[name]
    return slp.load("rjhmc", h=h, alpha=alpha, beta=beta)


def speed(data: Path, tuning: str) -> None:
    """Steps of one chain after warm-up: 500 after 300; with the tuning `paper` 50 after 20."""
    n, warm_up = (500, 300) if tuning == "frozen" else (50, 20)
    for name in CASES:
        frame = pl.read_csv(data / f"{name}.csv")
        for index in ("hard", "soft"):
            problem = compile_problem(read_for(program_of(name).ir, "rjhmc"), frame)
            options = SoftTreeOptions(
                index=index, tuning=tuning, warmup=warm_up, first_h=CASES[name][1]
            )
            chains, rng = SoftChains(problem, options, True), np.random.default_rng(1)
            state, _ = chains.advance(rng, chains.init(rng), warm_up, Phase(True, 1))
            begin, leaves, tally = time.process_time(), [], Counter()
            for _ in range(n // 10):
                state, info = chains.advance(rng, state, 10, Phase(False, warm_up + 1))
                tally += info.tally
                leaves.append(chains.n_nodes(chains.record(state)) // 2 + 1)
            milliseconds = (time.process_time() - begin) / n * 1e3
            shares = {
                move: tally[move, "accepted"] / (tally[move, "accepted"] + tally[move, "rejected"])
                for move in ("grow", "prune")
            }
            print(
                f"| {name} | {index} | {len(frame)} | {milliseconds:.2f} | {shares['grow']:.0%} | "
                f"{shares['prune']:.0%} | {np.mean(leaves):.1f} |",
                flush=True,
            )


def large(n: int = 100_000, d: int = 10, warm_up: int = 20, steps: int = 20) -> None:
    """Steps of one chain on n rows of d features, whose classes are those of a tree with four
    leaves, with noise."""
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(n, d))
    y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.3)) ^ (rng.random(n) < 0.1)
    frame = pl.DataFrame({f"x{f}": X[:, f] for f in range(d)}).with_columns(y=pl.Series(y))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    problem = compile_problem(read_for(slp.load("rjhmc").ir, "rjhmc"), frame)
    for index in ("hard", "soft"):
        chains = SoftChains(problem, SoftTreeOptions(index=index, warmup=warm_up), True)
        state, _ = chains.advance(rng, chains.init(rng), warm_up, Phase(True, 1))
        begin = time.process_time()
        state, _ = chains.advance(rng, state, steps, Phase(False, warm_up + 1))
        seconds = (time.process_time() - begin) / steps
        leaves = chains.n_nodes(chains.record(state)) // 2 + 1
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"{index}: {seconds:.2f} s a step, {leaves} leaves at the end")
        print(
            f"most memory {most / 1024:.0f} MiB, {before / 1024:.0f} MiB before the table is read"
        )


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "large":
        large()
    else:
        speed(Path(rest[0]), rest[1] if rest[1:] else "frozen")
