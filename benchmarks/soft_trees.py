"""Soft trees: seconds of a step, and the tables of Cochrane, Wills & Johnson (RJHMC-Tree).

    python benchmarks/soft_trees.py speed DATA [TUNING]    CPU ms of a step, acceptance, leaves
    python benchmarks/soft_trees.py tables DATA [SEEDS]      accuracy or squared error, leaves

DATA is the folder with the tables as CSV files. The results are in docs/notes/soft-trees.md.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl

import slp
from slp.compile import compile_problem
from slp.engines.rjhmc import SoftChains
from slp.engines.rjhmc.options import SoftTreeOptions
from slp.errors import SlpWarning
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
            problem = compile_problem(program_of(name).ir, frame)
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


def tables(data: Path, seeds: int) -> None:
    """Train and test score of the mean prediction of 1,000 steps, 500 of them warm-up, of one
    chain; 30 % of the rows are for the test, except where the data have their own."""
    for name in CASES:
        frame = pl.read_csv(data / f"{name}.csv")
        for index in ("hard", "soft"):
            scores, leaves = [], []
            for seed in range(seeds):
                train, test = parted(data, name, frame, seed)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", SlpWarning)
                    found = program_of(name).posterior(
                        train,
                        seed=seed,
                        draws=500,
                        warmup=500,
                        chains=1,
                        index=index,
                        first_h=CASES[name][1],
                    )
                scores.append([score(found, part) for part in (train, test)])
                leaves.append(found.expected_leaves())
            mean, sd = np.mean(scores, axis=0), np.std(scores, axis=0)
            print(
                f"| {name} | {index} | {mean[0]:.3f} ({sd[0]:.3f}) | {mean[1]:.3f} ({sd[1]:.3f}) | "
                f"{np.mean(leaves):.2f} |",
                flush=True,
            )


def parted(
    data: Path, name: str, frame: pl.DataFrame, seed: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    if name == "cgm_train":
        return frame, pl.read_csv(data / "cgm_test.csv")
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=seed)
    n = round(0.7 * len(mixed))
    return mixed[:n], mixed[n:]


def score(found: slp.results.Posterior, part: pl.DataFrame) -> float:
    """Accuracy, or the mean squared error."""
    y = part["y"].to_numpy()
    if found.table.leaf.classes:
        return float(np.mean(found.predict(part) == y))
    return float(np.mean((found.predict(part) - y) ** 2))


if __name__ == "__main__":
    what, folder, *rest = sys.argv[1:]
    if what == "speed":
        speed(Path(folder), rest[0] if rest else "frozen")
    else:
        tables(Path(folder), int(rest[0]) if rest else 10)
