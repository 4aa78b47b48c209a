"""Soft trees: the tables of Cochrane, Wills & Johnson (RJHMC-Tree), by seeds.

    python benchmarks/soft_tables.py settings DATA OUT       cross-validation of h, alpha and beta
    python benchmarks/soft_tables.py seeds DATA OUT TUNING STEPS [TABLE...]     ten seeds
    python benchmarks/soft_tables.py print OUT                     the tables

DATA is the folder with the tables as CSV files. A line of JSON for each run is added to the file
OUT; runs that are in it are not made again. The results are in docs/notes/soft-tables.md.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

import slp
from slp.errors import SlpWarning
from slp.trees.soft import SoftTree

#: h, its value at the begin of warm-up, alpha and beta. The text has those of iris and breast
#: cancer; the others are by cross-validation (`settings`).
SETTINGS = {
    "iris": (0.01, None, 0.7, 1.0),
    "breast_cancer_wisconsin_complete": (0.025, 0.1, 0.95, 2.0),
    "wine": (0.01, None, 0.7, 1.0),
    "raisin": (0.025, None, 0.7, 1.0),
    "cgm_train": (0.01, 0.1, 0.95, 1.0),
}
#: What the paper says of train, test, leaves and the percentage of accepted steps: HMC-DF, HMC-DFI.
PAPER = {
    "iris": ((0.977, 0.906, 3.38, 56.92), (0.975, 0.917, 3.45, 59.01)),
    "breast_cancer_wisconsin_complete": ((0.973, 0.940, 5.05, 54.09), (0.981, 0.952, 4.17, 58.64)),
    "wine": ((0.949, 0.950, 5.92, 53.04), (0.952, 0.948, 6.12, 53.11)),
    "raisin": ((0.866, 0.847, 3.25, 55.53), (0.864, 0.838, 3.50, 53.62)),
    "cgm_train": ((0.043, 0.041, 9.68, 36.34), (0.043, 0.041, 8.15, 36.45)),
}
GRID = ((0.01, 0.025, 0.05, 0.1), (0.7, 0.95), (1.0, 2.0))
FOLDS, SEEDS = 5, 10

Setting = tuple[float, float | None, float, float]


def run(train: pl.DataFrame, setting: Setting, steps: int, **options: Any) -> Any:
    """The posterior by one chain, half of its steps warm-up."""
    h, first, alpha, beta = setting
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return slp.load("rjhmc", h=h, alpha=alpha, beta=beta).posterior(
            train,
            engine="rjhmc",
            draws=steps // 2,
            warmup=steps // 2,
            chains=1,
            threads=1,
            first_h=first,
            **options,
        )


def scores(found: Any, part: pl.DataFrame) -> tuple[float, float]:
    """Accuracy, or the mean squared error: the mean over the draws, and of the mean prediction."""
    y, classes = part["y"].to_numpy(), found.table.leaf.classes
    columns = {name: part[name].to_numpy() for name in found.table.feature_names}
    own = []
    for draw in found.draws:
        tree = cast(SoftTree, draw.tree)
        leaves = [leaf.probabilities if classes else leaf.mean for leaf in tree.leaves()]
        values = tree.reach(columns) @ np.array(leaves)
        if classes:
            own.append(np.mean(np.array(classes)[values.argmax(axis=1)] == y))
        else:
            own.append(np.mean((values - y) ** 2))
    mean = found.predict(part)
    of_mean = np.mean(mean == y) if classes else np.mean((mean - y) ** 2)
    return float(np.mean(own)), float(of_mean)


def settings(data: Path, out: Path) -> None:
    """Five folds of the training rows for each setting of the grid, 400 steps of HMC-DF."""
    for name in ("wine", "raisin", "cgm_train"):
        frame = renamed(data, name).sample(fraction=1.0, shuffle=True, seed=0)
        for (h, alpha, beta), fold in product(product(*GRID), range(FOLDS)):
            key = {"what": "setting", "table": name, "h": h, "alpha": alpha, "beta": beta}
            key["fold"] = fold
            if known(out, key):
                continue
            held = np.arange(len(frame)) % FOLDS == fold
            first = 0.1 if name == "cgm_train" else None
            found = run(frame.filter(~held), (h, first, alpha, beta), 400, seed=fold)
            add(out, {**key, "test": scores(found, frame.filter(held))[0]})


def seeds(data: Path, out: Path, tuning: str, steps: int, names: list[str]) -> None:
    """Ten seeds of each table and variant; 30 % of the rows, drawn anew, are for the test, except
    where the data have their own."""
    for seed, name, index in product(range(SEEDS), names or SETTINGS, ("hard", "soft")):
        key = {"what": "seed", "table": name, "index": index, "tuning": tuning, "seed": seed}
        if known(out, {**key, "steps": steps}):
            continue
        train, test = parted(data, name, seed)
        begin = time.process_time()
        found = run(train, SETTINGS[name], steps, seed=seed, index=index, tuning=tuning)
        seconds = time.process_time() - begin
        moves = [found.diagnostics.moves.get(jump, {}) for jump in ("grow", "prune", "stay")]
        accepted, tried = (
            sum(m.get(outcome, 0) for m in moves for outcome in outcomes)
            for outcomes in (("accepted",), ("accepted", "rejected", "failed", "stayed"))
        )
        (own, mean), (own_test, mean_test) = scores(found, train), scores(found, test)
        add(
            out,
            {
                **key,
                "steps": steps,
                "train": own,
                "test": own_test,
                "mean_train": mean,
                "mean_test": mean_test,
                "leaves": found.expected_leaves(),
                "accepted": accepted / max(1, tried),
                "ms": seconds / steps * 1e3,
            },
        )


def renamed(data: Path, name: str) -> pl.DataFrame:
    """A table with its response, the last column, as `y`."""
    frame = pl.read_csv(data / f"{name}.csv")
    return frame.rename({frame.columns[-1]: "y"})


def parted(data: Path, name: str, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows to learn from, and rows for the test."""
    frame = renamed(data, name)
    if name == "cgm_train":
        return frame, renamed(data, "cgm_test")
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=seed)
    n = round(0.7 * len(mixed))
    return mixed[:n], mixed[n:]


