"""Metropolis-Hastings over sequences of edits as an engine of the run loop."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from slp.data.table import Table
from slp.engines.mcmc.compiled_edits import identity_of_edits
from slp.engines.mcmc.mixture import MixtureState, MixtureWithPower, mixture_of_cuts
from slp.engines.shared.proposal_names import read_names
from slp.ir.constraints import Constraint, Support
from slp.ir.program import EditPrior
from slp.ir.tree_grammar import TreeGrammar
from slp.reference.boxes import Geometry
from slp.reference.cut_trees import Renderer
from slp.reference.mh.edits.nodes import EditNode, Nodes
from slp.reference.mh.edits.process import Edit, EditProcess, Edits
from slp.reference.mh.edits.start import find_nodes, find_start, nodes_of_tree
from slp.reference.mh.edits.target import EditTarget, InLanguage
from slp.reference.tree_tests import TreeTest, predicate_tests, tree_tests
from slp.results.averages.over_trees import ScoredTree, ScoredTrees
from slp.results.record.edits import result_of_edits
from slp.results.record.evidence import evidence_note
from slp.runner import Json, Stop, never, until
from slp.runner.randomness import RandomNumbers
from slp.trees import Tree, fit_tree
from slp.trees.predicates import asked_predicates, node_predicates


class EditMetropolisHastings(MixtureWithPower[EditTarget, Edits]):
    """Chains over sequences of edits of a given tree.

    Parameters
    ----------
    grammar : of all trees that satisfy the constraints decided at splits and leaves; its weights
        and measures do not matter.
    prior, support : the given tree is made to fit the table and the support first.
    constraints : the program's; they are tested on the tree that a sequence ends in.
    proposal : as in `slp.engines.shared.proposal_names`, one that cuts at a choice point.
    likelihood : with False the chains draw from the prior.

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

    derivations_are_trees = in_core = False
    over_edits = draws_prior = True
    to_result = staticmethod(result_of_edits)

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
        self.geometry = geometry
        self.given = fit_tree(prior.given, geometry.table, support)[0]
        self._prior, self._max_depth = prior, support.max_depth
        self._feature_weights, self._groups = grammar.feature_weights, grammar.groups
        self._power = 1.0 if likelihood else 0.0
        tests: list[TreeTest] = tree_tests(grammar, constraints, geometry)
        if constraints:
            tests.append(InLanguage(grammar, geometry, node_predicates(constraints)))
        self._tests, self._predicates = tests, predicate_tests(constraints, geometry)
        self._asked = asked_predicates(constraints)
        self.mixture = mixture_of_cuts(read_names(proposal))
        self.normalised = not tests
        self.evidence_note = evidence_note(grammar, geometry.table, constraints)
        self._renderer = Renderer(geometry)
        self._identity = {
            **identity_of_edits(grammar, geometry.table, constraints, prior, self.given),
            "proposal": proposal,
            "target": "posterior" if likelihood else "prior",
        }

    @cached_property
    def process(self) -> EditProcess:
        """The process of edits; made on first use, with sets of rows as bits."""
        own = self._feature_weights, self._max_depth, self._groups
        nodes = Nodes(self.geometry, self._prior.measure, *own)
        return EditProcess(nodes, nodes_of_tree(nodes, self.given), self._prior.p)

    @cached_property
    def target(self) -> EditTarget:
        """What the chains draw from."""
        return EditTarget(self.process, self._power, self._tests, self._predicates)

    def at_power(self, power: float) -> EditTarget:
        """See `MixtureWithPower`."""
        return replace(self.target, power=power)

    def log_likelihood(self, derivation: Edits) -> float:
        """See `MixtureWithPower`."""
        return derivation.tree.log_likelihood

    def init(self, rng: np.random.Generator, stop: Stop = never) -> MixtureState[Edits]:
        """A sequence in the support; see `find_start`.

        Raises
        ------
        SlpError
            E519: none was found.
        SearchStoppedError
            See `Stepper`.
        """
        return self.mixture.start(find_start(self.target, RandomNumbers(rng), self._asked, stop))

    def derivation_to_data(self, derivation: Edits) -> Json:
        """See `MixtureChains`."""
        return [list(edit) for edit in derivation.edits]

    def derivation_from_data(self, data: Json) -> Edits:
        """See `MixtureChains`."""
        return self.process.sequence_of([Edit(*edit) for edit in data])

    def tree(self, edits: Edits) -> Tree:
        """The tree that a sequence ends in, with canonical thresholds."""
        preorder: list[tuple[int, int | None]] = []
        stack: list[EditNode] = [edits.tree]
        while stack:
            node = stack.pop()
            preorder.append((node.box, node.cut))
            stack += reversed(node.parts)
        return self._renderer.tree(preorder)

    # --- what records stand for (`slp.results.record.sampler.TreeSampler`) ---------------------

    def scored(self, records: Iterable[Json], stop: Stop = never) -> ScoredTrees:
        """The trees of records and their log likelihood. Their weight, a sum over infinitely many
        sequences, is not known: NaN."""
        found = map(self.derivation_from_data, until(stop, records))
        return ScoredTrees.of(
            self.table, (ScoredTree(self.tree(e), math.nan, e.tree.log_likelihood) for e in found)
        )

    @property
    def table(self) -> Table:
        """See `slp.results.record.drawn.TreeSampler`."""
        return self.geometry.table

    @property
    def rule_grammar(self) -> TreeGrammar | None:
        """See `slp.results.record.sampler.TreeSampler`."""
        return None

    def n_nodes(self, record: Json) -> int:
        """See `TreeSampler`."""
        return 2 * (self.given.n_leaves + len(record))

    def rules_taken(self, record: Json) -> list[tuple[int, int]]:
        """See `slp.results.record.sampler.TreeSampler`."""
        return []

    def log_weight(self, tree: Tree) -> float:
        """-inf off the support, else NaN, as `scored`."""
        found = find_nodes(self.process.nodes, tree)
        return math.nan if found is not None and self.target.allows(found) else -math.inf
