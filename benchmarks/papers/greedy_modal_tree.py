"""Nuti, Jiménez Rugama & Cross (2019), Efficient Bayesian Decision Tree Algorithm.

`tables`: accuracy and training time (section 5.1, tables 1 and 2), and beyond the paper the AUC and
the mean log predictive probability. Shuffled 10-fold cross-validation, Ripley on its test part. The
modal tree has the paper's prior (`gmt` with q 0.99), Beta(1, 1) leaves, and sides of splits without
labels of stopping. Beside it scikit-learn's tree, that tree with cost-complexity pruning by
cross-validation, and a forest of 5 trees. CPU seconds are of the fit of a fold: of the modal tree
coding of the table, lowering of the program and growth together, and growth alone in one thread.

`regression`: the same beyond the paper for numbers, with the default leaf model: root mean squared
error and R squared.

`speed`: whole fits on all rows, as users call them, beside scikit-learn's single tree, each in a
process of its own: seconds, CPU seconds (the least of three; of a million rows one) and what the
fit adds to the peak of memory.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import r2_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import slp
from benchmarks.papers.folds import (
    PROGRAM,
    QUICK_TABLES,
    TABLES,
    fitted,
    folds,
    numbers,
    of_folds,
    scores_of,
    table_of,
    with_spread,
)
from benchmarks.papers.framework import Experiment, Row
from benchmarks.papers.modal_variants import BOUNDARIES, IMPORTANCES, SMOOTHING, VARIANTS
from slp.compile import compile_problem
from slp.engines.shared.growth.core import core_engine, grow_in_core
from slp.engines.shared.growth.plan import Plan

REGRESSION = {
    "concrete": "concrete_strength.csv",
    "airfoil": "airfoil_self_noise.csv",
    "auto_mpg": "auto_mpg.csv",
}
SPEED = ("gamma", "credit", "eeg", "million")
METHODS = ("tree", "forest", "modal", "pruned")


def _settings(quick: bool) -> Iterator[Row]:
    for table in QUICK_TABLES if quick else TABLES:
        for method in METHODS:
            yield {"table": table, "method": method}


def _run(data: Path, settings: Row) -> Row:
    name, method = settings["table"], settings["method"]
    frame = table_of(data, name)
    return of_folds([_fold(*fold, method) for fold in folds(frame, data, name)])


def _shown(rows: list[Row]) -> list[Row]:
    """The numbers of the paper beside ours."""
    return [_beside_paper(row) for row in rows]


def _beside_paper(row: Row) -> Row:
    _, accuracy, times = TABLES[row["table"]]
    at = METHODS.index(row["method"])
    known = at < len(accuracy)
    return {
        "table": row["table"],
        "method": row["method"],
        "paper %": f"{accuracy[at]:.1f}" if known else "-",
        "accuracy %": with_spread(row),
        "AUC": f"{row['AUC']:.3f}",
        "log probability": f"{row['log probability']:.3f}",
        "paper ms": f"{times[at]:.1f}" if known else "-",
        "fit CPU ms": f"{1000 * row['fit CPU s']:.1f}",
        "growth CPU ms": f"{1000 * row['growth CPU s']:.1f}" if row["method"] == "modal" else "-",
    }


def _fold(train: pl.DataFrame, test: pl.DataFrame, method: str) -> dict[str, float]:
    X, y, new, wanted = numbers(train, test)
    classes = np.unique(y)
    began, growth = time.process_time(), float("nan")
    if method == "modal":
        found = slp.parse(PROGRAM).posterior(X, y, engine="modal", without_stop_labels=True)
        seconds = time.process_time() - began
        p, growth = found.predict_proba(new), _growth(X, y)
    else:
        model = fitted(method, DecisionTreeClassifier, RandomForestClassifier, X, y)
        seconds = time.process_time() - began
        p = model.predict_proba(new)
    return {**scores_of(p, wanted == classes[1]), "fit CPU s": seconds, "growth CPU s": growth}


def _growth(X: NDArray[np.float64], y: Any) -> float:
    """CPU seconds of the growth alone, in one thread."""
    problem = compile_problem(slp.parse(PROGRAM).ir, X, y)
    engine = core_engine(problem)
    began = time.process_time()
    grow_in_core(engine, problem.table, Plan(stop_labels=False), room=2**32)
    return time.process_time() - began


def _regression_settings(quick: bool) -> Iterator[Row]:
    for table in ("sine",) if quick else REGRESSION:
        for method in METHODS:
            yield {"table": table, "method": method}


def _regression(data: Path, settings: Row) -> Row:
    name = settings["table"]
    frame = _sine() if name == "sine" else pl.read_csv(data / REGRESSION[name]).drop_nulls()
    scores = []
    for train, test in folds(frame, data, name):
        X, y, new, wanted = numbers(train, test)
        if settings["method"] == "modal":
            have = slp.parse(PROGRAM).posterior(X, y, engine="modal", further=3).predict(new)
        else:
            of = (DecisionTreeRegressor, RandomForestRegressor)
            have = fitted(settings["method"], *of, X, y).predict(new)
        scores.append((float(np.mean((have - wanted) ** 2)), r2_score(wanted, have)))
    squared, explained = np.mean(scores, axis=0)
    return {"RMSE": float(squared**0.5), "R squared": float(explained)}


def _sine() -> pl.DataFrame:
    """A small table of numbers."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 6, 120)
    return pl.DataFrame({"x": x, "y": np.sin(x) + 0.1 * rng.normal(size=120)})