def lines(out: Path) -> Iterator[dict[str, Any]]:
    """The runs of a file."""
    for line in out.read_text("utf-8").splitlines() if out.exists() else ():
        yield json.loads(line)


def known(out: Path, key: dict[str, Any]) -> bool:
    """Whether a run is in the file."""
    return any(key.items() <= line.items() for line in lines(out))


def add(out: Path, line: dict[str, Any]) -> None:
    """Add a run to the file."""
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def show(out: Path) -> None:
    """The best setting of each table; means over the seeds, standard deviations in parentheses."""
    found = list(lines(out))
    for name in dict.fromkeys(x["table"] for x in found if x["what"] == "setting"):
        best = []
        for h, alpha, beta in product(*GRID):
            own = {"table": name, "h": h, "alpha": alpha, "beta": beta, "what": "setting"}
            tests = [x["test"] for x in found if own.items() <= x.items()]
            best += [(np.mean(tests), len(tests), h, alpha, beta)] if tests else []
        for mean, n, *setting in sorted(best, reverse=name != "cgm_train"):
            print(f"| {name} | {n} folds | {setting} | {mean:.4f} |")
    of_seeds = [x for x in found if x["what"] == "seed"]
    for name, index, tuning in product(SETTINGS, ("hard", "soft"), ("frozen", "paper")):
        own = {"table": name, "index": index, "tuning": tuning}
        runs = [x for x in of_seeds if own.items() <= x.items()]
        if not runs:
            continue
        told = [f"| {name} | {index} | {tuning} | {len(runs)} x {runs[0]['steps']}"]
        for what in ("train", "test", "mean_train", "mean_test"):
            values = [x[what] for x in runs]
            told.append(f"{np.mean(values):.3f} ({np.std(values):.3f})")
        leaves, accepted, ms = (np.mean([x[w] for x in runs]) for w in ("leaves", "accepted", "ms"))
        paper = PAPER[name][index == "soft"]
        told += [f"{leaves:.2f}", f"{accepted:.0%}", f"{ms:.2f}", *map(str, paper)]
        print(" | ".join(told) + " |")


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "settings":
        settings(Path(rest[0]), Path(rest[1]))
    elif what == "seeds":
        seeds(Path(rest[0]), Path(rest[1]), rest[2], int(rest[3]), rest[4:])
    else:
        show(Path(rest[0]))
