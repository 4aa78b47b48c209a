"""Measures the memory of a run that needs far more than it may take: peak of the whole process.

    python benchmarks/memory.py TABLE [--memory 2GiB] [--program ':- use(denison).'] [--jobs N]

Exact sums over the trees of an unbinned table of a few hundred rows need tens of gigabytes or more.
The run must end in its message and its bounds on the log evidence, and the peak of the resident
memory of the process stay within 10 % of the budget, what Python and the libraries take before the
run begins included.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
import warnings
from pathlib import Path

import slp
from slp.data import read_frame
from slp.errors import BudgetError
from slp.infer.memory import format_bytes, parse_memory


def peak() -> int:
    """Peak of the resident memory of this process so far, bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main() -> int:
    """Run once; 0 if the run ended by its budget and kept it."""
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
