"""The parts of a tree: `Leaf`, with the `Prediction` of its model, `Split`, and `Place`, a node
with what lies above it. Nothing here recurses, as a path of thousands of splits is a tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.columns import Side, Test
from slp.trees.regions import EVERYWHERE, Region

if TYPE_CHECKING:
    from slp.leaves import Label, LeafModel


@dataclass(frozen=True, eq=False)
class Prediction:
    """Computes the prediction of a leaf (`LeafModel.predictive`).

    Attributes
    ----------
    model : the leaf model.
    statistics : of the leaf's rows, shape (k,).
    added : what is added to the model's prior in this leaf, as statistics; None for nothing.
    """

    model: LeafModel
    statistics: NDArray[np.float64]
    added: NDArray[np.float64] | None = None

    def __call__(self) -> Mapping[str, Any]:
        """As plain data."""
        added = self.added
        return self.model.predictive(self.statistics if added is None else self.statistics + added)

    def values(self) -> NDArray[np.float64]:
        """What the leaf predicts: the probability of each class, shape (C,), or the mean or median,
        shape (1,)."""
        added = self.added
        sums = self.statistics if added is None else self.statistics + added
        return self.model.values(sums)

    def concentrations(self) -> dict[Label, float] | None:
        """Those of the leaf's Dirichlet posterior, where its prior is not the declared one; else
        None, as the posterior follows from model and rows."""
        model, added = self.model, self.added
        if added is None or not added.any() or not model.classes:
            return None
        posterior = self.statistics + added + model.concentration
        return dict(zip(model.classes, posterior.tolist(), strict=True))


@dataclass(frozen=True)
class Leaf:
    """A leaf.

    Attributes
    ----------
    summary : its rows: `{"counts": {...}}` or `{"n": .., "mean": ..}`, `{"n": ..}` under a prior,
        {} if unknown.
    predictive : computes the prediction of the leaf model; None if the model is unknown. Equality
        ignores it.
    counted : the number of rows, where they were counted apart from the summary, whose numbers are
        weights if rows have weights; None otherwise.
    """

    summary: Mapping[str, Any] = field(default_factory=dict, hash=False)
    predictive: Prediction | None = field(default=None, compare=False, repr=False)
    counted: int | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        model: LeafModel,
        statistics: NDArray[np.float64],
        added: NDArray[np.float64] | None = None,
    ) -> Leaf:
        """The leaf of rows with such statistics, shape (k,), under a leaf model (see
        `Prediction`)."""
        return cls(model.summary(statistics), Prediction(model, statistics, added))

    @property
    def rows(self) -> int:
        """Number of the table's rows in it, from its summary; 0 if that is unknown."""
        counts = self.summary.get("counts")
        return self.summary.get("n", 0) if counts is None else sum(counts.values())


@dataclass(frozen=True, eq=False)
class Split:
    """An inner node: rows whose value of the feature passes the test go left.

    Exactly one of `threshold` and `level` is not None. Both are plain values: a threshold of 3 is
    equal to 3.0, whatever its unit and the side of missing values."""

    feature: str
    test: Test
    left: Node = field(repr=False)
    right: Node = field(repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.test, Test):
            raise TypeError(f"{self.test!r} is no test: see slp.columns")

    @property
    def threshold(self) -> float | str | None:
        """The threshold, of an ordinal feature the level that stands for it; None where the test
        is by level."""
        return self.test.threshold

    @property
    def level(self) -> str | tuple[str, ...] | None:
        """The level tested, by subsets the levels on the left side; `missing` of the test for
        missing values; None where the test is by threshold."""
        return self.test.level

    @property
    def missing(self) -> Side | None:
        """The side of rows that miss the value, None where the test says none."""
        return self.test.missing

    @property
    def asked(self) -> Asked:
        """The feature and the test."""
        return self.feature, self.test

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Split):
            return NotImplemented
        return _equal(self, other)

    def __hash__(self) -> int:
        return hash(tuple(n.asked if isinstance(n, Split) else None for n in preorder(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        """To be pickled or copied: a list of tests and leaves, however deep it is."""
        flat = [n.asked if isinstance(n, Split) else n for n in preorder(self)]
        return from_preorder, (flat,)


Node: TypeAlias = Leaf | Split


def preorder(node: Node) -> Iterator[Node]:
    """The nodes, each before its left side, and that before its right side."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Split):
            stack += (node.right, node.left)


#: What a split asks: of which feature, and the test.
Asked: TypeAlias = tuple[str, Test]


def from_preorder(flat: Iterable[Leaf | Asked]) -> Node:
    """The root of these leaves and tests, given in preorder."""
    done: list[Node] = []
    for item in reversed(list(flat)):  # which meets right sides before left ones
        done.append(item if isinstance(item, Leaf) else Split(*item, done.pop(), done.pop()))
    return done.pop()


def _equal(a: Node, b: Node) -> bool:
    stack = [(a, b)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        if isinstance(a, Split) and isinstance(b, Split):
            if a.asked != b.asked:
                return False
            stack += ((a.right, b.right), (a.left, b.left))
        elif isinstance(a, Split) or isinstance(b, Split) or a != b:
            return False
    return True


@dataclass(frozen=True, eq=False)
class Place:
    """A node with its place: its parent's place, its side, depth, region, and the features of the
    splits above it."""

    node: Node
    parent: Place | None = field(default=None, repr=False)
    side: str = "root"
    depth: int = 0
    region: Region = EVERYWHERE
    above: frozenset[str] = frozenset()

    @property
    def path(self) -> str:
        """`root`, or the sides on the way from it: `left.right`."""
        sides: list[str] = []
        place = self
        while place.parent is not None:
            sides.append(place.side)
            place = place.parent
        return ".".join(reversed(sides)) or "root"

    def children(self) -> tuple[Place, ...]:
        """Places of the left and the right child, () at a leaf."""
        if isinstance(self.node, Leaf):
            return ()
        left, right = self.region.parts(*self.node.asked)
        above = self.above | {self.node.feature}
        return (
            Place(self.node.left, self, "left", self.depth + 1, left, above),
            Place(self.node.right, self, "right", self.depth + 1, right, above),
        )
