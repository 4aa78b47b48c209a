"""Nuti, Jiménez Rugama & Cross (2019): what the paper names beside its tables, and its figures.

`variants`: trees from other roots with their weights, look-ahead (both section 4), growth beyond
where stopping is best, and smoothing, each beside the plain modal tree, in the folds of `tables`.
`importances` (sections 3 and 5): the features that gain most. `smoothing` (section 5.2, figure 5):
probabilities under priors that learn from the node above, where splits have a constant probability.
`boundaries`: the same picture for the methods of `tables`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import slp
from benchmarks.papers.folds import (
    PROGRAM,
    QUICK_TABLES,
    TEST_OF,
    fitted,
    folds,
    numbers,
    of_folds,
    scores_of,
    table_of,
    with_spread,
)
from benchmarks.papers.framework import Experiment, Row

SMALL = ("heart", "haberman", "seismic", "ripley", "diabetic")
#: Options of the engine `modal`.
VARIANTS_OF: dict[str, dict[str, Any]] = {
    "plain": {},
    "5 roots": {"roots": 5},
    "look-ahead 1": {"look_ahead": 1},
    "further 3": {"further": 3},
    "smoothing 0.1": {"smoothing": 0.1},
}
#: A fit with look-ahead takes 7 and 25 CPU s on the others.
LOOKED_AHEAD = ("heart", "haberman", "ripley")
SHARES = (0.0, 0.1, 0.5)
#: Splits are as probable at every depth, so that trees are deep; the paper's constant is lost.
CONSTANT = """
:- start(tree).
0.99 :: tree --> split(_, _, per_feature), tree, tree.
0.01 :: tree --> leaf.
"""
PICTURED = ("tree", "forest", "modal")
#: Points of a picture in each direction.
GRID = 80


def _grown(text: str, frame: pl.DataFrame, **options: Any) -> slp.Posterior:
    """As the paper grows it: sides of splits count without their labels of stopping."""
    return slp.parse(text).posterior(frame, engine="modal", without_stop_labels=True, **options)


def _probabilities(found: slp.Posterior, new: pl.DataFrame) -> np.ndarray:
    return found.predict_proba(new.drop(new.columns[-1]))


# --- variants ------------------------------------------------------------------------------------


def _variants(quick: bool) -> Iterator[Row]:
    for table in QUICK_TABLES if quick else SMALL:
        for variant in VARIANTS_OF:
            if quick or variant != "look-ahead 1" or table in LOOKED_AHEAD:
                yield {"table": table, "variant": variant}


def _variant(data: Path, settings: Row) -> Row:
    name, scores = settings["table"], []
    for train, test in folds(table_of(data, name), data, name):
        began = time.process_time()
        found = _grown(PROGRAM, train, **VARIANTS_OF[settings["variant"]])
        seconds = time.process_time() - began
        *_, y = numbers(train, test)
        classes = np.unique(train[train.columns[-1]].to_numpy())
        weights = np.array([draw.weight for draw in found.draws])
        scores.append(
            {
                **scores_of(_probabilities(found, test), y == classes[1]),
                "leaves": found.map_tree().n_leaves,
                "largest weight": float(weights.max() / weights.sum()),
                "fit CPU s": seconds,
            }
        )
    return of_folds(scores)


def _shown_variants(rows: list[Row]) -> list[Row]:
    return [
        {
            "table": row["table"],
            "variant": row["variant"],
            "accuracy %": with_spread(row),
            "AUC": f"{row['AUC']:.3f}",
            "log probability": f"{row['log probability']:.3f}",
            "leaves": f"{row['leaves']:.1f}",
            "largest weight": f"{row['largest weight']:.3f}",
            "fit CPU ms": f"{1000 * row['fit CPU s']:.0f}",
        }
        for row in rows
    ]


# --- importances ---------------------------------------------------------------------------------


def _importance_settings(quick: bool) -> Iterator[Row]:
    for table in QUICK_TABLES if quick else SMALL:
        yield {"table": table}


def _importances(data: Path, settings: Row) -> Row:
    """Of the training part of the first fold, in shares of the sum over features."""
    name = settings["table"]
    train, _ = next(folds(table_of(data, name), data, name))
    X, y, *_ = numbers(train, train)
    names = train.columns[:-1]
    found = _grown(PROGRAM, train)
    forest = RandomForestClassifier(n_estimators=100, random_state=0).fit(X, y)
    return {
        "leaves": found.map_tree().n_leaves,
        "modal tree": _first_three(found.importances()),
        "forest of 100": _first_three(dict(zip(names, forest.feature_importances_, strict=True))),
    }


def _first_three(gains: dict[str, float]) -> str:
    total = sum(gains.values())
    best = sorted(gains, key=lambda name: -gains[name])[:3]
    return ", ".join(f"{name} {gains[name] / total:.2f}" for name in best)


# --- pictures ------------------------------------------------------------------------------------


def _plane(data: Path, quick: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Training and test part of Ripley's table; of a quick run two columns of haberman's."""
    if quick:
        frame = table_of(data, "haberman")
        frame = frame.select(frame.columns[0], frame.columns[2], frame.columns[-1])
        return frame[::2], frame[1::2]
    return table_of(data, "ripley"), pl.read_csv(data / TEST_OF["ripley"])


