"""Soft trees: seconds of a step and of a gradient, effective draws beside `mh`.

    python benchmarks/soft_trees.py speed DATA [TUNING]    CPU ms of a step, acceptance, leaves
    python benchmarks/soft_trees.py large                    100,000 rows: CPU seconds, memory
    python benchmarks/soft_trees.py gradients [SECONDS]      gradients a CPU second
    python benchmarks/soft_trees.py effective DATA NAME [DRAWS]   effective draws beside mh

DATA is the folder with the tables as CSV files. The results are in docs/design/soft-trees.md.
The tables of their paper are in papers/rjhmc_tree.py.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

import slp
from slp.compile import compile_problem
from slp.engines import read_for
from slp.engines.rjhmc import SoftChains
from slp.engines.rjhmc.core_sampler import core_sampler
from slp.engines.rjhmc.options import SoftTreeOptions
from slp.engines.rjhmc.soft_data import soft_data
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


#: Features of the tables of `gradients`.
D = 10


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


def gradients(seconds: float) -> None:
    """Gradients a CPU second on complete trees of 2 to 16 leaves of 10 features, by the leapfrog
    steps of plain trajectories, and the operations on numbers that their loops over rows make, as a
    share of the most that the processor does in vectors (`most_operations`)."""
    most = most_operations()
    print(f"most: {most / 1e9:.1f} 10^9 operations a second")
    print("| response | index | rows | leaves | gradients a second | share |")
    rng = np.random.default_rng(1)
    for response, index in product(("classes", "numbers"), ("hard", "soft")):
        for n, levels in product((100, 1000, 10_000), (1, 2, 4)):
            X, m = rng.uniform(size=(n, D)), 2**levels - 1
            y = X[:, 0] + rng.normal(size=n)
            y = pl.Series(y if response == "numbers" else y > np.median(y))
            frame = pl.DataFrame({f"x{f}": X[:, f] for f in range(D)}).with_columns(y=y)
            problem = compile_problem(read_for(slp.load("rjhmc").ir, "rjhmc"), frame)
            features = complete(levels, rng, index == "soft")
            size = m * (D if index == "soft" else 1) + (m + 2 if response == "numbers" else 0)
            # A step size without divergence is learned on short trajectories.
            short, sampler = (
                core_sampler(problem, soft_data(problem, options), options, True)
                for options in (
                    SoftTreeOptions(index=index, warmup=60, leapfrogs=leapfrogs)
                    for leapfrogs in (4, 200)
                )
            )
            learned = short.start(seeds_of(rng)).tuning()
            chain = short.restore(features, rng.normal(size=size) * 0.3, learned)
            chain, _ = short.advance(chain, seeds_of(rng), 60, True, False)
            made, begin = 0, time.process_time()
            while (spent := time.process_time() - begin) < seconds:
                chain, counts = sampler.advance(chain, seeds_of(rng), 1, False, False)
                made += counts[-1]
            rate = made / spent
            share = rate * n * operations(m, response == "classes", index == "soft") / most
            print(
                f"| {response} | {index} | {n:,} | {m + 1} | {rate:,.0f} | {share:.0%} |",
                flush=True,
            )


def seeds_of(rng: np.random.Generator) -> NDArray[np.uint64]:
    """Seeds of the core."""
    return rng.integers(0, 2**64, 4, dtype=np.uint64)


def complete(levels: int, rng: np.random.Generator, soft: bool) -> NDArray[np.int32]:
    """The features of a complete tree in preorder."""
    if levels == 0:
        return np.array([-1], np.int32)
    sides = [complete(levels - 1, rng, soft) for _ in range(2)]
    return np.concatenate([np.array([D if soft else rng.integers(D)], np.int32), *sides])


def operations(m: int, classes: bool, soft: bool) -> int:
    """Additions, multiplications, divisions and comparisons for each row of a gradient (rows.cpp),
    of m inner nodes: a gate 36, of which the exponential 31; reaching both sides 2, the way back 8;
    products with the features and back, of HMC-DFI; of each leaf 3 of classes or 5 of numbers. (Of
    classes, more than 256 rows are reached twice, which is not counted.)"""
    of_leaf, of_row = (3, 0) if classes else (5, 5)
    return m * (36 + 2 + 8 + (4 * D if soft else 0)) + (m + 1) * of_leaf + of_row


def most_operations() -> float:
    """Operations a second of the processor's own multiplications and additions of doubles: the
    product of two large matrices by NumPy's library, on one thread, the best of five. It fuses each
    product with a sum, as most loops of soft trees do; what they cannot fuse makes their share
    smaller."""
    a = np.random.default_rng(0).normal(size=(700, 700))
    best = np.inf
    for _ in range(5):
        begin = time.process_time()
        _ = a @ a
        best = min(best, time.process_time() - begin)
    return 2 * 700.0**3 / best


def effective(data: Path, name: str, draws: int) -> None:
    """Soft trees and `mh` on hard trees of the same program: the least effective draws of the log
    posterior and of the predictions, a CPU second, with those of the first."""
    frame = pl.read_csv(data / f"{name}.csv")
    for engine in ("rjhmc", "mh"):
        begin = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", slp.errors.SlpWarning)
            found = program_of(name).posterior(frame, engine=engine, seed=1, draws=draws)
        spent = time.process_time() - begin
        assert found.diagnostics is not None
        told = [engine, f"{spent:.1f}"]
        for what in ("log_posterior", "predictions"):
            own = found.diagnostics.convergence[what]
            least = min(own.ess_bulk or 0, own.ess_tail or 0)
            told += [f"{own.r_hat or np.inf:.3f}", f"{least:.0f}", f"{least / spent:.1f}"]
        print(f"| {name} | " + " | ".join(told) + " |", flush=True)


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "large":
        large()
    elif what == "gradients":
        gradients(float(rest[0]) if rest else 1.0)
    elif what == "effective":
        effective(Path(rest[0]), rest[1], int(rest[2]) if rest[2:] else 1000)
    else:
        speed(Path(rest[0]), rest[1] if rest[1:] else "frozen")
