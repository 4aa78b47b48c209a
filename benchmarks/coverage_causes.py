"""Why 90 % predictive intervals of numbers hold more than 90 %: one tree, one chain, all chains.

    python -m benchmarks.coverage_causes DATA [--folds K] [--longer TIMES] [--rungs R] [NAME ...]

Tables, folds and prior are those of `coverage.py`. More tables are simulated: `model` is drawn from
the prior itself; `line` and `step` have one feature, a line or one step, and noise of variance 1,
and are so small that chains converge.

For each held-out response y and each draw u, F_u(y) is the predictive distribution function of the
leaf that its row ends in. A central interval of a distribution F holds y if F(y) is between 0.05
and 0.95. So one run gives the coverage of single trees (each F_u by itself), of the mixture over
each chain's draws, of the chain with the best mean log posterior, and of the mixture over all.
Chains are TIMES as long as by default. Each table gives one line: coverage at 0.5 and 0.9; log
density of y, with the standard deviation of the response as the unit; and, with its variance as the
unit, squared errors of the means, the mean variance within leaves, and the variance of the means
between the draws of a chain and between chains; how far apart the chains' mean log posteriors are;
the largest R-hat of the predictions.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

import slp
from benchmarks.coverage import FILES, LEVEL, MADE, folds, table
from slp.leaves.normal_inverse_gamma import NormalInverseGamma
from slp.results.averages.drawn_trees import DrawnTrees

TABLES = 20


def from_the_model(seed: int, n: int = 300, d: int = 5) -> tuple[slp.Program, pl.DataFrame]:
    """A program with its leaf's numbers fixed, and 2 n rows: a tree drawn on the first n, a mean
    and a variance for each of its leaves, and responses."""
    mean_of_leaves = "normal_inverse_gamma(0, 0.1, 3, 2)"
    program = slp.parse(f":- use(growtree). :- leaf({mean_of_leaves}).")
    rng = np.random.default_rng(seed)
    X = pl.DataFrame(rng.random((2 * n, d)), [f"x{j}" for j in range(d)])
    anything = pl.Series("y", rng.normal(size=n))
    posterior = program.posterior(
        X[:n].with_columns(anything), "y", engine="mh", seed=seed, draws=1
    )
    leaf = posterior.prior().draws[0].tree.apply(X)
    variance = 2 / rng.gamma(3, size=leaf.max() + 1)
    mean = rng.normal(size=len(variance)) * np.sqrt(variance / 0.1)
    y = rng.normal(mean[leaf], np.sqrt(variance[leaf]))
    return program, X.with_columns(y=y)


def one_feature(name: str, seed: int, n: int = 100) -> pl.DataFrame:
    """Rows about a line that rises by 10, or a step of 10."""
    rng = np.random.default_rng(seed)
    x = rng.random(n).round(2)
    mean = 10 * x if name == "line" else 10.0 * (x < 0.4)
    return pl.DataFrame({"x": x, "y": mean + rng.normal(size=n)})


def parts(
    name: str, folder: Path, k: int
) -> Iterator[tuple[slp.Program, pl.DataFrame, pl.DataFrame]]:
    """Programs, rows to learn from, and rows to predict."""
    if name == "model":
        for seed in range(TABLES):
            program, rows = from_the_model(seed)
            yield program, rows[: len(rows) // 2], rows[len(rows) // 2 :]
    elif name in ("line", "step"):
        for seed in range(TABLES):
            test = one_feature(name, TABLES + seed, 1000)
            yield slp.parse(":- use(growtree)."), one_feature(name, seed), test
    else:
        for train, test in list(folds(table(name, folder), 10))[:k]:
            yield slp.parse(":- use(growtree)."), train, test


def of_draws(averages: DrawnTrees, test: pl.DataFrame) -> tuple[NDArray[np.float64], ...]:
    """F(y) and density of y, mean and variance at every draw, each (M, T, m)."""
    leaf = averages.table.leaf
    assert isinstance(leaf, NormalInverseGamma)
    before = np.cumsum(averages.n_leaves) - averages.n_leaves
    trees = zip(before, averages.trees, strict=True)
    statistics = averages.leaf_statistics[[n + scored.tree.apply(test) for n, scored in trees]]
    y = test["y"].to_numpy()
    _, _, alpha, beta = leaf.hyperparameters
    n, _, kappa, growth = leaf._update(statistics)
    alpha_n = alpha + n / 2
    squared = (beta + growth) * (kappa + 1) / (alpha_n * kappa)
    mean = leaf.mean(statistics)
    from scipy.stats import t

    density = t.pdf(y, 2 * alpha_n, mean, np.sqrt(squared))
    variance = squared * alpha_n / (alpha_n - 1)
    return tuple(averages.by_chain(a) for a in (leaf.cdf(statistics, y), density, mean, variance))


def mixtures(
    of_draws: NDArray[np.float64], best: int
) -> tuple[tuple[str, NDArray[np.float64]], ...]:
    """What is averaged over draws (M, T, m): nothing, each chain, the best chain, all."""
    return (
        ("tree", of_draws),
        ("chain", of_draws.mean(1)),
        ("best chain", of_draws[best].mean(0)),
        ("all", of_draws.mean((0, 1))),
    )


def measure(name: str, folder: Path, k: int, longer: int, rungs: int) -> str:
    """The line of one table."""
    found: dict[str, list[float]] = {}
    rows: list[int] = []

    def note(what: str, value: float) -> None:
        found.setdefault(what, []).append(float(value))

    for program, train, test in parts(name, folder, k):
        posterior = program.posterior(
            train,
            "y",
            engine="mh",
            seed=1,
            warmup=20_000 * longer,
            thin=1000 * longer,
            rungs=rungs,
        )
        averages = posterior._result.averages.drawn
        assert averages is not None and posterior.diagnostics is not None
        F, density, mean, variance = of_draws(averages, test)
        joints = averages.trees.log_weight + averages.trees.log_likelihood
        joint = averages.by_chain(joints).mean(1)
        best = int(joint.argmax())
        y, sd = test["y"].to_numpy(), float(np.std(train["y"].to_numpy()))
        rows.append(len(y))
        for level in (0.5, LEVEL):
            tail = (1 - level) / 2
            for what, P in mixtures(F, best):
                note(f"{what} {level:g}", ((P >= tail) & (P <= 1 - tail)).mean())
        for what, p in mixtures(density, best):
            note(f"log density {what}", np.log(p * sd).mean())
        for what, m in mixtures(mean, best):
            note(f"mse {what}", ((m - y) ** 2).mean() / sd**2)
        note("within", variance.mean() / sd**2)
        note("between draws", mean.var(1).mean() / sd**2)
        note("between chains", mean.mean(1).var(0).mean() / sd**2)
        note("log posterior apart", np.ptp(joint))
        note("r_hat", posterior.diagnostics.convergence["predictions"].r_hat or np.nan)
    weight = np.array(rows) / sum(rows)
    return "  ".join(f"{what} {np.dot(weight, v):.3f}" for what, v in found.items())


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--longer", type=int, default=1)
    parser.add_argument("--rungs", type=int, default=1)
    given = parser.parse_intermixed_args()
    warnings.simplefilter("ignore", slp.SlpWarning)
    for name in given.names or ("model", *FILES, *MADE):
        line = measure(name, given.data, given.folds, given.longer, given.rungs)
        print(f"{name:<20}{line}", flush=True)


if __name__ == "__main__":
    main()
