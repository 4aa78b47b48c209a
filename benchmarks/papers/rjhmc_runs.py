"""Runs of the experiments of RJHMC-Tree: chains, state by state, and their scores."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import slp
from benchmarks.smc import base_of, island
from slp.compile import compile_problem
from slp.engines import read_for
from slp.engines.rjhmc import SoftChains
from slp.engines.rjhmc.options import SoftTreeOptions
from slp.engines.shared.core_chains import seeds as seeds_of_core
from slp.engines.shared.filter_plan import FilterPlan
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.soft import SoftTrees
from slp.results.averages.weighted_draws import numbered
from slp.runner import Phase

#: Files that are not named after their table. `petals` is iris with a number as response.
FILES = {"iris": ("iris.csv", "iris/iris.csv"), "petals": ("iris/iris.csv",)}


@dataclass
class Chain:
    """What a chain, or a filter, did.

    Attributes
    ----------
    sampler : tells the trees of records.
    kind : of the averages over these trees.
    records : of the state after each iteration, or of each particle.
    seconds : CPU seconds.
    log_weights : of particles; those of states are 0.
    tried, accepted : moves of each iteration of a chain.
    gradients : of all iterations.
    """

    sampler: Any
    kind: type[DrawnTrees]
    records: list[Any] = field(default_factory=list)
    seconds: float = 0.0
    log_weights: Sequence[float] = ()
    tried: list[int] = field(default_factory=list)
    accepted: list[int] = field(default_factory=list)
    gradients: int = 0


def renamed(data: Path, table: str) -> pl.DataFrame:
    """A table with its response, the last column, as `y`."""
    files = [data / file for file in FILES.get(table, (f"{table}.csv",))]
    frame = pl.read_csv(next(file for file in files if file.exists()))
    if table == "petals":
        frame = frame[:, :-1]
    return frame.rename({frame.columns[-1]: "y"})


def parted(data: Path, table: str, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows to learn from, and rows for the test."""
    frame = renamed(data, table)
    if table == "cgm_train":
        return frame, renamed(data, "cgm_test")
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=seed)
    n = round(0.7 * len(mixed))
    return mixed[:n], mixed[n:]


def problem_of(engine: str, prior: str, train: pl.DataFrame, **parameters: float) -> Any:
    """The compiled table under a library prior."""
    return compile_problem(read_for(slp.load(prior, **parameters).ir, engine), train)


def soft_chain(problem: Any, options: SoftTreeOptions, n: int, seed: int) -> Chain:
    """A chain of HMC. The core says what it did: accepted, rejected and stayed of each jump, four
    numbers of sweeps and trajectories, and gradients."""
    chains, rng = SoftChains(problem, options, True), np.random.default_rng(seed)
    state, out = chains.init(rng), Chain(chains, SoftTrees)
    began = time.process_time()
    for k in range(n):
        warm_up = k < (options.warmup or 0)
        state, counts = chains.core.advance(state, seeds_of_core(rng), 1, warm_up, True)
        out.records.append(chains.record(state))
        out.tried.append(int(sum(counts[:9])))
        out.accepted.append(int(counts[0] + counts[3] + counts[6]))
        out.gradients += int(counts[13])
    out.seconds = time.process_time() - began
    return out


def chain_of_moves(problem: Any, proposal: str, moves: int, n: int, seed: int) -> Chain:
    """A chain of moves from tree to tree, so many in an iteration."""
    base, rng = base_of(problem, proposal), np.random.default_rng(seed)
    state, out = base.init(rng), Chain(base, DrawnTrees)
    began = time.process_time()
    for _ in range(n):
        state, info = base.advance(rng, state, moves, Phase(warm_up=False, step=1))
        out.records.append(base.record(state))
        out.tried.append(moves)
        out.accepted.append(sum(n for move, n in info.tally.items() if move.outcome == "accepted"))
    out.seconds = time.process_time() - began
    return out


def particles(problem: Any, n: int, seed: int) -> Chain:
    """One island of the particle filter, with the settings of its paper."""
    run = island(problem, FilterPlan(n, n, "prior", "breadth", "multinomial", 0.1), seed)
    records, log_weights = zip(*run.draws, strict=True)
    return Chain(base_of(problem), DrawnTrees, list(records), run.seconds, log_weights)


class Scores:
    """Accuracies, or mean squared errors, of the trees of a chain."""

    def __init__(
        self, problem: Any, chain: Chain, parts: dict[str, pl.DataFrame], first: int
    ) -> None:
        """Draws are the states from `first` on."""
        texts = [repr(record) for record in chain.records]
        distinct, (self._tree_of,) = numbered([texts])
        record_of = dict(zip(texts, chain.records, strict=True))
        trees = chain.sampler.scored(record_of[text] for text in distinct)
        logs = np.array(chain.log_weights or [0.0] * len(texts))
        weights = np.where(np.arange(len(texts)) < first, 0.0, np.exp(logs - logs.max()))
        #: Of each distinct tree.
        self._share = np.bincount(self._tree_of, weights / weights.sum())
        self._classes = list(map(str, problem.table.leaf.classes))
        averages = chain.kind(problem.table, trees, [np.arange(len(trees))], 1)
        leaves = averages.n_leaves
        self._told, self._wanted = {}, {}
        for name, part in parts.items():
            pieces = averages.predictions_by_tree(problem.table.new_rows(part))
            self._told[name] = np.concatenate(list(pieces), axis=1)
            self._wanted[name] = self._numbers(part["y"])
        self.leaves = float(self._share @ leaves)
        self.shares_of_leaves = np.bincount(leaves, self._share)

    def by_state(self, part: str) -> NDArray[np.float64]:
        """The score of each state."""
        return self._scores(self._told[part], part)[self._tree_of]

    def of_draws(self, part: str) -> tuple[float, float]:
        """The mean of the draws' scores, and the score of their mean prediction."""
        mean = np.tensordot(self._share, self._told[part], axes=1)[None]
        own = self._share @ self._scores(self._told[part], part)
        return float(own), float(self._scores(mean, part)[0])

    def _numbers(self, y: pl.Series) -> NDArray[Any]:
        if self._classes:
            return np.array([self._classes.index(str(label)) for label in y])
        return y.to_numpy()

    def _scores(self, told: NDArray[np.float64], part: str) -> NDArray[np.float64]:
        wanted = self._wanted[part]
        if self._classes:
            return np.asarray((told.argmax(axis=2) == wanted).mean(axis=1))
        return np.asarray(((told - wanted) ** 2).mean(axis=1))
