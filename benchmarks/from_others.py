"""The tables of docs/from-others.md: the same jobs by rpart and slp, and by BART and slp.

    python -m benchmarks.from_others rpart    # needs Rscript with rpart
    python -m benchmarks.from_others bart     # needs stochtree

Folds are by row: row i is held out in fold i mod k, for both programs alike.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import slp

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

#: A fit: the training rows and the held-out ones to a number or more for each held-out row.
Fit = Callable[[pl.DataFrame, pl.DataFrame], np.ndarray]

_R = """
library(rpart)
d <- read.csv("haberman.csv"); d$y <- factor(d$y)
fold <- (seq_len(nrow(d)) - 1) %% 10
for (pruned in c(FALSE, TRUE)) {
  score <- c(); right <- c()
  for (k in 0:9) {
    train <- d[fold != k, ]; test <- d[fold == k, ]
    set.seed(1)
    fit <- rpart(y ~ ., data = train, control = rpart.control(cp = if (pruned) 0 else 0.01))
    if (pruned) {
      table <- fit$cptable
      fit <- prune(fit, cp = table[which.min(table[, "xerror"]), "CP"])
    }
    p <- predict(fit, test)[cbind(seq_len(nrow(test)), as.integer(test$y))]
    score <- c(score, log(p)); right <- c(right, predict(fit, test, type = "class") == test$y)
  }
  name <- if (pruned) "pruned" else "default"
  cat(sprintf("rpart %-8s %8.4f %7.4f\\n", name, mean(score), mean(right)))
}
"""


#: A sum of trees as large as BART's, with what is known of cars.
_SUM = """
:- trees(200).
:- use(growtree, [alpha = 0.95, beta = 2]).
:- response(mpg).
:- constraint(monotone(weight, down)).
:- constraint(monotone(year, up)).
"""


def held_out(table: pl.DataFrame, folds: int, fit: Fit) -> np.ndarray:
    """What a fit says of each row, in the order of the table."""
    fold = np.arange(len(table)) % folds
    parts = [
        fit(table.filter(pl.Series(fold != k)), table.filter(pl.Series(fold == k)))
        for k in range(folds)
    ]
    out = np.empty((len(table), *parts[0].shape[1:]))
    for k, part in enumerate(parts):
        out[fold == k] = part
    return out


def rpart() -> None:
    """Patients of examples/haberman: mean log probability and accuracy, ten folds."""
    folder = EXAMPLES / "haberman"
    table = pl.read_csv(folder / "haberman.csv")
    print("program        log P    right")
    made = subprocess.run(["Rscript", "-e", _R], cwd=folder, capture_output=True, text=True)
    print(made.stdout or made.stderr, end="")
    program = slp.load(folder / "prior.slp")

    def fit(train: pl.DataFrame, test: pl.DataFrame) -> np.ndarray:
        return program.posterior(train, draws=0).predict_proba(test)

    of_classes = held_out(table, 10, fit)
    truth = table["y"].to_numpy() - 1
    score = np.log(of_classes[np.arange(len(table)), truth])
    print(f"slp            {score.mean():8.4f} {(of_classes.argmax(1) == truth).mean():7.4f}")


def bart() -> None:
    """Cars of examples/cars that have all numbers: root mean square error, mean log density, share
    of rows in the 90 % interval, five folds."""
    folder = EXAMPLES / "cars"
    table = pl.read_csv(folder / "cars.csv").drop_nulls()
    print("program        error    log p    in 90 %")
    told("BART", held_out(table, 5, _bart), table["mpg"].to_numpy())
    of_sum = {"draws": 1000, "warmup": 500, "thin": 1, "chains": 1, "seed": 1}
    for name, program, options in (
        ("sum", slp.parse(_SUM), of_sum),
        *((name, slp.load(folder / f"{name}.slp"), {"draws": 0}) for name in ("prior", "lines")),
    ):

        def fit(
            train: pl.DataFrame,
            test: pl.DataFrame,
            program: slp.Program = program,
            options: dict[str, Any] = options,
        ) -> np.ndarray:
            posterior = program.posterior(train, **options)
            density = posterior.density(test, test["mpg"].to_numpy())
            interval = posterior.predict_interval(test)
            return np.column_stack([posterior.predict(test), density, interval])

        told(f"slp {name}", held_out(table, 5, fit), table["mpg"].to_numpy())


def _bart(train: pl.DataFrame, test: pl.DataFrame) -> np.ndarray:
    """Mean, density of the response, and 90 % interval of each row, (m, 4)."""
    from scipy import stats
    from stochtree import BARTModel

    def numbers(rows: pl.DataFrame) -> np.ndarray:
        origins = [(pl.col("origin") == o).cast(pl.Float64).alias(o) for o in ("america", "europe")]
        return rows.drop("mpg").with_columns(origins).drop("origin").to_numpy().astype(float)

    model = BARTModel()
    model.sample(
        X_train=numbers(train),
        y_train=train["mpg"].to_numpy(),
        X_test=numbers(test),
        num_gfr=5,
        num_burnin=500,
        num_mcmc=1000,
        general_params={"random_seed": 1},
    )
    means, sd = model.y_hat_test, np.sqrt(model.global_var_samples)
    density = stats.norm.pdf(test["mpg"].to_numpy()[:, None], means, sd).mean(1)
    outcomes = means + np.random.default_rng(1).normal(size=means.shape) * sd
    return np.column_stack([means.mean(1), density, *np.quantile(outcomes, [0.05, 0.95], axis=1)])


def told(name: str, found: np.ndarray, y: np.ndarray) -> None:
    mean, density, low, high = found.T
    error = np.sqrt(((mean - y) ** 2).mean())
    inside = ((low <= y) & (y <= high)).mean()
    print(f"{name:<12} {error:7.3f} {np.log(density).mean():8.4f} {inside:8.3f}")


if __name__ == "__main__":
    warnings.simplefilter("ignore", slp.SlpWarning)  # one chain says nothing of convergence
    {"rpart": rpart, "bart": bart}[sys.argv[1]]()
