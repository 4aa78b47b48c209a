"""What every language needs of trees: what a split asks of a row, and what its leaves say.

A row goes left with a share: 1, 0, or one between where the split does not say its side (a missing
value, a level that it does not name) and the row goes both ways. A share of None is a row that is
refused. What a tree says of a row is the sum over the leaves that it ends in, from left to right,
of the share times what the leaf says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.columns import MISSING, Absent, level_numbers
from slp.columns.formula import Formula
from slp.errors import UsageError
from slp.leaves import Label, LeafModel, label_of, label_text
from slp.messages.tree_texts import NO_CLASS_OF_EXPORT, NO_CLASSES_OF_EXPORT
from slp.trees.parts import Leaf, Split
from slp.trees.predictions import (
    deciding_model,
    leaf_predictions,
    listed_classes,
    share_of_classes,
)
from slp.trees.tree import Tree

#: What becomes at a split of rows that miss the value (True) or have an unknown level (False), of
#: which it says no side.
Untold: TypeAlias = Callable[[Split, bool], Absent]


@dataclass(frozen=True)
class Ask:
    """What a split asks of a row.

    Attributes
    ----------
    feature : the column.
    number : numbers below this go left; None where levels are asked for.
    left, right : the levels that go left and right, of a column of levels; None are all that the
        other side does not have. Both are () where a number is compared; of the test for missing
        values `left` is () and `right` None.
    missing : the share of rows without a value that goes left; None where these are refused.
    other : the same of a level on neither side; None too where there is no other.
    formula : what makes the feature of columns; None where it is the column.
    concept : what the levels on the left side are, None where they have no name.
    """

    feature: str
    number: float | None
    left: tuple[str, ...] | None
    right: tuple[str, ...] | None
    missing: float | None
    other: float | None
    formula: Formula | None = None
    concept: str | None = None

    @property
    def both(self) -> bool:
        """Whether some rows go both ways."""
        return any(share not in (None, 0.0, 1.0) for share in (self.missing, self.other))


@dataclass(frozen=True)
class End:
    """A leaf: `values`, shares or probabilities of classes, or one number; `slopes`, how this
    number rises with columns; `answer`, what is said of a row that is whole in it, None where the
    values say it."""

    values: tuple[float, ...]
    slopes: tuple[tuple[str, float], ...] = ()
    answer: Label | None = None


@dataclass(frozen=True, eq=False)
class Parts:
    """Trees to be written in another language.

    Attributes
    ----------
    trees : for each its weight, and its nodes in preorder.
    classes : what the values of leaves are of, in order; () of numbers.
    medians : whether the numbers are medians: one of a row in several leaves is not their mean.
    loss : what it costs to say a class (column) where another (row) is true, shape (C, C); None
        where the class with the largest value is said.
    """

    trees: tuple[tuple[float, tuple[Ask | End, ...]], ...]
    classes: tuple[Label, ...] = ()
    medians: bool = False
    loss: NDArray[np.float64] | None = None


def parts_of_tree(tree: Tree, *, probabilities: bool = False) -> Parts:
    """A tree, which says what `slp.Tree.predict` does; with `probabilities` of classes their
    probabilities: by the leaf's model, or, where it is not known, the shares of its rows.

    Raises
    ------
    DataError
        E610: a leaf says nothing to predict from.
    """
    leaves, answers = tree.leaves(), leaf_predictions(tree).tolist()
    classes = listed_classes(leaves)
    medians = not classes and any("events" in leaf.summary for leaf in leaves)
    loss = None
    if not classes:
        ends = [_number(leaf, answer) for leaf, answer in zip(leaves, answers, strict=True)]
    elif probabilities:
        classes = _classes_of_models(leaves) or classes
        ends = [End(_probabilities(leaf, classes)) for leaf in leaves]
    elif (model := deciding_model(leaves)) is not None:
        classes, loss = model.classes, model.loss
        each = zip((_probabilities(leaf, classes) for leaf in leaves), answers, strict=True)
        ends = [End(shares, answer=answer) for shares, answer in each]
    else:
        each = zip(map(tuple, share_of_classes(leaves, classes).tolist()), answers, strict=True)
        ends = [End(shares, answer=answer) for shares, answer in each]
    return Parts(((1.0, _nodes(tree, ends, _by_test)),), classes, medians, loss)


def parts_of_average(
    trees: Sequence[Tree], weights: Sequence[float], model: LeafModel, untold: Untold
) -> Parts:
    """Trees of a posterior, whose leaves have this model, with weights that sum to 1."""
    parts = []
    for tree, weight in zip(trees, weights, strict=True):
        ends = [_of_model(leaf) for leaf in tree.leaves()]
        parts.append((weight, _nodes(tree, ends, untold)))
    return Parts(tuple(parts), model.classes, loss=model.loss)


# --- leaves --------------------------------------------------------------------------------------


def _number(leaf: Leaf, answer: float) -> End:
    line = leaf.summary.get("line")
    return End((float(answer),)) if line is None else _line(line)


def _line(line: Mapping[str, Any]) -> End:
    return End((float(line["intercept"]),), tuple(line["slopes"].items()))


def _of_model(leaf: Leaf) -> End:
    """What a leaf of a posterior predicts by its model."""
    predictive = leaf.predictive
    assert predictive is not None
    if predictive.model.regressors:
        return _line(leaf.summary["line"])
    return End(tuple(predictive.values().tolist()))


def _classes_of_models(leaves: Sequence[Leaf]) -> tuple[Label, ...]:
    """The classes of the leaves' model, () where some leaf has none."""
    known = {() if leaf.predictive is None else leaf.predictive.model.classes for leaf in leaves}
    return known.pop() if len(known) == 1 else ()


