"""Times Metropolis-Hastings of the compiled core: iterations and effective draws per second.

    python benchmarks/mh.py [--data FOLDER] [--steps 200000] [NAME ...]

NAME is one or more of breast_cancer, pima, kyphosis (files of FOLDER), each under `growtree`;
without any, all run. Every proposal runs one chain on one core from a start of its own, a tenth of
the steps as warm-up. Effective draws are of the log likelihood, by Geyer's initial positive
sequence on 2,000 equally spaced states. One line of a Markdown table for each run.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import slp
from slp.data import read_frame
from slp.infer.boxes import Geometry
from slp.infer.mh.compiled import CompiledMetropolisHastings

FILES = {
    "breast_cancer": "breast_cancer_wisconsin_complete.csv",
    "pima": "pima_diabetes.csv",
    "kyphosis": "kyphosis.csv",
}
PROPOSALS = ("q_uc", "q_ind", "q_n(20)", "q_uc:0.8,q_ind:0.2")
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


def run(name: str, folder: Path, proposal: str, steps: int, seed: int) -> str:
    """One line of the report."""
    compiled = slp.parse(":- use(growtree).").compile(read_frame(folder / FILES[name]), "y")
    geometry = Geometry(compiled.grammar, compiled.table)
    engine = CompiledMetropolisHastings(compiled.grammar, geometry, proposal=proposal)
    rng = np.random.default_rng(seed)
    state, _ = engine.advance(rng, engine.init(rng), steps // 10)
    block = max(1, steps // KEPT)
    trace = np.empty(KEPT)
    accepted = made = 0
    started = time.perf_counter()
    for i in range(KEPT):
        state, tally = engine.advance(rng, state, block)
        accepted += sum(n for (_, outcome), n in tally.items() if outcome == "accepted")
        made += block
        trace[i] = state.log_likelihood
    seconds = time.perf_counter() - started
    return (
        f"| {name} | {proposal} | {seed} | {made / seconds:,.0f} | {accepted / made:.1%} | "
        f"{effective_draws(trace) / seconds:,.2f} | {trace.mean():.2f} | {trace.max():.2f} |"
    )


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--steps", type=int, default=200_000)
    options = parser.parse_args()
    if unknown := set(options.names) - set(FILES):
        parser.error(f"no table {', '.join(sorted(unknown))}; there are {', '.join(FILES)}")
    print("| table | proposal | seed | iterations/s | accepted | effective/s | mean log L | best |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in options.names or FILES:
        for proposal in PROPOSALS:
            for seed in (1, 2):
                print(run(name, options.data, proposal, options.steps, seed), flush=True)


if __name__ == "__main__":
    main()
