"""Metropolis-Hastings over proof trees in the C++ core (`native/core/mcmc`).

It makes the transitions of the plain chains, the specification, many at a time; the random numbers
are its own, so the two draw from the same distribution but not the same trees. Each block
of transitions takes 256 random bits from the chain's stream to seed the core's generator, so a
state holds no random numbers, and draws depend on where blocks begin and end, which the loop fixes
by the schedule alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.engines.registry import plain_engine
from slp.engines.shared.core_chains import (
    CALL,
    CoreChains,
    core_engine,
    core_proposal,
    core_tests,
    seeds,
)
from slp.engines.shared.core_limits import core_moves
from slp.engines.shared.digests import digest_of_grammar, digest_of_table
from slp.engines.shared.forward_runs import can_run_forward
from slp.engines.shared.proposal_names import MOST_BOXES, Named, mixture_of_names
from slp.engines.shared.size import items_of
from slp.engines.shared.starts import TRIES, no_start, search_stopped
from slp.engines.shared.tree_scorer import TreeScorer
from slp.ir.constraints import Constraint
from slp.ir.tree_grammar import CallRule, SplitRule, TreeGrammar
from slp.kernels.compiled import compiled_core
from slp.problem.ambiguity import derivations_are_trees
from slp.problem.numbered_cuts import CoreCuts, Cuts
from slp.problem.remembered import Remembered
from slp.problem.row_labels import telling_label_faults
from slp.problem.tree_on_table import canonical_nodes, place_tree
from slp.results.averages.over_trees import ScoredTrees
from slp.runner import LONGEST_BLOCK, BlockStoppedError, Info, Json, Phase, Stop, never, until
from slp.trees import Tree
from slp.trees.predicates import tree_predicates

if TYPE_CHECKING:
    from slp._core import ExactEngine, MHSampler, MHState

#: The core's `MHState`: a proof and the turns of the proposals; never changed.
CoreState: TypeAlias = "MHState"

#: Every goal fits under `q_exact` if the table's estimated number of items (boxes in states) is at
#: most this.
MOST_ITEMS = 2.0**20

#: Proofs drawn at once in the search for a start, a part of `TRIES`.
_TRIES_AT_ONCE = 100


class CompiledMetropolisHastings(CoreChains):
    """Chains over proofs of a grammar on a table.

    Parameters
    ----------
    constraints : the program's; the global ones among them are tested on every tree proposed.
    proposal : as in `slp.engines.shared.proposal_names`.
    likelihood : with False the chains draw from the prior.
    most_boxes : under `q_exact`, the bound of boxes that fit; by default `MOST_BOXES`, and without
        a limit where the whole table fits, by an estimate with a fixed seed.
    engine : the core's on grammar and table that counts no leaves (`Problem.sampling_core`), made
        here where it is not given.

    Raises
    ------
    UsageError
        E516: there is no such proposal.
    """

    sampler: MHSampler
    #: What chains begin at, where it is given.
    given_state: CoreState | None = None

    def __init__(
        self,
        grammar: TreeGrammar,
        table: Table,
        constraints: Iterable[Constraint] = (),
        *,
        proposal: str = "q_uc",
        likelihood: bool = True,
        most_boxes: float | None = None,
        engine: ExactEngine | None = None,
    ) -> None:
        constraints = tuple(constraints)
        core = compiled_core()
        assert core is not None
        assert core_moves(grammar, proposal)
        self._predicates = tree_predicates(constraints)
        self._answers: Remembered[bytes, bool] = Remembered()
        self.longest_block = 1 if self._predicates else LONGEST_BLOCK  # they may take seconds
        problem = core_engine(grammar, table, engine)
        if most_boxes is None:
            # The estimate takes seconds on large tables, and only `q_exact` needs it.
            exactly = "q_exact" in proposal
            small = exactly and items_of(problem) <= MOST_ITEMS
            most_boxes = math.inf if small else MOST_BOXES
        make = partial(_sampler, core, problem, grammar, table, constraints, most_boxes)
        named = mixture_of_names(proposal, lambda: make([]).root_fits())
        super().__init__(grammar, table, constraints, named, likelihood)
        self.normalised = grammar.normalised and grammar.max_leaves is None
        self.engine, self.sampler, self.ladder_type = problem, make(named), core.MHLadder
        self._scorer = TreeScorer(core, problem, table, grammar.by_partition)
        self.cuts = CoreCuts(problem, table)
        self._identity = {
            "program": digest_of_grammar(grammar, constraints),
            "table": digest_of_table(table),
            "proposal": proposal,
            "target": "posterior" if likelihood else "prior",
            "kernel": f"compiled, {most_boxes:g}",
        }

    @cached_property
    def draws_prior(self) -> bool:
        """See `CoreChains`."""
        return can_run_forward(self.grammar)

    @cached_property
    def derivations_are_trees(self) -> bool:
        """Whether it is certain that no tree has two proofs."""
        return derivations_are_trees(self.grammar)

    def begin_at(self, tree: Tree) -> None:
        """Begin at the heaviest proof of a tree.

        Raises
        ------
        UsageError
            E549: the tree has no prior probability.
        """
        record, name = plain_engine("mh").heaviest_proof(
            self.grammar, self.table, self.constraints, tree
        )
        self.given_state = self.derivation_from_data(record)
        self._identity = {**self._identity, "first tree": name}

    def init(self, rng: np.random.Generator, stop: Stop = never) -> CoreState:
        """A proof in the support, drawn from the local process, or the given one.

        Raises
        ------
        SlpError
            E517: none was found.
        SearchStoppedError
            See `Stepper`.
        """

        if self.given_state is not None:
            return self.given_state

        def agreed_in_time(state: CoreState) -> bool:
            if stop():
                raise search_stopped(self.constraints)
            return self._agreed(state)

        predicate = agreed_in_time if self._predicates else None
        derived = 0
        for _ in range(TRIES // _TRIES_AT_ONCE):
            if stop():
                raise search_stopped(self.constraints)
            state, n = self.sampler.start(seeds(rng), _TRIES_AT_ONCE, predicate)
            if state is not None:
                return state
            derived += n
        raise no_start(derived, self.constraints)

    def advance(
        self,
        rng: np.random.Generator,
        state: CoreState,
        n: int,
        phase: Phase,
    ) -> tuple[CoreState, Info]:
        """`n` steps at once. Nothing is tuned.

        Raises
        ------
        BudgetError
            E501: the orders of levels need more memory than there is.
        """
        self.check_room()
        asked = self.predicate(phase.stop)
        state, counts = self.sampler.advance(state, seeds(rng), self.power, n, asked)
        return state, Info(self.tally_of(counts))

    def predicate(self, stop: Stop) -> Callable[[CoreState], bool] | None:
        """See `CoreChains`."""

        def agreed_in_time(state: CoreState) -> bool:
            if stop():
                raise BlockStoppedError
            return self._agreed(state)

        return agreed_in_time if self._predicates else None

    def _agreed(self, state: CoreState) -> bool:
        """Whether the predicates hold. Each is asked once of a tree: to make the tree takes longer
        than a step, and ladders come back to many."""
        choices = blake2b(state.choices().tobytes(), digest_size=16).digest()
        answer = self._answers.get(choices)
        if answer is None:
            tree = self.tree(state)
            answer = all(predicate(tree) for predicate in self._predicates)
            self._answers[choices] = answer
        return answer

    def load(self, data: Json) -> CoreState:
        """See `Stepper`."""
        return self._with_choices(self.cuts.of_data(data["choices"], 4), data["turns"])

    def _with_choices(self, choices: Cuts, turns: Sequence[int] | None = None) -> CoreState:
        """The state of these choices, one row for each goal."""
        at_first = [0] * len(self._names) if turns is None else turns
        state: CoreState = self.restored(self.cuts.to_core(choices), at_first)
        return state

    def record(self, state: CoreState) -> Json:
        """The choices of the proof: four numbers for each goal in preorder, the rule's, and of a
        split the feature's and the two codes that are neighbours (feature -1: a leaf, -2: a
        call)."""
        return self.record_of(state.choices())

    def record_of(self, choices: NDArray[np.int32]) -> Json:
        """The record of choices that the core wrote."""
        return self.cuts.of_core(choices.reshape(-1, 4)).ravel().tolist()

    def tree(self, state: CoreState) -> Tree:
        """The tree that a proof derives, with canonical thresholds."""
        nodes = self.cuts.of_core(state.choices().reshape(-1, 4))[:, 1:]
        return self.tree_of(nodes, state.leaf_statistics(self.sampler))

    # --- what records stand for (`slp.results.record.sampler.TreeSampler`) ---------------------

    def scored(self, records: Iterable[Json], stop: Stop = never) -> ScoredTrees:
        """See `TreeSampler`."""
        self.sampler.free_buffers()  # those of the chains' threads
        nodes, states = [], []
        for record in until(stop, records):
            choices = self.cuts.of_data(record, 4)
            state = self._with_choices(choices)
            nodes.append(choices[:, 1:])
            weight = float(state.log_draw + state.log_excess)
            fit = float(state.log_likelihood)
            states.append((state.leaf_statistics(self.sampler), weight, fit))
        self.sampler.free_buffers()
        found = self.trees_of(nodes, states)
        if self.derivations_are_trees:
            return found
        weights = self._scorer.log_weights([own[own[:, 0] != CALL] for own in nodes], stop)
        n = int(np.append(np.isnan(weights), True).argmax())  # those before the first that is none
        return replace(found.take(np.arange(n)), log_weight=weights[:n])

    def log_weights_of(self, trees: Iterable[Tree]) -> NDArray[np.float64]:
        """Log weights of U trees, each over all its proofs, without tests on finished trees, shape
        (U,)."""
        placed = [place_tree(self.table, tree) for tree in trees]
        nodes = [None if own is None else canonical_nodes(own) for own in placed]
        assert all(own is not None for own in nodes), "drawn trees part the table's rows"
        return self._scorer.log_weights([own for own in nodes if own is not None])

    @property
    def rule_grammar(self) -> TreeGrammar | None:
        """See `slp.results.record.sampler.TreeSampler`."""
        return self.grammar

    def n_nodes(self, record: Json) -> int:
        """See `TreeSampler`."""
        return len(record) // 4

    def rules_taken(self, record: Json) -> list[tuple[int, int]]:
        """See `slp.results.record.sampler.TreeSampler`."""
        grammar, features = self.grammar, self.table.features
        out: list[tuple[int, int]] = []
        stack = [grammar.start]
        for rule, f, low, high in zip(*(record[i::4] for i in range(4)), strict=True):
            out.append((stack.pop(), rule))
            taken = grammar.states[out[-1][0]].rules[rule]
            if isinstance(taken, CallRule):
                stack.append(taken.state)
            elif isinstance(taken, SplitRule):
                cell = features[f].kind.cell(low, high, grammar.breakpoints[f])
                left, right = taken.transitions[f][cell].tolist()
                stack += [right, left]
        return out

    def log_weight(self, tree: Tree) -> float:
        """See `TreeSampler`. Tests on finished trees use the given tree: under the measure
        `partition`, with its own features."""
        with telling_label_faults(self.grammar, self.table):
            weight = self._scorer.log_weight(tree)
        if weight == -math.inf:
            return weight
        placed = place_tree(self.table, tree)
        nodes = None if placed is None else canonical_nodes(placed)
        assert nodes is not None  # it has a weight
        state = self.sampler.tree(self.cuts.to_core(nodes))
        assert state is not None  # as nodes are canonical
        holds = self.sampler.holds(state) and (not self._predicates or self._agreed(state))
        return weight if holds else -math.inf


def _sampler(
    core: Any,
    problem: ExactEngine,
    grammar: TreeGrammar,
    table: Table,
    constraints: tuple[Constraint, ...],
    most_boxes: float,
    named: list[Named],
) -> MHSampler:
    """The core's `MHSampler`."""
    tests = core_tests(grammar, constraints, table)
    mixture = [core_proposal(n) for n in named]
    sampler: MHSampler = core.MHSampler(problem, *tests, mixture, most_boxes)
    return sampler
