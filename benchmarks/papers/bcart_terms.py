"""BCART-PCFG beyond the paper: better terms for every method, and run time and memory by size."""

from __future__ import annotations

import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import slp
from benchmarks.papers.bcart_protocol import FOLDS, QUICK_TABLES, between, parts_of, read
from benchmarks.papers.framework import Row, peak_mebibytes
from slp.engines.shared.size import estimate_size
from slp.leaves import Label
from slp.trees import Leaf, Tree

#: Seeds of ten folds each. Under `bcart_pcfg` a fold takes 350 CPU s of iris, 75 of haberman.
TERMS_SEEDS = {"iris": 1, "caesarian": 5, "haberman": 1, "vertebral": 1}
#: Vertebral has too many boxes for exact sums: options of the engine `mh`, and the seconds of
#: `search`.
CHAINS = {"vertebral": {"draws": 1000, "thin": 500, "warmup": 20_000, "rounds": 1}}
SEARCH_SECONDS = 30
DRAWN, QUICK_DRAWN, QUICK_FOLDS, QUICK_ROWS = (1, 10, 100, 1000), (1, 10), 2, 50
#: What cross-validation chooses from, by log probability.
LEAST_ROWS, INNER_FOLDS = (1, 5, 20), 3
#: A probability of 0 counts as this.
LEAST_PROBABILITY = 1e-6
#: Rows, features and distinct values (0: all are different) of `growth`.
SIZES = [
    *((n, 1, 0) for n in (100, 200, 400, 800)),
    *((n, 2, 0) for n in (25, 50, 100, 200)),
    *((n, 3, 0) for n in (25, 50, 100)),
    *((n, 3, 10) for n in (100, 300, 1000, 10_000, 100_000)),
    *((300, d, 10) for d in (1, 2, 4, 5)),
]
QUICK_SIZES = [(300, 2, 10)]
MOST_BOXES = 3e6


def proba_of(leaf: Leaf, labels: tuple[Label, ...]) -> NDArray[np.float64]:
    """Of the classes in a leaf, under Dirichlet(1)."""
    counts = leaf.summary["counts"]
    rows = np.array([counts.get(label, 0) for label in labels]) + 1.0
    return rows / rows.sum()


def terms_settings(quick: bool) -> Iterator[Row]:
    """A run for each table, seed and fold."""
    for table in QUICK_TABLES if quick else TERMS_SEEDS:
        for seed in range(1 if quick else TERMS_SEEDS[table]):
            for fold in range(QUICK_FOLDS if quick else FOLDS):
                yield {"table": table, "seed": seed, "fold": fold, "quick": quick}


def prior_settings(quick: bool) -> Iterator[Row]:
    """The same folds under another prior; those of iris would take an hour."""
    for row in terms_settings(quick):
        if row["table"] in ("caesarian", "haberman"):
            yield row | {"prior": "growtree"}


def terms_run(data: Path, settings: Row) -> Row:
    """Accuracy and log probability of every method on a fold; of chains R-hat too."""
    whole, seed = read(data, settings["table"]), settings["seed"]
    classes = whole["y"].cast(pl.String).to_numpy()
    train, test = parts_of(classes, "stratified", seed)[settings["fold"]]
    train = train[:QUICK_ROWS] if settings["quick"] else train
    frame, X = whole.with_columns(pl.col("y").cast(pl.String)), whole.drop("y").to_numpy()
    r_hat = None
    if settings["table"] in CHAINS:
        told, r_hat = _by_chains(frame[train], frame[test], settings)
    else:
        told = _by_sums(frame[train], frame[test], settings)
    if "prior" not in settings:
        told |= _by_sklearn(X[train], classes[train], X[test], settings)
    at = np.searchsorted(np.unique(classes), classes[test])
    found = {}
    for name, p in told.items():
        right = float((p.argmax(axis=1) == at).mean())
        p = p[np.arange(len(at)), at].clip(LEAST_PROBABILITY)
        found[name] = (right, float(np.log(p).mean()))
    return {"found": found, "R-hat": r_hat}


def _by_chains(
    train: pl.DataFrame, new: pl.DataFrame, settings: Row
) -> tuple[dict[str, Any], float]:
    """Probabilities by the best tree of a search and by all drawn trees; the largest R-hat."""
    program, options = slp.load("bcart_pcfg"), CHAINS[settings["table"]]
    best = program.posterior(train, "y", engine="search", time=SEARCH_SECONDS).map_tree()
    posterior = program.posterior(train, "y", engine="mh", seed=settings["seed"], **options)
    labels = tuple(posterior.table.leaf.classes)
    order = np.argsort(list(map(str, labels)))
    told = {f"best tree of {SEARCH_SECONDS} s": _by_tree(best, new, labels)}
    told |= {"average of chains": posterior.predict_proba(new)}
    assert posterior.diagnostics is not None
    r_hat = max(own.r_hat for own in posterior.diagnostics.convergence.values())
    return {name: np.asarray(p)[:, order] for name, p in told.items()}, r_hat


