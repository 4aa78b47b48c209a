"""The best tree by search: log joint, bound, seconds, memory, items, as a Markdown table.

    python benchmarks/search.py --data FOLDER [--time 60] [--memory 2GiB] [--program TEXT] [NAME..]

NAME is a table of FOLDER without its ending. Without names: the 16 binary CP4IM tables, which are
cp4im/NAME. The program is growtree_all (0.95, 0.5) with dirichlet(2.5), unless given. A line is
printed as soon as a table is done. Time is the search's own, in seconds of CPU and of the clock.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import slp
from slp.data import read_columns
from slp.engines.search.result import Searched

_CP4IM = (
    "zoo_1 hepatitis primary_tumor vote lymph audiology soybean anneal tic_tac_toe heart_cleveland "
    "hypothyroid mushroom kr_vs_kp australian_credit german_credit splice_1"
).split()

PROGRAM = ":- use(growtree_all, [alpha = 0.95, beta = 0.5]). :- leaf(dirichlet(2.5))."


def find(name: str, folder: Path) -> Path:
    """The table of that name."""
    for ending in (".csv", ".csv.gz"):
        if (path := folder / f"{name}{ending}").exists():
            return path
    raise SystemExit(f"there is no table {name} in {folder}")


def line(program: slp.Program, path: Path, seconds: float, memory: str) -> str:
    """A table's line."""
    columns = read_columns(str(path))
    cpu, clock = time.process_time(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        posterior = program.posterior(columns, engine="search", time=seconds, memory=memory)
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    searched = posterior._result.best.__self__  # type: ignore[attr-defined]
    assert isinstance(searched, Searched)
    best, found = posterior.map(), searched.found
    assert best.log_joint is not None and best.upper_bound is not None
    sure = "certified" if best.certified else f"{best.upper_bound:.2f}"
    return (
        f"| {path.name.split('.')[0]} | {best.log_joint:.4f} | {sure} | {best.tree.n_leaves} "
        f"| {cpu:.2f} | {clock:.2f} | {found.peak_bytes / 2**20:.0f} | {found.items:,} "
        f"| {found.steps:,} |"
    )


def main() -> None:
    """Run the tables that are named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--memory", default="2GiB")
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    program = slp.parse(given.program)
    print("| table | log joint | bound | leaves | CPU s | s | MiB | items kept | items opened |")
    print("| --- " + "| ---: " * 8 + "|")
    for name in given.names or [f"cp4im/{name}" for name in _CP4IM]:
        path = find(name, given.data)
        print(line(program, path, given.time, given.memory), flush=True)


if __name__ == "__main__":
    main()
