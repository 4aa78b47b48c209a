"""Which weight a cut between ordered levels should have, by exact sums over small trees.

A table has a true feature x of two values, with P(y = 1 | x) = 0.3 or 0.7, and a factor. A node
splits with probability 1/2, on either feature with equal probability; leaves are Beta(1, 1). The
sums over all trees are exact. Cuts of the factor are one level against the rest (`levels`), or lie
between neighbours in the order of the levels' shares of y = 1 (docs/design/ordered-levels.md). The
order is from all rows of the box, or from a fixed half of them (`half`). A cut weighs 1 / (number
of cuts listed), or under `partition` 1 / (2^(k-1) - 1), for the k levels of the box.

The prior of a table is the same sum without likelihood. A true factor has P(y = 1) = 0.05 in half
of its levels and 0.95 in the others, and x is noise.

    python benchmarks/ordered_levels.py [--tables 100] [--factor noise|true] [--levels 1000]

With `--engine` an engine runs on the tables, under `growtree` and without a limit of depth: without
the factor, with one level against the rest, and with `[subsets(ordered)]`.

    python benchmarks/ordered_levels.py --engine mh --factor noise

With `--times` the compiled and the plain code make one tree by `modal`, and steps of `mh`.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import betaln, logsumexp

import slp
from slp.compile import compile_problem
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.engines.shared.growth.core import core_engine, grow_in_core
from slp.engines.shared.growth.plan import Plan
from slp.reference.boxes import Geometry
from slp.reference.local_process import LocalProcess
from slp.reference.mh.chains import MetropolisHastings
from slp.reference.modal.growth import PlainGrower
from slp.runner import Phase

Floats = NDArray[np.float64]
#: The ways to cut the factor, and whether the order is from half of the rows, and the weight.
WAYS = ("without", "levels", "plain", "half", "partition", "half partition")


class Node(NamedTuple):
    """Log of the sum over trees of weight times likelihood, that without the trees that use the
    factor, and the mean of P(y = 1) over trees for each value of x and level, shape (2, K)."""

    log_sum: float
    log_without: float
    mean: Floats


class Cuts(NamedTuple):
    """The cuts of the factor in a box: its levels in order, of each cut how many go left (under
    `levels` the place of the only one), and the log weight of any cut."""

    order: NDArray[np.int64]
    n_left: NDArray[np.int64]
    log_weight: float


def cuts_of(counts: Floats, way: str) -> Cuts | None:
    """Of a box with the counts (half, x, level, class)."""
    by_level = counts.sum(axis=(0, 1))
    here = np.flatnonzero(by_level.sum(axis=1) > 0)
    k = len(here)
    if k < 2 or way == "without":
        return None
    if way == "levels":
        n = np.arange(1, k + 1 if k > 2 else 2)
        return Cuts(here, n, -np.log(len(n)))
    own = (counts[0].sum(axis=0) if way.startswith("half") else by_level)[here]
    total = own.sum(axis=1)
    mean = own[:, 1].sum() / max(total.sum(), 1)  # of levels that the half of the rows lacks
    share = np.where(total > 0, own[:, 1] / np.maximum(total, 1), mean)
    by = np.argsort(share, kind="stable")
    n = np.flatnonzero(np.diff(share[by]) > 0) + 1
    if not len(n):
        return None
    if way in ("plain", "half"):
        return Cuts(here[by], n, -np.log(len(n)))
    return Cuts(here[by], n, -((k - 1) * np.log(2) + np.log1p(-(2.0 ** (1 - k)))))


def marginal(counts: Floats) -> Floats:
    """Log marginal likelihood of leaves, counts (..., 2)."""
    return betaln(counts[..., 0] + 1, counts[..., 1] + 1)


def sums(counts: Floats, depth: int, way: str, likelihood: float) -> Node:
    """The sums over trees of a box, of counts (half, x, level, class)."""
    both = counts.sum(axis=(0, 1, 2))
    leaf = likelihood * float(marginal(both))
    mean = np.full(counts.shape[1:3], (both[1] + 1) / (both.sum() + 2))
    if depth == 0:
        return Node(leaf, leaf, mean)
    half = np.log(0.5)
    parts, without, means = [half + leaf], [half + leaf], [mean]
    by_x = counts.sum(axis=(0, 2, 3))
    cuts = cuts_of(counts, way)
    has_x = bool((by_x > 0).all())
    chosen = half - np.log(max(1, has_x + (cuts is not None)))
    if has_x:
        sides = [np.where(np.arange(2)[None, :, None, None] == x, counts, 0) for x in (0, 1)]
        own = [sums(s, depth - 1, way, likelihood) for s in sides]
        parts.append(chosen + own[0].log_sum + own[1].log_sum)
        without.append(chosen + own[0].log_without + own[1].log_without)
        means.append(np.stack([own[0].mean[0], own[1].mean[1]]))
    if cuts is not None:
        for n in cuts.n_left:
            inside = np.zeros(counts.shape[2], np.bool_)
            if way == "levels":
                inside[cuts.order[n - 1]] = True
            else:
                inside[cuts.order[:n]] = True
            told = np.zeros_like(inside)
            told[cuts.order] = True
            left = np.where(inside[None, None, :, None], counts, 0)
            a, b = (sums(s, depth - 1, way, likelihood) for s in (left, counts - left))
            parts.append(chosen + cuts.log_weight + a.log_sum + b.log_sum)
            share = left.sum() / counts.sum()
            untold = share * a.mean + (1 - share) * b.mean
            means.append(np.where(told, np.where(inside, a.mean, b.mean), untold))
    weight = np.exp(np.array(parts) - logsumexp(parts))
    return Node(
        float(logsumexp(parts)), float(logsumexp(without)), np.tensordot(weight, np.array(means), 1)
    )


def table(rng: np.random.Generator, n: int, k: int, factor: str, effect: Floats) -> Floats:
    """Counts (half, x, level, class) of n rows."""
    x, level, h = rng.integers(2, size=n), rng.integers(k, size=n), rng.integers(2, size=n)
    p = np.where(x == 1, 0.7, 0.3) if factor == "noise" else effect[level]
    y = (rng.random(n) < p).astype(int)
    out = np.zeros((2, 2, k, 2))
    np.add.at(out, (h, x, level, y), 1)
    return out


#: What a program says of the factor.
SAID = {
    "without": ":- ignore(factor).",
    "levels": "",
    "ordered": ":- feature(factor, [subsets(ordered)]).",
}
#: Chains without tempering, of a length that a hundred tables allow.
OPTIONS: dict[str, dict[str, Any]] = {
    "mh": {"draws": 200, "chains": 1, "rungs": 1, "rounds": 1, "warmup": 1000, "thin": 10}
}


def frame_of(counts: Floats) -> pl.DataFrame:
    """The rows of a table."""
    of = counts.sum(axis=0).astype(int)
    x, level, y = np.repeat(np.argwhere(of > 0), of[of > 0], axis=0).T
    return pl.DataFrame({"factor": [f"l{code:05}" for code in level], "x": x, "y": y})


def run_engine(own: argparse.Namespace) -> None:
    """Posteriors by an engine, as the table of docs/design/ordered-levels.md has them."""
    programs = {way: slp.parse(f":- use(growtree). {said}") for way, said in SAID.items()}
    used = {way: [] for way in SAID}
    loss = {way: [] for way in SAID}
    right = {way: [] for way in SAID}
    seconds = {way: 0.0 for way in SAID}
    for seed in range(own.tables):
        rng = np.random.default_rng(seed)
        effect = np.where(rng.random(own.levels) < 0.5, 0.05, 0.95)
        train, test = (
            frame_of(table(rng, own.rows, own.levels, own.factor, effect)) for _ in range(2)
        )
        for way, program in programs.items():
            began = time.perf_counter()
            posterior = program.posterior(
                train, engine=own.engine, seed=1, **OPTIONS.get(own.engine, {})
            )
            seconds[way] += time.perf_counter() - began
            p = posterior.predict_proba(test.drop("y"))[np.arange(own.rows), test["y"].to_numpy()]
            loss[way].append(-float(np.log(p).mean()))
            right[way].append(float((p > 0.5).mean()))
            factor = posterior.split_probabilities().get("factor")
            used[way].append(0.0 if factor is None else factor.probability)
    print(
        f"{own.engine}: {own.factor} factor of {own.levels} levels, {own.rows} rows, "
        f"{own.tables} tables"
    )
    print("way      P(used) (s.e.)    loss - without (s.e.)  accuracy  s a run")
    for way in SAID:
        u, d, root = np.array(used[way]), np.subtract(loss[way], loss["without"]), own.tables**0.5
        print(
            f"{way:8s} {u.mean():.4f} ({u.std(ddof=1) / root:.4f})  "
            f"{d.mean():+.6f} ({d.std(ddof=1) / root:.6f})  {np.mean(right[way]):.3f}  "
            f"{seconds[way] / own.tables:.1f}"
        )


def show_times(own: argparse.Namespace) -> None:
    """Seconds of the compiled and of the plain code on one table."""
    rng = np.random.default_rng(0)
    effect = np.where(rng.random(own.levels) < 0.5, 0.05, 0.95)
    frame = frame_of(table(rng, own.rows, own.levels, own.factor, effect))
    text = f":- use(growtree). {SAID['ordered']}"
    problem = compile_problem(slp.parse(text).ir, frame.drop("y"), frame["y"])
    geometry = Geometry(problem.grammar, problem.table)
    process = LocalProcess(problem.grammar, geometry)
    on = (problem.grammar, problem.table)
    engine = core_engine(problem)

    def chain(stepper: Any, n: int) -> Callable[[], object]:
        own_rng = np.random.default_rng(1)
        state = stepper.init(own_rng)
        state, _ = stepper.advance(own_rng, state, n, Phase(warm_up=False, step=1))
        return lambda: stepper.advance(own_rng, state, n, Phase(warm_up=False, step=1))

    mixture = "q_uc:0.5,cgm:0.5"
    compiled = CompiledMetropolisHastings(*on, proposal=mixture)
    plain = MetropolisHastings(problem.grammar, geometry, proposal=mixture, process=process)
    print(f"{own.factor} factor of {own.levels} levels, {own.rows} rows; seconds")
    for name, work, n in (
        ("modal, compiled", lambda: grow_in_core(engine, problem.table, Plan(), room=2**30), 1),
        ("modal, plain", PlainGrower(process, Plan()).grow, 1),
        ("mh, compiled, for 1,000 steps", chain(compiled, 1000), 1000),
        ("mh, plain, for 1,000 steps", chain(plain, 200), 200),
    ):
        began = time.perf_counter()
        work()
        of_thousand = (time.perf_counter() - began) * (1000 / n if n > 1 else 1)
        print(f"{name:32s} {of_thousand:.3f}")


def main() -> None:
    arg = argparse.ArgumentParser(description=__doc__)
    arg.add_argument("--tables", type=int, default=100)
    arg.add_argument("--factor", choices=("noise", "true"), default="noise")
    arg.add_argument("--levels", type=int, default=1000)
    arg.add_argument("--rows", type=int, default=2000)
    arg.add_argument("--depth", type=int, default=2)
    arg.add_argument("--ways", nargs="*", default=WAYS)
    arg.add_argument("--engine", choices=("exact", "mh", "smc", "modal", "search"))
    arg.add_argument("--times", action="store_true")
    own = arg.parse_args()
    warnings.simplefilter("ignore", slp.SlpWarning)
    if own.times:
        show_times(own)
    if own.engine is not None:
        run_engine(own)
    if own.times or own.engine is not None:
        return
    used = {way: [] for way in own.ways}
    prior = {way: [] for way in own.ways}
    loss = {way: [] for way in own.ways}
    right = {way: [] for way in own.ways}
    for seed in range(own.tables):
        rng = np.random.default_rng(seed)
        effect = np.where(rng.random(own.levels) < 0.5, 0.05, 0.95)
        train, test = (table(rng, own.rows, own.levels, own.factor, effect) for _ in range(2))
        for way in own.ways:
            found, before = (sums(train, own.depth, way, power) for power in (1.0, 0.0))
            used[way].append(-np.expm1(min(0.0, found.log_without - found.log_sum)))
            prior[way].append(-np.expm1(min(0.0, before.log_without - before.log_sum)))
            told = test.sum(axis=0)
            p = np.stack([1 - found.mean, found.mean], axis=2)
            loss[way].append(float(-(told * np.log(p)).sum() / told.sum()))
            right[way].append(float((told * (p >= 0.5)).sum() / told.sum()))
    base = np.array(loss[own.ways[0]])
    print(
        f"{own.factor} factor of {own.levels} levels, {own.rows} rows, {own.tables} tables, "
        f"depth {own.depth}"
    )
    print("way              P(used) (s.e.)      its prior   loss - first (s.e.)   accuracy")
    for way in own.ways:
        u, d = np.array(used[way]), np.array(loss[way]) - base
        root = np.sqrt(own.tables)
        print(
            f"{way:15s}  {u.mean():.4g} ({u.std(ddof=1) / root:.2g})  {np.mean(prior[way]):.4g}  "
            f"{d.mean():+.5f} ({d.std(ddof=1) / root:.5f})  {np.mean(right[way]):.3f}"
        )


if __name__ == "__main__":
    main()
