"""Metropolis-Hastings over sequences of edits in the C++ core (`native/core/mh/edits.hpp`).

It makes the transitions of `EditMetropolisHastings`, the specification, many at a time, and writes
sequences down as that does; the random numbers are its own (see `slp.infer.mh.compiled`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from slp.infer.boxes import Geometry
from slp.infer.compiled.problem import MEASURES, core_problem
from slp.infer.distribution import ScoredTree
from slp.infer.edits.engine import EditMetropolisHastings
from slp.infer.edits.process import EditProcess
from slp.infer.mh.core_chains import (
    CoreChains,
    CoreProposal,
    CoreTests,
    core_proposal,
    core_tests,
    seeds,
)
from slp.infer.mh.names import read_names
from slp.infer.run import Json, Outcome, Stop, never, until
from slp.ir.program import Constraint, EditPrior, Predicate, Support
from slp.ir.tree_grammar import TreeGrammar
from slp.kernels.mh import mh_kernels
from slp.trees import Tree

__all__ = ["CompiledEditMetropolisHastings", "CoreEdits", "core_sampler", "edits_are_compiled"]

#: The core's `EditState`: a sequence and the turns of the proposals; never changed.
CoreEdits: TypeAlias = Any

_NO_LIMIT = 2**32 - 1


def edits_are_compiled(constraints: Iterable[Constraint]) -> bool:
    """Whether the core can run; it asks no predicates about trees that were edited."""
    return mh_kernels() is not None and not any(isinstance(c, Predicate) for c in constraints)


class CompiledEditMetropolisHastings(CoreChains[EditMetropolisHastings]):
    """Chains over sequences of edits (a `slp.infer.run.BlockEngine`), as `EditMetropolisHastings`
    with the same arguments, where `edits_are_compiled`.

    Attributes
    ----------
    given : the given tree as it fits the table.

    Raises
    ------
    UsageError
        E516: there is no such proposal here.
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
    ) -> None:
        constraints = tuple(constraints)
        core = mh_kernels()
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
        super().__init__(plain, named, likelihood)
        self.given = plain.given
        self._identity = {**self.plain.identity, "kernel": "compiled"}
        self.sampler = core_sampler(
            core,
            core_problem(core, grammar, geometry.table, count_leaves=False),
            self.plain.process,
            tests=core_tests(grammar, constraints, geometry),
            constrained=bool(constraints),
            mixture=[core_proposal(n) for n in named],
        )

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Engine`."""
        return self._identity

    def init(self, rng: np.random.Generator, stop: Stop = never) -> CoreEdits:
        """A sequence in the support, as `EditMetropolisHastings.init`.

        Raises
        ------
        SlpError
            E519: none was found.
        SearchStoppedError
            See `Engine`.
        """
        return self.state_from_data(self.plain.state_to_data(self.plain.init(rng, stop)))

    def advance(
        self, rng: np.random.Generator, state: CoreEdits, n: int, tuning_from: int | None = None
    ) -> tuple[CoreEdits, Counter[tuple[str, Outcome]]]:
        """`n` steps at once (see `BlockEngine`). Nothing is tuned."""
        state, counts = self.sampler.advance(state, seeds(rng), self.power, n)
        return state, self.tally_of(counts)

    def log_score(self, state: CoreEdits) -> float:
        """log P(x) + power log L(x), as `EditTarget.log_score`."""
        return float(state.log_draw + self.power * state.log_likelihood)

    def record(self, state: CoreEdits) -> Json:
        """The edits, as `EditMetropolisHastings.record`."""
        return state.edits(self.sampler).reshape(-1, 3).tolist()

    def state_to_data(self, state: CoreEdits) -> Json:
        """See `Engine`."""
        return {"edits": self.record(state), "turns": list(state.turns)}

    def state_from_data(self, data: Json) -> CoreEdits:
        """See `Engine`."""
        edits = np.array(data["edits"], np.int32).reshape(-1)
        state = self.sampler.restore(edits, data["turns"])
        assert state is not None
        return state

    def tree(self, state: CoreEdits) -> Tree:
        """The tree that a sequence ends in, with canonical thresholds."""
        nodes = state.preorder().reshape(-1, 3)
        return self.tree_of(nodes, state.leaf_statistics(self.sampler))

    # --- what records stand for (`slp.infer.sampled_posterior.TreeSampler`) --------------------

    def scored(self, records: Sequence[Json], stop: Stop = never) -> list[ScoredTree]:
        """As `EditMetropolisHastings.scored`."""
        return [self._scored(record) for record in until(stop, records)]

    def _scored(self, record: Json) -> ScoredTree:
        state = self.state_from_data({"edits": record, "turns": [0] * len(self._names)})
        return ScoredTree(self.tree(state), math.nan, float(state.log_likelihood))


def core_sampler(
    core: Any,
    problem: Any,
    process: EditProcess,
    *,
    tests: CoreTests,
    constrained: bool,
    mixture: list[CoreProposal],
    most_edits: int = _NO_LIMIT,
) -> Any:
    """The core's `EditSampler` of a process. `most_edits` ends sequences, so that tests can list
    them all."""
    nodes = process.nodes
    return core.EditSampler(
        core.ExactEngine(problem),
        _preorder(process),
        process.p,
        MEASURES.index(nodes.measure),
        _NO_LIMIT if nodes.max_depth is None else min(nodes.max_depth, _NO_LIMIT),
        most_edits,
        constrained,
        *tests,
        mixture,
    )


def _preorder(process: EditProcess) -> list[tuple[int, float]]:
    """The given tree with canonical thresholds: features, -1 at leaves, and thresholds or codes of
    levels."""
    geometry = process.nodes.geometry
    out = []
    stack = [process.given]
    while stack:
        node = stack.pop()
        stack += reversed(node.parts)
        if node.cut is None:
            out.append((-1, 0.0))
            continue
        cut = geometry.cuts[node.cut]
        levels = geometry.table.features[cut.feature].levels
        if levels is not None:
            assert cut.level is not None
            out.append((cut.feature, float(levels.index(cut.level))))
        else:
            assert cut.threshold is not None
            out.append((cut.feature, cut.threshold))
    return out