def _by_sums(train: pl.DataFrame, new: pl.DataFrame, settings: Row) -> dict[str, Any]:
    program = slp.load(settings.get("prior", "bcart_pcfg"))
    posterior = program.posterior(train, "y", draws=0)
    labels = tuple(posterior.table.leaf.classes)
    order = np.argsort(list(map(str, labels)))
    drawn = QUICK_DRAWN if settings["quick"] else DRAWN
    each = np.array(
        [
            [proba_of(path.leaf, labels) for path in own]
            for own in posterior.sample_paths(new, max(drawn), settings["seed"])
        ]
    )
    told = {"MAP tree": _by_tree(posterior.map_tree(), new, labels)}
    told |= {f"{n} drawn": each[:, :n].mean(axis=1) for n in drawn}
    told |= {"average": posterior.predict_proba(new)}
    return {name: np.asarray(p)[:, order] for name, p in told.items()}


def _by_tree(tree: Tree, new: pl.DataFrame, labels: tuple[Label, ...]) -> NDArray[np.float64]:
    return np.array([proba_of(leaf, labels) for leaf in tree.leaves()])[tree.apply(new)]


def _by_sklearn(X: Any, y: Any, new: Any, settings: Row) -> dict[str, Any]:
    def fitted(model: ClassifierMixin, grid: dict[str, Any] | None) -> Any:
        if grid is not None:
            model = GridSearchCV(model, grid, cv=INNER_FOLDS, scoring="neg_log_loss")
        return model.fit(X, y).predict_proba(new)

    seed = settings["seed"]
    tree = DecisionTreeClassifier(random_state=seed)
    forest = RandomForestClassifier(10 if settings["quick"] else 100, random_state=seed)
    least = {"min_samples_leaf": LEAST_ROWS}
    return {
        "CART": fitted(tree, None),
        "CART, tuned": fitted(tree, least),
        "forest": fitted(forest, None),
        "forest, tuned": fitted(forest, least),
    }


def terms_summary(rows: list[Row]) -> list[Row]:
    """A line for each table and method."""
    out = []
    for table in dict.fromkeys(row["table"] for row in rows):
        own = [row for row in rows if row["table"] == table]
        average = "average of chains" if table in CHAINS else "average"
        base = np.array([row["found"][average][1] for row in own])
        for name in own[0]["found"]:
            right, score = np.array([row["found"][name] for row in own]).T
            less = score - base
            line = {"table": table, "method": name, "folds": len(own)}
            line["accuracy"] = f"{right.mean():.3f} ({right.std(ddof=1):.3f})"
            line["log probability"] = f"{score.mean():.3f} ({score.std(ddof=1):.3f})"
            error = less.std(ddof=1) / len(own) ** 0.5
            line["less the average's"] = f"{less.mean():.3f} ± {error:.3f}" if error > 0 else "-"
            r_hats = [row["R-hat"] for row in own]
            line["R-hat"] = between(r_hats, ".3f") if name == "average of chains" else "-"
            out.append(line)
    return out


def growth_settings(quick: bool) -> Iterator[Row]:
    """A run for each size."""
    for rows, features, values in QUICK_SIZES if quick else SIZES:
        yield {"rows": rows, "features": features, "values": values or rows}


def growth_run(_data: Path, settings: Row) -> Row:
    """In a fresh process."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_sums, (settings["rows"], settings["features"], settings["values"]))


def _sums(rows: int, features: int, values: int) -> Row:
    rng = np.random.default_rng(0)
    X = np.array([rng.permutation(rows) * values // rows for _ in range(features)]).T
    y = (rng.random(rows) < 1 / (1 + np.exp(2 - 4 * X[:, 0] / values))).astype(int)
    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(features)}).with_columns(y=pl.Series(y))
    program = slp.load("bcart_pcfg")
    size = estimate_size(program.compile(frame, "y"))
    out: Row = {"boxes": "-" if size is None else f"{size.boxes:,.0f}"}
    if size is not None and size.boxes > MOST_BOXES:
        return out | dict.fromkeys(("CPU s, sums", "CPU s, MAP tree", "MiB"), "-")
    before, began = peak_mebibytes(), time.process_time()
    posterior = program.posterior(frame, "y", draws=0)
    summed = time.process_time()
    posterior.map_tree()
    ended = time.process_time()
    out |= {"CPU s, sums": f"{summed - began:.2f}", "CPU s, MAP tree": f"{ended - summed:.2f}"}
    return out | {"MiB": f"{peak_mebibytes() - before:.0f}"}
