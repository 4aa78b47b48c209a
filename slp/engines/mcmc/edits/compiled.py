"""Metropolis-Hastings over sequences of edits in the C++ core (`native/core/mcmc/edits.hpp`).

It makes the transitions of `EditMetropolisHastings`, the specification, many at a time, and writes
sequences down as that does; the random numbers are its own (see `slp.engines.mcmc.trees.compiled`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from slp.columns import Below
from slp.data.table import Table
from slp.engines.mcmc.edits.chains import EditMetropolisHastings
from slp.engines.mcmc.edits.start import no_edits, nothing_found
from slp.engines.mcmc.trees.core_chains import (
    CoreChains,
    CoreProposal,
    CoreTests,
    core_engine,
    core_proposal,
    core_tests,
    seeds,
)
from slp.engines.mcmc.trees.names import read_names
from slp.ir.constraints import Constraint, Support
from slp.ir.program import MEASURES, EditPrior, Measure
from slp.ir.tree_grammar import TreeGrammar
from slp.kernels.compiled import compiled_core
from slp.problem.boxes import Geometry
from slp.problem.core import core_for
from slp.problem.tree_on_table import canonical_nodes, place_tree
from slp.results.averages.over_trees import ScoredTree
from slp.runner import Info, Json, Phase, SearchStoppedError, Stop, never, until
from slp.trees import Tree

#: The core's `EditState`: a sequence and the turns of the proposals; never changed.
CoreEdits: TypeAlias = Any

_NO_LIMIT = 2**32 - 1


def edits_are_compiled(constraints: Iterable[Constraint], table: Table) -> bool:
    """Whether the core can run; it does not call predicates on edited trees."""
    own = list(constraints)
    return core_for(table, own) is not None and not any(c.by_code for c in own)


class CompiledEditMetropolisHastings(CoreChains[EditMetropolisHastings]):
    """Chains over sequences of edits, as `EditMetropolisHastings` with the same arguments, where
    `edits_are_compiled`. `engine` is the core's on grammar and table that counts no leaves
    (`Problem.sampling_core`); it is made here where it is not given.

    Attributes
    ----------
    given : the given tree as it fits the table.

    Raises
    ------
    UsageError
        E516: the text names no proposals.
    """

    def __init__(
        self,
        grammar: TreeGrammar,
        geometry: Geometry,
        prior: EditPrior,
        support: Support,
        constraints: Iterable[Constraint] = (),
        *,
        proposal: str = "q_uc",
        likelihood: bool = True,
        engine: Any = None,
    ) -> None:
        constraints = tuple(constraints)
        core = compiled_core()
        assert core is not None
        plain = EditMetropolisHastings(
            grammar,
            geometry,
            prior,
            support,
            constraints,
            proposal=proposal,
            likelihood=likelihood,
        )
        named = read_names(proposal)
        table = geometry.table
        self._sizes, self._least = table.sizes(grammar.min_leaf, grammar.min_weight)
        self._max_depth = support.max_depth
        super().__init__(plain, named, likelihood)
        self.given = plain.given
        self._identity = {**self.plain.identity, "kernel": "compiled"}
        engine = core_engine(grammar, geometry, engine)
        self._sampler_of = partial(
            core_sampler,
            core,
            engine,
            geometry.table,
            p=prior.p,
            measure=prior.measure,
            max_depth=support.max_depth,
            tests=core_tests(grammar, constraints, geometry),
            constrained=bool(constraints),
            mixture=[core_proposal(n) for n in named],
        )
        self.sampler, self.ladder_type = self._sampler_of(self.given), core.EditLadder

    def init(self, rng: np.random.Generator, stop: Stop = never) -> CoreEdits:
        """A sequence in the support, as `EditMetropolisHastings.init`.

        Raises
        ------
        SlpError
            E519: none was found.
        SearchStoppedError
            See `Stepper`.
        """
        for number in range(self.sampler.tries):
            if stop():
                raise SearchStoppedError(nothing_found())
            state = self.sampler.start(seeds(rng), number)
            if state is not None:
                return state
        raise no_edits()

    def advance(
        self, rng: np.random.Generator, state: CoreEdits, n: int, phase: Phase
    ) -> tuple[CoreEdits, Info]:
        """`n` steps at once. Nothing is tuned."""
        state, counts = self.sampler.advance(state, seeds(rng), self.power, n)
        return state, Info(self.tally_of(counts))

    def record(self, state: CoreEdits) -> Json:
        """The edits, as `EditMetropolisHastings.record`."""
        return state.edits(self.sampler).reshape(-1, 3).tolist()

    def tree(self, state: CoreEdits) -> Tree:
        """The tree that a sequence ends in, with canonical thresholds."""
        nodes = state.preorder().reshape(-1, 3)
        return self.tree_of(nodes, state.leaf_statistics(self.sampler))

    # --- what records stand for (`slp.results.record.sampler.TreeSampler`) ---------------------

    def scored(self, records: Sequence[Json], stop: Stop = never) -> list[ScoredTree]:
        """As `EditMetropolisHastings.scored`."""
        self.sampler.free_buffers()  # those of the chains' threads
        found = [self._scored(record) for record in until(stop, records)]
        self.sampler.free_buffers()
        return found

    def _scored(self, record: Json) -> ScoredTree:
        state = self.derivation_from_data(record)
        return ScoredTree(self.tree(state), math.nan, float(state.log_likelihood))

    def log_weight(self, tree: Tree) -> float:
        """-inf off the support, else NaN."""
        table = self.geometry.table
        placed = place_tree(table, tree)
        if placed is None or (self._max_depth is not None and tree.depth > self._max_depth):
            return -math.inf
        leaves = [placed.rows_of(node) for node in placed.nodes if node.feature < 0]
        if min(int(self._sizes[rows].sum()) for rows in leaves) < self._least:
            return -math.inf
        sampler = self._sampler_of(tree)
        state = sampler.restore(np.empty(0, np.int32), [0] * len(self._names))
        return math.nan if sampler.holds(state) else -math.inf


def core_sampler(
    core: Any,
    engine: Any,
    table: Table,
    given: Tree,
    *,
    p: float,
    measure: Measure,
    max_depth: int | None,
    tests: CoreTests,
    constrained: bool,
    mixture: list[CoreProposal],
    most_edits: int = _NO_LIMIT,
) -> Any:
    """The core's `EditSampler` of a tree that fits the table. `most_edits` ends sequences, so that
    tests can list them all."""
    return core.EditSampler(
        engine,
        _preorder(table, given),
        p,
        MEASURES.index(measure),
        _NO_LIMIT if max_depth is None else min(max_depth, _NO_LIMIT),
        most_edits,
        constrained,
        *tests,
        mixture,
    )


def _preorder(table: Table, given: Tree) -> list[tuple[int, float]]:
    """The given tree with canonical thresholds: features, -1 at leaves, and thresholds or codes of
    levels."""
    placed = place_tree(table, given)
    nodes = None if placed is None else canonical_nodes(placed)
    assert nodes is not None
    out = []
    for f, low, high in nodes.tolist():
        if f < 0:
            out.append((-1, 0.0))
            continue
        test = table.features[f].kind.test(low, high)
        out.append((f, float(test.number) if isinstance(test, Below) else float(low)))
    return out
