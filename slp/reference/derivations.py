"""Trees as derivations by the local process of a program: what samplers of trees share.

A derivation (`TreeProof`) is all choices that were made. A record of one lists them in preorder,
each as the positions of the rule and of the split. `DerivedTrees` says what such records stand for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from slp.data.table import Table
from slp.engines.shared.digests import digest_of_grammar, digest_of_table
from slp.ir.constraints import Constraint
from slp.ir.tree_grammar import TreeGrammar
from slp.problem.ambiguity import derivations_are_trees
from slp.reference.boxes import Geometry
from slp.reference.cut_trees import Renderer
from slp.reference.local_process import (
    BoxGoal,
    Choices,
    LocalProcess,
    SplitAlternative,
    goals_below,
)
from slp.reference.tree_tests import predicate_tests, preorder, tree_costs, tree_tests
from slp.reference.tree_weights import weight_of_tree
from slp.results.averages.over_trees import ScoredTree, ScoredTrees
from slp.results.record.drawn import result_of_draws
from slp.results.record.evidence import evidence_note
from slp.runner import Json, Stop, never, until
from slp.runner.randomness import Randomness
from slp.trees import Tree
from slp.trees.predicates import node_predicates


@dataclass(frozen=True, eq=False, slots=True)
class TreeProof:
    """A goal, the choices made there, and the proofs of what they lead to.

    Attributes
    ----------
    rule, split : position of the rule among `goal.rules`, and of the split among its splits (-1
        where there is none).
    parts : nothing (a leaf), the goal called, or the left and the right side.
    n_points, n_leaves : choice points and leaves, of the whole subtree as all that follows.
    log_draw : log of the probability that the local process draws it.
    log_excess : log of its weight under the program over that probability (the sum of log Z).
    log_likelihood : sum of the log marginal likelihoods of its leaves.
    """

    goal: BoxGoal
    rule: int
    split: int
    parts: tuple[TreeProof, ...]
    n_points: int
    n_leaves: int
    log_draw: float
    log_excess: float
    log_likelihood: float

    @property
    def log_weight(self) -> float:
        """Log weight under the program as written, without likelihood."""
        return self.log_draw + self.log_excess

    @property
    def alternative(self) -> SplitAlternative | None:
        """The split that was taken, None where the rule does not split."""
        return None if self.split < 0 else self.goal.rules[self.rule].splits[self.split]

    @property
    def box(self) -> int:
        """The rows of its goal."""
        return self.goal.box

    @property
    def cut(self) -> int | None:
        """The number of the cut that was taken, None where the rule does not split."""
        return None if self.split < 0 else self.goal.rules[self.rule].splits[self.split].split.cut

    def preorder(self) -> Iterator[TreeProof]:
        """All goals, left before right."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.parts)

    def choices(self) -> list[Choices]:
        """The choices made, in preorder; `proof_of` rebuilds the proof from them."""
        return [(node.goal, node.rule, node.split) for node in self.preorder()]

    def key(self) -> tuple[tuple[int, int], ...]:
        """A key that is equal only for proofs with the same choices from the same goal."""
        return tuple((node.rule, node.split) for node in self.preorder())


def draw_choices(randomness: Randomness, goal: BoxGoal, rule: int | None = None) -> Choices:
    """A rule and a split at a goal that is no dead end, drawn from the local process; the rule may
    be given."""
    taken = randomness.among(goal.cumulative) if rule is None else rule
    splits = goal.rules[taken].cumulative
    return goal, taken, randomness.among(splits) if splits else -1


def proof_of(process: LocalProcess, choices: Sequence[Choices]) -> TreeProof:
    """The proof that makes these choices, given in preorder."""
    done: list[TreeProof] = []
    for goal, rule, split in reversed(choices):
        n_parts = len(goals_below(goal, rule, split))
        parts = tuple(done.pop() for _ in range(n_parts))
        done.append(joined(process, goal, rule, split, parts))
    return done.pop()


def joined(
    process: LocalProcess, goal: BoxGoal, rule: int, split: int, parts: tuple[TreeProof, ...]
) -> TreeProof:
    """A proof from its root's choices and its parts. Sums are always taken in the same order, so
    equal proofs have equal numbers, to the last bit."""
    taken = goal.rules[rule]
    excess = goal.log_total + taken.log_total
    draw = taken.log_weight - goal.log_total
    if split >= 0:
        draw += taken.log_probabilities[split] - taken.log_total
    own_likelihood = 0.0 if parts else process.log_marginal(goal.box, goal.state)
    return TreeProof(
        goal,
        rule,
        split,
        parts,
        n_points=(len(goal.rules) > 1) + (len(taken.splits) > 1) + sum(p.n_points for p in parts),
        n_leaves=sum(p.n_leaves for p in parts) if parts else 1,
        log_draw=sum((p.log_draw for p in parts), draw),
        log_excess=sum((p.log_excess for p in parts), excess),
        log_likelihood=sum((p.log_likelihood for p in parts), own_likelihood),
    )


