"""Measures the peak of the memory of whole runs against their budgets.

    python benchmarks/memory.py cases [NAME ...]
    python benchmarks/memory.py TABLE [--memory 2GiB] [--program ':- use(denison).'] [--jobs N]

`cases` runs `slp-sample` on large simulated tables, each in a process of its own. Each run must end
with the right exit code (0, or 1 with E501). Its peak may be 1.1 times its budget, and 150 MB more
for the interpreter and its libraries. The results are in `docs/design/memory.md`.

With a TABLE it runs exact sums over its trees. For an unbinned table of a few hundred rows these
need tens of gigabytes or more. The run must end with its message and its bounds on the log
evidence. The peak, with what Python and the libraries take before the run, must stay within 10 % of
the budget.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import slp
from slp.budgets.memory import format_bytes, parse_memory
from slp.data import read_frame
from slp.errors import BudgetError

INTERPRETER = 150 * 10**6

SHORT = "--engine mh -n 100 --warmup 1000 --thin 100"


@dataclass(frozen=True)
class Case:
    """A table of n rows and d features (normal, or whole numbers below `values`), a budget, further
    options, and the exit code that is right."""

    n: int
    d: int
    memory: str
    options: str
    code: int = 0
    values: int = 0
    program: str = "denison"


CASES = {
    "long": Case(100_000, 6, "1GiB", SHORT),
    "long-tight": Case(100_000, 6, "160MiB", SHORT),
    "long-too-small": Case(100_000, 6, "20MiB", SHORT, 1),
    "hundred-thousand-by-20": Case(100_000, 20, "1GiB", SHORT),
    "million": Case(1_000_000, 6, "1GiB", "--engine mh -n 100 --warmup 200 --thin 20"),
    "million-too-small": Case(1_000_000, 6, "100MiB", SHORT, 1),
    "million-auto": Case(1_000_000, 6, "1GiB", "-n 40 --warmup 100 --thin 10"),
    "million-few-values": Case(1_000_000, 6, "1GiB", SHORT + " --time 240s", values=20),
    "wide": Case(2_000, 500, "100MiB", SHORT),
    "exact-200MiB": Case(20_000, 40, "200MiB", "--engine exact", 1),
    "auto-200MiB": Case(20_000, 40, "200MiB", "-n 100 --warmup 200 --thin 20"),
    "tempered": Case(100_000, 6, "200MiB", SHORT + " --rungs 4"),
    "partition": Case(100_000, 6, "200MiB", SHORT + " --time 240s", program="bcart_pcfg"),
}


def write_table(case: Case, path: Path) -> None:
    """A CSV whose last column, of two classes, depends on the first."""
    rng = np.random.default_rng(1)
    with path.open("w") as file:
        file.write(",".join([*(f"x{i}" for i in range(case.d)), "y"]) + "\n")
        for a in range(0, case.n, 10_000):
            shape = min(10_000, case.n - a), case.d
            if case.values:
                X = rng.integers(0, case.values, shape).astype(float)
            else:
                X = rng.normal(size=shape)
            y = X[:, 0] > (case.values - 1) / 2
            np.savetxt(file, np.c_[X, y], fmt=["%.6g"] * case.d + ["%d"], delimiter=",")


def run_case(name: str, case: Case) -> bool:
    """Run one, print a row of a Markdown table, and return whether it kept its budget."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "t.csv"
        write_table(case, table)
        code = "import sys; from slp.cli import sample_main; sys.exit(sample_main())"
        command = [sys.executable, "-P", "-c", code, case.program, str(table)]
        command += ["--memory", case.memory, *case.options.split()]
        errors = Path(folder) / "errors"
        with errors.open("w") as stream:
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stream)
            _, status, used = os.wait4(child.pid, 0)
        refused = "error[E501]" in errors.read_text()
    most, limit = used.ru_maxrss * 1024, 1.1 * parse_memory(case.memory) + INTERPRETER
    exit_code = os.waitstatus_to_exitcode(status)
    held = most <= limit and exit_code == case.code and refused == (case.code == 1)
    print(
        f"| {name} | {case.n:,} x {case.d} | `{case.program} {case.options}` | {case.memory} "
        f"| {format_bytes(most)} | {format_bytes(int(limit))} "
        f"| {exit_code}{' (E501)' * refused} | {used.ru_utime + used.ru_stime:.0f} "
        f"| {'held' if held else 'NOT HELD'} |",
        flush=True,
    )
    return held


def run_cases(names: list[str]) -> int:
    """Run cases by name, all where none is given; 0 if all held."""
    print("| case | table | run | budget | peak | allowed | exit code | CPU s | |")
    print("| --- | --- | --- | ---: | ---: | ---: | --- | ---: | --- |")
    return 0 if all([run_case(name, CASES[name]) for name in names or CASES]) else 1


def peak() -> int:
    """Peak of the resident memory of this process so far, bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main() -> int:
    """Run once, or all cases; 0 if the budget was kept."""
    if sys.argv[1:2] == ["cases"]:
        return run_cases(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--memory", default="2GiB")
    parser.add_argument("--program", default=":- use(denison).")
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    budget = parse_memory(options.memory)
    warnings.simplefilter("ignore", slp.SlpWarning)
    program, frame = slp.parse(options.program), read_frame(options.table)
    before, started = peak(), time.perf_counter()
    try:
        program.posterior(frame, engine="exact", memory=budget, threads=options.jobs, draws=0)
    except BudgetError as error:
        print(error)
    else:
        print("the sums were done: take a larger table or less memory")
        return 1
    seconds, most = time.perf_counter() - started, peak()
    share = most / budget
    print(
        f"budget {format_bytes(budget)}; peak of the process {format_bytes(most)} "
        f"({share:.3f} of it), {format_bytes(before)} before the run; {seconds:.1f} s"
    )
    return 0 if share <= 1.1 else 1


if __name__ == "__main__":
    raise SystemExit(main())
