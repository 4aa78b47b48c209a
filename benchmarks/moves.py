"""Times the moves of chains in the compiled core by the size of the table, and compares mixtures.

    python benchmarks/moves.py [--rows N ...] [--seconds S]
    python benchmarks/moves.py --tables FOLDER [--seconds S] [NAME ...]

The first form prints steps for each second of CPU of every move, one thread, under `growtree`, on
made tables of N rows (1000 to 1,000,000) and six numeric features. Each is timed for S seconds from
the same tree, which `informed` and `cgm` moves have found. The last column is the peak memory of
the process so far, with table and grammar.

The second form compares mixtures on real tables: by mixture, from four starts each, the highest log
posterior after S seconds of CPU, and R-hat and the effective draws of the log posterior over the
second half of the four chains, for each second.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import numpy as np

import slp
from slp.data import read_frame, table_of
from slp.data.table import Table
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.ir.program import CheckedProgram
from slp.lower import program_to_tree_grammar
from slp.runner import Phase

MOVES = ("q_uc", "cgm", "wu", "rotate", "perturb", "informed", "twig", "q_pg", "q_pg(10 optimal)")
ROWS = (1000, 10_000, 100_000, 1_000_000)
TABLES = {
    "haberman": "haberman.csv",
    "pima": "pima_diabetes.csv",
    "heart": "heart_statlog.csv",
    "breast_cancer": "breast_cancer_wisconsin_complete.csv",
    "german_credit": "german_credit.csv",
    "magic04": "magic04.csv",
}
MIXTURES = (
    "q_uc",
    "cgm",
    "informed",
    "q_uc:1,cgm:1",
    "q_uc:1,informed:1",
    "q_uc:4,informed:1",
    "q_uc:8,cgm:4,informed:2,perturb:1,rotate:1",
    "q_uc:20,cgm:10,informed:10,perturb:4,rotate:4,wu:1",
)
SAMPLING = Phase(warm_up=False, step=1)
FEATURES, FIRST_STEPS, BLOCKS = 6, 200, 200
#: From so many rows on, steps are timed one by one.
SLOW = 1_000_000


def chains(program: CheckedProgram, table: Table, proposal: str) -> CompiledMetropolisHastings:
    schema = table.schema(program.support.min_leaf)
    grammar = program_to_tree_grammar(program, schema, tests_on_trees=True)
    return CompiledMetropolisHastings(grammar, table, proposal=proposal)


def made_table(program: CheckedProgram, n: int) -> Table:
    """Classes that depend on a few thresholds, and noise."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(n, FEATURES))
    high = (x[:, 0] > 0.3) ^ (x[:, 1] > -0.5) ^ ((x[:, 2] > 0) & (x[:, 3] > 0.5))
    return table_of(program, x, rng.random(n) < np.where(high, 0.8, 0.2))


def speeds(sizes: list[int], seconds: float) -> None:
    """Prints one line for each size."""
    program = slp.parse(":- use(growtree).").ir
    print("| rows | leaves | " + " | ".join(f"`{m}`" for m in MOVES) + " | peak MiB |")
    for n in sizes:
        table = made_table(program, n)
        first = chains(program, table, "cgm:1,informed:1")
        rng = np.random.default_rng(2)
        state, _ = first.advance(rng, first.init(rng), FIRST_STEPS, SAMPLING)
        cells = []
        for move in MOVES:
            engine = chains(program, table, move)
            at = engine.load({"choices": first.record(state), "turns": [0]})
            steps, begin, block = 0, time.process_time(), 10 if n < SLOW else 1
            while (spent := time.process_time() - begin) < seconds:
                engine.advance(rng, at, block, SAMPLING)  # always from the same tree
                steps += block
            cells.append(f"{steps / spent:,.3g}" if steps < 10 else f"{steps / spent:,.0f}")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"| {n:,} | {state.n_leaves} | " + " | ".join(cells) + f" | {peak:.0f} |", flush=True)


def compare(folder: Path, names: list[str], seconds: float) -> None:
    """Prints one line for each table and mixture."""
    program = slp.parse(":- use(growtree).").ir
    print("| table | mixture | steps | best | R-hat | effective draws a second |")
    for name in names:
        table = table_of(program, read_frame(folder / TABLES[name]), None)
        for mixture in MIXTURES:
            engine = chains(program, table, mixture)
            runs = [trace(engine, seed, seconds) for seed in range(4)]
            steps = np.mean([s for s, _ in runs])
            values = np.array([v[len(v) // 2 :] for _, v in runs])
            print(
                f"| {name} | `{mixture}` | {steps:,.0f} | {max(v.max() for _, v in runs):.1f} "
                f"| {r_hat(values):.3f} | {effective(values) / (4 * seconds):.2f} |",
                flush=True,
            )


def trace(engine: CompiledMetropolisHastings, seed: int, seconds: float) -> tuple[int, np.ndarray]:
    """Steps made in some seconds of CPU; the log posterior after each of `BLOCKS` equal blocks."""
    rng = np.random.default_rng(seed)
    state = engine.init(rng)
    begin = time.process_time()
    trial = 0
    while time.process_time() - begin < seconds / 20:
        state, _ = engine.advance(rng, state, 50, SAMPLING)
        trial += 50
    block = max(1, trial * 20 // BLOCKS)
    out = []
    for _ in range(BLOCKS):
        state, _ = engine.advance(rng, state, block, SAMPLING)
        out.append(state.log_draw + state.log_excess + state.log_likelihood)
    return trial + block * BLOCKS, np.array(out)


def r_hat(values: np.ndarray) -> float:
    """Split R-hat of chains, shape (4, T)."""
    half = values.shape[1] // 2
    parts = np.concatenate([values[:, :half], values[:, half : 2 * half]])
    within = parts.var(axis=1, ddof=1).mean()
    between = half * parts.mean(axis=1).var(ddof=1)
    return float(np.sqrt(((half - 1) / half * within + between / half) / within))


def effective(values: np.ndarray) -> float:
    """Effective draws by ArviZ."""
    from arviz_stats.base import array_stats

    return float(array_stats.ess(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS))
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--tables", type=Path)
    options = parser.parse_args()
    if options.tables is None:
        speeds(options.rows, options.seconds)
    else:
        compare(options.tables, options.names or list(TABLES), options.seconds)


if __name__ == "__main__":
    main()
