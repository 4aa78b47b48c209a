"""Seconds of a grid search with quick fits: 20 candidates, five folds, and the best one refitted.

    python benchmarks/grid_search.py [--data FOLDER] [--effort quick] [--candidates 20] [NAME ...]

NAME is `pima_diabetes` (numbers alone) or `german_credit` (numbers, and categories that a
ColumnTransformer makes indicators). With one candidate, alpha 0.95 and beta 1, efforts compare. One
line of Markdown for each: CPU seconds of the search, CPU
seconds of a fit and its predictions, and the best held-out log loss.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import polars as pl
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import slp

TABLES = ("pima_diabetes", "german_credit")
ALPHAS, BETAS = (0.95, 0.5, 0.8, 0.9, 0.99), (1.0, 0.5, 1.5, 2.0)
_FOLDS = 5


def candidates(most: int) -> list[dict[str, list[float]]]:
    """The first so many combinations."""
    pairs = [(alpha, beta) for beta in BETAS for alpha in ALPHAS][:most]
    of_tree = "slptreeclassifier__program__"
    return [{f"{of_tree}alpha": [alpha], f"{of_tree}beta": [beta]} for alpha, beta in pairs]


def search(table: Path, effort: str, most: int) -> str:
    """The line of a table."""
    frame = pl.read_csv(table).to_pandas()
    y, X = frame.pop("y"), frame
    indicators = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    text = make_column_selector(dtype_exclude="number")
    encode = ColumnTransformer([("text", indicators, text)], remainder="passthrough")
    tree = slp.SLPTreeClassifier("growtree", effort=effort, random_state=1)
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=1)
    how = {"cv": folds, "scoring": "neg_log_loss"}
    grid = GridSearchCV(make_pipeline(encode, tree), candidates(most), **how)
    began, clock = time.process_time(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        grid.fit(X, y)
    cpu, seconds = time.process_time() - began, time.perf_counter() - clock
    fits = _FOLDS * len(grid.cv_results_["params"]) + 1
    best = f"{-grid.best_score_:.4f}"
    return f"| {table.stem} | {seconds:.0f} | {cpu:.0f} | {fits} | {cpu / fits:.1f} | {best} |"


def main() -> None:
    """Search on the tables that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--candidates", type=int, default=len(ALPHAS) * len(BETAS))
    options = parser.parse_args()
    print("| table | seconds | CPU s | fits | CPU s of a fit | best log loss |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    for name in options.names or TABLES:
        table = options.data / f"{name}.csv"
        print(search(table, options.effort, options.candidates), flush=True)


if __name__ == "__main__":
    main()
