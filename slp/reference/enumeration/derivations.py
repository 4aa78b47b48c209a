"""The specification: every derivation of a tree grammar on a table, one by one. For tiny tables.

`slp.reference.chart` must agree with this file in every quantity. The choices and the weights are
those of `slp.reference.local_process`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from slp.ir.tree_grammar import CallRule, LeafRule, TreeGrammar
from slp.reference.boxes import BoxSplit, Geometry
from slp.reference.local_process import BoxGoal, LocalProcess
from slp.trees.predicates import AskedPredicate

#: The most nested states in a derivation; each takes some frames of Python's stack.
MOST_NESTED = 150


class TooDeepError(Exception):
    """A derivation has more than `MOST_NESTED` states one below another."""


@dataclass(frozen=True)
class Derivation:
    """A derived tree: the box of its root and, where it splits, how.

    `log_weight` is that of the derivation under the program as written, without likelihood; `rules`
    are state and rule, by position, at its goals.
    """

    box: int
    log_weight: float
    split: BoxSplit | None = None
    left: Derivation | None = None
    right: Derivation | None = None
    rules: tuple[tuple[int, int], ...] = ()

    @property
    def cut(self) -> int | None:
        """Number of the root's cut, None at a leaf."""
        return None if self.split is None else self.split.cut

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        if self.left is None or self.right is None:
            return 1
        return self.left.n_leaves + self.right.n_leaves


def derivations(
    grammar: TreeGrammar, geometry: Geometry, predicates: Sequence[AskedPredicate] = ()
) -> Iterator[Derivation]:
    """Every derivation of weight above zero, in the order of rules and splits. Predicates are on
    nodes.

    Raises
    ------
    TooDeepError
        One is too deep for this plain recursion.
    """
    process = LocalProcess(grammar, geometry, predicates)
    most = geometry.root.bit_count() if grammar.max_leaves is None else grammar.max_leaves
    for derivation in _derive(process, process.root, 0):
        if derivation.n_leaves <= most:
            yield derivation


def _derive(process: LocalProcess, goal: BoxGoal, above: int) -> Iterator[Derivation]:
    if above > MOST_NESTED:
        raise TooDeepError
    for taken in goal.rules:
        step = ((goal.state, taken.position),)
        if isinstance(taken.rule, LeafRule):
            yield Derivation(goal.box, taken.log_weight, rules=step)
        elif isinstance(taken.rule, CallRule):
            for d in _derive(process, process.goal(goal.box, taken.rule.state), above + 1):
                yield replace(d, log_weight=taken.log_weight + d.log_weight, rules=step + d.rules)
        else:
            for (split, left_state, right_state), log_p in zip(
                taken.splits, taken.log_probabilities, strict=True
            ):
                lower = process.goal(split.left, left_state)
                upper = process.goal(split.right, right_state)
                for left in _derive(process, lower, above + 1):
                    for right in _derive(process, upper, above + 1):
                        total = taken.log_weight + log_p + left.log_weight + right.log_weight
                        steps = step + left.rules + right.rules
                        yield Derivation(goal.box, total, split, left, right, steps)
