"""Numbers, counts and durations beside scikit-learn's tree and forest and a BART.

    pip install stochtree lifelines statsmodels
    python benchmarks/regression.py DATA [--folds 3] [NAME ...]

DATA is the folder of the tables of numbers. The table of counts (`visits`: doctor visits of the
RAND health insurance experiment, 3,000 rows of it) is from statsmodels, that of durations (`gbsg2`:
recurrence of breast cancer, censored) from lifelines. Each line is a mean over all rows, by
cross-validation: root mean square error, log predictive density (of counts: probability), coverage
of the 90 % interval, CPU seconds and seconds of a fold. Durations have the log density alone: of a
censored one nobody knows the error.

`slp` is SLPTreeRegressor("growtree") with default options, `slp modal` its engine modal. The others
give no density for one row of their own, except BART. So a tree's and a forest's is a normal about
the prediction, with the standard deviation of residuals, by 5-fold cross-validation of the training
rows and out of bag; of counts a Poisson, of durations an exponential about it. They take no
censoring: times are as observed.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.tree import DecisionTreeRegressor

import slp
from slp.data.frames import frame_of
from slp.program.folds import _log_density

NUMBERS = ("concrete_strength", "airfoil_self_noise", "auto_mpg", "yacht_hydrodynamics")
LEAVES = {
    "counts": ":- leaf(gamma_poisson(1, 0.5)).",
    "durations": ":- response(time, event(cens)). :- leaf(gamma_exponential(1, 1000)).",
}


@dataclass(frozen=True)
class Task:
    """A table: features, response, event (1 where it was seen) of durations."""

    kind: str
    X: pd.DataFrame
    y: np.ndarray
    event: np.ndarray | None = None

    def rows(self, chosen: np.ndarray) -> Task:
        event = None if self.event is None else self.event[chosen]
        return Task(self.kind, self.X.iloc[chosen], self.y[chosen], event)

    @property
    def coded(self) -> np.ndarray:
        """Text as indicator columns, for methods that take numbers."""
        return pd.get_dummies(self.X).to_numpy(np.float64)


@dataclass(frozen=True)
class Scores:
    """Predictions of rows (m,), log densities (m,), ends of the interval (m, 2) or None."""

    mean: np.ndarray
    log_density: np.ndarray
    interval: np.ndarray | None


def task(name: str, folder: Path) -> Task:
    """A table by its name."""
    if name == "gbsg2":
        table = pd.read_csv(_of_package("lifelines", "gbsg2.csv"))
        X = table.drop(columns=["time", "cens"])
        return Task("durations", X, table["time"].to_numpy(float), table["cens"].to_numpy())
    if name == "visits":
        table = pd.read_csv(_of_package("statsmodels", "randhie/randhie.csv"))
        table = table.sample(3000, random_state=1)
        return Task("counts", table.drop(columns="mdvis"), table["mdvis"].to_numpy(float))
    table = pd.read_csv(folder / f"{name}.csv").dropna()
    return Task("numbers", table.drop(columns="y"), table["y"].to_numpy(float))


def _of_package(package: str, path: str) -> Path:
    spec = find_spec(package)
    assert spec is not None and spec.submodule_search_locations is not None, f"install {package}"
    return Path(spec.submodule_search_locations[0]) / "datasets" / path


def density(kind: str, mean: np.ndarray, sd: float, of: Task) -> np.ndarray:
    """Log density of outcomes about a prediction (see the top of this file)."""
    mean = np.maximum(mean, 1e-3) if kind != "numbers" else mean
    if kind == "counts":
        return stats.poisson.logpmf(of.y, mean)
    if kind == "durations":
        return np.where(of.event == 1, -np.log(mean), 0.0) - of.y / mean
    return stats.norm.logpdf(of.y, mean, sd)


def interval(kind: str, mean: np.ndarray, sd: float) -> np.ndarray | None:
    """The central 90 % interval of the same distribution."""
    if kind == "durations":
        return None
    tails = [0.05, 0.95]
    if kind == "counts":
        ends = [stats.poisson.ppf(q, np.maximum(mean, 1e-3)) for q in tails]
    else:
        ends = [stats.norm.ppf(q, mean, sd) for q in tails]
    return np.stack(ends, axis=1)


def of_slp(engine: str) -> Callable[[Task, Task], Scores]:
    """By an engine of slp."""

    def scores(train: Task, test: Task) -> Scores:
        program = f":- use(growtree). {LEAVES.get(train.kind, '')}"
        X, new = train.X, test.X
        outcomes = test.y
        if train.event is not None:
            X, new = X.assign(cens=train.event), new.assign(cens=test.event)
            outcomes = np.stack([test.y, test.event], axis=1).astype(float)
        made = slp.SLPTreeRegressor(program, engine=engine, random_state=1, n_jobs=-1)
        made.fit(X, pd.Series(train.y, name="time", index=X.index))
        held = made.predict_interval(new) if train.event is None else None
        logs = _log_density(made.posterior_, frame_of(new), outcomes)
        return Scores(made.predict(new), logs, held)

    return scores


def of_tree(train: Task, test: Task) -> Scores:
    """scikit-learn's tree, pruned by cross-validation of its cost."""
    criterion = "poisson" if train.kind == "counts" else "squared_error"
    tree = DecisionTreeRegressor(criterion=criterion, random_state=1, min_samples_leaf=5)
    path = tree.cost_complexity_pruning_path(train.coded, train.y)["ccp_alphas"]
    alphas = np.unique(np.maximum(path, 0))[:: max(1, len(path) // 20)]
    search = GridSearchCV(tree, {"ccp_alpha": alphas}, cv=5).fit(train.coded, train.y)
    found = cross_val_predict(search.best_estimator_, train.coded, train.y, cv=5)
    sd = float(np.std(train.y - found))
    mean = search.predict(test.coded)
    return Scores(mean, density(train.kind, mean, sd, test), interval(train.kind, mean, sd))


def of_forest(train: Task, test: Task) -> Scores:
    """scikit-learn's forest of 100 trees."""
    criterion = "poisson" if train.kind == "counts" else "squared_error"
    made = RandomForestRegressor(criterion=criterion, oob_score=True, n_jobs=-1, random_state=1)
    made.fit(train.coded, train.y)
    sd = float(np.std(train.y - made.oob_prediction_))
    mean = made.predict(test.coded)
    return Scores(mean, density(train.kind, mean, sd, test), interval(train.kind, mean, sd))


def of_bart(train: Task, test: Task) -> Scores:
    """stochtree's BART, 1,000 draws after 1,000; of normal noise, so of numbers alone."""
    from stochtree import BARTModel

    model = BARTModel()
    model.sample(
        X_train=train.coded,
        y_train=train.y,
        X_test=test.coded,
        num_gfr=0,
        num_burnin=1000,
        num_mcmc=1000,
        general_params={"random_seed": 1},
    )
    draws = np.asarray(model.y_hat_test)
    sd = np.sqrt(np.asarray(model.global_var_samples))[-draws.shape[1] :]
    logs = stats.norm.logpdf(test.y[:, None], draws, sd)
    noise = np.random.default_rng(1).normal(size=draws.shape) * sd
    ends = np.quantile(draws + noise, [0.05, 0.95], axis=1).T
    log_density = np.logaddexp.reduce(logs, axis=1) - np.log(draws.shape[1])
    return Scores(draws.mean(axis=1), log_density, ends)


METHODS: dict[str, Callable[[Task, Task], Scores]] = {
    "slp": of_slp("auto"),
    "slp modal": of_slp("modal"),
    "tree": of_tree,
    "forest": of_forest,
    "BART": of_bart,
}


def lines(name: str, folder: Path, k: int) -> Iterator[str]:
    """The rows of one table in Markdown."""
    whole = task(name, folder)
    fold = np.random.default_rng(0).permutation(len(whole.y)) % k
    for method, scores in METHODS.items():
        if method == "BART" and whole.kind != "numbers":
            continue
        errors: list[Any] = []
        logs: list[Any] = []
        held: list[Any] = []
        start, cpu = time.perf_counter(), time.process_time()
        for i in range(k):
            test = whole.rows(np.flatnonzero(fold == i))
            found = scores(whole.rows(np.flatnonzero(fold != i)), test)
            logs.append(found.log_density)
            if test.event is None:
                errors.append((found.mean - test.y) ** 2)
            if found.interval is not None:
                low, high = found.interval.T
                held.append((low <= test.y) & (test.y <= high))
        rmse = f"{np.sqrt(np.concatenate(errors).mean()):.4g}" if errors else "-"
        coverage = f"{np.concatenate(held).mean():.3f}" if held else "-"
        log = np.concatenate(logs).mean()
        seconds = (time.process_time() - cpu) / k, (time.perf_counter() - start) / k
        yield (
            f"| {name} | {method} | {rmse} | {log:.3f} | {coverage} | {seconds[0]:.1f} | "
            f"{seconds[1]:.1f} |"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*", default=[*NUMBERS, "visits", "gbsg2"])
    parser.add_argument("--folds", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| table | method | RMSE | log density | coverage | CPU seconds | seconds |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    for name in given.names:
        for line in lines(name, given.data, given.folds):
            print(line, flush=True)


if __name__ == "__main__":
    main()
