"""Metropolis-Hastings over proof trees as an engine of the run loop."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from slp.engines.mcmc.mixture import MixtureState, MixtureWithPower
from slp.engines.mcmc.trees.exact_subtrees import MOST_BOXES
from slp.engines.mcmc.trees.given_start import proof_to_start
from slp.engines.mcmc.trees.names import mixture_of
from slp.engines.mcmc.trees.proof import TreeProof, grow, proof_of
from slp.engines.mcmc.trees.target import Target, can_run_forward
from slp.errors import NoTreeError
from slp.ir.program import Constraint
from slp.ir.tree_grammar import OpenStates, SplitRule, TreeGrammar
from slp.messages.chains import ALL_DRAWS_FAIL, ALL_DRAWS_REFUSED, NO_TREE_YET
from slp.problem.ambiguity import derivations_are_trees
from slp.problem.boxes import Geometry
from slp.problem.cut_trees import Renderer
from slp.problem.local_process import Choices, LocalProcess, goals_below
from slp.problem.tree_tests import predicate_tests, preorder, tree_tests
from slp.problem.tree_weights import weight_of_tree
from slp.results.averages import ScoredTree
from slp.results.drawn import DrawnResult
from slp.results.evidence import evidence_note
from slp.runner import Json, SearchStoppedError, Stop, never, until
from slp.runner.randomness import RandomNumbers
from slp.trees import Tree
from slp.trees.predicates import (
    asked_predicates,
    node_predicates,
    refusals_in_words,
    refused_example,
)

#: Proofs drawn before the search for a start is given up.
TRIES = 2000
#: The search ends trees early with probability 0, 1/10, ..., 9/10, and begins again.
_CYCLE = 10


class MetropolisHastings(MixtureWithPower[Target, TreeProof]):
    """Chains over proofs of a grammar on a table.

    Parameters
    ----------
    constraints : the program's; the global ones among them are tested on every tree proposed.
    proposal : as in `slp.engines.mcmc.trees.names`.
    likelihood : with False the chains draw from the prior.
    most_boxes : under `q_exact`, the bound of boxes that fit (`exact_subtrees`).
    process : draws derivations; by default the grammar's local process.

    Attributes
    ----------
    given : the proof that chains begin at; None if they begin at a draw.

    Raises
    ------
    UsageError
        E516: there is no such proposal.
    """

    in_core = over_edits = False
    given: TreeProof | None = None
    result_type = DrawnResult

    def __init__(
        self,
        grammar: TreeGrammar,
        geometry: Geometry,
        constraints: Iterable[Constraint] = (),
        *,
        proposal: str = "q_uc",
        likelihood: bool = True,
        most_boxes: float = MOST_BOXES,
        process: LocalProcess | None = None,
    ) -> None:
        self.constraints = constraints = tuple(constraints)
        if process is None:
            if "q_exact" in proposal:  # its charts go through all states
                grammar = grammar.listed()
            process = LocalProcess(grammar, geometry, node_predicates(constraints))
        self.process = process
        tests = tree_tests(grammar, constraints, geometry)
        predicates = predicate_tests(constraints, geometry)
        self.power = 1.0 if likelihood else 0.0
        self._target = Target(self.process, self.power, tests, predicates)
        self.mixture = mixture_of(proposal, self.process, most_boxes)
        self.geometry = geometry
        self.normalised = grammar.normalised and grammar.max_leaves is None
        self.evidence_note = evidence_note(grammar, constraints)
        self._renderer = Renderer(geometry)
        self._identity = {
            "program": digest_of_grammar(grammar, constraints),
            "table": digest_of_table(geometry),
            "proposal": proposal,
            "target": "posterior" if likelihood else "prior",
            "kernel": f"plain, {most_boxes:g}",
        }

    @property
    def target(self) -> Target:
        """See `MixtureChains`."""
        return self._target

    @cached_property
    def draws_prior(self) -> bool:
        """See `MixtureWithPower`."""
        return can_run_forward(self.process.grammar)

    def at_power(self, power: float) -> Target:
        """See `MixtureWithPower`."""
        return replace(self._target, power=power)

    def log_likelihood(self, derivation: TreeProof) -> float:
        """See `MixtureWithPower`."""
        return derivation.log_likelihood

    def begin_at(self, tree: Tree) -> None:
        """Begin at the heaviest proof of a tree. Raises as `proof_to_start`."""
        self.given = proof_to_start(self.target, tree)
        self._identity = {**self._identity, "first tree": repr(self.given.key())}

    def init(self, rng: np.random.Generator, stop: Stop = never) -> MixtureState[TreeProof]:
        """A proof in the support, drawn from the local process, smaller ones now and then; or the
        given one.

        Raises
        ------
        SlpError
            E517: none was found.
        SearchStoppedError
            See `Stepper`.
        """
        if self.given is not None:
            return self.mixture.start(self.given)
        randomness, root = RandomNumbers(rng), self.process.root
        derived = 0
        for i in range(TRIES):
            if stop():
                raise search_stopped(self.constraints)
            proof = grow(self.process, randomness, root, end_early=i % _CYCLE / _CYCLE)
            derived += proof is not None
            if proof is not None and self.target.holds(proof):
                return self.mixture.start(proof)
        raise no_start(derived, self.constraints)

    def derivation_to_data(self, derivation: TreeProof) -> Json:
        """See `MixtureChains`."""
        return [list(pair) for pair in derivation.key()]

    def derivation_from_data(self, data: Json) -> TreeProof:
        """See `MixtureChains`."""
        choices: list[Choices] = []
        stack = [(self.process.root.box, self.process.root.state)]
        for rule, split in data:
            choices.append((self.process.goal(*stack.pop()), rule, split))
            stack += reversed(goals_below(*choices[-1]))
        return proof_of(self.process, choices)

    def tree(self, proof: TreeProof) -> Tree:
        """The tree that a proof derives, with canonical thresholds."""
        return self._renderer.tree(preorder(proof))

    # --- what records stand for (`slp.results.drawn.TreeSampler`) --------------------

    @cached_property
    def derivations_are_trees(self) -> bool:
        """Whether it is certain that no tree has two proofs."""
        return derivations_are_trees(self.process.grammar)

    def scored(self, records: Sequence[Json], stop: Stop = never) -> list[ScoredTree]:
        """The trees of records, with the log weight of all their proofs and their log
        likelihood."""
        return [self._scored(record) for record in until(stop, records)]

    def _scored(self, record: Json) -> ScoredTree:
        proof = self.derivation_from_data(record)
        tree = self.tree(proof)
        weight = proof.log_weight
        if not self.derivations_are_trees:
            weight = weight_of_tree(self.process, tree).log_weight
        return ScoredTree(tree, weight, proof.log_likelihood)

    @property
    def rule_grammar(self) -> TreeGrammar | None:
        """See `slp.results.drawn.TreeSampler`."""
        return self.process.grammar

    def n_nodes(self, record: Json) -> int:
        """See `TreeSampler`."""
        return len(record)

    def rules_taken(self, record: Json) -> list[tuple[int, int]]:
        """See `slp.results.drawn.TreeSampler`."""
        nodes = self.derivation_from_data(record).preorder()
        return [(node.goal.state, node.goal.rules[node.rule].position) for node in nodes]

    def log_weight(self, tree: Tree) -> float:
        """Log weight of all proofs of any tree; -inf off the support."""
        weight, example = weight_of_tree(self.process, tree)
        holds = bool(example) and self.target.holds(proof_of(self.process, example))
        return weight if holds else -math.inf


def no_start(derived: int, constraints: Iterable[Constraint] = ()) -> NoTreeError:
    """E517; `derived` is how many of the proofs drawn had no dead end. For predicates among the
    constraints the message says how often they were called and refused."""
    predicates = asked_predicates(constraints)
    refusals, refused = refusals_in_words(predicates), refused_example(predicates)
    if not derived:
        return NoTreeError(ALL_DRAWS_FAIL(tries=TRIES, refusals=refusals, refused=refused))
    last = ", `monotone` or the predicates" if predicates else " or `monotone`"
    return NoTreeError(
        ALL_DRAWS_REFUSED(
            tries=TRIES,
            derived=derived,
            refusals=refusals,
            loosen=f"`max_leaves`, `max_features`{last}",
            refused=refused,
        )
    )


def search_stopped(constraints: Iterable[Constraint]) -> SearchStoppedError:
    """The error of a search for a start that was told to stop."""
    refusals = refusals_in_words(asked_predicates(constraints))
    return SearchStoppedError(NO_TREE_YET.format(refusals=refusals))


def digest_of_grammar(g: TreeGrammar, constraints: tuple[Constraint, ...]) -> str:
    """A digest of the grammar for checkpoints: equal for programs with the same meaning."""
    digest = hashlib.sha256()
    options = (g.features, g.levels, g.start, g.normalise, g.failure, g.min_leaf, g.max_leaves)
    least = () if g.min_weight is None else (g.min_weight,)  # programs without it keep their digest
    digest.update(repr((options, constraints, *least)).encode())
    for array in (*g.breakpoints, g.feature_weights):
        digest.update(array.tobytes() + b";")
    if isinstance(g.states, OpenStates):
        digest.update(g.states.identity.encode())
    for state in g.first_states().values():
        digest.update(f"state {len(state.rules)}".encode())
        for rule in state.rules:
            digest.update(repr((type(rule).__name__, rule.log_weight)).encode())
            if rule.rows is not None:
                digest.update(repr(rule.rows).encode())
            if isinstance(rule, SplitRule):
                digest.update(rule.measure.encode())
                for step in rule.transitions:
                    digest.update(step.tobytes() + b";")
            else:
                digest.update(repr(rule).encode())
    return digest.hexdigest()


def digest_of_table(geometry: Geometry) -> str:
    """A digest of the table for checkpoints: equal for equal tables."""
    table = geometry.table
    digest = hashlib.sha256(repr((table.response, table.leaf.describe(), table.n_rows)).encode())
    for array in (table.codes, table.counts, table.statistics, table.row_of):
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array).data)  # no copy: it may be most of the memory
    for feature in table.features:
        digest.update(repr((feature.name, feature.levels)).encode())
        digest.update(b"missing" * feature.holes)
        for values in (feature.values, feature.cuts):
            digest.update(b";" if values is None else values.tobytes() + b";")
    return digest.hexdigest()
