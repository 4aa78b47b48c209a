"""Chains over soft trees, for the shared loop: states are the core's `SoftChain`, never changed.

Each block of steps takes 256 random bits from the chain's stream to seed the core's generator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from slp.data.table import Table
from slp.engines.rjhmc.core_sampler import core_sampler
from slp.engines.rjhmc.options import SoftTreeOptions
from slp.engines.rjhmc.result import result_of_soft_trees
from slp.engines.rjhmc.soft_data import ranges_of, soft_data
from slp.engines.shared.core_chains import seeds
from slp.errors import NoTreeError
from slp.ir.tree_grammar import LeafRule, SplitRule, TreeGrammar
from slp.messages.chains import ALL_DRAWS_FAIL
from slp.problem.problem import Problem
from slp.results.averages.over_trees import ScoredTrees
from slp.results.averages.soft import soft_leaves
from slp.runner import ChainStepper, Info, Json, Move, MoveOutcome, Phase, Stop, Tally, never, until
from slp.trees import Tree
from slp.trees.soft import SoftLeaf, SoftNode, SoftSplit, SoftTree

if TYPE_CHECKING:
    from slp._core import SoftChain

#: The core's `SoftChain`.
CoreChain: TypeAlias = "SoftChain"

#: About so many values of features are read in a block of steps, which bounds the delay of Ctrl-C.
_READ_IN_BLOCK = 2e8
#: Gates of one row that a step computes, about.
_GATES_OF_STEP = 500

#: Trees that the core draws in search of a start.
_TRIES = 1000

_JUMPS = ("grow", "prune", "stay")
_OUTCOMES: tuple[MoveOutcome, ...] = ("accepted", "rejected", "stayed")


class SoftChains(ChainStepper[CoreChain]):
    """See the module; a `slp.results.record.sampler.TreeSampler`."""

    in_core, over_edits, derivations_are_trees = True, False, True
    to_result = staticmethod(result_of_soft_trees)

    def __init__(self, problem: Problem, options: SoftTreeOptions, likelihood: bool) -> None:
        warmup, thin = options.steps(len(problem.table.counts))
        options = replace(options, warmup=warmup, thin=thin)
        self.problem, self.options, self.likelihood = problem, options, likelihood
        self.data = soft_data(problem, options)
        self.core = core_sampler(problem, self.data, options, likelihood)
        self.longest_block = int(
            min(200, max(1, _READ_IN_BLOCK // (self.data.values.size * _GATES_OF_STEP)))
        )

    # --- the chain -----------------------------------------------------------------------------

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        own = self.options
        names = (
            "index",
            "tuning",
            "informed",
            "trajectories",
            "leapfrogs",
            "first_h",
            "concentration",
        )
        told = ", ".join(f"{name}={getattr(own, name)}" for name in names)
        program = self.problem.program
        rules = repr((program.start, program.rules, program.constraints, program.support))
        return {
            "engine": "rjhmc",
            "program": rules + repr(sorted(program.parameters.items())),
            "table": self.problem.table.digest,
            "options": f"{told}, warmup={own.warmup}",
            "likelihood": str(self.likelihood),
        }

    def init(self, rng: np.random.Generator, stop: Stop = never) -> CoreChain:
        """A tree drawn from the program, with parameters from their priors.

        Raises
        ------
        NoTreeError
            E517: the program draws no tree.
        """
        try:
            return self.core.start(seeds(rng))
        except ValueError as error:
            raise NoTreeError(ALL_DRAWS_FAIL(tries=_TRIES, refusals="", refused="")) from error

    def advance(
        self, rng: np.random.Generator, state: CoreChain, n: int, phase: Phase
    ) -> tuple[CoreChain, Info]:
        """See `Stepper`. Trajectories that diverged count as failed."""
        after, counts = self.core.advance(state, seeds(rng), n, phase.warm_up, True)
        tally: Tally = Counter()
        for j, jump in enumerate(_JUMPS):
            for o, outcome in enumerate(_OUTCOMES):
                tally[Move(jump, outcome)] += counts[3 * j + o]
        accepted, tried, trajectories, divergent, _ = counts[9:]
        tally[Move("feature", "accepted")] += accepted
        tally[Move("feature", "rejected")] += tried - accepted
        tally[Move("trajectory", "accepted")] += trajectories - divergent
        tally[Move("trajectory", "failed")] += divergent
        return after, Info(+tally)

    def record(self, state: CoreChain) -> Json:
        """See `ChainStepper`: features of the nodes in preorder, and unconstrained parameters."""
        return [state.features(self.core).tolist(), state.parameters().tolist()]

    def dump(self, state: CoreChain) -> Json:
        """See `Stepper`."""
        return [*self.record(state), state.tuning().tolist()]

    def load(self, data: Json) -> CoreChain:
        """See `Stepper`."""
        features, q, tuning = data
        numbers = np.array(q, np.float64), np.array(tuning, np.float64)
        return self.core.restore(np.array(features, np.int32), *numbers)

    # --- trees (`TreeSampler`) -----------------------------------------------------------------

    @property
    def table(self) -> Table:
        """See `TreeSampler`."""
        return self.problem.table

    @property
    def normalised(self) -> bool:
        """See `TreeSampler`."""
        return self.problem.grammar.normalised and self.problem.grammar.max_leaves is None

    @property
    def evidence_note(self) -> str | None:
        """See `TreeSampler`."""
        return None

    @property
    def scan(self) -> None:
        """See `TreeSampler`: chains are not tempered."""

    def tempering(self, states: Sequence[Any], share: float) -> None:
        """See `TreeSampler`: chains are not tempered."""

    @property
    def rule_grammar(self) -> TreeGrammar:
        """See `TreeSampler`."""
        return self.problem.grammar

    def n_nodes(self, record: Json) -> int:
        """See `TreeSampler`."""
        return len(record[0])

    def log_weight(self, tree: Tree) -> float:
        """See `TreeSampler`: of any tree NaN, as soft trees have densities."""
        return float("nan")

    def rules_taken(self, record: Json) -> list[tuple[int, int]]:
        """See `TreeSampler`."""
        grammar, out = self.problem.grammar, []
        waiting = [grammar.start]
        for feature in record[0]:
            state = waiting.pop()
            rules = grammar.states[state].rules
            kind = LeafRule if feature < 0 else SplitRule
            taken = next(r for r, rule in enumerate(rules) if isinstance(rule, kind))
            out.append((state, taken))
            rule = rules[taken]
            if isinstance(rule, SplitRule):
                at = self._first_feature if feature == len(rule.transitions) else feature
                left, right = rule.transitions[at][0].tolist()
                waiting += [right, left]
        return out

    @cached_property
    def _first_feature(self) -> int:
        """A feature with two values, which stands for all in HMC-DFI."""
        codes = [feature.kind.n_codes for feature in self.problem.table.features]
        return next((f for f, n in enumerate(codes) if n > 1), 0)

    def scored(self, records: Iterable[Json], stop: Stop = never) -> ScoredTrees:
        """See `TreeSampler`. The log weight is the log prior density of topology, features and
        parameters (tau, delta, mu, sigma^2); the trees are `slp.trees.soft.SoftTree`."""
        trees, weights, fits = list[Tree](), list[float](), list[float]()
        for features, q in until(stop, records):
            nodes, parameters = np.array(features, np.int32), np.array(q, np.float64)
            weight, density, fit = self.core.score(nodes, parameters)
            trees.append(cast(Tree, self.tree(features, parameters)))
            weights.append(weight + density)
            fits.append(fit)
        return ScoredTrees(trees, np.array(weights, np.float64), np.array(fits, np.float64))

    def tree(self, features: Sequence[int], q: Any) -> SoftTree:
        """The soft tree of a record, in the units of the table."""
        table, data = self.problem.table, self.data
        low, length = self._ranges
        m, d, h = sum(f >= 0 for f in features), len(table.features), data.h
        if data.spread > 0:
            q, h = q[:-1], float(np.exp(q[-1]))
        sticks = 0 if data.delta is None else d - 1
        taus = 1 / (1 + np.exp(-q[:m]))
        nodes: list[SoftNode] = []
        for j, f in enumerate(f for f in features if f >= 0):
            tau = float(taus[j])
            if data.delta is None:
                name, span = table.feature_names[f], float(length[f])
                at = float(low[f]) + tau * span
                nodes.append(SoftSplit(((name, 1.0),), at, h * span))
                continue
            delta = _simplex(q[m + j * sticks : m + (j + 1) * sticks])
            weights = tuple(zip(table.feature_names, (delta / length).tolist(), strict=True))
            at = tau + float((delta * low / length).sum())
            nodes.append(SoftSplit(weights, at, h))
        splits = iter(nodes)
        whole = tuple(next(splits) if f >= 0 else SoftLeaf() for f in features)
        numbers = data.counts is None
        tree = SoftTree(whole, float(np.exp(q[-1])) if numbers else None)
        return self._with_leaves(tree, q[m + m * sticks : -1] if numbers else None)

    @cached_property
    def _ranges(self) -> tuple[np.ndarray, np.ndarray]:
        return ranges_of(self.problem.table)

    @cached_property
    def _columns(self) -> dict[str, np.ndarray]:
        low, length = self._ranges
        values = self.data.values * length + low
        return dict(zip(self.problem.table.feature_names, values.T, strict=True))

    def _with_leaves(self, tree: SoftTree, mu: Any) -> SoftTree:
        """The tree with what its leaves predict: soft counts of the table's rows, or means."""
        leaf = self.problem.table.leaf
        if mu is not None:
            told = (mu + leaf.ref)[:, None]
        else:
            told = tree.reach(self._columns).T @ self.problem.table.statistics
        rest = iter(soft_leaves(told, leaf))
        whole = tuple(n if isinstance(n, SoftSplit) else next(rest) for n in tree.nodes)
        return SoftTree(whole, tree.variance)


def _simplex(sticks: np.ndarray) -> np.ndarray:
    """delta by stick-breaking, shape (d,), of d - 1 logits."""
    z = 1 / (1 + np.exp(np.log(np.arange(len(sticks), 0, -1)) - sticks))
    left = np.concatenate([[1.0], np.cumprod(1 - z)])
    return np.asarray(np.append(z, 1.0) * left)
