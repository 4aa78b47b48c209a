"""Times the particle filter, and compares its evidence with exact sums.

    python benchmarks/smc.py speed [--data FOLDER] [--repeats 5]
    python benchmarks/smc.py evidence [--data FOLDER] [--seeds 200] [NAME ...]

`speed`: CPU seconds of one island in one thread, from the open root to whole trees, on 70 % of the
rows of magic04 and of pendigits (the training part of FOLDER), drawn at random; and the mean log
predictive probability and the accuracy on the other 30 %. The prior is that of Lakshminarayanan,
Roy & Teh (2013): `growtree_gap`, alpha 0.95, beta 0.5, a total concentration of 5 shared among the
classes.

`evidence`: for each seed a run of the engine on NAME (kyphosis, caesarian, haberman, iris with 4
bins to a feature; all without any) under `growtree`: how often log evidence is within two of its
errors of the exact one, the spread over the seeds over the median error, and of how many runs the
islands have 10 or more effective members. One line of a Markdown table for each setting.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import slp
from slp.engines.mcmc.trees import CompiledMetropolisHastings
from slp.engines.smc.compiled import CompiledParticleFilter
from slp.engines.smc.particles import FilterPlan
from slp.engines.smc.result import FilterResult
from slp.errors import SlpWarning
from slp.runner import Phase

#: Of each table its file and the number of its classes.
LARGE = {"magic04": ("magic04.csv", 2), "pendigits": ("pendigits_train.csv.gz", 10)}
#: Proposal and particles.
RUNS = (("prior", 1000), ("empirical", 1000), ("optimal", 10), ("optimal", 100))
#: Of each table its file and its bins.
SMALL = {
    "kyphosis": ("kyphosis.csv", None),
    "caesarian": ("caesarian.csv", None),
    "haberman": ("haberman.csv", None),
    "iris": ("iris.csv", 4),
}
#: Of the filter: particles, islands, proposal.
SETTINGS = ((1000, 40, "prior"), (10_000, 40, "prior"), (1000, 40, "optimal"))
NO_LIMIT = 1 << 40


def parts(data: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """70 % and 30 % of the rows."""
    order = np.random.default_rng(1).permutation(len(data))
    n = round(0.7 * len(data))
    return data[order[:n]], data[order[n:]]


def island(problem: Any, proposal: str, n: int, seed: int) -> tuple[float, float]:
    """CPU seconds of an island, and the log of its estimate."""
    base = CompiledMetropolisHastings(
        problem.grammar, problem.boxes, most_boxes=1, engine=problem.core
    )
    plan = FilterPlan(n, n, proposal, "breadth", "systematic", 0.5)
    stepper = CompiledParticleFilter(base, plan, FilterResult, NO_LIMIT, problem.core)
    rng = np.random.default_rng(seed)
    began = time.process_time()
    state = stepper.init(rng)
    while not stepper.done(state):
        state = stepper.advance(rng, state, stepper.longest_block, Phase(False, 1))[0]
    seconds = time.process_time() - began
    return seconds, float(np.logaddexp.reduce(state.log_weights())) - np.log(n)


def speed(folder: Path, repeats: int) -> None:
    """See the module."""
    print("| table | proposal | particles | CPU s | log predictive | accuracy | log evidence |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name, (file, n_classes) in LARGE.items():
        train, test = parts(pl.read_csv(folder / file))
        y = train.columns[-1]
        program = slp.parse(
            ":- use(growtree_gap, [alpha = 0.95, beta = 0.5])."
            f" :- leaf(dirichlet({5 / n_classes})). :- response('{y}')."
        )
        problem = program.compile(train)
        for proposal, n in RUNS:
            runs = [island(problem, proposal, n, seed) for seed in range(repeats)]
            how = {"islands": 1, "particles": n, "proposal": proposal, "draws": n, "seed": 1}
            found = program.posterior(train, engine="smc", threads=1, **how)
            proba = found.predict_proba(test)
            classes = list(map(str, found.table.leaf.classes))
            own = np.array([classes.index(str(label)) for label in test[y]])
            told = np.log(proba[np.arange(len(own)), own]).mean()
            right = (proba.argmax(axis=1) == own).mean()
            seconds, logs = np.median([s for s, _ in runs]), [x for _, x in runs]
            print(
                f"| {name} | {proposal} | {n} | {seconds:.3f} | {told:.3f} | {right:.3f} | "
                f"{np.min(logs):.0f} to {np.max(logs):.0f} |",
                flush=True,
            )


def evidence(folder: Path, seeds: int, names: list[str]) -> None:
    """See the module."""
    print("| table | particles | islands | proposal | within 2 errors | spread / error | enough |")
    print("| --- | ---: | ---: | --- | ---: | ---: | ---: |")
    for name in names or SMALL:
        file, bins = SMALL[name]
        data = pl.read_csv(folder / file)
        text = ":- use(growtree)."
        for column in data.columns[:-1] if bins else []:
            text += f" :- feature('{column}', [bins(quantile, {bins})])."
        text += f" :- response('{data.columns[-1]}')."
        program = slp.parse(text)
        want = program.posterior(data, engine="exact", draws=0).log_evidence
        for n, islands, proposal in SETTINGS:
            how = {"particles": n, "islands": islands, "proposal": proposal, "draws": islands}
            values, errors, enough = [], [], 0
            for seed in range(seeds):
                found = program.posterior(data, engine="smc", seed=seed, **how)
                values.append(found.log_evidence)
                errors.append(found.log_evidence_error)
                totals = [np.logaddexp.reduce(w) for w in found._result.averages.log_weights]
                shares = np.exp(np.array(totals) - np.max(totals))
                enough += shares.sum() ** 2 / (shares**2).sum() >= 10
            apart = np.abs(np.array(values) - want) / np.array(errors)
            spread = np.std(values, ddof=1) / np.median(errors)
            print(
                f"| {name} | {n} | {islands} | {proposal} | {(apart < 2).sum()} of {seeds} | "
                f"{spread:.2f} | {enough} |",
                flush=True,
            )


def main() -> None:
    """Read the arguments, run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("speed", "evidence"))
    parser.add_argument("names", nargs="*", help=", ".join(SMALL))
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=200)
    given = parser.parse_intermixed_args()
    warnings.simplefilter("ignore", SlpWarning)
    if given.what == "speed":
        speed(given.data, given.repeats)
    else:
        evidence(given.data, given.seeds, given.names)


if __name__ == "__main__":
    main()
