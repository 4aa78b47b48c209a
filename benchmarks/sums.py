"""Sums of trees beside two BARTs, a forest and boosted trees, and what three constraints buy.

    pip install stochtree lightgbm bartz        # a peer that is not there is left out, and said
    python benchmarks/sums.py DATA [--trees 50] [--folds 5] [NAME ...]      a part: some tables
    python benchmarks/sums.py DATA --constraints                            25, 50 and 100 rows

DATA is the folder of the tables; rows with missing values are left out. Each line is a mean over
folds: root mean square error or log loss, log predictive density, coverage of the 90 % interval of
numbers, CPU seconds of a fold, and the largest memory of the process in MiB, which is that of all
before it. A forest and boosted trees give no density of numbers. The last column is how much higher
the log predictive density of `sum` is, a mean of paired differences with its standard error over
rows. Sums and both BARTs make 1000 sweeps in one chain before the first of 1000 draws.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import logsumexp, ndtr
from scipy.stats import norm
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import slp

NUMBERS = ("concrete_strength", "airfoil_self_noise", "auto_mpg", "yacht_hydrodynamics")
CLASSES = (
    "pima_diabetes",
    "german_credit",
    "heart_statlog",
    "vertebral_column_2c",
    "haberman",
    "breast_cancer_wisconsin_complete",
)
#: Draws, and sweeps before the first one.
_DRAWS = _BURN_IN = 1000


class Told(NamedTuple):
    """What a method says of test rows: means or probabilities of the second class, (m,); the log
    density of each, (m,), NaN where there is none; whether the interval holds it, (m,), or NaN."""

    mean: Any
    log: Any
    held: Any


def _of_draws(fits: Any, sigma: Any, y: Any) -> Told:
    """By draws of the mean, (T, m), and of the noise, (T,)."""
    log = logsumexp(norm.logpdf(y, fits, sigma[:, None]), axis=0) - np.log(len(fits))
    noise = np.random.default_rng(1).standard_normal(fits.shape) * sigma[:, None]
    low, high = np.quantile(fits + noise, [0.05, 0.95], axis=0)
    return Told(fits.mean(axis=0), log, (low <= y) & (y <= high))


def _of_probability(p: Any, y: Any) -> Told:
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return Told(p, np.where(y == 1, np.log(p), np.log1p(-p)), np.full(len(y), np.nan))


def sums(trees: int) -> Callable[..., Told]:
    """The engine additive with default priors."""

    def told(X: Any, y: Any, new: Any, outcome: Any, classes: bool) -> Told:
        program = slp.parse(f":- trees({trees}).")
        found = program.posterior(
            X, y, seed=1, draws=_DRAWS, threads=1, chains=1, warmup=_BURN_IN, thin=1
        )
        if classes:
            return _of_probability(found.predict_proba(new)[:, 1], outcome)
        averages: Any = found._result.averages
        rows = found.table.new_rows(new)
        fits = np.concatenate(list(averages.predictions_by_tree(rows)), axis=1)
        return _of_draws(fits, np.sqrt(averages.sums.variance), outcome)

    return told


def stochtree(trees: int) -> Callable[..., Told]:
    """BART of stochtree, without the grown trees that it starts from by default."""

    def told(X: Any, y: Any, new: Any, outcome: Any, classes: bool) -> Told:
        from stochtree import BARTModel, OutcomeModel

        model = BARTModel()
        general: dict[str, Any] = {"random_seed": 1, "num_threads": 1}
        if classes:
            general["outcome_model"] = OutcomeModel(outcome="binary", link="probit")
        model.sample(
            X_train=X.to_numpy(),
            y_train=y.astype(float),
            X_test=new.to_numpy(),
            num_gfr=0,
            num_burnin=_BURN_IN,
            num_mcmc=_DRAWS,
            general_params=general,
            mean_forest_params={"num_trees": trees},
        )
        fits = model.y_hat_test.T
        if classes:
            return _of_probability(ndtr(fits).mean(axis=0), outcome)
        return _of_draws(fits, np.sqrt(model.global_var_samples), outcome)

    return told


def bartz(trees: int) -> Callable[..., Told]:
    """BART of bartz."""

    def told(X: Any, y: Any, new: Any, outcome: Any, classes: bool) -> Told:
        from bartz.BART import gbart

        model = gbart(
            X.to_numpy(),
            y.astype(np.float32),
            x_test=new.to_numpy(),
            type="pbart" if classes else "wbart",
            ntree=trees,
            ndpost=_DRAWS,
            nskip=_BURN_IN,
            keepevery=1,
            printevery=None,
            seed=1,
        )
        if classes:
            return _of_probability(np.asarray(ndtr(model.yhat_test)).mean(axis=0), outcome)
        sigma = np.asarray(model.sigma)[-_DRAWS:]
        return _of_draws(np.asarray(model.yhat_test), sigma, outcome)

    return told


def forest(X: Any, y: Any, new: Any, outcome: Any, classes: bool) -> Told:
    """Five hundred trees of scikit-learn."""
    kind = RandomForestClassifier if classes else RandomForestRegressor
    return _points(kind(500, random_state=1).fit(X, y), new, outcome, classes)


def lightgbm(X: Any, y: Any, new: Any, outcome: Any, classes: bool) -> Told:
    """LightGBM with default options."""
    import lightgbm as lgb

    kind = lgb.LGBMClassifier if classes else lgb.LGBMRegressor
    return _points(kind(random_state=1, verbose=-1, n_jobs=1).fit(X, y), new, outcome, classes)


def _points(model: Any, new: Any, outcome: Any, classes: bool) -> Told:
    if classes:
        return _of_probability(model.predict_proba(new)[:, 1], outcome)
    nothing = np.full(len(outcome), np.nan)
    return Told(model.predict(new), nothing, nothing)


def methods(trees: int) -> dict[str, Callable[..., Told]]:
    """Those that are installed, by name; others are told."""
    peers = {"stochtree": stochtree(trees), "bartz": bartz(trees), "lightgbm": lightgbm}
    there = {name: told for name, told in peers.items() if find_spec(name)}
    for name in peers.keys() - there.keys():
        print(f"{name} is left out")
    return {"sum": sums(trees), **there, "forest": forest}


def table(folder: Path, name: str) -> tuple[pd.DataFrame, Any]:
    """Columns of numbers, levels one column each, and the response, of classes 0 and 1."""
    frame = pd.read_csv(folder / f"{name}.csv").dropna()
    X, y = pd.get_dummies(frame.iloc[:, :-1]).astype(float), frame.iloc[:, -1]
    return X, y.to_numpy(float) if name in NUMBERS else (y == sorted(y.unique())[1]).to_numpy(int)


def compare(folder: Path, name: str, trees: int, folds: int) -> Iterator[str]:
    """A line for each method."""
    X, y = table(folder, name)
    fold = np.random.default_rng(0).permutation(len(y)) % folds
    classes = name not in NUMBERS
    reference: Any = None
    for method, told in methods(trees).items():
        log, error, held = (np.empty(len(y)) for _ in range(3))
        begin = time.process_time()
        for k in range(folds):
            test = fold == k
            found = told(X[~test], y[~test], X[test], y[test], classes)
            log[test], held[test] = found.log, found.held
            error[test] = -found.log if classes else (found.mean - y[test]) ** 2
        seconds = (time.process_time() - begin) / folds
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        reference = log if reference is None else reference
        apart = reference - log
        loss = error.mean() if classes else error.mean() ** 0.5
        beside = f"{apart.mean():8.4f} +- {apart.std(ddof=1) / len(y) ** 0.5:.4f}"
        yield (
            f"| {name} | {trees} | {method} | {loss:.4f} | {log.mean():.4f} | "
            f"{held.mean():.3f} | {seconds:.1f} | {memory:.0f} | {beside} |"
        )


def constraints(folder: Path) -> Iterator[str]:
    """Concrete strength: it rises with cement, falls with water, and age acts alone with cement;
    against the same sum without these, on few rows and all others as test rows."""
    X, y = table(folder, "concrete_strength")
    cement, water, age = (
        next(c for c in X if word in c.lower()) for word in ("cement", "water", "age")
    )
    names = {c: f"v{i}" for i, c in enumerate(X)}
    X = X.rename(columns=names)
    cement, water, age = names[cement], names[water], names[age]
    others = ", ".join(v for v in X if v != age)
    rules = (
        f":- constraint(monotone({cement}, up)). :- constraint(monotone({water}, down)). "
        f":- constraint(interaction([[{others}], [{age}, {cement}]]))."
    )
    for rows in (25, 50, 100):
        errors: dict[str, list[float]] = {"without": [], "with": []}
        for repeat in range(10):
            chosen = np.random.default_rng(repeat).permutation(len(y))
            train, test = chosen[:rows], chosen[rows:]
            for name, text in (("without", ""), ("with", rules)):
                program = slp.parse(f":- trees(50). {text}")
                found = program.posterior(X.iloc[train], y[train], seed=repeat, draws=_DRAWS)
                apart = found.predict(X.iloc[test]) - y[test]
                errors[name].append(float((apart**2).mean() ** 0.5))
        gain = np.array(errors["without"]) - np.array(errors["with"])
        means = " | ".join(f"{np.mean(own):.2f}" for own in errors.values())
        yield f"| {rows} | {means} | {gain.mean():.2f} +- {gain.std(ddof=1) / 10**0.5:.2f} |"


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--constraints", action="store_true")
    asked = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    if asked.constraints:
        print("| rows | without | with | gain |\n| ---: | ---: | ---: | ---: |")
        for line in constraints(asked.data):
            print(line, flush=True)
        return
    head = "table", "trees", "method", "error", "log density", "coverage", "CPU s", "MiB", "behind"
    print(f"| {' | '.join(head)} |\n|{' --- |' * len(head)}")
    for name in asked.names or (*NUMBERS, *CLASSES):
        for line in compare(asked.data, name, asked.trees, asked.folds):
            print(line, flush=True)


if __name__ == "__main__":
    main()
