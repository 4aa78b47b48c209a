"""The target of Metropolis-Hastings over sequences of edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slp.ir.tree_grammar import LeafRule, SplitRule, TreeGrammar
from slp.problem.split_measures import flat_transitions
from slp.reference.boxes import Geometry
from slp.reference.mh.edits.nodes import EditNode
from slp.reference.mh.edits.process import EditProcess, Edits
from slp.reference.node_tests import NodeTests
from slp.reference.rule_weights import leaf_allowed
from slp.reference.tree_tests import GrownTree, TreeTest
from slp.runner.randomness import Randomness
from slp.trees.predicates import AskedPredicate


@dataclass(frozen=True, eq=False)
class EditTarget:
    """The distribution over sequences of edits

        pi(x)  proportional to  P(x) L(x)^power [tests and predicates hold for the last tree of x]

    with P the probability of the sequence under the process and L the marginal likelihood of the
    leaves of its last tree. Power 1 is the posterior, power 0 the prior.
    """

    process: EditProcess
    power: float = 1.0
    tests: Sequence[TreeTest] = ()
    predicates: Sequence[TreeTest] = ()

    def holds(self, edits: Edits) -> bool:
        """Whether a sequence is in the support."""
        return self.allows(edits.tree)

    def allows(self, tree: EditNode) -> bool:
        """Whether a tree may be the last."""
        return all(test.holds(tree) for test in (*self.tests, *self.predicates))

    def passes(self, edits: Edits) -> bool:
        """Whether a sequence is in the support, predicates aside."""
        return all(test.holds(edits.tree) for test in self.tests)

    def agreed(self, edits: Edits) -> bool:
        """Whether the predicates hold."""
        return all(predicate.holds(edits.tree) for predicate in self.predicates)

    def log_score(self, edits: Edits) -> float:
        """log P(x) + power log L(x)."""
        return edits.log_draw + self.power * edits.tree.log_likelihood

    def log_ratio(self, new: Edits, old: Edits) -> float:
        """power x (log L(new) - log L(old)).

        Not in it: P, which is both the weight of a sequence and the probability of drawing it, and
        the numbers of choice points.
        """
        return self.power * (new.tree.log_likelihood - old.tree.log_likelihood)

    def redrawn(self, randomness: Randomness, old: Edits) -> Edits:
        """A sequence drawn from the process."""
        return self.process.draw(randomness)

    def cut(self, randomness: Randomness, old: Edits, k: int) -> Edits:
        """The sequence cut at choice point k, from 0."""
        return self.process.cut(randomness, old, k)

    def fresh(self, randomness: Randomness) -> Edits | None:
        """One try to draw from the target at power 0, independently: a sequence drawn from the
        process, if it is in the support; else None."""
        edits = self.process.draw(randomness)
        return edits if self.holds(edits) else None


class InLanguage:
    """The test that a tree has a derivation in a grammar whose states have at most one split rule
    and one leaf rule. It tests constraints on splits and leaves at a finished tree."""

    def __init__(
        self,
        grammar: TreeGrammar,
        geometry: Geometry,
        predicates: Sequence[AskedPredicate] = (),
    ) -> None:
        self._geometry, self._start = geometry, grammar.start
        self._node_tests = NodeTests(grammar, geometry, predicates)
        self._grammar = grammar
        self._found: dict[int, tuple[LeafRule | None, list[list[int]] | None]] = {}

    def holds(self, tree: GrownTree) -> bool:
        """See `TreeTest`."""
        stack = [(tree, self._start)]
        while stack:
            node, state = stack.pop()
            if not self._node_tests.allow(state, node.box, node.cut):
                return False
            if node.cut is None:
                rule, _ = self._rules(state)
                if rule is None or not leaf_allowed(rule, self._geometry, [node.box])[0]:
                    return False
                continue
            _, steps = self._rules(state)
            if steps is None:
                return False
            left, right = steps[self._geometry.cells[node.cut]]
            if left < 0:  # forbidden
                return False
            stack += ((node.parts[0], left), (node.parts[1], right))
        return True

    def _rules(self, state: int) -> tuple[LeafRule | None, list[list[int]] | None]:
        """The leaf rule of a state, and the transitions of its split rule."""
        if state not in self._found:
            rules = self._grammar.states[state].rules
            split = next((r for r in rules if isinstance(r, SplitRule)), None)
            leaf = next((r for r in rules if isinstance(r, LeafRule)), None)
            self._found[state] = leaf, None if split is None else flat_transitions(split).tolist()
        return self._found[state]
