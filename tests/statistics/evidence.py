"""The log evidence of engines that draw beside the exact one, over many seeds.

    python -m tests.statistics.evidence [--seeds 200] [--from 0] [--jobs 1] [CASE ...]

A case is an engine on a table under `growtree`, such as `mh/haberman`; all by default. For each it
counts the seeds whose log evidence is within two of its reported errors of the exact one, and gives
the spread over the seeds beside the median reported error. Islands of particles are to have ten
effective members in most runs. One line of a Markdown table for each case.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import slp
from slp.results.averages.drawn_trees import DrawnTrees

_ROOT = Path(__file__).resolve().parents[2]
_IRIS = _ROOT / "examples/iris/iris.csv"
_TABLES = _ROOT / "tests/statistics/tables"
#: Of each table its file, and the bins of each feature.
TABLES: dict[str, tuple[Path, int | None]] = {
    "iris, 4 bins": (_IRIS, 4),
    "iris, 3 bins": (_IRIS, 3),
    "haberman": (_ROOT / "examples/haberman/haberman.csv", None),
    "kyphosis": (_TABLES / "kyphosis.csv", None),
    "caesarian": (_TABLES / "caesarian.csv", None),
}

#: Four ladders; 28 scans of warm-up, then 50.
_TEMPERING = {"engine": "mh", "draws": 100, "thin": 200, "warmup": 2800, "rounds": 1}
_FILTER = {"engine": "smc", "islands": 40, "draws": 40}
CASES: dict[str, dict[str, Any]] = {
    **{f"mh/{name}": _TEMPERING for name in TABLES},
    **{f"mh q_uc/{name}": {**_TEMPERING, "proposal": "q_uc"} for name in TABLES},
    **{f"smc/{name}": _FILTER for name in TABLES if name != "iris, 4 bins"},
    "smc 10000/haberman": {**_FILTER, "particles": 10_000, "ess": 0.001},
    "smc 40000/haberman": {**_FILTER, "particles": 40_000, "ess": 0.00025},
}


@dataclass(frozen=True)
class Runs:
    """Of S runs: log evidence and its reported error, each shape (S,); how many effective members
    the islands of each run have, NaN of chains; and the seconds of CPU of one run."""

    values: np.ndarray
    errors: np.ndarray
    effective: np.ndarray
    seconds: float


@cache
def table(name: str) -> tuple[slp.Program, pl.DataFrame]:
    """A program and its table."""
    file, bins = TABLES[name]
    data = pl.read_csv(file)
    text = ":- use(growtree). "
    for column in data.columns[:-1] if bins else ():
        text += f":- feature({column}, [bins(quantile, {bins})]). "
    return slp.parse(text), data


@cache
def exact(name: str) -> float:
    """The log evidence by exact sums."""
    program, data = table(name)
    found = program.posterior(data, engine="exact", draws=0).log_evidence
    assert found is not None
    return found


def estimate(case: str, seed: int) -> tuple[float, float, float, float]:
    """Of one run: log evidence, its error, effective islands, seconds."""
    program, data = table(case.split("/")[1])
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        found = program.posterior(data, seed=seed, threads=1, **CASES[case])
    seconds = time.process_time() - began
    assert found.log_evidence is not None and found.log_evidence_error is not None
    return found.log_evidence, found.log_evidence_error, effective_islands(found), seconds


def effective_islands(found: slp.Posterior) -> float:
    """The effective number of islands; NaN of chains."""
    drawn = found._result.monte_carlo
    assert isinstance(drawn, DrawnTrees)
    effective = drawn.effective_islands()
    return float("nan") if effective is None else effective


def runs(case: str, seeds: Iterable[int], jobs: int = 1) -> Runs:
    """Runs of a case by many seeds."""
    if jobs == 1:
        found = [estimate(case, seed) for seed in seeds]
    else:
        with multiprocessing.get_context("spawn").Pool(jobs) as pool:
            found = pool.map(partial(estimate, case), list(seeds))
    values, errors, effective, seconds = np.array(found).T
    return Runs(values, errors, effective, float(seconds.mean()))


def lines(cases: Iterable[str], seeds: range, jobs: int) -> Iterator[str]:
    """The lines of a table."""
    yield "| case | exact | seeds | within 2 errors | bias | spread | error | ratio | islands | s |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for case in cases:
        found, want = runs(case, seeds, jobs), exact(case.split("/")[1])
        within = int((np.abs(found.values - want) <= 2 * found.errors).sum())
        spread, error = np.std(found.values, ddof=1), np.median(found.errors)
        enough = int((found.effective >= 10).sum()) if case.startswith("smc") else ""
        yield (
            f"| {case} | {want:.4f} | {len(seeds)} | {within} | {found.values.mean() - want:+.4f} "
            f"| {spread:.4f} | {error:.4f} | {spread / error:.2f} | {enough} | "
            f"{found.seconds:.2f} |"
        )


def main() -> None:
    """Read the arguments, run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    for line in lines(given.cases, range(given.first, given.first + given.seeds), given.jobs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
