"""A given tree fitted to a table: canonical thresholds, without the parts that do not fit.

From the root down, with the rows that a node holds:

- A node becomes a leaf if the table has no such feature, if its test is not of the feature's kind,
  or if it is at the greatest depth of a leaf (`max_depth`).
- A threshold on a feature with declared cuts or bins moves to the nearest of these (on a tie the
  lower), since rows of one bin cannot be parted.
- A node that leaves one side fewer than `min_leaf` rows (none, where `min_leaf` is 1) is replaced
  by the child on the other side; if both sides have too few, it becomes a leaf.
- The test that is left is the canonical one for these rows. Of a categorical feature with two
  levels left that is `= a` of the level sorted first; if the tree has `= b`, its sides are
  exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.errors import Diagnostic
from slp.ir.constraints import Support
from slp.messages import Wording
from slp.messages.numbers import number_text
from slp.messages.trees import SPLIT_BECAME_LEAF, SPLIT_LEFT_OUT, THRESHOLDS_MOVED
from slp.source import SourceSpan
from slp.trees.drawing import condition_text
from slp.trees.parts import Asked, Leaf, Node, Split
from slp.trees.tree import Tree, tree_of_preorder

#: Places of one kind that a warning names; it counts the others.
_MOST_PLACES = 3


def fit_tree(
    tree: Tree, table: Table, support: Support, span: SourceSpan | None = None
) -> tuple[Tree, tuple[Diagnostic, ...]]:
    """The tree fitted to the table, with leaves without summaries, and warnings about the changes.

    W630: nodes that became leaves. W631: nodes replaced by a child. W632: thresholds moved to
    declared cuts. `span` is the place where a program names the tree.
    """
    fit = _Fit(table, support)
    return fit.tree(tree), tuple(fit.warnings(span))


class _GivenNode(NamedTuple):
    """A node of the given tree with its distinct rows and its place."""

    node: Node
    rows: NDArray[np.int64]
    depth: int
    path: tuple[str, ...]

    @property
    def place(self) -> str:
        """Its place, as text."""
        return ".".join(self.path) or "the root"


class _Fit:
    def __init__(self, table: Table, support: Support) -> None:
        self.table, self.support = table, support
        self.columns = {f.name: (j, f) for j, f in enumerate(table.features)}
        #: What does not fit and why ("" where each place has its own reason), with the places.
        self.found: dict[tuple[Wording, str], list[str]] = {}

    def _fewer(self) -> str:
        weight = self.support.min_weight
        if weight is not None:
            return f"less than the weight `min_weight({number_text(weight)})`"
        return f"fewer than `min_leaf({self.support.min_leaf})` rows"

    def tree(self, tree: Tree) -> Tree:
        stack = [_GivenNode(tree.root, np.arange(len(self.table.counts)), 0, ())]
        order: list[Leaf | Asked] = []  # preorder
        while stack:
            site = stack.pop()
            sides = self._sides(site)
            if sides is None:
                order.append(Leaf())
                continue
            test, left, right = sides
            order.append(test)
            stack += (right, left)
        return tree_of_preorder(order)

    def _sides(self, site: _GivenNode) -> tuple[Asked, _GivenNode, _GivenNode] | None:
        """Canonical test and sides of the first node, from this one on, that can split its rows."""
        while isinstance(node := site.node, Split):
            fault = self._fault(node, site.depth)
            if fault is not None:
                self._note(SPLIT_BECAME_LEAF, fault, site.place)
                return None
            j, feature = self.columns[node.feature]
            codes = self.table.codes[site.rows, j]
            test = self._on_a_cut(node, feature, site).test
            goes_left = feature.kind.sides(test)[0][codes]
            left, right = site.rows[goes_left], site.rows[~goes_left]
            sizes, least = self.table.sizes(self.support.min_leaf, self.support.min_weight)
            n_left, n_right = (int(sizes[rows].sum()) for rows in (left, right))
            sides = (
                _GivenNode(node.left, left, site.depth + 1, (*site.path, "left")),
                _GivenNode(node.right, right, site.depth + 1, (*site.path, "right")),
            )
            if n_left >= least and n_right >= least:
                return _canonical(feature, codes, goes_left, sides)
            few = min(n_left, n_right)
            rows = "no rows" if few == 0 else self._fewer()
            where = "left" if n_left <= n_right else "right"
            reason = f"`{condition_text(node)}` sends {rows} {where}"
            self._note(SPLIT_LEFT_OUT, reason, site.place)
            if n_left < least and n_right < least:
                return None
            child = node.left if n_right < least else node.right
            site = site._replace(node=child)
        return None

    def _fault(self, node: Split, depth: int) -> str | None:
        """Why a node cannot split here, whatever its rows."""
        if self.support.max_depth is not None and depth >= self.support.max_depth:
            return f"`max_depth({self.support.max_depth})` allows no split at depth {depth}"
        if node.feature not in self.columns:
            return f"the table has no feature `{node.feature}`"
        feature = self.columns[node.feature][1]
        if feature.kind.categorical != node.test.by_level:
            kind = "categorical" if feature.kind.categorical else "numeric"
            return f"`{condition_text(node)}` cannot be asked, as `{node.feature}` is {kind} here"
        formula = node.test.formula
        if formula is not None and not feature.kind.takes(formula):
            return f"`{node.feature}` is not {formula.text} here"
        if feature.kind.on_a_cut(node.test) is None:
            return f"`{node.feature}` has no cuts here"
        return None

    def _on_a_cut(self, node: Split, feature: Feature, site: _GivenNode) -> Split:
        """The split with its threshold moved to the nearest declared cut, if its feature has
        declared cuts."""
        test = feature.kind.on_a_cut(node.test)
        if test is None or test == node.test:
            return node
        moved = Split(node.feature, test, node.left, node.right)
        change = f"`{condition_text(node)}` to `{condition_text(moved)}`"
        self._note(THRESHOLDS_MOVED, "", f"{change} at {site.place}")
        return moved

    def _note(self, wording: Wording, reason: str, place: str) -> None:
        self.found.setdefault((wording, reason), []).append(place)

    def warnings(self, span: SourceSpan | None) -> Iterator[Diagnostic]:
        """One finding for each wording and reason, with its places."""
        for (wording, reason), places in self.found.items():
            listed = ", ".join(places[:_MOST_PLACES])
            if len(places) > _MOST_PLACES:
                listed += f" and {len(places) - _MOST_PLACES} more"
            yield wording(span, places=listed, reason=reason)


def _canonical(
    feature: Feature,
    codes: NDArray[np.int32],
    goes_left: NDArray[np.bool_],
    sides: tuple[_GivenNode, _GivenNode],
) -> tuple[Asked, _GivenNode, _GivenNode]:
    """The canonical test for rows of these codes, and its sides."""
    left, right = sides
    own = codes[goes_left], codes[~goes_left]
    cut, other = feature.kind.cut_between(*own), feature.kind.other_way(*own)
    if other is not None:
        return (feature.name, feature.kind.test(*other, codes)), right, left
    return (feature.name, feature.kind.test(*cut, codes)), left, right
