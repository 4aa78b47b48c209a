"""scikit-learn trees: every row goes where scikit-learn sends it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from slp.columns import Below
from slp.columns.thresholds import bound_in_32_bits, threshold_below
from slp.errors import DataError
from slp.trees import Leaf, Split, Tree


def leaves_alike(tree: Tree, estimator: object, X: np.ndarray) -> bool:
    """Whether both part the rows in the same way."""
    pairs = set(zip(tree.apply(X).tolist(), estimator.apply(X).tolist(), strict=True))  # type: ignore[attr-defined]
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@pytest.mark.parametrize("seed", range(5))
def test_rows_go_the_same_way(seed: int) -> None:
    """Also rows whose values are thresholds, and the neighbours of thresholds in 32 and 64 bits."""
    rng = np.random.default_rng(seed)
    X = rng.choice([0.1, 0.2, 0.3, 1e-7, 1.0, 16777217.0, -5.3], size=(200, 3))
    X += rng.choice([0.0, 1e-9], size=X.shape) * X
    estimator = DecisionTreeClassifier(random_state=seed).fit(X, rng.integers(3, size=200))
    tree = Tree.from_sklearn(estimator)
    t = estimator.tree_.threshold[estimator.tree_.feature >= 0]
    near = [t, np.nextafter(t, np.inf), np.nextafter(t, -np.inf)]
    u = t.astype(np.float32)
    near += [np.nextafter(u, np.float32(side)).astype(float) for side in (np.inf, -np.inf)]
    near += [(a + u.astype(float)) / 2 for a in near[3:]]
    pool = np.concatenate(near)
    new = rng.choice(np.concatenate([pool, np.nextafter(pool, np.inf)]), size=(3000, 3))
    assert leaves_alike(tree, estimator, np.concatenate([X, new]))


@pytest.mark.parametrize("seed", range(3))
def test_thresholds_by_their_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for t in rng.normal(size=300) * 10.0 ** rng.integers(-20, 20, size=300):
        T = threshold_below(float(t))
        for x in (T, np.nextafter(T, np.inf), np.nextafter(T, -np.inf)):
            assert (np.float64(np.float32(x)) <= t) == (x < T)


@pytest.mark.parametrize("seed", range(3))
def test_thresholds_are_drawn_as_scikit_learn_has_them(seed: int) -> None:
    """Short, and true of every value in 32 bits; other thresholds are as they are."""
    rng = np.random.default_rng(seed)
    for t in rng.normal(size=300) * 10.0 ** rng.integers(-20, 20, size=300):
        T = threshold_below(float(t))
        bound = bound_in_32_bits(T)
        assert bound is not None and float(f"{bound:.9g}") == bound
        u = np.float32(bound)
        for x in (u, np.nextafter(u, np.float32(np.inf)), np.nextafter(u, np.float32(-np.inf))):
            assert (x <= u) == (float(x) < T)
        assert bound_in_32_bits(float(t)) is None
    assert bound_in_32_bits(8.5) is bound_in_32_bits(np.inf) is bound_in_32_bits(1e300) is None
    estimator = DecisionTreeClassifier().fit([[8.0, 0.1], [9.0, 0.1]], [0, 1])
    assert Tree.from_sklearn(estimator).to_text().splitlines()[0] == "x0 <= 8.5"


def test_counts_and_classes() -> None:
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0]})
    estimator = DecisionTreeClassifier().fit(X, [3, 3, 7, 7])
    left, right = Leaf({"counts": {3: 2}}), Leaf({"counts": {7: 2}})
    tree = Tree.from_sklearn(estimator)
    assert isinstance(tree.root, Split)
    assert tree == Tree(Split("age", Below(tree.root.threshold), left, right))
    assert abs(tree.root.threshold - 2.5) < 1e-6
    named = Tree.from_sklearn(estimator, ["years"])
    assert named.features == ("years",)
    weighted = DecisionTreeClassifier().fit(X, [3, 3, 7, 7], sample_weight=[1, 2, 0.5, 3])
    assert Tree.from_sklearn(weighted).leaves() == [Leaf(), Leaf()]


def test_means() -> None:
    estimator = DecisionTreeRegressor(max_depth=1).fit([[0], [1], [1]], [2.0, 3.0, 5.0])
    assert Tree.from_sklearn(estimator).leaves() == [
        Leaf({"n": 1, "mean": 2.0}),
        Leaf({"n": 2, "mean": 4.0}),
    ]


@pytest.mark.parametrize(
    ("estimator", "names", "message"),
    [
        (
            DecisionTreeClassifier(),
            None,
            "error[E640]: `DecisionTreeClassifier` is no fitted decision tree with one response\n"
            "  help: fit a DecisionTreeClassifier or DecisionTreeRegressor first; "
            "of a forest take one tree",
        ),
        (
            SimpleNamespace(tree_=object(), n_outputs_=2),
            None,
            "error[E640]: `SimpleNamespace` is no fitted decision tree with one response\n"
            "  help: fit a DecisionTreeClassifier or DecisionTreeRegressor first; "
            "of a forest take one tree",
        ),
        (
            DecisionTreeClassifier().fit([[0, 1], [1, 1]], [0, 1]),
            ["a"],
            "error[E641]: 1 names are given, and the tree was fitted to 2 features\n"
            "  help: give one name for each column, in order",
        ),
    ],
)
def test_what_is_no_tree(estimator: object, names: list[str] | None, message: str) -> None:
    with pytest.raises(DataError) as caught:
        Tree.from_sklearn(estimator, names)
    assert str(caught.value) == message
