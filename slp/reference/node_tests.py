"""Predicates on nodes: local constraints that code decides on a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slp.ir.tree_grammar import FORBIDDEN, TreeGrammar
from slp.problem.remembered import Remembered
from slp.reference.boxes import Geometry
from slp.reference.split_measures import SplitArrays
from slp.trees import Leaf, Split, TreeNode
from slp.trees.predicates import AskedPredicate


class NodeTests:
    """Predicates on the nodes of trees on a table. Each is called once for a depth, rows and a
    split, and its answer is cached."""

    def __init__(
        self, grammar: TreeGrammar, geometry: Geometry, predicates: Sequence[AskedPredicate]
    ) -> None:
        self._geometry, self._predicates = geometry, predicates
        self._grammar = grammar
        self._answers: Remembered[tuple[int, int, int | None], bool] = Remembered(500_000)

    @property
    def any(self) -> bool:
        """Whether there are any predicates."""
        return bool(self._predicates)

    def allow(self, state: int, box: int, cut: int | None) -> bool:
        """Whether a box in a state may be split by a cut (None: may be a leaf).

        Raises
        ------
        SlpError
            E653, E654: a predicate did not answer.
        """
        if not self._predicates:
            return True
        # If there are predicates on nodes, lowering gives each depth its own states.
        key = self._grammar.states[state].level, box, cut
        answer = self._answers.get(key)
        if answer is None:
            node = self._node(*key)
            answer = self._answers[key] = all(predicate(node) for predicate in self._predicates)
        return answer

    def forbid(
        self, state: int, boxes: Sequence[int], splits: SplitArrays, steps: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Transitions of the splits of boxes under a split rule, int32, shape (E, 2), with
        FORBIDDEN where a predicate refuses the split."""
        if not self._predicates:
            return steps
        each = zip(splits.box.tolist(), splits.cut.tolist(), steps[:, 0].tolist(), strict=True)
        allowed = [left < 0 or self.allow(state, boxes[b], cut) for b, cut, left in each]
        return np.where(np.array(allowed, np.bool_)[:, None], steps, np.int32(FORBIDDEN))

    def _node(self, depth: int, box: int, cut: int | None) -> TreeNode:
        table = self._geometry.table
        summary = table.leaf.summary(self._geometry.statistics([box])[0])
        split = None
        if cut is not None:
            c = self._geometry.cuts[cut]
            split = Split(
                table.features[c.feature].name, self._geometry.test(cut, box), Leaf(), Leaf()
            )
        return TreeNode(depth, self._geometry.count(box), summary, split)
