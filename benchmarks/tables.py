"""Repeats the tables of BCART-PCFG (Sullivan, Tiwari, Thrun & Piech 2023, arXiv:2302.07407).

    python benchmarks/tables.py DATA [--results FOLDER] [--seeds 5] [--memory 8GiB] [--page FILE]
                                     [NAME ...]

The MAP tree, one draw and the exact average under `bcart_pcfg` with ln phi = 2, beside
scikit-learn's decision tree and random forest, by 10-fold cross-validation; then the hidden XOR.
DATA is the folder of iris.csv, caesarian.csv, haberman.csv and vertebral_column_2c.csv; the rows of
xor are made here. NAME is one or more of the cases below; without any, all run.

The result of each fold is saved in FOLDER, and the fold is not repeated. Every run prints the
tables of all saved results; with `--page` they replace the part of FILE between the two comments
that name this program.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import sklearn
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import slp
from slp.budgets.memory import format_bytes, parse_memory
from slp.data import read_frame
from slp.engines.shared.size import estimate_size

FOLDS = 10
#: Features of more distinct values than this are put in buckets.
MOST_DISTINCT = 10
#: Columns of the tables.
METHODS = {
    "map": "MAP tree",
    "draw": "one draw",
    "average": "exact average",
    "tree": "decision tree",
    "forest": "random forest",
}


@dataclass(frozen=True)
class Case:
    """A table, the buckets of its features (None: every distinct value counts), and how many seeds
    at most are worth the time."""

    read: Callable[[Path], pl.DataFrame]
    buckets: int | None
    most_seeds: int = 5


def xor_rows(n: int, seed: int, hidden: int = 4, bits: int = 20) -> pl.DataFrame:
    """Random bits; the label is the XOR of the first `hidden`."""
    table = np.random.default_rng(seed).integers(0, 2, (n, bits))
    frame = pl.DataFrame({f"b{j}": table[:, j] for j in range(bits)})
    return frame.with_columns(y=pl.Series(table[:, :hidden].sum(axis=1) % 2))


def _file(name: str) -> Callable[[Path], pl.DataFrame]:
    return lambda folder: read_frame(folder / name)


CASES = {
    "iris": Case(_file("iris.csv"), 10),
    "caesarian": Case(_file("caesarian.csv"), 10),
    "haberman": Case(_file("haberman.csv"), 10),
    "vertebral": Case(_file("vertebral_column_2c.csv"), 5),
    "xor": Case(lambda _: xor_rows(200, seed=1), None),
    "caesarian, no buckets": Case(_file("caesarian.csv"), None),
    "haberman, no buckets": Case(_file("haberman.csv"), None, 1),
    "iris, no buckets": Case(_file("iris.csv"), None, 1),
    "vertebral, no buckets": Case(_file("vertebral_column_2c.csv"), None),
}


# --- one fold ------------------------------------------------------------------------------------


def program_for(frame: pl.DataFrame, buckets: int | None) -> slp.Program:
    """`bcart_pcfg`, with quantile cuts (of the training rows) for features of many values."""
    many = [c for c in frame.columns[:-1] if frame[c].n_unique() > MOST_DISTINCT]
    cuts = [f":- feature({c}, [bins(quantile, {buckets})])." for c in many if buckets]
    return slp.parse("\n".join([":- use(bcart_pcfg).", *cuts]))


def fold_of(frame: pl.DataFrame, case: Case, seed: int, fold: int, memory: int) -> dict[str, Any]:
    """Every method on one fold: correct held-out rows, nodes, and the effort."""
    classes = frame["y"].cast(pl.String).to_numpy()
    parts = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(classes, classes)
    train, test = list(parts)[fold]
    program = program_for(frame, case.buckets)
    model = program.compile(frame[train], "y")
    size = estimate_size(model)
    if size is not None and 2 * size.memory > memory:  # totals, and the best trees
        return {"too_large": f"{size} for each of two passes, of {format_bytes(memory)}"}
    started, cpu = time.perf_counter(), time.process_time()
    posterior = program.posterior(frame[train], "y", draws=0, memory=memory)
    best, drawn = posterior.map_tree(), posterior.sample(1, seed)[0]
    guesses = {
        "map": best.predict(frame[test]),
        "draw": drawn.predict(frame[test]),
        "average": posterior.predict(frame[test]),
    }
    nodes = {
        "map": 2 * best.n_leaves - 1,
        "draw": 2 * drawn.n_leaves - 1,
        "average": 2 * posterior.expected_leaves() - 1,
    }
    effort = {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - cpu,
        "boxes": None if size is None else size.boxes,
    }
    X = frame.drop("y").to_numpy()
    tree = DecisionTreeClassifier(random_state=seed).fit(X[train], classes[train])
    forest = RandomForestClassifier(random_state=seed).fit(X[train], classes[train])
    guesses |= {"tree": tree.predict(X[test]), "forest": forest.predict(X[test])}
    nodes |= {
        "tree": tree.tree_.node_count,
        "forest": sum(e.tree_.node_count for e in forest.estimators_),
    }
    right = {name: int((guess == classes[test]).sum()) for name, guess in guesses.items()}
    return {"rows": len(test), "right": right, "nodes": nodes, **effort}


def hidden_xor(n: int = 500, held_out: int = 10_000) -> dict[str, Any]:
    """The MAP tree of `n` rows of the XOR of 4 among 20 random bits, tried on fresh rows."""
    started, cpu = time.perf_counter(), time.process_time()
    posterior = slp.load("bcart_pcfg").posterior(xor_rows(n, seed=0), "y", draws=0)
    best = posterior.map()
    fresh = xor_rows(held_out, seed=1)
    guess = best.tree.predict(fresh)
    return {
        "rows": n,
        "held_out": held_out,
        "right": int((guess == fresh["y"].cast(pl.String).to_numpy()).sum()),
        "nodes": 2 * best.tree.n_leaves - 1,
        "leaves": best.tree.n_leaves,
        "depth": best.tree.depth,
        "features": sorted(best.tree.features),
        "log_posterior": best.log_posterior,
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - cpu,
    }


# --- the run -------------------------------------------------------------------------------------


def kept(path: Path, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The content of a file; if it does not exist, the work is done first, and saved."""
    if not path.exists():
        aside = path.with_suffix(".tmp")
        aside.write_text(json.dumps(work()), "utf-8")
        aside.rename(path)
        print(f"{path.stem} done", flush=True)
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def stem_of(name: str) -> str:
    """How the names of a case's files begin."""
    return name.replace(", ", "_").replace(" ", "_")