def _speed_settings(quick: bool) -> Iterator[Row]:
    for table in QUICK_TABLES if quick else SPEED:
        for method in ("scikit-learn", "modal, 1 thread", "modal, 2 threads"):
            yield {"table": table, "method": method}


def _speed(data: Path, settings: Row) -> Row:
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_timed, (data, settings["table"], settings["method"]))


def _timed(data: Path, name: str, method: str) -> Row:
    """The least times of a fit, and the megabytes that it adds to the peak."""
    frame = _million() if name == "million" else table_of(data, name)
    X, y, *_ = numbers(frame, frame[:0])
    program, threads = slp.parse(PROGRAM), 2 if method.endswith("2 threads") else 1
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = []
    for _ in range(1 if name == "million" else 3):
        began, cpu_began = time.perf_counter(), time.process_time()
        if method == "scikit-learn":
            leaves = DecisionTreeClassifier(random_state=0).fit(X, y).get_n_leaves()
        else:
            given = {"engine": "modal", "threads": threads, "without_stop_labels": True}
            leaves = program.posterior(frame, **given).map_tree().n_leaves
        times.append((time.perf_counter() - began, time.process_time() - cpu_began))
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    seconds, cpu = np.min(times, axis=0).tolist()
    return {"leaves": int(leaves), "seconds": seconds, "CPU s": cpu, "MiB": round(peak)}


def _million() -> pl.DataFrame:
    """A million rows of 20 columns: half of them normal, half with 100 values; noisy classes."""
    rng = np.random.default_rng(0)
    n = 1_000_000
    X = np.column_stack([rng.normal(size=(n, 10)), rng.integers(0, 100, (n, 10))])
    score = X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + (X[:, 10] > 60) * (X[:, 11] > 30)
    y = (score + rng.normal(size=n) > 1).astype(np.int64)
    frame = pl.DataFrame(X, schema=[f"x{j}" for j in range(X.shape[1])])
    return frame.with_columns(y=pl.Series(y))


EXPERIMENTS = {
    "tables": Experiment(
        "the modal tree is as accurate as a forest of 5 trees on most tables, and takes about the "
        "time of a tree (tables 1 and 2).",
        _settings,
        _run,
        _shown,
    ),
    "variants": VARIANTS,
    "importances": IMPORTANCES,
    "smoothing": SMOOTHING,
    "boundaries": BOUNDARIES,
    "regression": Experiment(
        "the algorithm applies to regression; how well is left for later (sections 1 and 6).",
        _regression_settings,
        _regression,
    ),
    "speed": Experiment(
        "training takes about as long as a tree's (table 2).",
        _speed_settings,
        _speed,
    ),
}
