"""The experiments of Angelopoulos & Cussens (2005) with the engine `mh`, and its agreement with
`exact`.

    python benchmarks/mh_experiments.py [--data FOLDER] [--steps 100000] [--table NAME]...
        [--proposal NAMES]... [EXPERIMENT ...]

EXPERIMENT is one or more of

    trajectories     log likelihood of three chains at growing numbers of iterations, by proposal
    reproducibility  predicted probabilities of two runs with different seeds: how far they differ
    boxes            a known tree, synthetic data, test accuracy with and without boxes declared
    agreement        estimates against exact sums, in Monte Carlo errors

and all of them without any. Tables are files of FOLDER, under `growtree`; the first two experiments
run on those named (all of breast_cancer, pima and kyphosis by default), with the proposals named.
Markdown is printed.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

import slp
from slp.data import read_frame
from slp.engines.mcmc.trees.compiled import CompiledMetropolisHastings
from slp.problem.boxes import Geometry
from slp.runner import Phase

FILES = {
    "breast_cancer": "breast_cancer_wisconsin_complete.csv",
    "pima": "pima_diabetes.csv",
    "kyphosis": "kyphosis.csv",
    "iris": "iris.csv",
    "haberman": "haberman.csv",
}
SAMPLING = Phase(warm_up=False, step=1)
LARGE = ("breast_cancer", "pima", "kyphosis")
PROPOSALS = ("q_uc", "q_n(20)", "q_ind", "q_exact")


def table(folder: Path, name: str) -> pl.DataFrame:
    """A table, its response last."""
    return read_frame(folder / FILES[name])


@dataclass(frozen=True)
class Options:
    """Where tables lie, how many steps are made, on which tables, and how."""

    folder: Path
    steps: int
    tables: Sequence[str]
    proposals: Sequence[str]


def trajectories(options: Options) -> None:
    """Log likelihood at growing numbers of iterations."""
    steps = options.steps
    marks = [steps // 1000, steps // 100, steps // 10, steps]
    heads = " | ".join(f"{m:,}" for m in marks)
    print(f"| table | proposal | seed | {heads} | best |\n| --- | --- | ---: |{' ---: |' * 5}")
    for name in options.tables:
        model = slp.parse(":- use(growtree).").compile(table(options.folder, name))
        for proposal in options.proposals:
            geometry = Geometry(model.grammar, model.table)
            engine = CompiledMetropolisHastings(model.grammar, geometry, proposal=proposal)
            for seed in (1, 2, 3):
                rng = np.random.default_rng(seed)
                state, done, found, best = engine.init(rng), 0, [], -np.inf
                for mark in marks:
                    while done < mark:
                        n = min(100, mark - done)
                        state, _ = engine.advance(rng, state, n, SAMPLING)
                        done, best = done + n, max(best, state.log_likelihood)
                    found.append(f"{state.log_likelihood:.1f}")
                print(
                    f"| {name} | {proposal} | {seed} | {' | '.join(found)} | {best:.1f} |",
                    flush=True,
                )


def reproducibility(options: Options) -> None:
    """Differences of predicted probabilities between two seeds, over the rows of the table."""
    print("| table | proposal | mean difference | largest | R-hat of predictions |")
    print("| --- | --- | ---: | ---: | ---: |")
    for name in options.tables:
        frame = table(options.folder, name)
        program = slp.parse(":- use(growtree).")
        for proposal in options.proposals:
            runs = [
                program.posterior(
                    frame,
                    engine="mh",
                    seed=seed,
                    draws=1000,
                    thin=max(1, options.steps // 250),
                    warmup=options.steps // 4,
                    proposal=proposal,
                )
                for seed in (1, 2)
            ]
            first, second = (run.predict_proba(frame) for run in runs)
            apart = np.abs(first - second).max(axis=1)
            found = runs[0].diagnostics
            assert found is not None
            print(
                f"| {name} | {proposal} | {apart.mean():.4f} | {apart.max():.4f} | "
                f"{found.convergence['predictions'].r_hat:.3f} |",
                flush=True,
            )


#: The true tree of `boxes`: x0 < 0.5 and x1 < 0.3 or x0 >= 0.5 and x2 >= 0.6 are mostly `yes`. The
#: boxes keep a distance from its thresholds, because those of a tree lie between two values of the
#: table.
BOXES = """
:- use(growtree).
box(low, x0, 0, 0.4). box(low, x1, 0, 0.2).
box(high, x0, 0.6, 1). box(high, x2, 0.7, 1).
:- constraint(constant(low)).
:- constraint(constant(high)).
"""


def synthetic(n: int, rng: np.random.Generator) -> pl.DataFrame:
    """Rows of six uniform features with a label by the true tree, one in five of them wrong."""
    x = rng.random((n, 6))
    yes = np.where(x[:, 0] < 0.5, x[:, 1] < 0.3, x[:, 2] >= 0.6)
    yes ^= rng.random(n) < 0.2
    columns = {f"x{j}": x[:, j] for j in range(6)}
    return pl.DataFrame({**columns, "y": np.where(yes, "yes", "no")})


def boxes(options: Options) -> None:
    """Test accuracy against the labels that the true tree gives, on ten training sets."""
    print("| rows | without boxes | with boxes | difference +- its error |")
    print("| ---: | ---: | ---: | ---: |")
    for n in (50, 100):
        accuracy = np.empty((10, 2))
        for i in range(10):
            rng = np.random.default_rng(i)
            train, test = synthetic(n, rng), synthetic(2000, rng)
            x = test.drop("y").to_numpy()
            truth = np.where(x[:, 0] < 0.5, x[:, 1] < 0.3, x[:, 2] >= 0.6)
            for j, text in enumerate((":- use(growtree).", BOXES)):
                posterior = slp.parse(text).posterior(
                    train, engine="mh", seed=i, draws=400, thin=max(1, options.steps // 1000)
                )
                accuracy[i, j] = np.mean((posterior.predict(test.drop("y")) == "yes") == truth)
        gain = accuracy[:, 1] - accuracy[:, 0]
        plain, boxed = accuracy.mean(axis=0)
        error = gain.std(ddof=1) / np.sqrt(len(gain))
        print(f"| {n} | {plain:.3f} | {boxed:.3f} | {gain.mean():+.3f} +- {error:.3f} |")


def agreement(options: Options) -> None:
    """Estimates against exact sums; gaps are in Monte Carlo errors."""
    print("| table | leaves: exact | mh | gap | P(used): largest gap | predictions: largest gap |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    program = slp.parse(":- use(growtree). :- feature(_, [bins(quantile, 5)]).")
    for name in ("iris", "haberman", "kyphosis"):
        frame = table(options.folder, name)
        exact = program.posterior(frame, engine="exact", draws=0)
        mh = program.posterior(
            frame,
            engine="mh",
            seed=1,
            draws=4000,
            thin=max(1, options.steps // 100),
            proposal="q_uc:0.8,q_ind:0.2",
        )
        gap = (mh.expected_leaves() - exact.expected_leaves()) / mh.expected_leaves_error()
        uses = exact.split_probabilities()
        used = [
            abs(use.probability - uses[f].probability) / (use.probability_error or np.inf)
            for f, use in mh.split_probabilities().items()
        ]
        rows = frame.unique(maintain_order=True).head(50)
        off = np.abs(mh.predict_proba(rows) - exact.predict_proba(rows)) / mh.predict_error(rows)
        print(
            f"| {name} | {exact.expected_leaves():.4f} | {mh.expected_leaves():.4f} | {gap:+.2f} | "
            f"{max(used):.2f} | {off.max():.2f} |"
        )


EXPERIMENTS: dict[str, Callable[[Options], None]] = {
    "trajectories": trajectories,
    "reproducibility": reproducibility,
    "boxes": boxes,
    "agreement": agreement,
}


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="EXPERIMENT")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--steps", type=int, default=100_000)
    # Each takes one name, because an option with a list would also take the experiments after it.
    parser.add_argument("--table", action="append", choices=LARGE, dest="tables")
    parser.add_argument("--proposal", action="append", dest="proposals")
    found = parser.parse_args()
    if unknown := set(found.names) - set(EXPERIMENTS):
        parser.error(
            f"no experiment {', '.join(sorted(unknown))}; there are {', '.join(EXPERIMENTS)}"
        )
    options = Options(found.data, found.steps, found.tables or LARGE, found.proposals or PROPOSALS)
    warnings.simplefilter("ignore", slp.SlpWarning)
    for name in found.names or EXPERIMENTS:
        print(f"\n{name}\n", flush=True)
        EXPERIMENTS[name](options)


if __name__ == "__main__":
    main()
