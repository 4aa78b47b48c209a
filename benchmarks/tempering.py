"""The log evidence of tempering against the exact one, over many seeds.

    python benchmarks/tempering.py DATA [--seeds 200] [--from 1] [NAME ...]

DATA is a folder with iris.csv, haberman.csv, kyphosis.csv, caesarian.csv. For each table under
`growtree`: how often the exact log evidence is within two reported errors, and the spread over the
seeds beside the median reported error. A run has four ladders, 252 scans of warm-up and 500 scans
(`draws=1000`, `thin=1`, `rounds=2`: the numbers are of the last 250).
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import polars as pl

import slp

_BINS = "".join(
    f":- feature({name}, [bins(quantile, 4)]). "
    for name in ("sepal_length", "sepal_width", "petal_length", "petal_width")
)
PROGRAMS = {
    "iris": f":- use(growtree). {_BINS}",
    "haberman": ":- use(growtree).",
    "kyphosis": ":- use(growtree).",
    "caesarian": ":- use(growtree).",
}


def estimate(path: Path, seed: int) -> tuple[float, float]:
    """Log evidence and its reported error by one run."""
    program = slp.parse(PROGRAMS[path.stem])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        found = program.posterior(
            pl.read_csv(path), engine="mh", seed=seed, thin=1, rounds=2, threads=1
        )
    assert found.log_evidence is not None and found.log_evidence_error is not None
    return found.log_evidence, found.log_evidence_error


def line(path: Path, seeds: range) -> str:
    """The line of a table, for Markdown."""
    started = time.monotonic()
    exact = slp.parse(PROGRAMS[path.stem]).posterior(pl.read_csv(path), engine="exact").log_evidence
    assert exact is not None
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        found = list(pool.map(partial(estimate, path), seeds))
    within = sum(abs(value - exact) <= 2 * error for value, error in found)
    values, errors = [value for value, _ in found], [error for _, error in found]
    spread, reported = statistics.stdev(values), statistics.median(errors)
    bias = statistics.mean(values) - exact
    seconds = (time.monotonic() - started) / len(seeds)
    return (
        f"| {path.stem} | {exact:.4f} | {len(seeds)} | {within} | {bias:+.4f} | {spread:.4f} | "
        f"{reported:.4f} | {spread / reported:.2f} | {seconds:.1f} |"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*", default=list(PROGRAMS))
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--from", type=int, default=1, dest="first")
    given = parser.parse_args()
    print("| table | exact | seeds | within 2 errors | bias | spread | error | ratio | s |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in given.names:
        seeds = range(given.first, given.first + given.seeds)
        print(line(given.data / f"{name}.csv", seeds), flush=True)
