"""Tables, priors and chains that the experiments of Angelopoulos & Cussens share."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.tree import DecisionTreeClassifier

import slp
from benchmarks.papers.framework import Row

#: Tables, the prior of all experiments, and its parameters.
TABLES = {
    "breast_cancer": "breast_cancer_wisconsin_complete.csv",
    "pima": "pima_diabetes.csv",
    "kyphosis": "kyphosis.csv",
    "haberman": "haberman/haberman.csv",
}
PRIOR = {"alpha": 0.95, "beta": 1.0}
PROPOSALS = ("q_ind", "q_n(20)", "q_uc")
STEPS, QUICK_STEPS = 250_000, 1_000
_QUICK_ROWS = 100
#: Points of a trajectory.
POINTS = 250
SEEDS = (1, 2, 3)
#: The default `cp`, `minsplit` and `minbucket` of R's package rpart.
RPART = {"min_samples_split": 20, "min_samples_leaf": 7, "max_depth": 30}
_CP = 0.01


def table_of(data: Path, settings: Row) -> pl.DataFrame:
    """The table, its response last; of a quick run some rows of it."""
    frame = pl.read_csv(data / TABLES[settings["table"]])
    return frame.head(_QUICK_ROWS) if settings["quick"] else frame


def names_of(quick: bool, *names: str) -> tuple[str, ...]:
    return ("haberman",) if quick else names


def chain(program: slp.Program, frame: pl.DataFrame, proposal: str, **settings: Any) -> Row:
    """One chain without warm-up: its trajectory, and what becomes of it."""
    steps, began = QUICK_STEPS if settings["quick"] else STEPS, time.process_time()
    posterior = program.posterior(
        frame,
        engine="mh",
        proposal=proposal,
        chains=1,
        rungs=1,
        warmup=0,
        thin=steps // POINTS,
        draws=POINTS,
        seed=settings["seed"],
    )
    points = [draw.log_likelihood for draw in posterior.draws]
    found = posterior.diagnostics
    assert found is not None
    return {
        "points": points,
        "second half": float(np.mean(points[POINTS // 2 :])),
        "best": max(points),
        "accepted": float(np.mean(list(found.acceptance.values()))),
        "CPU s": time.process_time() - began,
    }


OF_CHAINS = {"second half": ".1f", "best": ".1f", "accepted": ".4f", "CPU s": ".1f"}


def draw_chains(rows: list[Row], figure: Any, down: str, across: str) -> None:
    """A panel for each two values of `down` and `across`, a line for each seed."""
    tables, runs = (list(dict.fromkeys(row[name] for row in rows)) for name in (down, across))
    figure.set_size_inches(2.4 * len(runs), 1.9 * len(tables))
    panels = figure.subplots(len(tables), len(runs), sharex=True, sharey="row", squeeze=False)
    for panel, (table, run) in zip(
        panels.flat, ((t, r) for t in tables for r in runs), strict=True
    ):
        own = [row for row in rows if (row[down], row[across]) == (table, run)]
        for row in own:
            steps = QUICK_STEPS if row["quick"] else STEPS
            iterations = (np.arange(POINTS) + 1) * (steps // POINTS)
            panel.plot(iterations, row["points"], linewidth=0.6, label=f"seed {row['seed']}")
        panel.set_title(f"{table}, {run}")
        panel.ticklabel_format(axis="x", style="plain")
        # The first draws are far below the others, and would hide them.
        values = np.concatenate([row["points"] for row in rows if row[down] == table])
        low, high = np.quantile(values, 0.02), values.max()
        panel.set_ylim(low - 0.1 * (high - low), high + 0.1 * (high - low))
    for panel in panels[-1]:
        panel.set_xlabel("iteration")
    for panel in panels[:, 0]:
        panel.set_ylabel("log likelihood")
    lines, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside upper right", ncols=len(labels))


def greedy_tree(frame: pl.DataFrame) -> slp.Tree:
    """By scikit-learn, with the limits and the pruning of rpart's defaults: a split must lessen the
    impurity, summed over rows, by a share `cp` of that of the root."""
    X, y = frame.drop(frame.columns[-1]), frame[frame.columns[-1]]
    shares = y.value_counts()["count"].to_numpy() / len(y)
    impurity = 1 - float((shares**2).sum())
    grown = DecisionTreeClassifier(random_state=0, ccp_alpha=_CP * impurity, **RPART)
    return slp.Tree.from_sklearn(grown.fit(X.to_numpy(), y.to_numpy()), X.columns)
