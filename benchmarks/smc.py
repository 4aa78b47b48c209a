"""Times the particle filter, and compares its evidence with exact sums.

    python benchmarks/smc.py speed [--data FOLDER] [--repeats 5]
    python benchmarks/smc.py evidence [--data FOLDER] [--seeds 200] [NAME ...]

`speed`: CPU seconds of one island in one thread, from the open root to whole trees, on 70 % of the
rows of magic04 and of pendigits (the training part of FOLDER), drawn at random; the mean log
predictive probability and the accuracy on the other 30 %; and the peak memory of the process so
far. Then the same of 1000 moves of `cgm` from the tree that 100,000 moves found, whose predictions
are averages over the first 100,000. The prior is that of Lakshminarayanan,
Roy & Teh (2013): `growtree_gap`, alpha 0.95, beta 0.5, a total concentration of 5 shared among the
classes.

`evidence`: for each seed a run of the engine on NAME (kyphosis, caesarian, haberman, iris with 4
bins to a feature; all without any) under `growtree`: how often log evidence is within two of its
errors of the exact one, the spread over the seeds over the median error, and of how many runs the
islands have 10 or more effective members. One line of a Markdown table for each setting.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import slp
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.engines.shared.filter_plan import FilterPlan
from slp.engines.smc.compiled import CompiledParticleFilter
from slp.errors import SlpWarning
from slp.results.averages.drawn_trees import DrawnTrees
from slp.runner import Phase

LARGE = {"magic04": "magic04.csv", "pendigits": "pendigits_train.csv.gz"}
#: Proposal and particles.
RUNS = (("prior", 1000), ("empirical", 1000), ("optimal", 10), ("optimal", 100))
#: For each table its file and its bins.
SMALL = {
    "kyphosis": ("kyphosis.csv", None),
    "caesarian": ("caesarian.csv", None),
    "haberman": ("haberman.csv", None),
    "iris": ("iris.csv", 4),
}
#: Of the filter: particles, islands, proposal.
SETTINGS = ((1000, 40, "prior"), (10_000, 40, "prior"), (1000, 40, "optimal"))
NO_LIMIT = 1 << 40
CGM_STEPS = 100_000
SAMPLING = Phase(warm_up=False, step=1)


def parts(data: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """70 % and 30 % of the rows."""
    order = np.random.default_rng(1).permutation(len(data))
    n = round(0.7 * len(data))
    return data[order[:n]], data[order[n:]]


@dataclass(frozen=True)
class Run:
    """An island, or a chain: its CPU seconds, the log of its estimate (NaN of a chain), and its
    draws, records with log weights."""

    seconds: float
    log_estimate: float
    draws: list[Any]


def base_of(problem: Any, proposal: str = "q_uc") -> CompiledMetropolisHastings:
    """Chains on a problem, in one thread."""
    return CompiledMetropolisHastings(
        problem.grammar,
        problem.table,
        proposal=proposal,
        most_boxes=1,
        engine=problem.sampling_core,
    )


def island(problem: Any, plan: FilterPlan, seed: int) -> Run:
    """An island, from the open root to whole trees."""
    stepper = CompiledParticleFilter(base_of(problem), plan, NO_LIMIT)
    rng = np.random.default_rng(seed)
    began = time.process_time()
    state = stepper.init(rng)
    while not stepper.done(state):
        state = stepper.advance(rng, state, stepper.longest_block, SAMPLING)[0]
    seconds = time.process_time() - began
    estimate = float(np.logaddexp.reduce(state.log_weights())) - np.log(plan.n)
    return Run(seconds, estimate, [(w.record, w.log_weight) for w in stepper.draws(state)])


def chain(problem: Any, proposal: str, steps: int, draws: int, seed: int) -> Run:
    """A chain without warm-up, of which every `steps / draws`-th state is kept."""
    base, rng, seconds, kept = base_of(problem, proposal), np.random.default_rng(seed), 0.0, []
    state = base.init(rng)
    for _ in range(draws):
        began = time.process_time()
        state = base.advance(rng, state, steps // draws, SAMPLING)[0]
        seconds += time.process_time() - began
        kept.append((base.record(state), 0.0))
    return Run(seconds, np.nan, kept)


def predictions(problem: Any, runs: list[Run], rows: Any) -> np.ndarray:
    """Class probabilities of rows, averaged over the draws of islands by their weights."""
    base = base_of(problem)
    table, every = problem.table, [draw for run in runs for draw in run.draws]
    trees = base.scored([record for record, _ in every])
    ends = np.cumsum([0, *(len(run.draws) for run in runs)])
    chains = [np.arange(a, b) for a, b in itertools.pairwise(ends)]
    weights = [np.array([log_weight for _, log_weight in run.draws]) for run in runs]
    return DrawnTrees(table, trees, chains, 1, None, weights).predictions(table.new_rows(rows))


def scores(problem: Any, probabilities: np.ndarray, y: pl.Series) -> tuple[float, float]:
    """Mean log predictive probability, and accuracy."""
    classes = list(map(str, problem.table.leaf.classes))
    own = np.array([classes.index(str(label)) for label in y])
    told = np.log(probabilities[np.arange(len(own)), own]).mean()
    return float(told), float((probabilities.argmax(axis=1) == own).mean())


def program_of(
    table: pl.DataFrame, alpha: float = 0.95, beta: float = 0.5, total: float = 5
) -> slp.Program:
    """The prior of the paper on a table whose last column is the response; `total` is the
    concentration of all classes together."""
    y = table.columns[-1]
    return slp.parse(
        f":- use(growtree_gap, [alpha = {alpha}, beta = {beta}])."
        f" :- leaf(dirichlet({total / table[y].n_unique()})). :- response('{y}')."
    )


def peak_mebibytes() -> float:
    """Peak memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def speed(folder: Path, repeats: int) -> None:
    """See the module."""
    print("| table | run | CPU s | log predictive | accuracy | log evidence | peak MiB |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name, file in LARGE.items():
        train, test = parts(pl.read_csv(folder / file))
        problem, y = program_of(train).compile(train), train.columns[-1]
        for proposal, n in RUNS:
            plan = FilterPlan(n, n, proposal, "breadth", "systematic", 0.5)
            runs = [island(problem, plan, seed) for seed in range(repeats)]
            told, right = scores(problem, predictions(problem, runs[:1], test), test[y])
            seconds, logs = np.median([r.seconds for r in runs]), [r.log_estimate for r in runs]
            print(
                f"| {name} | `{proposal}`, {n} particles | {seconds:.3f} | {told:.3f} | "
                f"{right:.3f} | {min(logs):.0f} to {max(logs):.0f} | {peak_mebibytes():.0f} |",
                flush=True,
            )
        runs = [chain(problem, "cgm", CGM_STEPS, 1000, 1)]
        told, right = scores(problem, predictions(problem, runs, test), test[y])
        seconds = thousand_moves(problem, runs[0].draws[-1][0], repeats)
        print(
            f"| {name} | 1000 moves of `cgm` | {seconds:.3f} | {told:.3f} | {right:.3f} | | "
            f"{peak_mebibytes():.0f} |",
            flush=True,
        )


def thousand_moves(problem: Any, record: Any, repeats: int) -> float:
    """CPU seconds of 1000 moves of `cgm` from a tree; the median."""
    base, rng, found = base_of(problem, "cgm"), np.random.default_rng(1), []
    state = base.load({"choices": record, "turns": [0]})
    for _ in range(repeats):
        began = time.process_time()
        base.advance(rng, state, 1000, SAMPLING)
        found.append(time.process_time() - began)
    return float(np.median(found))


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
