"""How large the stated errors of chains are beside the spread of their estimates over seeds.

    python benchmarks/error_bars.py DATA [--seeds 200] [--rows 30] [--prior denison]
                                    [--effort default] [NAME ...]

DATA is the folder of three tables of numbers (response `y`), of which some rows in a fixed random
order are taken. For the log evidence, leaves, depth and the predictions of five of the rows: the
standard deviation of the estimates over seeds, divided by the root of the mean square of their
stated errors; and how many runs converged. Of 200 seeds such a ratio has a standard error of 0.05.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import polars as pl

import slp

FILES = ("auto_mpg", "concrete_strength", "yacht_hydrodynamics")


def estimates(posterior: slp.Posterior, rows: pl.DataFrame) -> list[tuple[float, float]]:
    """Estimates and their stated errors: evidence, leaves, depth, then the rows' predictions."""
    error = posterior.log_evidence_error
    return [
        (posterior.log_evidence, np.nan if error is None else error),
        (posterior.expected_leaves(), posterior.expected_leaves_error()),
        (posterior.expected_depth(), posterior.expected_depth_error()),
        *zip(posterior.predict(rows), posterior.predict_error(rows), strict=True),
    ]


def measure(frame: pl.DataFrame, prior: str, effort: str, seeds: int) -> str:
    """The ratios of one table."""
    found, converged = [], 0
    for seed in range(seeds):
        posterior = slp.load(prior).posterior(frame, "y", engine="mh", seed=seed, effort=effort)
        converged += posterior.trust.standing == "converged"
        found.append(estimates(posterior, frame.drop("y").head(5)))
    values, errors = np.moveaxis(np.array(found, dtype=float), -1, 0)
    ratios = values.std(0, ddof=1) / np.sqrt((errors**2).mean(0))
    names = ["evidence", "leaves", "depth", *["prediction"] * 5]
    told = "  ".join(f"{name} {ratio:.2f}" for name, ratio in zip(names, ratios, strict=True))
    return f"{told}  converged {converged} of {seeds}"


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--rows", type=int, default=30)
    parser.add_argument("--prior", default="denison")
    parser.add_argument("--effort", default="default")
    given = parser.parse_intermixed_args()
    warnings.simplefilter("ignore", slp.SlpWarning)
    for name in given.names or FILES:
        frame = pl.read_csv(given.data / f"{name}.csv").drop_nulls()
        order = np.random.default_rng(0).permutation(len(frame))[: given.rows]
        told = measure(frame[order.tolist()], given.prior, given.effort, given.seeds)
        print(f"{name:<22}{told}", flush=True)


if __name__ == "__main__":
    main()
