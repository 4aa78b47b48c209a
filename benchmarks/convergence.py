"""How long default runs take to converge, with the default proposals and with `q_uc` alone.

    python benchmarks/convergence.py DATA [--seconds S] [--seed N ...] [--proposal P ...] [NAME ...]

DATA is a folder of tables; NAME is one of them without its ending. A run makes one round after the
other, from a checkpoint. It ends when R-hat is at most 1.01 and at least 400 draws are effective,
of the log posterior and of predictions, or when the next round would need more than S CPU seconds
in all. Each run prints a line of Markdown: the diagnostics of the last round, and the CPU seconds
of all rounds. Times are those of one process with all its threads, with imports and summaries of
every round.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import warnings
from pathlib import Path

import polars as pl

import slp

TABLES = (
    "pima_diabetes",
    "heart_statlog",
    "german_credit",
    "breast_cancer_wisconsin_complete",
    "vertebral_column_2c",
    "magic04",
    "pendigits_train",
)
LARGEST_R_HAT, FEWEST_EFFECTIVE = 1.01, 400
#: A round more makes a run so many times as long, at most.
NEXT = 1.5
HEAD = (
    "| table | proposal | seed | converged | CPU s | s | rounds | R-hat | R-hat, predictions "
    "| effective | effective, predictions | barrier | round trips | log evidence |"
)
RULE = "| --- | --- | ---: | --- |" + " ---: |" * 10


def find(name: str, folder: Path) -> pl.DataFrame:
    """The table of that name."""
    for ending in (".csv", ".csv.gz"):
        if (path := folder / f"{name}{ending}").exists():
            return pl.read_csv(path, infer_schema_length=None)
    raise SystemExit(f"there is no table {name} in {folder}")


def run(frame: pl.DataFrame, proposal: str | None, seed: int, seconds: float) -> str:
    """The cells of a run after its name, proposal and seed."""
    program = slp.parse(":- use(growtree).")
    cpu, clock, rounds = time.process_time(), time.perf_counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        while True:
            rounds += 1
            found = program.posterior(
                frame,
                engine="mh",
                proposal=proposal,
                seed=seed,
                rounds=rounds,
                checkpoint=os.path.join(folder, "run"),
                resume=rounds > 1,
            )
            told = found.diagnostics
            assert told is not None and told.tempering is not None
            own = [told.convergence[name] for name in ("log_posterior", "predictions")]
            r_hats = [c.r_hat or float("inf") for c in own]
            effective = [min(c.ess_bulk or 0, c.ess_tail or 0) for c in own]
            good = max(r_hats) <= LARGEST_R_HAT and min(effective) >= FEWEST_EFFECTIVE
            spent = time.process_time() - cpu
            if good or spent * NEXT > seconds:
                break
    trips = [ladder.round_trips for ladder in told.tempering.ladders]
    error = found.log_evidence_error or float("nan")
    return (
        f"{'yes' if good else 'no'} | {spent:.0f} | {time.perf_counter() - clock:.0f} | {rounds} "
        f"| {r_hats[0]:.3f} | {r_hats[1]:.3f} | {effective[0]:.0f} | {effective[1]:.0f} "
        f"| {told.tempering.barrier:.2f} | {min(trips)} to {max(trips)} "
        f"| {found.log_evidence:.2f} +- {error:.2f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*", default=list(TABLES))
    parser.add_argument("--seconds", type=float, default=240.0)
    parser.add_argument("--seed", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--proposal", nargs="+", default=["default", "q_uc"])
    given = parser.parse_args()
    warnings.simplefilter("ignore", slp.SlpWarning)
    print(HEAD, RULE, sep="\n")
    for name in given.names:
        frame = find(name, given.data)
        for proposal in given.proposal:
            for seed in given.seed:
                named = None if proposal == "default" else proposal
                cells = run(frame, named, seed, given.seconds)
                print(f"| {name} | {proposal} | {seed} | {cells}", flush=True)


if __name__ == "__main__":
    main()
