"""`Tree`: one decision tree, as people and files see it (in JSON, docs/api.md), apart from engines.

Trees may be thousands of splits deep (a path is a tree), so nothing here recurses: walks keep
their own stack, and equality and hashing go over the nodes in preorder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp import trees
from slp.late import optional_module
from slp.trees.parts import Asked, Leaf, Node, Place, Split, from_preorder, preorder

if TYPE_CHECKING:
    from slp.data.table import Table
    from slp.ir.program import CheckedProgram
    from slp.leaves import Label
    from slp.trees.check import CheckResult
    from slp.trees.differences import TreeEdit


#: How rules are written.
RuleForm: TypeAlias = Literal["text", "markdown"]


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
        return preorder(self.root)

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
    return Tree(from_preorder(flat))
