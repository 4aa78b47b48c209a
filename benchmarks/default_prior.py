"""Which beta the default prior has: evidence and held-out log score of growtree over ten tables.

    python -m benchmarks.default_prior DATA [--folds 5] [--betas 0,0.25,0.5,0.75,1,1.5] [NAME ...]

DATA is the folder of the tables in TABLES (response `y`, rows with a missing value left out). For
each table, `alpha = 0.95` and every beta: the log evidence of all rows beside that of beta 1, exact
or estimated by chains of quick effort, and the mean held-out log score (log probability of a class,
log density of a number in standard deviations) beside that of beta 1, with the standard error of
the difference over rows. `mixture` is the mean over the betas, each as probable as another before
the table: its predictions are weighted by the evidence of the rows learnt from.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import t

import slp
from benchmarks.coverage import folds

#: Files, and whether exact sums answer in seconds.
TABLES = {
    "caesarian.csv": True,
    "kyphosis.csv": True,
    "haberman.csv": True,
    "cp4im/primary_tumor.csv.gz": True,
    "cp4im/zoo_1.csv.gz": True,
    "yacht_hydrodynamics.csv": True,
    "heart_statlog.csv": False,
    "pima_diabetes.csv": False,
    "vertebral_column_2c.csv": False,
    "auto_mpg.csv": False,
}
#: Draws that a density is averaged over.
DRAWS = 400


@dataclass
class Fit:
    """Of one beta: the log evidence, and the log scores of the held-out rows."""

    log_evidence: float
    scores: NDArray[np.float64]


def posterior_of(frame: pl.DataFrame, beta: float, exact: bool) -> slp.Posterior:
    """Under growtree, with alpha 0.95."""
    program = slp.load("growtree", beta=beta)
    if exact:
        return program.posterior(frame, "y", engine="exact", seed=1, draws=DRAWS)
    return program.posterior(frame, "y", engine="mh", seed=1, effort="quick")


def log_scores(
    posterior: slp.Posterior, train: pl.DataFrame, test: pl.DataFrame
) -> NDArray[np.float64]:
    """Of the rows of `test`."""
    X, y = test.drop("y"), test["y"].to_numpy()
    leaf = posterior.table.leaf
    if leaf.classes:
        place = {label: i for i, label in enumerate(leaf.classes)}
        P = posterior.predict_proba(X)
        return np.log(P[np.arange(len(y)), [place[label] for label in y]])
    mu, kappa, alpha, beta = leaf.hyperparameters
    known, densities = train["y"].to_numpy(), []
    for tree in posterior.sample(DRAWS):
        at, of_test = tree.apply(train.drop("y")), tree.apply(X)
        n = np.bincount(at).astype(float)
        mean = np.bincount(at, known) / n
        ss = np.bincount(at, (known - mean[at]) ** 2)
        alpha_n, kappa_n = alpha + n / 2, kappa + n
        beta_n = beta + ss / 2 + kappa * n * (mean - mu) ** 2 / (2 * kappa_n)
        scale = np.sqrt(beta_n * (kappa_n + 1) / (alpha_n * kappa_n))
        centre = (kappa * mu + n * mean) / kappa_n
        densities.append(t.pdf(y, 2 * alpha_n[of_test], centre[of_test], scale[of_test]))
    return np.log(np.mean(densities, 0) * np.std(known))


def measure(frame: pl.DataFrame, exact: bool, betas: list[float], k: int) -> Iterator[str]:
    """The lines of one table."""
    whole = np.array([posterior_of(frame, beta, exact).log_evidence for beta in betas])
    scores: list[list[NDArray[np.float64]]] = [[] for _ in [*betas, "mixture"]]
    for train, test in folds(frame, k):
        fits = []
        for beta in betas:
            posterior = posterior_of(train, beta, exact)
            fits.append(Fit(float(posterior.log_evidence), log_scores(posterior, train, test)))
        weights = np.array([fit.log_evidence for fit in fits])
        weights -= logsumexp(weights)
        mixed = logsumexp([w + fit.scores for w, fit in zip(weights, fits, strict=True)], axis=0)
        for found, fit in zip(scores, [*(f.scores for f in fits), mixed], strict=True):
            found.append(fit)
    evidence = [*whole, logsumexp(whole) - np.log(len(betas))]
    by_row = [np.concatenate(found) for found in scores]
    base, names = betas.index(1.0), [*map(str, betas), "mixture"]
    for name, log_evidence, score in zip(names, evidence, by_row, strict=True):
        gain = score - by_row[base]
        error = gain.std() / np.sqrt(len(gain))
        yield (
            f"{name:<8} evidence {log_evidence - whole[base]:+8.2f}  "
            f"score {gain.mean():+.4f} ({error:.4f})"
        )


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--betas", default="0,0.25,0.5,0.75,1,1.5")
    given = parser.parse_intermixed_args()
    betas = [float(word) for word in given.betas.split(",")]
    warnings.simplefilter("ignore", slp.SlpWarning)
    for name in given.names or TABLES:
        frame = pl.read_csv(given.data / name, infer_schema_length=None).drop_nulls()
        for line in measure(frame, TABLES[name], betas, given.folds):
            print(f"{name:<28}{line}", flush=True)


if __name__ == "__main__":
    main()
