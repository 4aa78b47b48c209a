"""Many finished trees as arrays: `TreeArrays`, which runs keep, average over and save.

A `slp.Tree` is made of one of them when something asks for its nodes (`slp.trees.later`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.columns import Test
from slp.data.table import Table
from slp.kernels import EnsembleKernel, lay_out_ensemble
from slp.problem.numbered_cuts import Cuts
from slp.problem.tree_on_table import codes_of_levels
from slp.trees import Leaf, Node, Split, Tree
from slp.trees.later import TreeLater
from slp.trees.tree import tree_of_preorder

#: A test with the number of its feature.
NumberedTest: TypeAlias = tuple[int, Test]


class TreeArrays:
    """U trees on the features of a table, one after the other. It is a sequence of trees, each of
    which makes its nodes when it is asked for them.

    Attributes
    ----------
    tests : the D different tests that occur, each with the number of its feature.
    nodes : int32, shape (N,). Of each node in preorder, tree after tree, the number of its test; -1
        of a leaf.
    starts : int64, shape (U + 1,). Where each tree starts among the nodes, and N.
    statistics : float64, shape (K, k). Of the rows in each leaf, tree after tree.
    added : float64, shape (K, k). What is added to the leaf model's prior in each leaf, as
        statistics; None for nothing.
    """

    def __init__(
        self,
        table: Table,
        tests: Sequence[NumberedTest],
        nodes: NDArray[np.int32],
        starts: NDArray[np.int64],
        statistics: NDArray[np.float64],
        added: NDArray[np.float64] | None = None,
    ) -> None:
        self._table, self.tests, self.nodes, self.starts = table, tests, nodes, starts
        self.statistics, self.added = statistics, added
        self._trees: list[Tree | None] = [None] * len(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickles and copies: without the trees that were made."""
        of = (self._table, self.tests, self.nodes, self.starts, self.statistics, self.added)
        return TreeArrays, of

    # --- the trees -----------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, u: int) -> Tree:
        """The tree of number `u`, always the same object."""
        found = self._trees[u]
        if found is None:
            found = self._trees[u] = TreeLater(partial(self.root, u))
        return found

    def __iter__(self) -> Iterator[Tree]:
        return map(self.__getitem__, range(len(self)))

    def root(self, u: int) -> Node:
        """The root of the tree of number `u`, made anew."""
        nodes = self.nodes[self.starts[u] : self.starts[u + 1]].tolist()
        names = self._table.feature_names
        leaves = iter(range(*self.leaves_of(u)))
        return tree_of_preorder(
            self._leaf(next(leaves)) if i < 0 else (names[self.tests[i][0]], self.tests[i][1])
            for i in nodes
        ).root

    def _leaf(self, i: int) -> Leaf:
        added = None if self.added is None else self.added[i]
        return Leaf.of(self._table.leaf, self.statistics[i], added)

    def leaves_of(self, u: int) -> tuple[int, int]:
        """The numbers of the first leaf of a tree, and of the next tree's. A tree has one leaf more
        than splits."""
        begin, end = self.starts[u : u + 2].tolist()
        return (begin + u) // 2, (end + u + 1) // 2

    def take(self, which: NDArray[np.int64]) -> TreeArrays:
        """The trees of these numbers."""
        if np.array_equal(which, np.arange(len(self))):
            return self
        sizes = np.diff(self.starts)[which]
        nodes, starts = _ranges(self.starts[which], sizes)
        leaves, _ = _ranges((self.starts[which] + which) // 2, (sizes + 1) // 2)
        added = None if self.added is None else self.added[leaves]
        of = (self._table, self.tests, self.nodes[nodes], starts, self.statistics[leaves])
        return TreeArrays(*of, added)

    def first_alike(self) -> NDArray[np.int64]:
        """For each tree the number of the first one that is equal, shape (U,)."""
        keys = map(self._key, range(len(self)))
        first: dict[bytes, int] = {}
        found = [first.setdefault(key, u) for u, key in enumerate(keys)]
        return np.array(found, np.int64)

    def find(self, tree: Tree) -> int | None:
        """The number of the tree with these tests, whatever its leaves say; None if there is
        none."""
        numbers, names = self._numbers_of_tests, self._table.feature_names
        f = {name: i for i, name in enumerate(names)}
        own = [
            numbers.get((f.get(n.feature, -1), n.test), -2) if isinstance(n, Split) else -1
            for n in tree.nodes()
        ]
        return self._by_key.get(np.array(own, np.int32).tobytes())

    @cached_property
    def _by_key(self) -> dict[bytes, int]:
        return {self._key(u): u for u in reversed(range(len(self)))}

    @cached_property
    def _numbers_of_tests(self) -> dict[NumberedTest, int]:
        return {test: i for i, test in enumerate(self.tests)}

    def _key(self, u: int) -> bytes:
        return self.nodes[self.starts[u] : self.starts[u + 1]].tobytes()

    # --- by the tests --------------------------------------------------------------------------

    def by_node(
        self, of_test: Callable[[int, Test], Any], of_leaf: Any, dtype: Any
    ) -> NDArray[Any]:
        """A value for each node, shape (N, ...), by its feature and test."""
        values = [*(of_test(f, test) for f, test in self.tests), of_leaf]
        out: NDArray[Any] = np.array(values, dtype)[self.nodes]  # -1 takes the last
        return out

    def features(self) -> NDArray[np.int32]:
        """The feature of each node, -1 of a leaf; shape (N,)."""
        return self.by_node(lambda f, _: f, -1, np.int32)

    def splits_above_leaves(self) -> NDArray[np.int64]:
        """How often the path to each leaf splits on each feature, shape (K, d)."""
        out: list[NDArray[np.int64]] = []
        waiting: list[NDArray[np.int64]] = []
        for f in self.features().tolist():
            if not waiting:  # the root of the next tree
                waiting.append(np.zeros(len(self._table.features), np.int64))
            above = waiting.pop()
            if f < 0:
                out.append(above)
                continue
            below = above.copy()
            below[f] += 1
            waiting += (below, below)
        return np.array(out, np.int64).reshape(-1, len(self._table.features))

    def ensemble(self) -> EnsembleKernel:
        """Laid out for the kernels. It takes rows as numbers: see `slp.problem.new_rows`."""
        kinds = [feature.kind for feature in self._table.features]
        both = self.by_node(lambda f, test: kinds[f].operands(test), (0.0, np.nan), np.float64)
        operands, others = map(np.ascontiguousarray, both.T)
        levels = [kind.categorical for kind in kinds]
        return lay_out_ensemble(self.features(), operands, others, self.starts, levels)


def _ranges(
    first: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The members of ranges, one after the other, and where each range begins among them."""
    starts = np.cumsum([0, *sizes], dtype=np.int64)
    return np.arange(starts[-1]) + np.repeat(first - starts[:-1], sizes), starts


# --- making them ----------------------------------------------------------------------------------


class _Tests:
    """Tests as they are met, with their numbers."""

    def __init__(self) -> None:
        self.numbers: dict[NumberedTest, int] = {}

    def __call__(self, feature: int, test: Test) -> int:
        """The number of a test; equal ones have one."""
        return self.numbers.setdefault((feature, test), len(self.numbers))

    def arrays(
        self,
        table: Table,
        nodes: NDArray[np.int32],
        starts: NDArray[np.int64],
        statistics: NDArray[np.float64],
        added: NDArray[np.float64] | None = None,
    ) -> TreeArrays:
        """The trees."""
        return TreeArrays(table, tuple(self.numbers), nodes, starts, statistics, added)


def arrays_of_trees(table: Table, trees: Iterable[Tree]) -> TreeArrays:
    """Trees as arrays. Leaves that do not know their statistics get those of the table's rows."""
    tests, nodes, starts = _Tests(), list[int](), [0]
    statistics: list[NDArray[np.float64]] = []
    added: list[NDArray[np.float64] | None] = []
    number = {name: f for f, name in enumerate(table.feature_names)}
    for tree in trees:
        if any(leaf.predictive is None for leaf in tree.leaves()):
            tree = tree.with_summaries(table)
        for node in tree.nodes():
            if isinstance(node, Split):
                nodes.append(tests(number[node.feature], node.test))
                continue
            assert node.predictive is not None
            nodes.append(-1)
            statistics.append(node.predictive.statistics)
            added.append(node.predictive.added)
        starts.append(len(nodes))
    known = [own for own in added if own is not None]
    assert len(known) in (0, len(added))
    k = table.leaf.n_statistics
    return tests.arrays(
        table,
        np.array(nodes, np.int32),
        np.array(starts, np.int64),
        np.array(statistics, np.float64).reshape(-1, k),
        np.array(known, np.float64).reshape(-1, k) if known else None,
    )


def arrays_of_cuts(
    table: Table,
    trees: Sequence[Cuts],
    statistics: Sequence[NDArray[np.float64]],
    k: int | None = None,
) -> TreeArrays:
    """Trees given by their nodes, as `slp.problem.tree_on_table.canonical_nodes` has them, and by
    the statistics of their leaves, shape (K * k,), as arrays; k is that of the leaf model where it
    is not given."""
    tests, kinds = _Tests(), [feature.kind for feature in table.features]
    starts = np.cumsum([0, *map(len, trees)], dtype=np.int64)
    every = np.concatenate([np.empty((0, 3), np.int32), *trees])
    feature = every[:, 0].astype(np.int64)
    nodes = np.full(len(every), -1, np.int32)
    by_box = np.array([*(kind.test_depends_on_box for kind in kinds), False])  # -1: a leaf
    depends = by_box[feature]
    plain = np.flatnonzero((feature >= 0) & ~depends)
    cuts, which = _distinct(every[plain])
    of_cuts = [tests(f, kinds[f].test(low, high)) for f, low, high in cuts]
    nodes[plain] = np.array(of_cuts, np.int32)[which]
    for u in np.unique(np.searchsorted(starts, np.flatnonzero(depends), "right") - 1):
        of_boxes = codes_of_levels(table, trees[u].tolist())
        for i, codes in of_boxes.items():
            f, low, high = trees[u][i].tolist()
            nodes[starts[u] + i] = tests(f, kinds[f].test(low, high, codes))
    every_leaf = np.concatenate([np.empty(0), *statistics])
    return tests.arrays(table, nodes, starts, every_leaf.reshape(-1, k or table.leaf.n_statistics))


def arrays_of_numbers(
    table: Table,
    numbers: NDArray[np.float64],
    test_of: Callable[[int, float, int], Test],
    starts: NDArray[np.int64],
    statistics: NDArray[np.float64],
    added: NDArray[np.float64] | None,
) -> TreeArrays:
    """Trees whose nodes are numbers, shape (N, 3), the first of which is the feature, -1 at a leaf,
    as arrays. `test_of` tells the test of each."""
    tests = _Tests()
    splits = np.flatnonzero(numbers[:, 0] >= 0)
    found, which = np.unique(numbers[splits], axis=0, return_inverse=True)
    each = [(int(f), value, int(way)) for f, value, way in found.tolist()]
    nodes = np.full(len(numbers), -1, np.int32)
    of_numbers = [tests(f, test_of(f, value, way)) for f, value, way in each]
    nodes[splits] = np.array(of_numbers, np.int32)[which.reshape(-1)]
    return tests.arrays(table, nodes, starts, statistics, added)


def _distinct(cuts: Cuts) -> tuple[list[list[int]], NDArray[np.intp]]:
    """The different rows, and which of them each row is, shape (n,)."""
    if cuts.dtype != object and len(cuts):
        # One number for each row: numbers are sorted some ten times as fast as rows.
        low = cuts.min(axis=0)
        spans = tuple((cuts.max(axis=0) - low + 1).tolist())
        numbered = np.ravel_multi_index(tuple((cuts - low).T), spans)
        _, first, which = np.unique(numbered, return_index=True, return_inverse=True)
        return cuts[first].tolist(), which
    numbers: dict[tuple[int, ...], int] = {}
    at = [numbers.setdefault(tuple(cut), len(numbers)) for cut in cuts.tolist()]
    return list(map(list, numbers)), np.array(at, np.intp)
