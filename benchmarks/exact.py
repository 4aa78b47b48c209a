"""Times an inside pass of the compiled exact engine: splits per second, bytes per item, threads.

    python benchmarks/exact.py [--data FOLDER] [--threads 1,2] [--memory 4GiB] [NAME ...]
    python benchmarks/exact.py --programs TABLE ... [--pairs] [--data FOLDER] [--memory 4GiB]

With `--programs` it times the quantities of a summary, under the library's priors and under
`growtree` with each constraint; with `--pairs` also with two constraints. TABLE is a table of
FOLDER without its ending. Times are CPU seconds of two threads. The first program, the bare prior,
is timed again at the end.

Otherwise NAME is one or more of the cases below; without any, all run. `vertebral` and `haberman`
are read from FOLDER (`vertebral_column_2c.csv`, `haberman.csv`); `iris` needs scikit-learn. A pass
that reaches its limit of memory prints how far it came. An item is a box; in a pass that goes box
by box, it is a box in a state. CPU is the CPU time of all threads. On a busy machine it says more
than seconds do.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import slp
from slp.budgets.memory import parse_memory
from slp.data import read_frame
from slp.engines.exact.passes import Passes
from slp.errors import BudgetError


def iris(_: Path) -> tuple[Any, Any]:
    """scikit-learn's iris, unbinned."""
    from sklearn.datasets import load_iris

    data = load_iris()
    return data.data, data.target.astype(str)


def xor(_: Path) -> tuple[Any, Any]:
    """Hidden XOR: 500 rows of 20 random bits, the label is the XOR of the first four."""
    bits = np.random.default_rng(0).integers(0, 2, (500, 20))
    return bits.astype(float), (bits[:, :4].sum(axis=1) % 2).astype(str)


def vertebral(folder: Path) -> tuple[Any, Any]:
    """Vertebral column, two classes."""
    return read_frame(folder / "vertebral_column_2c.csv"), "y"


def haberman(folder: Path) -> tuple[Any, Any]:
    """Haberman's survival data."""
    return read_frame(folder / "haberman.csv"), "y"


BINS = ":- feature(_, [bins(quantile, 5)])."
CASES = {
    "iris": (iris, ":- use(denison)."),
    "iris_growtree": (iris, ":- use(growtree)."),
    "xor": (xor, ":- use(denison)."),
    "vertebral": (vertebral, f":- use(denison).\n{BINS}"),
    "haberman": (haberman, ":- use(denison)."),
    "iris_binned": (iris, f":- use(denison).\n{BINS}"),
    "iris_binned_growtree": (iris, f":- use(growtree).\n{BINS}"),
}


def run(name: str, folder: Path, threads: int, memory: int) -> str:
    """One line of the report."""
    read, text = CASES[name]
    model = slp.parse(text).compile(*read(folder))
    passes = Passes(model.grammar, model.table, memory, threads=threads)
    started, cpu = time.perf_counter(), time.process_time()
    try:
        done = passes.get("total", True, "root")
    except BudgetError as error:
        seconds = time.perf_counter() - started
        return f"{name:22} {threads:2}  {seconds:7.2f} s  {error.diagnostics[0].message}"
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    have = done.statistics()
    total = np.logaddexp.reduce(passes.engine.root_values(done))
    cut = done.depth_cut()
    return (
        f"{name:22} {threads:2}  {seconds:7.2f} s  CPU {cpu:6.2f} s  {have['items']:>10,} items "
        f"{have['edges']:>12,} edges  {have['edges'] / seconds / 1e6:6.2f} M edges/s  "
        f"{have['peak_bytes'] / have['items']:5.1f} bytes/item at the peak  "
        f"repeated {have['repeated']:,}  log Q {total:.6f}"
        + ("" if cut is None else f"  depth {cut[0]}, {np.exp(cut[1] - total):.0e} left out")
    )