def _grid(train: pl.DataFrame) -> pl.DataFrame:
    """Points over the range of the first two columns, row by row from below."""
    x, y = (np.linspace(train[c].min(), train[c].max(), GRID) for c in train.columns[:2])
    across, up = np.meshgrid(x, y)
    return pl.DataFrame({train.columns[0]: across.ravel(), train.columns[1]: up.ravel()})


def _picture(train: pl.DataFrame, test: pl.DataFrame, told: Any) -> Row:
    """Scores of the test part, and the probability of the first class on the grid; `told` has the
    class probabilities of rows without their response."""
    response = train.columns[-1]
    classes = np.unique(train[response].to_numpy())
    wanted = test[response].to_numpy() == classes[1]
    one, other = train.columns[:2]
    return {
        "range": [train[one].min(), train[one].max(), train[other].min(), train[other].max()],
        "grid": np.round(told(_grid(train))[:, 0], 3).tolist(),
        **scores_of(told(test.drop(response)), wanted),
    }


def _smoothing_settings(quick: bool) -> Iterator[Row]:
    for share in SHARES:
        yield {"share": share, "quick": quick}


def _smoothed(data: Path, settings: Row) -> Row:
    train, test = _plane(data, settings["quick"])
    found = _grown(CONSTANT, train, smoothing=settings["share"])
    return {"leaves": found.map_tree().n_leaves, **_picture(train, test, found.predict_proba)}


def _boundary_settings(quick: bool) -> Iterator[Row]:
    for method in PICTURED:
        yield {"method": method, "quick": quick}


def _boundary(data: Path, settings: Row) -> Row:
    train, test = _plane(data, settings["quick"])
    if settings["method"] == "modal":
        return _picture(train, test, _grown(PROGRAM, train).predict_proba)
    X, y, *_ = numbers(train, test)
    model = fitted(settings["method"], DecisionTreeClassifier, RandomForestClassifier, X, y)
    return _picture(train, test, lambda rows: model.predict_proba(rows.to_numpy()))


def _without_grid(rows: list[Row]) -> list[Row]:
    left_out = ("quick", "grid", "range")
    return [{name: row[name] for name in row if name not in left_out} for row in rows]


def _draw(rows: list[Row], figure: Any, by: str) -> None:
    """The probability of the first class for each value of `by`."""
    figure.set_size_inches(2.4 * len(rows), 2.4)
    panels = figure.subplots(1, len(rows), sharey=True, squeeze=False)[0]
    for panel, row in zip(panels, rows, strict=True):
        values = np.array(row["grid"]).reshape(GRID, GRID)
        shown = panel.imshow(
            values, origin="lower", extent=row["range"], aspect="auto", vmin=0, vmax=1,
            cmap="RdBu", interpolation="nearest",
        )  # fmt: skip
        panel.set_title(f"{by} {row[by]}")
    figure.colorbar(shown, ax=panels, label="P(first class)")


VARIANTS = Experiment(
    "trees that are probable but differ can be grown from other roots and averaged by weight; "
    "looking several levels ahead is possible at a higher cost (section 4); smoothing changes the "
    "prior of the sides of a split (section 5.2). It has no numbers for any of them.",
    _variants,
    _variant,
    _shown_variants,
)
IMPORTANCES = Experiment(
    "the probabilities of splits, summed by feature, tell the importance of each (sections 3 and "
    "5). It has no numbers.",
    _importance_settings,
    _importances,
)
SMOOTHING = Experiment(
    "smoothing takes away abrupt changes of the probability in small regions (section 5.2, figure "
    "5, on Ripley's test part). Its shares and the constant probability of splits are lost.",
    _smoothing_settings,
    _smoothed,
    _without_grid,
    lambda rows, figure: _draw(rows, figure, "share"),
)
BOUNDARIES = Experiment(
    "figure 2 shows probabilities of a plane with the most probable splits; there are no others.",
    _boundary_settings,
    _boundary,
    _without_grid,
    lambda rows, figure: _draw(rows, figure, "method"),
)
