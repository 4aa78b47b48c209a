"""Time and peak memory of whole runs on large tables, by rows, columns and threads.

    python benchmarks/large.py [--rows 100000,300000,1000000] [--columns 10,25,50] [--jobs 1,2]

Each run is `slp-sample` in a process of its own with a budget of 4 GiB. Rows grow with the most
columns, columns with the most rows; `--jobs` other than the last runs the largest table alone. A
table has whole numbers, and numbers with two and four decimals, in turn; two features and a noise
decide its two classes. The results are in `docs/design/large-tables.md`.
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
import polars

#: What each engine is asked: work that does not depend on how soon chains converge.
RUNS = {
    "modal": "--engine modal",
    "smc": "--engine smc --islands 2 --particles 1000 -n 40",
    "mh": "--engine mh --chains 2 --rungs 8 --warmup 200 --thin 20 -n 40",
}


def write_table(n: int, d: int, path: Path) -> None:
    """A table of n rows and d features, as Parquet or CSV."""
    rng = np.random.default_rng(1)
    columns = {}
    for j in range(d):
        made = rng.integers(0, 200, n) if j % 3 == 0 else rng.normal(size=n).round(2 * (j % 3))
        columns[f"x{j}"] = made
    score = (columns["x0"] > 120) + (columns["x1"] > 0.3) + rng.normal(size=n)
    frame = polars.DataFrame({**columns, "y": np.where(score > 1, "yes", "no")})
    if path.suffix == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)


def run(engine: str, table: Path, jobs: int) -> tuple[float, float, float]:
    """Seconds of the clock, CPU seconds, and peak memory in MiB of one run."""
    code = "import sys; from slp.cli import sample_main; sys.exit(sample_main())"
    command = [sys.executable, "-P", "-c", code, "growtree", str(table), "--seed", "1"]
    command += ["--memory", "4GiB", "--jobs", str(jobs), *RUNS[engine].split()]
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"exit code {os.waitstatus_to_exitcode(status)}: {' '.join(command)}")
    seconds = time.perf_counter() - began
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def numbers(text: str) -> list[int]:
    """Whole numbers between commas."""
    return [int(part) for part in text.split(",")]


def main() -> None:
    """Print a row of a Markdown table for each run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=numbers, default=[100_000, 300_000, 1_000_000])
    parser.add_argument("--columns", type=numbers, default=[10, 25, 50])
    parser.add_argument("--jobs", type=numbers, default=[1, 2])
    asked = parser.parse_args()
    most_rows, most_columns, most_jobs = asked.rows[-1], asked.columns[-1], asked.jobs[-1]
    sizes = [(n, most_columns, most_jobs, ".parquet") for n in asked.rows]
    sizes += [(most_rows, d, most_jobs, ".parquet") for d in asked.columns[:-1]]
    sizes += [(most_rows, most_columns, jobs, ".parquet") for jobs in asked.jobs[:-1]]
    sizes += [(most_rows, most_columns, most_jobs, ".csv")]
    print("| rows | columns | file | threads | engine | seconds | CPU s | peak MiB |")
    print("| ---: | ---: | --- | ---: | --- | ---: | ---: | ---: |")
    for n, d, jobs, ending in sizes:
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / f"t{ending}"
            write_table(n, d, table)
            for engine in RUNS if ending == ".parquet" else ["modal"]:
                seconds, cpu, peak = run(engine, table, jobs)
                print(
                    f"| {n:,} | {d} | {ending[1:]} | {jobs} | `{engine}` | {seconds:.1f} "
                    f"| {cpu:.1f} | {peak:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