PRIORS = ("growtree_all", "growtree_gap", "gmt", "denison", "bcart_pcfg", "rjhmc", "pinball")
QUANTITIES: dict[str, Callable[[slp.Posterior, Any], Any]] = {
    "evidence and normaliser": lambda posterior, _: posterior.log_evidence,
    "best tree": lambda posterior, _: posterior.map(),
    "leaves and uses": lambda posterior, _: (
        posterior.expected_leaves(),
        posterior.split_probabilities(),
    ),
    "10 predictions": lambda posterior, rows: posterior.predict_proba(rows),
}


def programs(frame: Any, pairs: bool) -> Iterator[tuple[str, str]]:
    """Programs for a table by what they are called: priors, then constraints on `growtree`."""
    one, two, *_ = features = frame.columns[:-1]
    values = sorted({*frame[one].to_list()})
    low, high = ((values[k] + values[k + 1]) / 2 for k in (len(values) // 4, 3 * len(values) // 4))
    box = f"box(b, {one}, {low}, {high}). "
    rest = ", ".join(features[1:])
    label = str(frame[frame.columns[-1]][0])
    at_split = {
        "constant(b)": box + ":- constraint(constant(b)).",
        f"forbid({two}, below(2))": f":- constraint(forbid({two}, below(2))).",
        f"first({one})": f":- constraint(first({one})).",
        f"before({one}, {two})": f":- constraint(before({one}, {two})).",
        f"once({one})": f":- constraint(once({one})).",
        f"exclusive([{one}, {two}])": f":- constraint(exclusive([{one}, {two}])).",
    }
    others = {
        f"forbid({two})": f":- constraint(forbid({two})).",
        f"forbid({two}, within(b))": box + f":- constraint(forbid({two}, within(b))).",
        "interaction": f":- constraint(interaction([[{one}, {two}], [{rest}]])).",
        f"first({one}), condition": f":- constraint(first({one})). :- failure(condition).",
        "min_leaf(5)": ":- support(min_leaf(5)).",
        "max_depth(4)": ":- support(max_depth(4)).",
        "max_leaves(4)": ":- constraint(max_leaves(4)).",
        "max_leaves(8)": ":- constraint(max_leaves(8)).",
        "majority(b)": box + f":- constraint(majority(b, '{label}')).",
    }
    yield "growtree", ":- use(growtree)."
    for name in PRIORS:
        yield name, f":- use({name})."
    both = [(f"{a}, {b}", f"{at_split[a]} {at_split[b]}") for a, b in combinations(at_split, 2)]
    for name, text in [*at_split.items(), *others.items(), *(both if pairs else [])]:
        yield name, f":- use(growtree). {text}"
    yield "growtree", ":- use(growtree)."


def time_program(text: str, frame: Any, memory: int) -> str:
    """The cells of a program's line: CPU seconds by quantity, then the peak of the budget."""
    cells = []
    began = time.process_time()
    try:
        posterior = slp.parse(text).posterior(frame, engine="exact", draws=0, memory=memory)
        for quantity in QUANTITIES.values():
            quantity(posterior, frame[:10].drop(frame.columns[-1]))
            cells.append(f"{time.process_time() - began:.2f}")
            began = time.process_time()
    except slp.SlpError as error:
        cells.append(f"{error.diagnostics[0].code} after {time.process_time() - began:.0f} s")
    return " | ".join(cells + [""] * (len(QUANTITIES) - len(cells)))


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--memory", default="4GiB")
    parser.add_argument("--programs", action="store_true")
    parser.add_argument("--pairs", action="store_true")
    options = parser.parse_args()
    if options.programs:
        print("| table | program | " + " | ".join(QUANTITIES) + " |")
        print("| --- | --- |" + " ---: |" * len(QUANTITIES))
        for name in options.names:
            frame = read_frame(options.data / f"{name}.csv")
            for called, text in programs(frame, options.pairs):
                cells = time_program(text, frame, parse_memory(options.memory))
                print(f"| {name} | {called} | {cells} |", flush=True)
        return
    if unknown := set(options.names) - set(CASES):
        parser.error(f"no case {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
    for name in options.names or CASES:
        for threads in map(int, options.threads.split(",")):
            print(run(name, options.data, threads, parse_memory(options.memory)), flush=True)


if __name__ == "__main__":
    main()
