"""Times Metropolis-Hastings of the compiled core: iterations and effective draws per second of CPU.

    python benchmarks/mh.py [--data FOLDER] [--steps 200000] [--seconds S] [--boxes N] [NAME ...]
    python benchmarks/mh.py --predictions [--data FOLDER] [NAME ...]

NAME is one or more of breast_cancer, pima, pima_3 and pima_5 (quantile bins to a feature) and
kyphosis (files of FOLDER), each under `growtree`; without any, all run. Every proposal runs one
chain in one thread from a start of its own; a tenth of the steps is warm-up. With S it makes as
many steps as take S seconds of CPU. Effective draws are of the log posterior and of the number of
leaves, by Geyer's initial positive sequence on some 2,000 equally spaced states. N is the bound on
the boxes of a subtree that `q_exact` draws, 4096 by default, or, where the whole table fits, none.
One line of a Markdown table for each run.

With --predictions it times averages over 1000 draws for all rows of the table, in the core with one
thread and by the reference in NumPy, in turns.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import slp
from slp.data import read_frame
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.kernels import EnsembleKernel, reference
from slp.problem.new_rows import table_as_numbers
from slp.problem.tree_arrays import arrays_of_trees
from slp.runner import Phase

#: For each table its file, and the bins of each feature (None: its values).
TABLES = {
    "breast_cancer": ("breast_cancer_wisconsin_complete.csv", None),
    "pima": ("pima_diabetes.csv", None),
    "pima_3": ("pima_diabetes.csv", 3),
    "pima_5": ("pima_diabetes.csv", 5),
    "kyphosis": ("kyphosis.csv", None),
}
PROPOSALS = ("q_uc", "q_ind", "q_n(20)", "q_uc:0.8,q_ind:0.2")
#: On pima in addition.
EXACT = ("q_exact", "q_uc:0.95,q_exact:0.05")
SAMPLING = Phase(warm_up=False, step=1)
KEPT = 2000


def effective_draws(x: NDArray[np.float64]) -> float:
    """Effective number of draws for the mean of one chain, shape (T,) (Geyer 1992, Practical Markov
    chain Monte Carlo, section 3.3)."""
    n = len(x)
    centred = x - x.mean()
    spectrum = np.abs(np.fft.rfft(centred, 2 * n)) ** 2
    covariance = np.fft.irfft(spectrum)[:n] / n
    if covariance[0] <= 0:
        return 0.0
    pairs = (covariance[: n - n % 2] / covariance[0]).reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0)
    end = negative[0] if len(negative) else len(pairs)
    return float(n / max(2 * pairs[:end].sum() - 1, 1 / n))


def engine_of(
    name: str, folder: Path, proposal: str, boxes: float | None
) -> CompiledMetropolisHastings:
    """Chains under `growtree` on a table."""
    file, bins = TABLES[name]
    declared = "" if bins is None else f":- feature(_, [bins(quantile, {bins})])."
    model = slp.parse(f":- use(growtree). {declared}").compile(read_frame(folder / file), "y")
    return CompiledMetropolisHastings(
        model.grammar, model.table, proposal=proposal, most_boxes=boxes
    )


def run(
    name: str,
    proposal: str,
    seed: int,
    engine: CompiledMetropolisHastings,
    steps: int | None,
    seconds: float | None,
) -> str:
    """One line of the report, of `steps` or, if None, of as many as fill the seconds."""
    rng = np.random.default_rng(seed)
    state = engine.init(rng)
    if steps is None:
        assert seconds is not None
        steps = steps_in(engine, rng, state, seconds)
    state, _ = engine.advance(rng, state, steps // 10, SAMPLING)
    block = max(1, steps // KEPT)
    score, leaves = np.empty((2, KEPT))
    accepted = 0
    started = time.process_time()
    for i in range(KEPT):
        state, info = engine.advance(rng, state, block, SAMPLING)
        accepted += sum(n for (_, outcome), n in info.tally.items() if outcome == "accepted")
        score[i] = state.log_draw + state.log_excess + state.log_likelihood
        leaves[i] = state.n_leaves
    took, made = time.process_time() - started, KEPT * block
    return (
        f"| {name} | {proposal} | {seed} | {made / took:,.0f} | {accepted / made:.1%} | "
        f"{effective_draws(score) / took:,.2f} | {effective_draws(leaves) / took:,.2f} | "
        f"{score.mean():.2f} | {score.max():.2f} |"
    )


def steps_in(
    engine: CompiledMetropolisHastings, rng: np.random.Generator, state: object, seconds: float
) -> int:
    """Some number of steps that take as long as that, by the pace of a tenth of the time."""
    made, started = 0, time.process_time()
    while (took := time.process_time() - started) < seconds / 10:
        state, _ = engine.advance(rng, state, 10, SAMPLING)
        made += 10
    return int(made / took * seconds)


def predictions(name: str, folder: Path) -> str:
    """Seconds of averages over 1000 draws for all rows, in the core and by the reference, the
    median of five turns, and how far they are apart."""
    engine = engine_of(name, folder, "q_uc", None)
    table, rng = engine.table, np.random.default_rng(1)
    state, trees = engine.init(rng), []
    for _ in range(1000):
        state, _ = engine.advance(rng, state, 500, SAMPLING)
        trees.append(engine.tree(state))
    rows, shares = table_as_numbers(table), np.full(len(trees), 1 / len(trees))

    def averages(ensemble: EnsembleKernel) -> NDArray[np.float64]:
        statistics = ensemble.sums(np.ascontiguousarray(table.statistics), rows, 1)
        return ensemble.average(table.leaf.predict_proba(statistics), shares, rows, 1)

    compiled = arrays_of_trees(table, trees).ensemble()
    with patch("slp.kernels._choose_kernels", lambda: ("reference", reference)):
        plain = arrays_of_trees(table, trees).ensemble()
    times = np.empty((5, 2))
    for turn in times:
        found = []
        for i, ensemble in enumerate((compiled, plain)):
            started = time.process_time()
            found.append(averages(ensemble))
            turn[i] = time.process_time() - started
    core, slow = np.median(times, axis=0)
    apart = np.abs(found[0] - found[1]).max()
    return f"| {name} | {len(rows)} | {core:.3f} | {slow:.3f} | {slow / core:.0f} | {apart:.1e} |"


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--boxes", type=float)
    parser.add_argument("--predictions", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.names) - set(TABLES):
        parser.error(f"no table {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    names = options.names or list(TABLES)
    if options.predictions:
        print("| table | rows | core, s | reference, s | times | apart |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        for name in names:
            print(predictions(name, options.data), flush=True)
        return
    heads = (
        "table | proposal | seed | iterations/s | accepted | effective/s | of leaves | mean | best"
    )
    print(f"| {heads} |")
    print("| --- | --- |" + " ---: |" * 7)
    steps = options.steps if options.seconds is None else None
    for name in names:
        for proposal in (*PROPOSALS, *(EXACT if name.startswith("pima") else ())):
            engine = engine_of(name, options.data, proposal, options.boxes)
            for seed in (1, 2):
                print(run(name, proposal, seed, engine, steps, options.seconds), flush=True)


if __name__ == "__main__":
    main()
