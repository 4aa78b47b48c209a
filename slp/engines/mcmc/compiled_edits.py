"""Metropolis-Hastings over sequences of edits in the C++ core (`native/core/mcmc/edits.hpp`).

It makes the transitions of the plain chains, the specification, many at a time, and writes
sequences down as they do; the random numbers are its own (see
`slp.engines.shared.compiled_proofs`).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from slp.data.table import Table
from slp.engines.shared.core_chains import (
    CoreChains,
    CoreProposal,
    CoreTests,
    core_engine,
    core_proposal,
    core_tests,
    seeds,
)
from slp.engines.shared.core_limits import why_not_in_core
from slp.engines.shared.digests import digest_of_grammar, digest_of_table
from slp.engines.shared.proposal_names import read_names
from slp.engines.shared.starts import no_edits, search_of_edits_stopped
from slp.ir.constraints import Constraint, Support
from slp.ir.program import MEASURES, EditPrior, Measure
from slp.ir.tree_grammar import TreeGrammar
from slp.kernels.compiled import compiled_core
from slp.problem.tree_on_table import canonical_nodes, place_tree
from slp.results.averages.over_trees import ScoredTrees
from slp.results.record.edits import result_of_edits
from slp.results.record.sampler import ToResult
from slp.runner import Info, Json, Phase, Stop, never, until
from slp.trees import Tree, fit_tree

if TYPE_CHECKING:
    from slp._core import EditSampler, EditState, ExactEngine

#: The core's `EditState`: a sequence and the turns of the proposals; never changed.
CoreEdits: TypeAlias = "EditState"

_NO_LIMIT = 2**32 - 1


def why_not_edited(constraints: Iterable[Constraint], table: Table) -> str | None:
    """Why the core does not run, as the end of a sentence; None if it does."""
    own = list(constraints)
    if any(c.by_code for c in own):
        return "asks no predicates about edited trees"
    return why_not_in_core(own, table)


class CompiledEditMetropolisHastings(CoreChains):
    """Chains over sequences of edits of a given tree, where `why_not_edited` says nothing.

    Parameters
    ----------
    grammar : of all trees that satisfy the constraints decided at splits and leaves; its weights
        and measures do not matter.
    prior, support : the given tree is made to fit the table and the support first.
    constraints : the program's; they are tested on the tree that a sequence ends in.
    proposal : as in `slp.engines.shared.proposal_names`, one that cuts at a choice point.
    likelihood : with False the chains draw from the prior.
    engine : the core's on grammar and table that counts no leaves (`Problem.sampling_core`); made
        here where it is not given.

    Attributes
    ----------
    given : the given tree as it fits the table.
    normalised : whether the prior is the process of edits itself, without constraints that exclude
        trees.
    derivations_are_trees : False, as many sequences of edits end in one tree.

    Raises
    ------
    UsageError
        E516: the text names no proposals.
    """

    sampler: EditSampler
    over_edits = draws_prior = True
    derivations_are_trees = False
    rule_grammar = None

    def __init__(
        self,
        grammar: TreeGrammar,
        table: Table,
        prior: EditPrior,
        support: Support,
        constraints: Iterable[Constraint] = (),
        *,
        proposal: str = "q_uc",
        likelihood: bool = True,
        engine: ExactEngine | None = None,
    ) -> None:
        constraints = tuple(constraints)
        core = compiled_core()
        assert core is not None
        named = read_names(proposal)
        super().__init__(grammar, table, constraints, named, likelihood)
        self.given = fit_tree(prior.given, table, support)[0]
        self.normalised = not constraints and grammar.max_leaves is None
        self._sizes, self._least = table.sizes(grammar.min_leaf, grammar.min_weight)
        self._max_depth = support.max_depth
        self._identity = {
            **identity_of_edits(grammar, table, constraints, prior, self.given),
            "proposal": proposal,
            "target": "posterior" if likelihood else "prior",
            "kernel": "compiled",
        }
        self.engine = core_engine(grammar, table, engine)
        self._sampler_of = partial(
            core_sampler,
            core,
            self.engine,
            table,
            p=prior.p,
            measure=prior.measure,
            max_depth=support.max_depth,
            tests=core_tests(grammar, constraints, table),
            constrained=bool(constraints),
            mixture=[core_proposal(n) for n in named],
        )
        self.sampler, self.ladder_type = self._sampler_of(self.given), core.EditLadder

    @property
    def to_result(self) -> ToResult:
        """See `slp.results.record.sampler.TreeSampler`."""
        return result_of_edits

    def init(self, rng: np.random.Generator, stop: Stop = never) -> CoreEdits:
        """A sequence in the support.

        Raises
        ------
        SlpError
            E519: none was found.
        SearchStoppedError
            See `Stepper`.
        """
        for number in range(self.sampler.tries):
            if stop():
                raise search_of_edits_stopped()
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
        """The edits: kind, place and choice of each."""
        return state.edits(self.sampler).reshape(-1, 3).tolist()

    # --- what records stand for (`slp.results.record.sampler.TreeSampler`) ---------------------

    def scored(self, records: Iterable[Json], stop: Stop = never) -> ScoredTrees:
        """The trees of records and their log likelihood. Their weight, a sum over infinitely many
        sequences, is not known: NaN."""
        self.sampler.free_buffers()  # those of the chains' threads
        nodes, states = [], []
        for record in until(stop, records):
            state = self.derivation_from_data(record)
            nodes.append(state.preorder().reshape(-1, 3))
            fit = float(state.log_likelihood)
            states.append((state.leaf_statistics(self.sampler), math.nan, fit))
        self.sampler.free_buffers()
        return self.trees_of(nodes, states)

    def n_nodes(self, record: Json) -> int:
        """See `TreeSampler`."""
        return 2 * (self.given.n_leaves + len(record))

    def rules_taken(self, record: Json) -> list[tuple[int, int]]:
        """See `TreeSampler`: no rules are known."""
        return []

    def log_weight(self, tree: Tree) -> float:
        """-inf off the support, else NaN."""
        placed = place_tree(self.table, tree)
        if placed is None or (self._max_depth is not None and tree.depth > self._max_depth):
            return -math.inf
        leaves = [placed.rows_of(node) for node in placed.nodes if node.feature < 0]
        if min(int(self._sizes[rows].sum()) for rows in leaves) < self._least:
            return -math.inf
        sampler = self._sampler_of(tree)
        state = sampler.restore(np.empty(0, np.int32), [0] * len(self._names))
        assert state is not None  # no edits are left to fit
        return math.nan if sampler.holds(state) else -math.inf


def identity_of_edits(
    grammar: TreeGrammar,
    table: Table,
    constraints: tuple[Constraint, ...],
    prior: EditPrior,
    given: Tree,
) -> Mapping[str, str]:
    """What tells a program and a table from others: digests, `given` is the tree as it fits."""
    settings = f"{prior.p!r} {prior.measure} {json.dumps(given.to_dict())}"
    program = digest_of_grammar(grammar, constraints)
    return {
        "program": program + hashlib.sha256(settings.encode()).hexdigest(),
        "table": digest_of_table(table),
    }


def core_sampler(
    core: Any,
    engine: ExactEngine,
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
) -> EditSampler:
    """The core's `EditSampler` of a tree that fits the table. `most_edits` ends sequences, so that
    tests can list them all."""
    sampler: EditSampler = core.EditSampler(
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
    return sampler


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
        out.append((f, float(low) if test.by_level else table.features[f].kind.operands(test)[0]))
    return out
