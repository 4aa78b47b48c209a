"""Tables, folds and scores that the experiments of greedy modal trees share."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold

from benchmarks.papers.framework import Row

#: The file of each table; the accuracy of the paper in percent and its milliseconds of a fold's
#: training, each for tree, forest and modal tree.
TABLES: dict[str, tuple[str, tuple[float, ...], tuple[float, ...]]] = {
    "heart": ("heart_statlog.csv", (76.3, 78.5, 83.0), (0.0, 4.7, 3.8)),
    "haberman": ("haberman.csv", (65.0, 68.3, 71.9), (0.0, 4.7, 0.6)),
    "seismic": ("seismic_bumps.csv", (87.7, 91.5, 93.2), (10.9, 28.1, 18.9)),
    "ripley": ("ripley_synth_train.csv", (83.8, 87.9, 87.6), (0.0, 1.6, 0.0)),
    "diabetic": ("diabetic_retinopathy.csv", (62.6, 64.8, 63.5), (7.8, 31.2, 10.6)),
    "eeg": ("eeg_eye_state.csv.gz", (84.0, 88.6, 81.2), (115.4, 338.5, 271.4)),
    "gamma": ("magic04.csv", (81.4, 85.6, 85.2), (254.3, 634.9, 252.1)),
    "credit": ("credit_default.csv.gz", (72.6, 78.1, 82.0), (521.0, 1388.4, 823.2)),
}
QUICK_TABLES = {"haberman": "haberman/haberman.csv"}
TEST_OF = {"ripley": "ripley_synth_test.csv"}
#: The columns of a table that are parted into one of 0 and 1 for each category but one.
CATEGORIES = {
    "heart": ("chest_pain_type", "resting_ecg", "st_slope", "major_vessels", "thal"),
}
PROGRAM = ":- use(gmt, [q = 0.99])."
FOLDS = 10


def table_of(data: Path, name: str) -> pl.DataFrame:
    given = data / TABLES[name][0]
    return pl.read_csv(given if given.exists() else data / QUICK_TABLES[name])


def folds(frame: pl.DataFrame, data: Path, name: str) -> Iterator[tuple[Any, Any]]:
    """Training and test parts; all columns numbers, the response last."""
    response = frame.columns[-1]
    nominal = CATEGORIES.get(name, ())
    frame = frame.to_dummies(nominal, drop_first=True) if nominal else frame
    frame = frame.select(pl.exclude(response), pl.col(response))
    texts = [c for c in frame.columns[:-1] if not frame[c].dtype.is_numeric()]
    frame = frame.with_columns(pl.col(c).cast(pl.Categorical).to_physical() for c in texts)
    if name in TEST_OF:
        yield frame, pl.read_csv(data / TEST_OF[name])
        return
    for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(np.zeros(len(frame))):
        yield frame[train], frame[test]


def numbers(train: pl.DataFrame, test: pl.DataFrame) -> tuple[Any, Any, Any, Any]:
    *names, response = train.columns
    X, new = (part.select(names).to_numpy().astype(np.float64) for part in (train, test))
    return X, train[response].to_numpy(), new, test[response].to_numpy()


def fitted(method: str, tree: Any, forest: Any, X: Any, y: Any) -> Any:
    """One of scikit-learn's models. Of the strengths of pruning that change the tree of all rows,
    six are tried by 3-fold cross-validation."""
    if method == "forest":
        return forest(n_estimators=5, random_state=0).fit(X, y)
    model = tree(random_state=0)
    if method == "pruned":
        strengths = np.unique(model.cost_complexity_pruning_path(X, y).ccp_alphas.clip(0))
        tried = np.unique(np.quantile(strengths, [0, 0.5, 0.8, 0.9, 0.96, 0.99]))
        model = GridSearchCV(model, {"ccp_alpha": tried}, cv=KFold(3, shuffle=True, random_state=0))
    return model.fit(X, y)


def scores_of(p: NDArray[np.float64], wanted: NDArray[np.bool_]) -> dict[str, float]:
    """By class probabilities, shape (n, 2), and whether the second class occurred. On a tie the
    first class is predicted. Probabilities of 0 count as 1e-6."""
    own = np.clip(np.where(wanted, p[:, 1], p[:, 0]), 1e-6, 1)
    return {
        "accuracy %": 100 * float(np.mean((p[:, 1] > p[:, 0]) == wanted)),
        "AUC": float(roc_auc_score(wanted, p[:, 1])),
        "log probability": float(np.log(own).mean()),
    }


def of_folds(scores: list[dict[str, float]]) -> Row:
    """Means over the folds, and the standard deviation of the accuracy; NaN of one fold."""
    mean = {key: float(np.mean([s[key] for s in scores])) for key in scores[0]}
    shares = [s["accuracy %"] for s in scores]
    spread = float(np.std(shares, ddof=1)) if len(shares) > 1 else float("nan")
    return {**mean, "spread": spread}


def with_spread(row: Row) -> str:
    """The accuracy in percent, its standard deviation between folds in parentheses."""
    spread = "" if math.isnan(row["spread"]) else f" ({row['spread']:.1f})"
    return f"{row['accuracy %']:.1f}{spread}"