def _probabilities(leaf: Leaf, classes: tuple[Label, ...]) -> tuple[float, ...]:
    if leaf.predictive is not None and leaf.predictive.model.classes == classes:
        return tuple(leaf.predictive.values().tolist())
    return tuple(share_of_classes([leaf], classes)[0].tolist())


# --- splits --------------------------------------------------------------------------------------


def _by_test(split: Split, missing: bool) -> Absent:
    """The rule of a tree by itself (`slp.trees.route`)."""
    return split.test.absent if split.test.missing_level or not missing else "error"


def _nodes(tree: Tree, ends: Sequence[End], untold: Untold) -> tuple[Ask | End, ...]:
    nodes = list(tree.nodes())
    out: list[Ask | End] = []
    rows: list[float] = []  # of the subtrees behind, the nearest last
    waiting = list(ends)
    for node in reversed(nodes):
        if isinstance(node, Leaf):
            out.append(waiting.pop())
            rows.append(node.rows)
            continue
        ours, rest = rows.pop(), rows.pop()
        rows.append(ours + rest)
        out.append(_ask(node, ours, rest, untold))
    return tuple(reversed(out))


def _ask(split: Split, ours: float, rest: float, untold: Untold) -> Ask:
    test = split.test

    def share(missing: bool) -> float | None:
        way = untold(split, missing)
        if way == "error" or not ours + rest:
            return None
        return float(ours >= rest) if way == "larger" else ours / (ours + rest)

    told = test.missing is not None and not test.missing_level
    missing = float(test.missing == "left") if told else share(True)
    if test.number is not None:
        if not test.names:
            return Ask(split.feature, test.number, (), (), missing, None, test.formula)
        numbers = level_numbers(test.names)
        below = [n for n, x in zip(test.names, numbers, strict=True) if x < test.number]
        above = tuple(n for n in test.names if n not in below)
        return Ask(split.feature, None, tuple(below), above, missing, None)
    left, right = test.groups
    if test.missing_level and not test.names:  # the test for missing values
        return Ask(split.feature, None, (), None, 1.0, None, test.formula)
    if test.missing_level and right is None:
        missing = 0.0
    elif test.missing_level and (MISSING in left or MISSING in (right or ())):
        missing = float(MISSING in left)
    other = None if right is None else share(False)
    if other == 1.0:  # all but those on the right
        return Ask(split.feature, None, None, right, missing, None)
    if other == 0.0:
        return Ask(split.feature, None, left, None, missing, None)
    return Ask(split.feature, None, left, right, missing, other, concept=test.concept)


def subtree_end(nodes: Sequence[Ask | End], start: int) -> int:
    """Behind the last node of the subtree that begins at a place."""
    open_ends, place = 1, start
    while open_ends:
        open_ends += 1 if isinstance(nodes[place], Ask) else -1
        place += 1
    return place


def outcome_of(label: Label, classes: tuple[Label, ...]) -> int:
    """The index of a class, which may be given as its text.

    Raises
    ------
    UsageError
        E618: it is none of these, or there are none.
    """
    given = label_text(label_of(label))
    if not classes:
        raise UsageError(NO_CLASSES_OF_EXPORT(given=given))
    texts = list(map(label_text, classes))
    if given not in texts:
        raise UsageError(NO_CLASS_OF_EXPORT(given=given, classes=", ".join(texts[:8])))
    return texts.index(given)