def run_case(name: str, data: Path, results: Path, seeds: int, memory: int) -> None:
    """Runs all folds of a case that have no result yet, until one is too large."""
    case = CASES[name]
    frame = case.read(data)
    for seed, fold in product(range(min(seeds, case.most_seeds)), range(FOLDS)):
        path = results / f"{stem_of(name)}-{seed}-{fold}.json"
        done = kept(path, partial(fold_of, frame, case, seed, fold, memory))
        if "too_large" in done:
            return


# --- the tables ----------------------------------------------------------------------------------


def folds_by_seed(name: str, results: Path) -> dict[int, list[dict[str, Any]]]:
    """The results of a case by seed; seeds with missing folds are left out."""
    out: dict[int, list[dict[str, Any]]] = {}
    for path in results.glob(f"{stem_of(name)}-*-*.json"):
        seed = int(path.stem.split("-")[1])
        out.setdefault(seed, []).append(json.loads(path.read_text("utf-8")))
    return {s: f for s, f in sorted(out.items()) if len(f) == FOLDS or "too_large" in f[0]}


def spread(values: NDArray[np.float64], spec: str) -> str:
    """Mean and standard deviation over seeds."""
    if len(values) == 1:
        return f"{values[0]:{spec}}"
    return f"{values.mean():{spec}} ± {values.std(ddof=1):{spec}}"


def percent_right(folds: list[dict[str, Any]], method: str) -> float:
    """Percent of all rows that were predicted correctly when they were held out."""
    right: int = sum(f["right"][method] for f in folds)
    held_out: int = sum(f["rows"] for f in folds)
    return 100.0 * right / held_out


def mean_nodes(folds: list[dict[str, Any]], method: str) -> float:
    """Mean over folds of the number of nodes."""
    return float(np.mean([f["nodes"][method] for f in folds]))


