"""What the move `twig` adds to the default mixture: effective draws for each second of CPU.

    python benchmarks/twigs.py DATA [--seed N ...] [--rounds R] [--with MIXTURE] [NAME ...]

DATA is a folder of tables; NAME is one of them without its ending. By table and seed two tempered
runs of R rounds under `growtree` follow each other: of the default mixture, and of another one. A
line has, for both, the seconds of CPU, and the effective draws for each second: of rows (the
geometric mean over up to 60 rows, each by its log likelihood given the tree and the other rows),
of the worst prediction and of the log posterior (the smaller of bulk and tail). The last lines are
what the other mixture has beside the default: geometric means over the seeds, and over the tables,
with the standard errors of their logs, in percent.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import polars as pl

import slp

TABLES = ("pima_diabetes", "heart_statlog", "german_credit", "vertebral_column_2c")
MIXTURE = "q_uc:1,cgm:5,informed:2,perturb:1,rotate:1,twig:1"
ROWS = 60


def run(frame: pl.DataFrame, mixture: str | None, seed: int, rounds: int) -> list[float]:
    """Seconds of CPU of a run, and effective draws for each."""
    program = slp.parse(":- use(growtree).")
    begin = time.process_time()
    found = program.posterior(frame, engine="mh", proposal=mixture, seed=seed, rounds=rounds)
    seconds = time.process_time() - begin
    assert found.diagnostics is not None
    own = [found.diagnostics.convergence[name] for name in ("predictions", "log_posterior")]
    effective = [min(c.ess_bulk or 0, c.ess_tail or 0) for c in own]
    return [seconds, *(e / seconds for e in (of_rows(found), *effective))]


def of_rows(found: slp.Posterior) -> float:
    """Effective draws of the log likelihood of rows."""
    from arviz_stats.base import array_stats

    (values,) = found.to_arviz(["log_likelihood"])["log_likelihood"].data_vars.values()
    rows = np.unique(np.linspace(0, values.shape[2] - 1, ROWS).astype(int))
    each = [float(array_stats.ess(values.to_numpy()[:, :, row])) for row in rows]
    return float(np.exp(np.mean(np.log(each))))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*", default=list(TABLES))
    parser.add_argument("--seed", type=int, nargs="+", default=list(range(1, 11)))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--with", dest="mixture", default=MIXTURE)
    given = parser.parse_args()
    warnings.simplefilter("ignore", slp.SlpWarning)
    run(pl.DataFrame({"x": range(40), "y": [0, 1] * 20}), None, 1, 1)  # imports
    print("| table | seed | CPU s | rows | worst prediction | log posterior |")
    print("| --- | ---: | --- | --- | --- | --- |")
    logs: dict[str, list[np.ndarray]] = defaultdict(list)
    for seed in given.seed:
        for name in given.names:
            frame = pl.read_csv(given.data / f"{name}.csv", infer_schema_length=None)
            both = [run(frame, mixture, seed, given.rounds) for mixture in (None, given.mixture)]
            cells = [f"{one:.1f}, {other:.1f}" for one, other in zip(*both, strict=True)]
            print(f"| {name} | {seed} | " + " | ".join(cells) + " |", flush=True)
            logs[name].append(np.log(both[1]) - np.log(both[0]))
    if len(given.seed) > 1:
        summary(logs)


def summary(logs: dict[str, list[np.ndarray]]) -> None:
    """Prints the last lines, by the logs of ratios of each table and seed."""
    means = [np.mean(of_table, axis=0) for of_table in logs.values()]
    errors = [np.std(own, axis=0, ddof=1) / len(own) ** 0.5 for own in logs.values()]
    means.append(np.mean(means, axis=0))
    errors.append(np.sqrt(np.sum(np.square(errors), axis=0)) / len(errors))
    for name, mean, error in zip([*logs, "all tables"], means, errors, strict=True):
        cells = [f"{np.exp(m):.3f} +- {100 * e:.0f} %" for m, e in zip(mean, error, strict=True)]
        print(f"| {name} | all | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
