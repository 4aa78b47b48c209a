"""The best tree of limited depth beside STreeD and ConTree: CPU seconds to a proof, and held-out
log loss, as a Markdown table.

    python benchmarks/beside_streed.py --data FOLDER [--time 60] [--seed 1] [NAME..]

Without names: the 16 binary CP4IM tables at depths 3 and 4, and tables of numbers at 2 and 3.
STreeD (van der Linden et al. 2023; package `pystreed`) and ConTree (Brița et al. 2025; package
`pycontree`) look for the tree of the fewest errors; slp for that of the largest log joint, under
growtree_all (0.95, 0.5) with dirichlet(2.5). STreeD takes columns of 0 and 1: a table of numbers
gets one for each cut, and is left out where these are more than 4000.

Seconds are those of all rows. For the log loss a quarter of the rows, drawn by the seed, is left
out. Every leaf, of any tree, predicts the mean under dirichlet(2.5) of its rows in the others.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

import slp

BINARY = (
    "zoo_1 hepatitis primary_tumor vote lymph audiology soybean anneal tic_tac_toe heart_cleveland "
    "hypothyroid mushroom kr_vs_kp australian_credit german_credit splice_1"
).split()
NUMBERS = "iris haberman vertebral_column_2c pima_diabetes heart_statlog magic04".split()
PROGRAM = ":- use(growtree_all, [alpha = 0.95, beta = 0.5]). :- leaf(dirichlet(2.5))."
_CONCENTRATION, _MOST_CUTS = 2.5, 4000

#: The leaf of each row, as any numbers.
_Leaves: TypeAlias = Callable[[NDArray[Any]], NDArray[np.int64]]


class Found(NamedTuple):
    """A tree: CPU seconds, whether it was proven best in time, and its leaves."""

    seconds: float
    proven: bool
    leaves: _Leaves


def fit_slp(X: NDArray[Any], y: NDArray[np.intc], depth: int, seconds: float) -> Found:
    """By slp."""
    program = slp.parse(PROGRAM).with_max_depth(depth)
    began = time.process_time()
    best = program.posterior(X, y, engine="search", time=seconds, memory="2GiB").map()
    return Found(time.process_time() - began, bool(best.certified), best.tree.apply)


def fit_streed(X: NDArray[Any], y: NDArray[np.intc], depth: int, seconds: float) -> Found | None:
    """By STreeD; None where there are too many cuts."""
    values = [np.unique(column)[:-1] for column in X.T]
    if sum(map(len, values)) > _MOST_CUTS:
        return None

    def binary(rows: NDArray[Any]) -> NDArray[np.intc]:
        columns = [rows[:, [f]] > cuts for f, cuts in enumerate(values)]
        return np.hstack(columns).astype(np.intc)

    tree = import_module("pystreed").STreeDClassifier(max_depth=depth, time_limit=seconds)
    began = time.process_time()
    tree.fit(binary(X), y)
    took = time.process_time() - began

    def leaves(rows: NDArray[Any]) -> NDArray[np.int64]:
        columns, out = binary(rows), np.zeros(len(rows), np.int64)

        def go(node: Any, own: NDArray[np.int64], place: int) -> None:
            out[own] = place
            if not node.is_leaf_node():
                right = columns[own, node.feature] == 1
                go(node.left_child, own[~right], 2 * place + 1)
                go(node.right_child, own[right], 2 * place + 2)

        go(tree.get_tree(), np.arange(len(rows)), 0)
        return out

    return Found(took, bool(tree.fit_result.is_optimal()), leaves)


def fit_contree(X: NDArray[Any], y: NDArray[np.intc], depth: int, seconds: float) -> Found:
    """By ConTree."""
    tree = import_module("pycontree").ConTree(max_depth=depth, time_limit=seconds)
    began = time.process_time()
    tree.fit(X.astype(np.float64), y)
    took = time.process_time() - began

    def leaves(rows: NDArray[Any]) -> NDArray[np.int64]:
        out = np.zeros(len(rows), np.int64)

        def go(node: Any, own: NDArray[np.int64], place: int) -> None:
            out[own] = place
            if not node.is_leaf_node():
                left = rows[own, node.get_split_feature()] <= node.get_split_threshold()
                go(node.get_left(), own[left], 2 * place + 1)
                go(node.get_right(), own[~left], 2 * place + 2)

        go(tree.tree_, np.arange(len(rows)), 0)
        return out

    return Found(took, tree._config.is_within_time_limit(), leaves)


FITS = {"slp": fit_slp, "STreeD": fit_streed, "ConTree": fit_contree}


def log_loss(
    found: Found, X: NDArray[Any], y: NDArray[np.intc], rows: NDArray[np.int64], held: NDArray[Any]
) -> float:
    """Minus the mean log predictive probability of the rows that were left out."""
    classes = int(y.max()) + 1
    own = found.leaves(X[rows])
    out = []
    for leaf, label in zip(found.leaves(X[held]), y[held], strict=True):
        counts = np.bincount(y[rows][own == leaf], minlength=classes) + _CONCENTRATION
        out.append(-np.log(counts[label] / counts.sum()))
    return float(np.mean(out))


def read(name: str, folder: Path) -> tuple[NDArray[Any], NDArray[np.intc]]:
    """The features and the classes, as numbers from 0."""
    endings = (".csv", ".csv.gz")
    path = next((p for e in endings if (p := folder / f"{name}{e}").exists()), None)
    if path is None:
        raise SystemExit(f"there is no table {name} in {folder}")
    frame = pl.read_csv(path, infer_schema_length=None)
    y = np.unique(frame[:, -1].to_numpy(), return_inverse=True)[1]
    return frame[:, :-1].to_numpy(), y.astype(np.intc)


def line(name: str, folder: Path, depth: int, seconds: float, seed: int) -> str:
    """A table's line."""
    X, y = read(name, folder)
    order = np.random.default_rng(seed).permutation(len(y))
    held, rows = order[: len(y) // 4], order[len(y) // 4 :]
    took, losses = [], []
    for fit in FITS.values():
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            found = fit(X, y, depth, seconds)
            part = fit(X[rows], y[rows], depth, seconds)
        if found is None or part is None:
            took.append("too many cuts")
            losses.append("")
        else:
            took.append(f"{found.seconds:.2f}" if found.proven else f"not in {found.seconds:.0f}")
            losses.append(f"{log_loss(part, X, y, rows, held):.3f}")
    return f"| {name.split('/')[-1]} | {depth} | " + " | ".join(took + losses) + " |"


def main() -> None:
    """Run the tables that are named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--time", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    fit_slp(np.array([[0], [1]]), np.array([0, 1], np.intc), 1, 1.0)  # the first call loads much
    heads = [f"{name}, {of}" for of in ("CPU s", "log loss") for name in FITS]
    print(f"| table | depth | {' | '.join(heads)} |\n| --- " + "| ---: " * 7 + "|")
    cases = [(f"cp4im/{name}", depth) for name in BINARY for depth in (3, 4)]
    cases += [(name, depth) for name in NUMBERS for depth in (2, 3)]
    for name, depth in cases:
        if not given.names or name in given.names:
            print(line(name, given.data, depth, given.time, given.seed), flush=True)


if __name__ == "__main__":
    main()