class DerivedTrees:
    """The methods of `TreeSampler` other than those of `Stepper`, for records of
    derivations by a grammar on a table.

    Parameters
    ----------
    constraints : the program's; the global ones among them are tested on finished trees.
    likelihood : with False the target is the prior.
    process : draws derivations; by default the grammar's local process.
    settings : what the sampler's `identity` tells beside program, table and target.
    """

    in_core = over_edits = False
    scan = None
    to_result = staticmethod(result_of_draws)

    def __init__(
        self,
        grammar: TreeGrammar,
        geometry: Geometry,
        constraints: Iterable[Constraint] = (),
        *,
        likelihood: bool = True,
        process: LocalProcess | None = None,
        **settings: str,
    ) -> None:
        self.constraints = constraints = tuple(constraints)
        if process is None:
            process = LocalProcess(grammar, geometry, node_predicates(constraints))
        self.process, self.geometry = process, geometry
        self.tests = tree_tests(grammar, constraints, geometry)
        self.predicates = predicate_tests(constraints, geometry)
        self.costs = tree_costs(constraints, grammar, geometry)
        self.power = 1.0 if likelihood else 0.0
        self.normalised = grammar.normalised and grammar.max_leaves is None
        self.evidence_note = evidence_note(grammar, geometry.table, constraints)
        self._renderer = Renderer(geometry)
        self._identity: Mapping[str, str] = {
            "program": digest_of_grammar(grammar, constraints),
            "table": digest_of_table(geometry.table),
            **settings,
            "target": "posterior" if likelihood else "prior",
        }

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        return self._identity

    @property
    def table(self) -> Table:
        """See `TreeSampler`."""
        return self.geometry.table

    def holds(self, proof: TreeProof) -> bool:
        """Whether a derivation is in the support: predicates run a user's code, so they come
        last."""
        return all(test.holds(proof) for test in (*self.tests, *self.predicates))

    def derivation_from_data(self, data: Json) -> TreeProof:
        """The derivation of a record."""
        choices: list[Choices] = []
        stack = [(self.process.root.box, self.process.root.state)]
        for rule, split in data:
            choices.append((self.process.goal(*stack.pop()), rule, split))
            stack += reversed(goals_below(*choices[-1]))
        return proof_of(self.process, choices)

    def tree(self, proof: TreeProof) -> Tree:
        """The tree that a proof derives, with canonical thresholds."""
        return self._renderer.tree(preorder(proof))

    @cached_property
    def derivations_are_trees(self) -> bool:
        """Whether it is certain that no tree has two proofs."""
        return derivations_are_trees(self.process.grammar)

    def scored(self, records: Iterable[Json], stop: Stop = never) -> ScoredTrees:
        """The trees of records, with the log weight of all their proofs and their log
        likelihood."""
        return ScoredTrees.of(self.table, map(self._scored, until(stop, records)))

    def _scored(self, record: Json) -> ScoredTree:
        proof = self.derivation_from_data(record)
        tree = self.tree(proof)
        weight = proof.log_weight
        if not self.derivations_are_trees:
            weight = weight_of_tree(self.process, tree).log_weight
        weight -= self.costs.of(proof)
        return ScoredTree(tree, weight, proof.log_likelihood)

    @property
    def rule_grammar(self) -> TreeGrammar | None:
        """See `TreeSampler`."""
        return self.process.grammar

    def n_nodes(self, record: Json) -> int:
        """See `TreeSampler`."""
        return len(record)

    def rules_taken(self, record: Json) -> list[tuple[int, int]]:
        """See `TreeSampler`."""
        nodes = self.derivation_from_data(record).preorder()
        return [(node.goal.state, node.goal.rules[node.rule].position) for node in nodes]

    def log_weight(self, tree: Tree) -> float:
        """Log weight of all proofs of any tree; -inf off the support."""
        weight, example = weight_of_tree(self.process, tree)
        proof = proof_of(self.process, example) if example else None
        if proof is None or not self.holds(proof):
            return -math.inf
        return weight - self.costs.of(proof)

    def tempering(self, states: Sequence[object], share: float) -> None:
        """See `TreeSampler`: nothing is tempered."""