def table(
    results: Path, value: Callable[[list[dict[str, Any]], str], float], spec: str
) -> Iterator[str]:
    """One table: a line for each case, a column for each method."""
    yield "| data | seeds | " + " | ".join(METHODS.values()) + " |"
    yield "| --- | ---: |" + " ---: |" * len(METHODS)
    for name in CASES:
        seeds = folds_by_seed(name, results)
        if seeds and "too_large" not in seeds[0][0]:
            cells = [
                spread(np.array([value(folds, m) for folds in seeds.values()]), spec)
                for m in METHODS
            ]
            yield f"| {name} | {len(seeds)} | " + " | ".join(cells) + " |"


def effort_table(results: Path) -> Iterator[str]:
    """The average effort of a fold, and the cases that were not run."""
    yield "| data | boxes (estimate) | CPU seconds for each fold | seconds in all |"
    yield "| --- | ---: | ---: | ---: |"
    for name in CASES:
        folds = [f for folds in folds_by_seed(name, results).values() for f in folds]
        if not folds:
            continue
        if "too_large" in folds[0]:
            yield f"| {name} | not done: {folds[0]['too_large']} | | |"
            continue
        boxes = np.mean([f["boxes"] for f in folds])
        cpu = np.mean([f["cpu_seconds"] for f in folds])
        seconds = sum(f["seconds"] for f in folds)
        yield f"| {name} | {float(f'{boxes:.2g}'):,.0f} | {cpu:,.2f} | {seconds:,.0f} |"


def report(results: Path) -> Iterator[str]:
    """All tables as Markdown."""
    versions = f"slp {slp.__version__}, scikit-learn {sklearn.__version__}"
    yield f"Made with {versions}, Python {platform.python_version()}."
    yield "\n### Table 1: percent of held-out rows that are right\n"
    yield from table(results, percent_right, ".1f")
    yield "\n### Table 2: number of nodes\n"
    yield from table(results, mean_nodes, ".1f")
    yield "\n### Table 3: effort of the exact engine\n"
    yield from effort_table(results)
    xor = results / "hidden_xor.json"
    if xor.exists():
        found = json.loads(xor.read_text("utf-8"))
        yield "\n### Hidden XOR\n"
        yield (
            f"{found['rows']} rows of 20 random bits; the label is the XOR of the first four. The "
            f"MAP tree has {found['nodes']} nodes ({found['leaves']} leaves, depth "
            f"{found['depth']}), splits on {', '.join(found['features'])} alone, and is right on "
            f"{found['right']:,} of {found['held_out']:,} fresh rows. Its posterior probability is "
            f"{np.exp(found['log_posterior']):.2g}. It took {found['cpu_seconds']:.0f} CPU seconds."
        )


def write_into(page: Path, text: str) -> None:
    """Replace the part of a page between the comments that name this program."""
    begin, end = "<!-- begin benchmarks/tables.py -->", "<!-- end benchmarks/tables.py -->"
    old = page.read_text("utf-8")
    pattern = f"{re.escape(begin)}.*{re.escape(end)}"
    new, found = re.subn(pattern, lambda _: f"{begin}\n\n{text}\n{end}", old, flags=re.DOTALL)
    if not found:
        raise SystemExit(f"{page} has no place for the tables: {begin} ... {end}")
    page.write_text(new, "utf-8")


def main() -> None:
    """Run what the command line asks for."""
    names = [*CASES, "hidden_xor"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--results", type=Path, default=Path("build/tables"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--memory", default="8GiB")
    parser.add_argument("--page", type=Path)
    options = parser.parse_intermixed_args()
    if unknown := set(options.names) - set(names):
        parser.error(f"no case {', '.join(sorted(unknown))}; there are {'; '.join(names)}")
    options.results.mkdir(parents=True, exist_ok=True)
    memory = parse_memory(options.memory)
    for name in options.names or names:
        if name == "hidden_xor":
            kept(options.results / "hidden_xor.json", hidden_xor)
        else:
            run_case(name, options.data, options.results, options.seeds, memory)
    text = "\n".join(report(options.results)) + "\n"
    print(text)
    if options.page is not None:
        write_into(options.page, text)


if __name__ == "__main__":
    main()
