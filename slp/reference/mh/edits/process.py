"""Sequences of edits of a given tree: the prior `edittree` as a process, and its choice points.

At each tree, beginning with the given one:

    stop with probability 1 - p, and where no kind of edit applies;
    else a kind (grow, prune, change), uniformly among those that apply,
    a place, uniformly among the k places that the kind applies to,
    a split, by the split measure over those admissible there (none when pruning); and again.

An edit has probability p x 1 / (kinds that apply) x 1 / k x probability of the split. All of it
sums to 1, so a sequence is drawn with its prior probability; that of a tree is the sum over the
sequences that end in it.

Choice points
-------------
In the order of the sequence, at each tree: whether to stop, the kind, the place, the split. A
choice with one alternative is no choice point. To *cut* at one is to draw it and all that comes
after it anew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from slp.reference.mh.edits.nodes import KINDS, PRUNE, EditNode, Nodes
from slp.runner.randomness import Randomness

#: The choices of an edit, by number.
STOP, KIND, PLACE, SPLIT = range(4)


class Edit(NamedTuple):
    """The choices of an edit: kind; place, in preorder among those of the kind; position of the
    split among the options there (-1 when pruning)."""

    kind: int
    place: int
    split: int


class EditPoint(NamedTuple):
    """A choice point: after how many edits, and which choice."""

    after: int
    choice: int


@dataclass(frozen=True, eq=False, slots=True)
class Edits:
    """A sequence of edits.

    Attributes
    ----------
    edits, trees : the m edits, and the m + 1 trees from the given to the last.
    points : its choice points, in order.
    log_draw : log of the probability that the process draws it, which is its log weight.
    """

    edits: tuple[Edit, ...]
    trees: tuple[EditNode, ...]
    points: tuple[EditPoint, ...]
    log_draw: float

    @property
    def n_points(self) -> int:
        """How many choice points it has."""
        return len(self.points)

    @property
    def tree(self) -> EditNode:
        """The tree that it ends in."""
        return self.trees[-1]


class EditProcess:
    """The process. `p`: the probability of one more edit, strictly between 0 and 1."""

    def __init__(self, nodes: Nodes, given: EditNode, p: float) -> None:
        self.nodes, self.given, self.p = nodes, given, p

    def more(self, n_edits: int) -> float:
        """The probability of one more edit after `n_edits`, if a kind applies."""
        return self.p

    def draw(
        self,
        randomness: Randomness,
        edits: Sequence[Edit] = (),
        trees: Sequence[EditNode] = (),
        point: EditPoint | None = None,
    ) -> Edits:
        """Draw a sequence. With a `point`, the given edits and trees are kept up to that point."""
        kept = STOP if point is None else point.choice
        old = edits[point.after] if point is not None and kept != STOP else None
        drawn = list(edits if point is None else edits[: point.after])
        passed = list(trees[: len(drawn) + 1]) or [self.given]
        while True:
            tree = passed[-1]
            if not kinds_of(tree) or (old is None and not self._goes_on(randomness, len(drawn))):
                return self.sequence(drawn, passed)
            drawn.append(self.draw_edit(randomness, tree, old, kept))
            passed.append(self.nodes.edited(tree, *drawn[-1]))
            old = None

    def draw_edit(
        self, randomness: Randomness, tree: EditNode, old: Edit | None = None, kept: int = KIND
    ) -> Edit:
        """Draw an edit of a tree to which a kind applies; the choices of `old` before the choice
        `kept` stay."""
        if old is None or kept <= KIND:
            kinds = kinds_of(tree)
            kind = kinds[randomness.index(len(kinds))]
        else:
            kind = old.kind
        place = randomness.index(tree.places[kind]) if old is None or kept <= PLACE else old.place
        if kind == PRUNE:
            return Edit(kind, place, -1)
        choice = self.nodes.choice_at(tree, kind, place)
        return Edit(kind, place, randomness.among(choice.cumulative))

    def _goes_on(self, randomness: Randomness, n_edits: int) -> bool:
        p = self.more(n_edits)
        return p == 1.0 or (p > 0.0 and randomness.happens(p))

    def cut(self, randomness: Randomness, old: Edits, k: int) -> Edits:
        """The sequence cut at its choice point k, from 0."""
        return self.draw(randomness, old.edits, old.trees, old.points[k])

    def sequence_of(self, edits: Sequence[Edit]) -> Edits:
        """The sequence that makes these edits."""
        trees = [self.given]
        for edit in edits:
            trees.append(self.nodes.edited(trees[-1], *edit))
        return self.sequence(edits, trees)

    def sequence(self, edits: Sequence[Edit], trees: Sequence[EditNode]) -> Edits:
        """A sequence from its edits and trees. Sums are always taken in the same order, so equal
        sequences have equal numbers, to the last bit."""
        points: list[EditPoint] = []
        log_draw = 0.0
        for i, tree in enumerate(trees):
            kinds = kinds_of(tree)
            if not kinds:
                break
            p, last = self.more(i), i == len(edits)
            if 0.0 < p < 1.0:
                points.append(EditPoint(i, STOP))
            if last:
                log_draw += math.log1p(-p)
                break
            kind, place, split = edits[i]
            log_draw += math.log(p / (len(kinds) * tree.places[kind]))
            sizes = [(KIND, len(kinds)), (PLACE, tree.places[kind])]
            if kind != PRUNE:
                choice = self.nodes.choice_at(tree, kind, place)
                log_draw += choice.log_probabilities[split]
                sizes.append((SPLIT, len(choice.log_probabilities)))
            points += [EditPoint(i, which) for which, size in sizes if size > 1]
        return Edits(tuple(edits), tuple(trees), tuple(points), log_draw)


def kinds_of(tree: EditNode) -> list[int]:
    """The kinds of edits that apply to a tree."""
    return [kind for kind in range(len(KINDS)) if tree.places[kind]]
