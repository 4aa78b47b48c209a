"""The prior under constraints and feature weights, beside all trees listed by hand.

Seeds are fixed. Shares and means are compared within 5 standard errors by 50 batches. A right
sampler fails one of the 163 comparisons of this file by chance with a probability below 0.001.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.errors import SlpWarning

LIMIT = 5.0
ALPHA, BETA, DEPTH = 0.8, 0.4, 2
WEIGHTS = {"a": 3.0, "b": 1.0, "c": 1.5}
FRAME = pl.DataFrame(
    {name: np.random.default_rng(7).uniform(size=12) for name in WEIGHTS} | {"y": ["p", "q"] * 6}
).with_columns(b=pl.col("b").reverse(), c=5 * pl.col("c").sqrt())

#: A leaf, or a feature with the trees on both sides.
Shape = tuple[()] | tuple[str, Any, Any]

#: Whether a feature may come below those on the path from the root.
Allows = Callable[[str, tuple[str, ...]], bool]

CASES: dict[str, Allows] = {
    "forbid(a)": lambda f, above: f != "a",
    "forbid(a, below(1))": lambda f, above: f != "a" or not above,
    "first(a)": lambda f, above: f == "a" or bool(above),
    "before(a, b)": lambda f, above: f != "b" or "a" in above,
    "once(a)": lambda f, above: f != "a" or "a" not in above,
    "exclusive([a, b])": lambda f, above: not {"a", "b"} <= {f, *above},
    "interaction([[a, b], [b, c]])": lambda f, above: not {"a", "c"} <= {f, *above},
    "max_cost(2)": lambda f, above: not {"a", "b"} <= {f, *above},
}
#: Where `a` and `b` are the group `kin`.
GROUPED: dict[str, Allows] = {
    "max_leaves(9)": lambda f, above: True,
    "forbid(a)": CASES["forbid(a)"],
    "once(kin)": lambda f, above: f == "c" or not {"a", "b"} & {*above},
    "before(kin, c)": lambda f, above: f != "c" or bool({"a", "b"} & {*above}),
}


def trees_below(
    allows: Allows, above: tuple[str, ...] = (), grouped: bool = False
) -> dict[Shape, float]:
    """All trees below a path, with their probabilities. A split takes one of the features allowed,
    in proportion to their weights. If they are `grouped`, a group is drawn first."""
    allowed = [f for f in WEIGHTS if allows(f, above)] if len(above) < DEPTH else []
    if not allowed:
        return {(): 1.0}
    splits = ALPHA * (1 + len(above)) ** -BETA
    kin = [[f for f in own if f in allowed] for own in (("a", "b"), ("c",))]
    groups = [own for own in kin if own] if grouped else [allowed]
    share = {f: WEIGHTS[f] / sum(WEIGHTS[g] for g in own) for own in groups for f in own}
    out: dict[Shape, float] = {(): 1 - splits}
    for f in allowed:
        sides = trees_below(allows, (*above, f), grouped).items()
        for (left, p), (right, q) in product(sides, sides):
            out[f, left, right] = splits * share[f] / len(groups) * p * q
    return out


def shape_of(tree: Any) -> Shape:
    nodes = iter(tree.nodes)

    def below() -> Shape:
        feature = getattr(next(nodes), "feature", None)
        return () if feature is None else (feature, below(), below())

    return below()


def first_features(tree: Shape) -> tuple[str, ...]:
    """The features of the root and of the node on its left, where these split."""
    return (tree[0], *tree[1][:1]) if tree else ()


def leaves_of(tree: Shape) -> int:
    return leaves_of(tree[1]) + leaves_of(tree[2]) if tree else 1


def draws_of(text: str, n: int, **options: Any) -> list[Any]:
    """Trees from the prior of a program."""
    program = slp.parse(text)
    few: dict[str, Any] = {"seed": 3, "warmup": 100, "thin": 2, "chains": 1, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return [draw.tree for draw in program.prior(FRAME, engine="rjhmc", draws=n, **few).draws]


def agrees(what: object, values: np.ndarray, want: float) -> None:
    batches = values.reshape(50, -1).mean(axis=1)
    error = batches.std(ddof=1) / np.sqrt(50)
    assert abs(values.mean() - want) <= LIMIT * error, (what, values.mean(), want, error)


@pytest.mark.slow
@pytest.mark.parametrize("constraint", CASES)
def test_draws_have_the_probabilities_of_all_trees(constraint: str) -> None:
    """Other features change which states, and so which shares, are below. A step of the sweep over
    features must weigh them."""
    check_draws(constraint, trees_below(CASES[constraint]))


@pytest.mark.slow
@pytest.mark.parametrize("constraint", GROUPED)
def test_draws_with_groups_have_the_probabilities_of_all_trees(constraint: str) -> None:
    want = trees_below(GROUPED[constraint], grouped=True)
    check_draws(constraint, want, "of_group(a, kin). of_group(b, kin).")


def check_draws(constraint: str, want: dict[Shape, float], more: str = "") -> None:
    assert sum(want.values()) == pytest.approx(1.0)
    weights = " ".join(f":- feature_weight({f}, {w})." for f, w in WEIGHTS.items())
    text = (
        f":- use(rjhmc, [alpha = {ALPHA}, beta = {BETA}]). {weights} "
        f":- constraint({constraint}). :- support(max_depth({DEPTH})). "
        f":- cost(a, 2). :- cost(b, 1). {more}"
    )
    found = [shape_of(tree) for tree in draws_of(text, 4000)]
    assert set(found) <= set(want)
    begins = [first_features(tree) for tree in found]
    shares: dict[tuple[str, ...], float] = {}
    roots: dict[tuple[str, ...], float] = {}
    for tree, p in want.items():
        key = first_features(tree)
        shares[key] = shares.get(key, 0.0) + p
        roots[key[:1]] = roots.get(key[:1], 0.0) + p
    for key, p in shares.items():
        agrees(key, np.array([begin == key for begin in begins], np.float64), p)
    for key, p in roots.items():
        agrees(key, np.array([begin[:1] == key for begin in begins], np.float64), p)
    leaves = np.array([leaves_of(tree) for tree in found], np.float64)
    agrees("leaves", leaves, sum(p * leaves_of(tree) for tree, p in want.items()))


def test_weights_of_features_times_the_concentration() -> None:
    """With `index="soft"` the weights of a split are drawn from a Dirichlet distribution. Its
    concentrations are the feature weights times `concentration`."""
    text = ":- use(rjhmc, [alpha = 0.9]). :- support(max_depth(1)). :- feature_weight(a, 3)."
    options: dict[str, Any] = {"index": "soft", "concentration": 2.0}
    trees = draws_of(text, 4000, **options)
    spans = {f: float(np.ptp(FRAME[f].to_numpy())) for f in WEIGHTS}
    delta = np.array([[w * spans[f] for f, w in s.weights] for t in trees for s in t.splits])
    assert delta.sum(axis=1) == pytest.approx(1.0)
    delta = delta[: len(delta) // 50 * 50]
    for f, of_feature, mean in zip(WEIGHTS, delta.T, (0.6, 0.2, 0.2), strict=True):
        agrees(f, of_feature, mean)
        agrees((f, "variance"), (of_feature - mean) ** 2, mean * (1 - mean) / (2 * 5 + 1))
