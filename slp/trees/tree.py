"""`Tree`: one decision tree, as people and files see it (in JSON, docs/api.md), apart from engines.

Trees may be thousands of splits deep (a path is a tree), so nothing here recurses: walks keep
their own stack, and equality and hashing go over the nodes in preorder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp import trees
from slp.columns import Side, Test
from slp.late import optional_module
from slp.trees.regions import EVERYWHERE, Region

if TYPE_CHECKING:
    from slp.data.table import Table
    from slp.ir.program import CheckedProgram
    from slp.leaves import Label, LeafModel
    from slp.trees.check import CheckResult
    from slp.trees.differences import TreeEdit


#: How rules are written.
RuleForm: TypeAlias = Literal["text", "markdown"]


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
        return hash(tuple(n.asked if isinstance(n, Split) else None for n in _preorder(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        """To be pickled or copied: a list of tests and leaves, however deep it is."""
        flat = [n.asked if isinstance(n, Split) else n for n in _preorder(self)]
        return _from_preorder, (flat,)


Node: TypeAlias = Leaf | Split


def _preorder(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, Split):
            stack += (node.right, node.left)


#: What a split asks: of which feature, and the test.
Asked: TypeAlias = tuple[str, Test]


def _from_preorder(flat: Iterable[Leaf | Asked]) -> Node:
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


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree.

    `Tree(Split("age", Below(24.0), Leaf(), Leaf()))` by hand, `Tree.from_dict(...)` from JSON.
    Leaves are numbered from 0 in preorder (left before right).

    Attributes
    ----------
    root : the root, a split or a leaf.
    """

    root: Node

    def __eq__(self, other: object) -> bool:
        return self.root == other.root if isinstance(other, Tree) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.root)

    def __repr__(self) -> str:
        return f"Tree(n_leaves={self.n_leaves}, depth={self.depth})"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        shown: str = optional_module("report").tree_repr(self)
        return shown

    def __str__(self) -> str:
        return self.to_text()

    # --- what is in it ---------------------------------------------------------------------

    def nodes(self) -> Iterator[Node]:
        """Every node in preorder."""
        return _preorder(self.root)

    def places(self) -> Iterator[Place]:
        """Every node in preorder as its `node`, with its `depth`, `path` and `region`."""
        stack = [Place(self.root)]
        while stack:
            place = stack.pop()
            yield place
            stack.extend(reversed(place.children()))

    def leaves(self) -> list[Leaf]:
        """Leaves from left to right."""
        return [n for n in self.nodes() if isinstance(n, Leaf)]

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return sum(isinstance(n, Leaf) for n in self.nodes())

    @property
    def depth(self) -> int:
        """Splits on the longest path; 0 for a tree that is one leaf."""
        deepest = 0
        stack = [(self.root, 0)]
        while stack:
            node, depth = stack.pop()
            deepest = max(deepest, depth)
            if isinstance(node, Split):
                stack += ((node.left, depth + 1), (node.right, depth + 1))
        return deepest

    @property
    def features(self) -> tuple[str, ...]:
        """The features of its splits, in the order of their first occurrence in preorder."""
        return tuple(dict.fromkeys(n.feature for n in self.nodes() if isinstance(n, Split)))

    # --- rows ------------------------------------------------------------------------------

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The number of each row's leaf, from 0, left to right, shape (n,).

        `X` is a pandas or polars frame (columns by name) or an array (columns `x0`, `x1`, ...).

        Raises
        ------
        DataError
            A column is missing, or text or nothing stands where numbers are compared.
        """
        return trees.route_rows(self, X)

    def predict(self, X: Any) -> NDArray[Any]:
        """For each row, the most frequent class of its leaf (on a tie the one listed first), the
        leaf's mean, or the height of its line; of a leaf that has a prior of its own the most
        probable class, or the mean by its model. For durations it is the predicted median; if the
        leaf model is unknown, log(2) times the observed time for each event. Under a declared loss,
        where the leaf model is known, it is the decision of least expected loss in the leaf.

        Raises
        ------
        DataError
            As `apply`; or a leaf has no summary to predict from.
        """
        return trees.predict_rows(self, X)

    def with_leaves(self, leaves: list[Leaf]) -> Tree:
        """The same splits with other leaves, given from left to right."""
        if len(leaves) != self.n_leaves:
            raise ValueError(f"{self.n_leaves} leaves needed, not {len(leaves)}")
        fresh = iter(leaves)
        flat = [n.asked if isinstance(n, Split) else next(fresh) for n in self.nodes()]
        return tree_of_preorder(flat)

    def with_summaries(self, table: Table) -> Tree:
        """The same splits, with the counts (or number and mean) of the table's rows in each leaf.

        Raises
        ------
        DataError
            The tree and the table do not fit: see `slp.trees.route.route_table`.
        """
        where = trees.route_table(self, table)
        statistics = np.zeros((self.n_leaves, table.statistics.shape[1]))
        np.add.at(statistics, where, table.statistics)
        statistics = trees.with_priors_of(self, table.leaf, statistics)
        return self.with_leaves([Leaf.of(table.leaf, s) for s in statistics])

    # --- out and in ------------------------------------------------------------------------

    def without_outcomes(self) -> Tree:
        """The same splits; leaves have only their number of rows, as under a prior."""
        rows = (leaf.rows for leaf in self.leaves())
        return self.with_leaves([Leaf({"n": n} if n else {}) for n in rows])

    def to_dict(self, *, predictive: bool = False) -> dict[str, Any]:
        """The tree as JSON data. With `predictive` each leaf contains its prediction, if it is
        known."""
        return trees.tree_to_dict(self, predictive=predictive)

    @classmethod
    def from_dict(cls, data: Any) -> Tree:
        """A tree from JSON data.

        Raises
        ------
        DataError
            E601 to E605: it is no tree; the message says where (`left.right`) and why.
        """
        return trees.tree_from_dict(data)

    @classmethod
    def from_text(cls, text: str, table: Table) -> Tree:
        """A tree from the text that `to_text` writes, `slp map` prints, or a person wrote, on the
        table of a posterior (`posterior.table`). Its leaves have the rows of the table; what the
        text says of leaves is not read.

        A test is that of the table: `colour in {blue, red}` sends the other levels right that
        the rows which come to it have.

        Raises
        ------
        DataError
            E615: the lines make no tree. E616: a test does not fit the table. E609: a threshold
            lies inside a bin.
        UsageError
            E617: no coded table is given.
        """
        return trees.tree_from_text(text, table)

    @classmethod
    def from_sklearn(cls, estimator: Any, feature_names: Sequence[str] | None = None) -> Tree:
        """The tree of a fitted scikit-learn estimator. It sends every row to the same leaf as
        scikit-learn. scikit-learn rounds values to 32 bits first, and values equal to the threshold
        go left, so such a test is printed as `x <= 8.5`.

        `feature_names` are the names with which the estimator was fitted. If None, they are `x0`,
        `x1`, ...

        Raises
        ------
        DataError
            E640 it is no single fitted tree; E641 the number of names is wrong.
        """
        return trees.tree_from_sklearn(estimator, feature_names)

    def to_sklearn(self, feature_names: Sequence[str] | None = None) -> Any:
        """A fitted `DecisionTreeClassifier` or `DecisionTreeRegressor` with the same splits and the
        rows of the leaves, for the functions and libraries that take one (`plot_tree`, ONNX).

        `feature_names` are the columns that it is to take, in order; if None, those that the tree
        tests. A test `colour = red` takes the column `colour=red` of 0 and 1, as
        `pandas.get_dummies(X, prefix_sep="=")` makes it. An ordinal feature is a column of numbers:
        of places of levels from 0, or of the levels that are numbers. Where missing values take a
        side, they are NaN in all these columns, and the test for them takes a column of 0 and 1,
        `age=missing`. A test by subsets takes one of 0 and 1 too, `colour in {blue, red}`. A row
        with neither of the two levels of a test (`sex = f, else m`), or in no group of a test by
        subsets, goes right, as a tree of scikit-learn cannot send it both ways: what it predicts of
        such a row depends on the order of the levels' names, where `Tree.predict` averages both
        sides or refuses. It predicts the most frequent class or the mean of a leaf, with the shares
        of classes as probabilities. scikit-learn rounds values to 32 bits: one that close to a
        threshold may go to the other side. Impurities of regression are variances of the means of
        leaves: a tree does not know the variance within them.

        Raises
        ------
        DataError
            E642: a leaf does not know its rows. E643: `feature_names` lack a column.
        ImportError
            scikit-learn is not installed.
        """
        return optional_module("estimators.export").tree_to_sklearn(self, feature_names)

    def edits_from(self, other: Tree) -> list[TreeEdit]:
        """The edits (grow, prune, change) that turn another tree into this one, each with `kind`,
        `path`, `before` and `after`. There are none if both have the same tests. `str` gives an
        edit in words."""
        return trees.edits_between(other, self)

    def to_text(self, *, ascii: bool = False) -> str:
        """The tree as text, with box characters unless `ascii`; `from_text` reads it back. Names
        that could be misread are in quotes: `'a < b' < 3`."""
        return trees.tree_to_text(self, ascii=ascii)

    def to_dot(self) -> str:
        """The tree as a Graphviz digraph."""
        return trees.tree_to_dot(self)

    def to_rules(self, form: RuleForm = "text") -> str:
        """The tree as a rule list: a line for each leaf, from left to right, with what holds of its
        rows and what it says; `"markdown"` makes a table of them.

        Of thresholds the tightest on each side are told. Exactly one rule holds of a row that the
        tree does not refuse and that goes one way at each split.
        """
        return trees.tree_to_rules(self, form)

    def to_sql(self, probability: Label | None = None) -> str:
        """The prediction of `predict` as an expression of SQL over the columns of a table, a
        `CASE`; or the probability of the class `probability`, by the leaf's model, or, where it is
        not known, the share of its rows.

        It is standard SQL, for PostgreSQL and SQLite too. Names of columns are in quotes. Missing
        values are NULL, and levels the text that the tree has. A row that the tree refuses gives
        NULL, and so does a median of durations that is infinite, or that of a row which goes both
        ways at a split.

        Raises
        ------
        DataError
            E610: a leaf says nothing to predict from.
        UsageError
            E618: it is no class.
        """
        return trees.tree_to_sql(self, probability)

    def to_python(self) -> str:
        """The source text of a Python module that needs no library, with the function
        `predict(row)` of a mapping from the names of columns to values: what `predict` says of the
        row.

        It raises ValueError of a row that the tree refuses, and of durations of one that goes both
        ways at a split.

        Raises
        ------
        DataError
            E610: a leaf says nothing to predict from.
        """
        return trees.tree_to_python(self)

    def check(
        self,
        program: CheckedProgram | Any,
        X: Any = None,
        y: Any = None,
        *,
        allow_code: bool = False,
    ) -> list[CheckResult]:
        """Check the constraints of a program, in their order, then its limits (`support`): a list
        of `slp.CheckResult`.

        See `slp.trees.check.check_tree`.
        """
        return trees.check_tree(self, program, X, y, allow_code=allow_code)

    def certificate(
        self, program: CheckedProgram | Any, X: Any = None, y: Any = None
    ) -> dict[str, Any]:
        """A certificate for an outsider, as JSON data: for each constraint and limit of a program,
        in the order of `check`, that the tree keeps it, or a counterexample. A stand-alone file
        verifies it: see docs/certificates.md.

        `X` and `y` are a table, as for `check`. Predicates in code are not checked.

        Raises
        ------
        DataError, UsageError
            As `check`.
        """
        return trees.Certifier(program, X, y).certificate(self)


def tree_of_preorder(flat: Iterable[Leaf | Asked]) -> Tree:
    """The tree of these leaves and tests, given in preorder."""
    return Tree(_from_preorder(flat))
