"""Runs `slp-sample` with default options on real tables, and prints a table of Markdown: seconds of
the clock, CPU seconds, peak memory, and how far the run has converged.

    python benchmarks/defaults.py [--data FOLDER] [--program growtree] [--effort LEVEL] [NAME ...]

NAME is a table of FOLDER without its ending, or `million`, which is made here: a million rows, six
features of distinct numbers, two classes. Without names: `TABLES`. Every run is a process of its
own. R-hat and effective draws are those of the quantity of which R-hat is largest.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

TABLES = (
    "pima_diabetes",
    "heart_statlog",
    "german_credit",
    "breast_cancer_wisconsin_complete",
    "vertebral_column_2c",
    "magic04",
    "credit_default",
)

#: The command that is run, of the installed package.
_RUN = """\
import sys
from slp.cli import sample_main
sys.argv[0] = "slp-sample"
sys.exit(sample_main())
"""


def write_million(path: Path) -> None:
    """A million rows: the class depends on two features, with noise."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1_000_000, 6))
    likely = 1 / (1 + np.exp(-3 * ((X[:, 0] > 0) ^ (X[:, 1] > 0.5)) + 1.5))
    columns = {f"x{i}": X[:, i] for i in range(6)}
    outcome = np.where(rng.random(len(X)) < likely, "yes", "no")
    pl.DataFrame({**columns, "y": outcome}).write_csv(path)


def find(name: str, folder: Path) -> Path:
    """The table of that name."""
    for ending in (".csv", ".csv.gz"):
        if (path := folder / f"{name}{ending}").exists():
            return path
    raise SystemExit(f"there is no table {name} in {folder}")


def row(program: str, table: Path, effort: str) -> str:
    """Run once: the row of the table."""
    started = time.perf_counter()
    command = [sys.executable, "-P", "-c", _RUN, program, str(table), "--seed", "1", "--json"]
    command += ["--effort", effort]
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as warned:
        child = subprocess.Popen(command, stdout=said, stderr=warned, text=True)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        said.seek(0)
        warned.seek(0)
        if os.waitstatus_to_exitcode(status):
            raise SystemExit(warned.read())
        found = json.load(said)
    cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    told = f"| {table.name.partition('.')[0]} | {seconds:.0f} | {cpu:.0f} | {peak:,.0f} "
    return f"{told}| {found['engine']} | {_convergence(found['diagnostics'])} |"


def _convergence(diagnostics: dict[str, Any] | None) -> str:
    """Whether a run converged, its worst R-hat, and effective draws of that quantity."""
    if diagnostics is None:
        return "exact | |"
    known = {name: q for name, q in diagnostics["convergence"].items() if q["r_hat"] is not None}
    name, worst = max(known.items(), key=lambda item: item[1]["r_hat"])
    effective = min(worst["ess_bulk"], worst["ess_tail"])
    words = f"{worst['r_hat']:.3f}, {name} | {effective:.0f}"
    return f"{diagnostics['standing']} | {words}"


def main() -> None:
    """Run on the tables that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--program", default="growtree")
    parser.add_argument("--effort", default="default")
    options = parser.parse_args()
    print("| table | seconds | CPU s | peak MiB | engine | standing | R-hat | effective draws |")
    print("| --- | ---: | ---: | ---: | --- | --- | --- | ---: |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or TABLES:
            if name == "million":
                table = Path(folder) / "million.csv"
                write_million(table)
            else:
                table = find(name, options.data)
            print(row(options.program, table, options.effort), flush=True)


if __name__ == "__main__":
    main()
