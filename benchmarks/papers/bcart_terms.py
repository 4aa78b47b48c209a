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
from benchmarks.papers.bcart_protocol import QUICK_TABLES, bucketed, parts_of, read
from benchmarks.papers.framework import Row, peak_mebibytes
from slp.engines.exact import estimate_size
from slp.leaves import Label
from slp.trees import Leaf

#: The buckets of the exact sums, by quantiles: as many as a fold sums in seconds. `None` is none.
BUCKETS = {"iris": 16, "caesarian": None, "haberman": 20, "vertebral": 5}
#: Of 1000 the paths of haberman and vertebral alone would take minutes.
DRAWN = {"iris": (1, 10, 100, 1000), "caesarian": (1, 10, 100, 1000)}
FEWER_DRAWN, QUICK_DRAWN, SOME_FOLDS = (1, 10, 100), (1, 10), 5
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
    """A run for each table, of one seed, on half of the folds."""
    for table in QUICK_TABLES if quick else BUCKETS:
        buckets = 5 if quick else BUCKETS[table]
        row: Row = {
            "table": table,
            "seed": 0,
            "folds": 2 if quick else SOME_FOLDS,
            "buckets": buckets,
        }
        drawn = QUICK_DRAWN if quick else DRAWN.get(table, FEWER_DRAWN)
        yield row | {"drawn": drawn, "forest": 10 if quick else 100}


def terms_run(data: Path, settings: Row) -> Row:
    """Accuracy and log probability of every method on each fold."""
    whole, seed = read(data, settings["table"]), settings["seed"]
    classes = whole["y"].cast(pl.String).to_numpy()
    X = whole.drop("y").to_numpy()
    found: Row = {}
    for train, test in parts_of(classes, "stratified", seed)[: settings["folds"]]:
        frame = whole.with_columns(pl.col("y").cast(pl.String))
        if settings["buckets"]:
            frame = bucketed(whole, train, settings["buckets"], "quantiles")
        told = _by_trees(frame[train], frame[test], settings)
        told |= _by_sklearn(X[train], classes[train], X[test], settings)
        at = np.searchsorted(np.unique(classes), classes[test])
        for name, p in told.items():
            right, score = found.setdefault(name, [[], []])
            right.append(float((p.argmax(axis=1) == at).mean()))
            p = p[np.arange(len(at)), at].clip(LEAST_PROBABILITY)
            score.append(float(np.log(p).mean()))
    return {"found": found}


def _by_trees(train: pl.DataFrame, new: pl.DataFrame, settings: Row) -> dict[str, Any]:
    posterior = slp.load("bcart_pcfg").posterior(train, "y", draws=0)
    labels = tuple(posterior.table.leaf.classes)
    order = np.argsort(list(map(str, labels)))
    each = np.array(
        [
            [proba_of(path.leaf, labels) for path in own]
            for own in posterior.sample_paths(new, max(settings["drawn"]), settings["seed"])
        ]
    )
    told = {f"{n} drawn": each[:, :n].mean(axis=1) for n in settings["drawn"]}
    told |= {"average": posterior.predict_proba(new)}
    best = posterior.map_tree()
    ends = np.array([proba_of(leaf, labels) for leaf in best.leaves()])
    told = {"MAP tree": ends[best.apply(new)], **told}
    return {name: np.asarray(p)[:, order] for name, p in told.items()}


def _by_sklearn(X: Any, y: Any, new: Any, settings: Row) -> dict[str, Any]:
    def fitted(model: ClassifierMixin, grid: dict[str, Any] | None) -> Any:
        if grid is not None:
            model = GridSearchCV(model, grid, cv=INNER_FOLDS, scoring="neg_log_loss")
        return model.fit(X, y).predict_proba(new)

    seed = settings["seed"]
    tree = DecisionTreeClassifier(random_state=seed)
    forest = RandomForestClassifier(settings["forest"], random_state=seed)
    least = {"min_samples_leaf": LEAST_ROWS}
    return {
        "CART": fitted(tree, None),
        "CART, tuned": fitted(tree, least),
        "forest": fitted(forest, None),
        "forest, tuned": fitted(forest, least),
    }


def terms_summary(rows: list[Row]) -> list[Row]:
    """A line for each table and method."""
    return [
        {
            "table": row["table"],
            "method": name,
            "features": _features(row["buckets"], name),
            "accuracy": f"{np.mean(right):.3f} ({np.std(right, ddof=1):.3f})",
            "log probability": f"{np.mean(score):.3f} ({np.std(score, ddof=1):.3f})",
        }
        for row in rows
        for name, (right, score) in row["found"].items()
    ]


def _features(buckets: int | None, name: str) -> str:
    if buckets is None or name.startswith(("CART", "forest")):
        return "as they are"
    return f"{buckets} buckets"


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
