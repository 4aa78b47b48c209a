"""How often 90 % predictive intervals of numbers hold the response, by 10-fold cross-validation.

    python benchmarks/coverage.py DATA [--folds 10] [--effort default] [--scale ALPHA,SHARE]
                                  [NAME ...]

DATA is the folder of the tables of numbers (response `y`, or that behind a colon; rows with a
missing value left out); the tables steps, friedman and noise are simulated. The program is that of
estimators, `default`, the engine `mh`. With `--scale` the leaf model is
normal_inverse_gamma(mean, 0.1, ALPHA, SHARE * variance) of the training rows, and not the default.
Each table gives one line: coverage with its standard error over folds, mean width and root mean
square error, both divided by the standard deviation of the response, and the number of leaves. With
`--scale` also the held-out mean log density less that under the default leaf, with the standard
error over folds.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import slp

FILES = ("concrete_strength", "airfoil_self_noise", "auto_mpg", "yacht_hydrodynamics", "cgm_train")
FILES += ("wine:alcohol",)
MADE = ("steps", "friedman", "noise")
LEVEL = 0.9


def made(name: str, n: int = 300) -> pl.DataFrame:
    """Five uniform features and a response with normal noise of variance 1."""
    rng = np.random.default_rng(1)
    X = rng.random((n, 5))
    signal = {
        "steps": 5.0 * (X[:, 0] >= 0.5) + 3.0 * (X[:, 1] >= 0.3),
        "friedman": 10 * np.sin(np.pi * X[:, 0] * X[:, 1])
        + 20 * (X[:, 2] - 0.5) ** 2
        + 10 * X[:, 3]
        + 5 * X[:, 4],
        "noise": np.zeros(n),
    }[name]
    return pl.DataFrame(X, [f"x{j}" for j in range(5)]).with_columns(y=signal + rng.normal(size=n))


def table(name: str, folder: Path) -> pl.DataFrame:
    """One of the tables, without rows that miss a value."""
    if name in MADE:
        return made(name)
    file, _, response = name.partition(":")
    frame = pl.read_csv(folder / f"{file}.csv").drop_nulls()
    return frame.rename({"y": "class", response: "y"}) if response else frame


def folds(frame: pl.DataFrame, k: int) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Rows to learn from and rows to predict, k times."""
    fold = pl.Series(np.random.default_rng(0).permutation(len(frame)) % k)
    for i in range(k):
        yield frame.filter(fold != i), frame.filter(fold == i)


def program(train: pl.DataFrame, scale: tuple[float, float] | None) -> slp.Program:
    """`default`, with the leaf that was asked for."""
    if scale is None:
        return slp.parse(":- use(default).")
    y = train["y"].to_numpy()
    leaf = f"normal_inverse_gamma({np.mean(y)}, 0.1, {scale[0]}, {scale[1] * np.var(y)})"
    return slp.parse(f":- use(default). :- leaf({leaf}).")


def measure(frame: pl.DataFrame, k: int, effort: str, scale: tuple[float, float] | None) -> str:
    """The line of one table."""
    held, width, error, leaves, gained = [], [], [], [], []
    for train, test in folds(frame, k):
        posterior = program(train, scale).posterior(train, "y", engine="mh", seed=1, effort=effort)
        low, high = posterior.predict_interval(test, LEVEL).T
        y = test["y"].to_numpy()
        held.append((low <= y) & (y <= high))
        width.append(high - low)
        error.append((posterior.predict(test) - y) ** 2)
        leaves.append(posterior.expected_leaves())
        if scale is not None:
            fit = program(train, None).posterior(train, "y", engine="mh", seed=1, effort=effort)
            own, default = (np.log(p.density(test, y)) for p in (posterior, fit))
            gained.append(float((own - default).mean()))
    sd = float(np.std(frame["y"].to_numpy()))
    rmse = float(np.sqrt(np.concatenate(error).mean()))
    share, by_fold = np.concatenate(held).mean(), [own.mean() for own in held]
    doubt = np.std(by_fold, ddof=1) / len(by_fold) ** 0.5
    density = ""
    if gained:
        apart = np.std(gained, ddof=1) / len(gained) ** 0.5
        density = f"  log density {np.mean(gained):+.4f} ± {apart:.4f}"
    return (
        f"covered {share:.3f} ± {doubt:.3f}  width {np.concatenate(width).mean() / sd:.2f} sd  "
        f"error {rmse / sd:.3f} sd  leaves {np.mean(leaves):.1f}{density}"
    )


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--effort", default="default")
    parser.add_argument("--scale", help="ALPHA,SHARE")
    given = parser.parse_intermixed_args()
    alpha_share = given.scale and given.scale.split(",")
    scale = (float(alpha_share[0]), float(alpha_share[1])) if alpha_share else None
    warnings.simplefilter("ignore", slp.SlpWarning)
    for name in given.names or FILES + MADE:
        print(
            f"{name:<22}{measure(table(name, given.data), given.folds, given.effort, scale)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
