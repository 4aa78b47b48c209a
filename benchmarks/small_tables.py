"""What the default leaf of numbers makes of noise on small tables.

    python benchmarks/small_tables.py [--tables 200] [--features 1,5] [--rows 10,20,50,100]

Each table has standard normal noise as response, and as features uniform numbers without any
relation to it. The program is `default` without a leaf. For each number of features and rows, over
all tables: how often 90 % predictive intervals hold the response of 50 fresh rows, how probable it
is that a feature is used, both with the standard error over tables, and the same probability under
the prior. Tables beyond exact sums are run with quick effort.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import polars as pl

import slp

FRESH = 50


def noise(rng: np.random.Generator, n: int, d: int) -> pl.DataFrame:
    """n rows with d features and `y`."""
    columns = {f"x{j}": rng.random(n).round(3) for j in range(d)}
    return pl.DataFrame({**columns, "y": rng.normal(size=n)})


def measure(n: int, d: int, tables: int) -> str:
    """The line of one size of tables."""
    program, held, used, prior, engines = slp.load("default"), [], [], [], set()
    for seed in range(tables):
        rng = np.random.default_rng([seed, n, d])
        train, fresh = noise(rng, n, d), noise(rng, FRESH, d)
        exact = n <= (200 if d == 1 else 10)
        options = {"engine": "exact"} if exact else {"engine": "mh", "effort": "quick"}
        posterior = program.posterior(train, "y", seed=1, draws=400, **options)
        engines.add(posterior.engine)
        low, high = np.asarray(posterior.predict_interval(fresh.drop("y"), level=0.9)).T
        y = fresh["y"].to_numpy()
        held.append(((low <= y) & (y <= high)).mean())
        used.append(np.mean([u.probability for u in posterior.split_probabilities().values()]))
        if seed < 20:  # the prior depends on the table little
            of_prior = program.prior(train, "y").split_probabilities()
            prior.append(np.mean([u.probability for u in of_prior.values()]))

    def told(values: list[float]) -> str:
        return f"{np.mean(values):.3f} ({np.std(values) / len(values) ** 0.5:.3f})"

    words = f"holds {told(held)}, used {told(used)}, prior {np.mean(prior):.3f}"
    return f"n {n:>4}, d {d}: {words}, {', '.join(sorted(engines))}"


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--features", default="1,5")
    parser.add_argument("--rows", default="10,20,50,100")
    given = parser.parse_args()
    warnings.simplefilter("ignore", slp.SlpWarning)
    for d in map(int, given.features.split(",")):
        for n in map(int, given.rows.split(",")):
            print(measure(n, d, given.tables), flush=True)


if __name__ == "__main__":
    main()
