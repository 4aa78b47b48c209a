"""Runs `slp-sample` with default options on real tables: seconds, peak memory, and its output.

    python benchmarks/defaults.py [--data FOLDER] [--program growtree] [NAME ...]

NAME is a table of FOLDER without its ending, or `million`, which is made here: a million rows, six
features of distinct numbers, two classes. Without names: pima_diabetes, german_credit, magic04,
credit_default and million. Every run is a process of its own, and Markdown is printed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

TABLES = ("pima_diabetes", "german_credit", "magic04", "credit_default", "million")

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


def report(program: str, table: Path) -> None:
    """Run once, and print its time, its memory and its output."""
    started = time.perf_counter()
    command = [sys.executable, "-P", "-c", _RUN, program, str(table), "--seed", "1"]
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, text=True)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        said.seek(0)
        page = said.read().replace(f"{table.parent}/", "")
    code = os.waitstatus_to_exitcode(status)
    cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    print(f"## {table.name}\n")
    print(
        f"`slp-sample {program} {table.name} --seed 1`: {seconds:.1f} s, {cpu:.1f} CPU s, peak "
        f"{peak:,.0f} MiB, exit code {code}\n"
    )
    print(f"```text\n{page.rstrip()}\n```\n", flush=True)


def main() -> None:
    """Run on the tables that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--program", default="growtree")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or TABLES:
            if name == "million":
                table = Path(folder) / "million.csv"
                write_million(table)
            else:
                table = find(name, options.data)
            report(options.program, table)


if __name__ == "__main__":
    main()
