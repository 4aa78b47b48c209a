"""Chains over trees and the parameters that have a prior in place of a value.

The target is pi(j, x) proportional to

    v_j w_j(x) L(x)^b

of a node j of a rule of quadrature with the weight v_j, and a derivation x with the weight w_j(x)
at the node's values. The weights of all derivations sum to 1 at each node, so v_j is the prior
probability of the node: where they do not, this is refused (E307).

A chain moves x at its node as chains over trees do, and then draws the node anew given x, with the
probability v_j w_j(x) / sum over i of v_i w_i(x): a Gibbs step, which is never rejected. The
likelihood does not depend on the node, so the step is the same at every power b.

Draws are of trees alone: the posterior of a parameter is the average over them of what a tree says
of it, P(j | tree) = v_j w_j(tree) / sum over i (`slp.results.record.moved_parameters`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings, CoreState
from slp.engines.shared.core_chains import seeds
from slp.engines.shared.records import RecordsOf
from slp.problem.parameter_nodes import ParameterNodes
from slp.problem.problem import Problem
from slp.problem.sum_arrays import SumArrays
from slp.problem.tree_arrays import TreeArrays
from slp.results.averages.over_trees import ScoredTrees
from slp.results.record.moved_parameters import result_of_moved_parameters
from slp.results.record.sampler import ToResult
from slp.runner import ChainStepper, Info, Json, Phase, Stop, Tally, never
from slp.trees import Tree

#: Nodes of the rule for each of one, or of two parameters.
_NODES = {1: 16, 2: 8}
#: Steps between two draws of the node: it costs as much as some 50 of them.
_STEPS = 100


@dataclass(frozen=True, eq=False)
class AtNode:
    """The state of a chain: the number of a node, and a derivation as the core's state there."""

    node: int
    own: CoreState


class ChainsOverParameters(RecordsOf[CompiledMetropolisHastings], ChainStepper[AtNode]):
    """The chains; `base` are those at the first node. `how` is as of
    `CompiledMetropolisHastings`."""

    def __init__(self, problem: Problem, **how: Any) -> None:
        self.nodes = ParameterNodes.of(problem.program, _NODES[len(problem.program.unknown)])
        self.samplers = [
            CompiledMetropolisHastings(
                own.grammar, own.table, own.program.constraints, engine=own.sampling_core, **how
            )
            for own in self.nodes.problems(problem)
        ]
        super().__init__(self.samplers[0])
        self.longest_block = self.base.longest_block

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        of = [sampler.identity["program"] for sampler in self.samplers]
        of.append(repr(self.nodes.log_weights.tolist()))
        program = blake2b("".join(of).encode(), digest_size=16).hexdigest()
        return {**self.base.identity, "program": program}

    @property
    def to_result(self) -> ToResult:
        """See `TreeSampler`."""
        return result_of_moved_parameters

    # --- steps ---------------------------------------------------------------------------------

    def init(self, rng: np.random.Generator, stop: Stop = never) -> AtNode:
        """A node by its prior probability, and a derivation of its local process, which is a draw
        of the prior."""
        node = int(rng.choice(len(self.samplers), p=np.exp(self.nodes.log_weights)))
        return AtNode(node, self.samplers[node].init(rng, stop))

    def drawn(self, rng: np.random.Generator) -> AtNode:
        """An independent draw of the prior, whatever chains are to begin at."""
        node = int(rng.choice(len(self.samplers), p=np.exp(self.nodes.log_weights)))
        own, _ = self.samplers[node].sampler.start(seeds(rng), 1, None)
        assert own is not None, "where the weights of trees sum to 1 no derivation fails"
        return AtNode(node, own)

    def begin_at(self, tree: Tree) -> None:
        """Begin at the heaviest proof of a tree at each node. Raises as
        `CompiledMetropolisHastings.begin_at`."""
        for sampler in self.samplers:
            sampler.begin_at(tree)

    def advance(
        self, rng: np.random.Generator, state: AtNode, n: int, phase: Phase
    ) -> tuple[AtNode, Info]:
        """`n` steps; after each hundred of them the node is drawn anew."""
        self.base.check_room()
        tally: Tally = Counter()
        for first in range(0, n, _STEPS):
            steps = min(_STEPS, n - first)
            state, counts = self.moved(rng, state, self.base.power, steps)
            tally += self.base.tally_of(counts)
        return state, Info(tally)

    def moved(
        self, rng: np.random.Generator, state: AtNode, power: float, n: int
    ) -> tuple[AtNode, NDArray[np.uint64]]:
        """The state after `n` steps at a power of the likelihood and a draw of the node, and the
        core's counts of the steps."""
        sampler = self.samplers[state.node].sampler
        own, counts = sampler.advance(state.own, seeds(rng), power, n, None)
        return self.at_new_node(rng, own), counts

    def at_new_node(self, rng: np.random.Generator, own: CoreState) -> AtNode:
        """A derivation at a node that is drawn given it."""
        choices, turns = own.choices().ravel(), list(own.turns)
        states = [s.sampler.restore(choices, turns) for s in self.samplers]
        log_weights = np.array(
            [-np.inf if x is None else x.log_draw + x.log_excess for x in states]
        )
        log_weights += self.nodes.log_weights
        chances = np.exp(log_weights - np.logaddexp.reduce(log_weights))
        node = int(rng.choice(len(states), p=chances / chances.sum()))
        found = states[node]
        assert found is not None
        return AtNode(node, found)

    def turned(self, state: AtNode, of: AtNode) -> AtNode:
        """The derivation and the node of a state, with the turns of the proposals of another."""
        choices, turns = state.own.choices(), list(of.own.turns)
        return replace(state, own=self.samplers[state.node].restored(choices, turns))

    # --- records -------------------------------------------------------------------------------

    def record(self, state: AtNode) -> Json:
        """The record of its derivation, as of `CompiledMetropolisHastings`."""
        return self.base.record(state.own)

    def dump(self, state: AtNode) -> Json:
        """See `Stepper`."""
        return {**self.samplers[state.node].dump(state.own), "node": state.node}

    def load(self, data: Json) -> AtNode:
        """See `Stepper`."""
        assert 0 <= data["node"] < len(self.samplers)
        return AtNode(data["node"], self.samplers[data["node"]].load(data))

    def scored(self, records: Iterable[Json], stop: Stop = never) -> ScoredTrees:
        """See `TreeSampler`: weights are averages over the parameters."""
        found = self.base.scored(records, stop)
        assert not isinstance(found.trees, SumArrays)
        weights = self.log_weights_at_nodes(found.trees)
        return replace(found, log_weight=np.logaddexp.reduce(weights, axis=1))

    def log_weights_at_nodes(self, trees: TreeArrays | Sequence[Tree]) -> NDArray[np.float64]:
        """log of v_j w_j(tree) of U trees at J nodes, over all derivations, shape (U, J)."""
        each = [sampler.log_weights_of(trees) for sampler in self.samplers]
        return np.stack(each, axis=1).reshape(len(trees), -1) + self.nodes.log_weights

    def log_weight(self, tree: Tree) -> float:
        """See `TreeSampler`: the average over the parameters."""
        weights = [sampler.log_weight(tree) for sampler in self.samplers]
        return float(np.logaddexp.reduce(np.array(weights) + self.nodes.log_weights))
