"""Compares members stacked by prediction with other engines on tables where chains do not mix.

    python benchmarks/stacked.py [--data FOLDER] [--seed 1] [--rows N] [--mixes] [NAME ...]

NAME is magic04, pendigits or credit_default (all without any). 70 % of the rows, drawn at random,
are the table (of pendigits its training part, and its test part is predicted); with --rows N
of them. For each run a line of a Markdown table: log loss on the other rows, the difference to the
stack with the standard error of the paired differences over rows, CPU seconds, and seconds on
two threads. The pruned tree is scikit-learn's; five folds choose its cost complexity by log loss.

`--mixes`: members of several engines in place of the chains, of the same rows, with the weights of
stacking and with equal ones.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import slp
from slp.compile import compile_problem
from slp.data.row_part import set_aside
from slp.errors import SlpWarning
from slp.results.averages.member_weights import stacking_weights

TABLES = {
    "magic04": ("magic04.csv",),
    "pendigits": ("pendigits_train.csv.gz", "pendigits_test.csv.gz"),
    "credit_default": ("credit_default.csv.gz",),
}
#: Engines beside the stack, with their options.
OTHERS: dict[str, dict[str, Any]] = {
    "`modal`": {"engine": "modal"},
    "`smc`": {"engine": "smc"},
    "`mh`, effort quick": {"engine": "mh", "effort": "quick"},
}
#: Runs whose chains or islands are members, and which of them are stacked together.
CHAINS = {"engine": "mh", "chains": 32, "rungs": 1, "warmup": 5000, "thin": 200, "draws": 800}
MEMBERS: dict[str, dict[str, Any]] = {
    "modal": {"engine": "modal"},
    "restarts": {"engine": "modal", "restarts": 63, "roots": 5},
    "islands": {"engine": "smc", "islands": 32},
    "ladders": {"engine": "mh", "chains": 8, "effort": "quick", "draws": 800},
    "16 short chains": CHAINS | {"chains": 16, "warmup": 2000, "thin": 40},
    "32 chains": CHAINS,
}
MIXES = [
    ["modal"],
    ["restarts"],
    ["islands"],
    ["ladders"],
    ["16 short chains"],
    ["32 chains"],
    ["32 chains", "modal"],
    ["32 chains", "restarts"],
    ["32 chains", "islands", "modal"],
    ["32 chains", "ladders"],
]


@dataclass(frozen=True)
class Case:
    """A table, and rows to predict with their classes."""

    name: str
    table: pl.DataFrame
    new: pl.DataFrame

    @property
    def response(self) -> str:
        return self.table.columns[-1]

    def log_loss(self, p: NDArray[np.float64], classes: list[Any]) -> NDArray[np.float64]:
        """Of each new row, by probabilities (m, C)."""
        place = {str(label): i for i, label in enumerate(classes)}
        own = [place[str(label)] for label in self.new[self.response].to_list()]
        return -np.log(np.maximum(p[np.arange(len(own)), own], 1e-15))


def cases(folder: Path, names: list[str], rows: int | None) -> list[Case]:
    out = []
    for name in names:
        first, *test = (pl.read_csv(folder / file) for file in TABLES[name])
        order = np.random.default_rng(0).permutation(len(first))
        n = len(first) if test else round(0.7 * len(first))
        new = test[0] if test else first[order[n:]]
        out.append(Case(name, first[order[: min(n, rows or n)]], new))
    return out


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What work gives, its CPU seconds and its seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    out = work()
    return out, time.process_time() - cpu, time.perf_counter() - wall


def by_slp(case: Case, seed: int, **options: Any) -> NDArray[np.float64]:
    program = slp.load("growtree")
    posterior = program.posterior(case.table, case.response, seed=seed, threads=2, **options)
    return case.log_loss(posterior.predict_proba(case.new), list(posterior.table.leaf.classes))


def by_pruned_tree(case: Case) -> NDArray[np.float64]:
    X, y = case.table.drop(case.response).to_numpy(), case.table[case.response].to_numpy()
    tree = DecisionTreeClassifier(random_state=0)
    alphas = tree.cost_complexity_pruning_path(X, y).ccp_alphas
    grid = {"ccp_alpha": np.unique(np.quantile(np.maximum(alphas, 0), np.linspace(0, 1, 30)))}
    found = GridSearchCV(tree, grid, scoring="neg_log_loss", cv=5).fit(X, y)
    told = found.predict_proba(case.new.drop(case.response).to_numpy())
    return case.log_loss(told, list(found.classes_))


def compare(case: Case, seed: int) -> None:
    print(f"\n{case.name}: {len(case.table):,} rows, {len(case.new):,} predicted\n")
    print(
        "| run | log loss | more than the stack | CPU s | s |\n| --- | ---: | ---: | ---: | ---: |"
    )
    stack, *seconds = timed(lambda: by_slp(case, seed, engine="stacked"))
    line("`stacked`", stack, None, seconds)
    for name, options in OTHERS.items():
        loss, *seconds = timed(lambda options=options: by_slp(case, seed, **options))
        line(name, loss, stack, seconds)
    loss, *seconds = timed(lambda: by_pruned_tree(case))
    line("pruned tree", loss, stack, seconds)


def line(
    name: str, loss: NDArray[np.float64], stack: NDArray[np.float64] | None, seconds: list[float]
) -> None:
    more = ""
    if stack is not None:
        apart = loss - stack
        more = f"{apart.mean():+.4f} ± {apart.std() / len(apart) ** 0.5:.4f}"
    print(
        f"| {name} | {loss.mean():.4f} | {more} | {seconds[0]:.0f} | {seconds[1]:.0f} |", flush=True
    )


def members_of(case: Case, rows: list[int], seed: int, options: dict[str, Any]) -> Any:
    """A function that gives the class probabilities of rows under each chain, island or restart of
    a run on some rows of the table, shape (K, m, C), and the classes."""
    program = slp.load("growtree")
    posterior = program.posterior(case.table[rows], case.response, seed=seed, threads=2, **options)
    drawn = posterior._result.averages.drawn
    shares = [own / own.sum() for own in drawn.draw_weights]
    chains = drawn.chains
    if posterior.trees_found is not None:  # each tree is a member
        chains = [np.array([u]) for u in range(posterior.trees_found)]
        shares = [np.ones(1)] * len(chains)

    def told(new: pl.DataFrame) -> NDArray[np.float64]:
        pieces = drawn.predictions_by_tree(posterior.table.new_rows(new))
        of_members = (
            [np.tensordot(own, piece[c], 1) for c, own in zip(chains, shares, strict=True)]
            for piece in pieces
        )
        return np.concatenate([np.stack(own) for own in of_members], axis=1)

    return told, list(posterior.table.leaf.classes)


def mixes(case: Case, seed: int) -> None:
    """The log loss of stacks of other members, on the same rows."""
    table = compile_problem(slp.load("growtree").ir, case.table, case.response).table
    stay, aside = (rows.tolist() for rows in set_aside(table, seed))
    weighing = Case(case.name, case.table, case.table[aside])
    known: dict[str, tuple[NDArray[np.float64], NDArray[np.float64], float]] = {}
    for name, options in MEMBERS.items():
        (told, classes), cpu, _ = timed(
            lambda options=options: members_of(case, stay, seed, options)
        )
        logs = [-weighing.log_loss(p, classes) for p in told(weighing.new)]
        known[name] = np.array(logs), told(case.new), cpu
    print(f"\n{case.name}: {len(case.table):,} rows\n")
    print("| members | K | stacked | equal weights | CPU s |\n| --- | ---: | ---: | ---: | ---: |")
    for mix in MIXES:
        weights = stacking_weights(np.concatenate([known[name][0] for name in mix]))
        told = np.concatenate([known[name][1] for name in mix])
        stacked = case.log_loss(np.tensordot(weights, told, 1), classes).mean()
        equal = case.log_loss(told.mean(axis=0), classes).mean()
        cpu = sum(known[name][2] for name in mix)
        print(f"| {' + '.join(mix)} | {len(told)} | {stacked:.4f} | {equal:.4f} | {cpu:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--mixes", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore", SlpWarning)
    for case in cases(given.data, given.names or list(TABLES), given.rows):
        (mixes if given.mixes else compare)(case, given.seed)


if __name__ == "__main__":
    main()
