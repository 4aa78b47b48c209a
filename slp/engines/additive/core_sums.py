"""Backfitting in the C++ core (`native/core/additive`).

Each block of sweeps takes 256 random bits from the chain's stream to seed the core's generator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.engines.additive.numbers import SumOnTable
from slp.engines.shared.core_chains import core_engine, core_proposal, seeds
from slp.engines.shared.core_limits import core_moves
from slp.engines.shared.proposal_names import Named, read_names
from slp.engines.shared.starts import TRIES
from slp.kernels.compiled import compiled_core
from slp.problem.numbered_cuts import CoreCuts
from slp.problem.problem import Problem

if TYPE_CHECKING:
    from slp._core import SumSampler, TreeSum

#: The core's `TreeSum`.
CoreSum: TypeAlias = "TreeSum"

#: The moves of a tree, where each has one derivation, and else. `informed` and `twig` keep marginal
#: likelihoods from one move to the next, which here change with each tree.
_MOVES, _CUTS = "q_uc:2,cgm:2,perturb:1,rotate:1", "q_uc"

#: Moves of a tree in a sweep: one costs half of what it costs to take the tree out of the sum and
#: to put it back (docs/sums.md).
_MOVES_OF_TREE = 4


class SumParts(NamedTuple):
    """What a sum is, as plain arrays: the choices of all derivations, shape (N, 4), one tree after
    the other; how many each tree has, shape (M,); the values of leaves, shape (K,), and the weights
    of the table's rows in them; the variance of the noise; the log likelihood given all of
    these."""

    choices: NDArray[Any]
    sizes: NDArray[np.int32]
    values: NDArray[np.float64]
    rows: NDArray[np.float64]
    variance: float
    log_likelihood: float


class CoreSums:
    """The steps of chains over sums."""

    def __init__(self, problem: Problem, numbers: SumOnTable, likelihood: bool) -> None:
        core = compiled_core()
        assert core is not None
        named = proposals_of(problem)
        self.names = [one.full_name for one in named]
        self.engine = core_engine(problem.grammar, problem.table, problem.sampling_core)
        known, variance = numbers.variance is not None, numbers.variance
        self.sampler: SumSampler = core.SumSampler(
            self.engine,
            numbers.first,
            numbers.second,
            numbers.classes,
            [
                numbers.offset,
                numbers.tau**2,
                float(known),
                1.0 if variance is None else variance,
                numbers.nu,
                numbers.scale,
                numbers.within,
            ],
            [numbers.trees, _MOVES_OF_TREE, numbers.max_leaves, numbers.most_features],
            numbers.rising,
            likelihood,
            [core_proposal(one) for one in named],
        )
        self.cuts = CoreCuts(self.engine, problem.table)

    def start(self, rng: np.random.Generator) -> CoreSum | None:
        """A sum to start from; None if none was found."""
        return self.sampler.start(seeds(rng), TRIES)

    def advance(
        self, rng: np.random.Generator, state: CoreSum, n: int
    ) -> tuple[CoreSum, NDArray[np.uint64]]:
        """The sum after n sweeps, and the outcomes of each proposal."""
        return self.sampler.advance(state, seeds(rng), n)

    def parts(self, state: CoreSum) -> SumParts:
        """What a sum is."""
        choices, sizes = state.choices()
        whole = self.cuts.of_core(choices.reshape(-1, 4))
        rows = self.sampler.rows(state)
        return SumParts(whole, sizes, state.values(), rows, state.variance, state.log_likelihood)

    def restored(self, parts: SumParts) -> CoreSum:
        """The sum of these parts."""
        choices = self.cuts.to_core(parts.choices).ravel()
        of = parts.values, parts.variance, parts.log_likelihood
        state = self.sampler.restore(choices, parts.sizes, *of)
        assert state is not None
        return state


def proposals_of(problem: Problem) -> list[Named]:
    """The moves of a tree."""
    return read_names(_MOVES if core_moves(problem.grammar, _MOVES) else _CUTS)
