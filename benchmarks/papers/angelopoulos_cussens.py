"""Angelopoulos & Cussens (2005), Exploiting informative priors for Bayesian classification and
regression trees, IJCAI.

`reproducibility`: on half of a table, runs by two seeds; of the other half, the probability of the
last class by either run, their correlation and largest difference. `q_uc` is the paper's: one chain
under the proposal `q_uc`, without tempering. `default` is what `slp-sample` does without options.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import slp
from benchmarks.papers.framework import Experiment, Row

#: Tables, the prior of both experiments, and its parameters.
TABLES = {
    "breast_cancer": "breast_cancer_wisconsin_complete.csv",
    "pima": "pima_diabetes.csv",
    "haberman": "haberman/haberman.csv",
}
PRIOR = {"alpha": 0.95, "beta": 1.0}
#: Runs by name: options of the engine `mh`. The chain makes 250,000 steps.
RUNS: dict[str, dict[str, Any]] = {
    "q_uc": {"proposal": "q_uc", "chains": 1, "rungs": 1, "warmup": 0, "thin": 250},
    "default": {},
}
QUICK: dict[str, dict[str, Any]] = {
    "q_uc": {"proposal": "q_uc", "chains": 1, "rungs": 1, "warmup": 0, "thin": 5},
    "default": {"draws": 200, "rounds": 1, "warmup": 60, "thin": 1},
}
SEEDS = (1, 2)


def _settings(quick: bool) -> Iterator[Row]:
    for table in ("haberman",) if quick else ("breast_cancer", "pima"):
        for run in RUNS:
            yield {"table": table, "run": run, "quick": quick}


def _reproducibility(data: Path, settings: Row) -> Row:
    frame = pl.read_csv(data / TABLES[settings["table"]])
    order = np.random.default_rng(1).permutation(len(frame))
    train, test = frame[order[::2]], frame[order[1::2]]
    program = slp.load("growtree", **PRIOR)
    options = (QUICK if settings["quick"] else RUNS)[settings["run"]]
    told, health, began = [], [], time.process_time()
    for seed in SEEDS:
        posterior = program.posterior(train, engine="mh", seed=seed, **options)
        told.append(posterior.predict_proba(test)[:, -1])
        health.append(posterior.diagnostics)
    one, other = told
    own = [str(label) for label in test[frame.columns[-1]]]
    last = str(posterior.table.leaf.classes[-1])
    right = [np.mean((p > 0.5) == (np.array(own) == last)) for p in told]
    return {
        "correlation": float(np.corrcoef(one, other)[0, 1]),
        "largest difference": float(np.abs(one - other).max()),
        "mean difference": float(np.abs(one - other).mean()),
        "accuracy": float(np.mean(right)),
        "R-hat": max((h.worst_r_hat or np.nan for h in health), default=np.nan),
        "CPU s of both": time.process_time() - began,
    }


def _shown(rows: list[Row]) -> list[Row]:
    """All but whether they were quick."""
    return [{name: value for name, value in row.items() if name != "quick"} for row in rows]


EXPERIMENTS = {
    "reproducibility": Experiment(
        statement="runs by two seeds under `growtree` on pima give class probabilities of held-out "
        "rows whose differences are highly concentrated on zero (section 6.2). The text at hand "
        "has lost its numbers; half of the rows and 250,000 steps are ours.",
        settings=_settings,
        run=_reproducibility,
        summary=_shown,
    )
}
