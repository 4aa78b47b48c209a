"""Small named priors whose answers are worked out by hand in each test's docstring.

`have` is what the package says, `want` what the docstring derives. In all of them leaves are
`dirichlet(1)`: responses that make up counts k and m of two classes have marginal likelihood
k! m! / (k + m + 1)!.
"""

from __future__ import annotations

import math

import polars as pl
import pytest

from slp.columns import Below
from slp.errors import SlpError
from slp.results.posterior import Posterior
from slp.trees import Leaf, Split, Tree
from tests.spec.pipeline import exact


def line(n: int, y: str = "") -> pl.DataFrame:
    """Rows 0, 1, ..., n-1 of one feature `a`; classes p and q as given, else by turns."""
    return pl.DataFrame({"a": list(map(float, range(n))), "y": list(y or ("pq" * n)[:n])})


def leaves(posterior: Posterior) -> dict[int, float]:
    """P(number of leaves = k) where it is not 0."""
    return {k: p for k, p in enumerate(posterior.leaf_distribution().tolist()) if p > 0}


def stump(feature: str, threshold: float) -> Tree:
    return Tree(Split(feature, Below(threshold), Leaf(), Leaf()))


def constant_growth(p: float) -> str:
    """Every node splits with probability p, whatever its depth."""
    return f":- use(growtree, [alpha = {p}, beta = 0]).\n"


def test_stump_on_two_rows() -> None:
    """growtree, alpha = 0.7, rows 0 (p) and 1 (q).

    Two trees: one leaf, prior 0.3, likelihood 1! 1! / 3! = 1/6; the stump at 0.5, prior 0.7 (its
    children cannot split and are leaves for certain), likelihood (1/2)^2 = 1/4.
    Evidence 0.3/6 + 0.7/4 = 0.225; P(stump | y) = 0.175 / 0.225 = 7/9.
    P(p | a = 0) = 7/9 * 2/3 + 2/9 * 1/2 = 17/27.
    """
    posterior = exact(":- use(growtree, [alpha = 0.7]).", line(2, "pq"))
    assert posterior.log_evidence == pytest.approx(math.log(0.225), rel=1e-12)
    assert posterior.tree_count() == 2
    assert math.exp(posterior.log_posterior(stump("a", 0.5))) == pytest.approx(7 / 9)
    assert posterior.split_probabilities()["a"].probability == pytest.approx(7 / 9)
    assert posterior.predict_proba(pl.DataFrame({"a": [-5.0]}))[0] == pytest.approx(
        [17 / 27, 10 / 27]
    )
    assert posterior.map_tree().root.threshold == 0.5  # type: ignore[union-attr]


def test_number_of_leaves_on_three_rows() -> None:
    """Each node splits with probability p, rows 0, 1, 2.

    One leaf: 1 - p. Split (p) leaves a side of two rows wherever the cut is, which splits with p
    again: two leaves p (1 - p), three leaves p^2.
    """
    have = exact(constant_growth(0.4), line(3), likelihood=False)
    assert leaves(have) == pytest.approx({1: 0.6, 2: 0.4 * 0.6, 3: 0.16})


def test_catalan_numbers_under_denison_on_a_line() -> None:
    """denison, n rows on a line.

    A tree with k leaves picks k - 1 of the n - 1 cuts, and any binary tree with those as its inner
    nodes in order: C(n-1, k-1) Catalan(k-1) trees, each of weight phi^-(k-1).
    """
    n, phi = 6, 2.5
    trees = [math.comb(n - 1, k) * math.comb(2 * k, k) // (k + 1) for k in range(n)]
    prior = exact(f":- use(denison, [phi = {phi}]).", line(n), likelihood=False)
    assert prior.tree_count() == sum(trees) == 188
    weights = [t * phi**-k for k, t in enumerate(trees)]
    want = {k + 1: w / sum(weights) for k, w in enumerate(weights)}
    assert leaves(prior) == pytest.approx(want)


def test_pinball_with_little_room() -> None:
    """pinball, rows 0, 1, 2: at most three leaves.

    k = 1 + Poisson(lambda) leaves are owed. One leaf: always placed. Two: the cut is free, always
    placed. Three: the left side owes 1 or 2 (1/2 each), and each fits only one of the two cuts
    (1/2 each), then all fits: 1/2. More: never. Weights 1, lambda, lambda^2 / 4 over their sum.
    """
    have = exact(":- use(pinball, [lambda = 3]).", line(3), likelihood=False)
    assert leaves(have) == pytest.approx({1: 1 / 6.25, 2: 3 / 6.25, 3: 2.25 / 6.25})


def test_lost_probability_of_gmt() -> None:
    """gmt, q = 0.6, two rows that differ in `a` and not in `b`.

    The root splits with 0.6; half of that goes to `b`, which cannot split, and is lost: the stump
    weighs 0.3, the leaf 0.4.
    """
    table = pl.DataFrame({"a": [0.0, 1.0], "b": [5.0, 5.0], "y": ["p", "q"]})
    have = exact(":- use(gmt, [q = 0.6]).", table, likelihood=False)
    assert leaves(have) == pytest.approx({1: 4 / 7, 2: 3 / 7})


def test_constant_box_that_leaves_one_tree() -> None:
    """denison, a box over all rows: no split is allowed, the one tree is the leaf.

    Its likelihood with 2 of p and 2 of q is 2! 2! / 5! = 1/30.
    """
    box = "box(all, a, -inf, inf).\n:- constraint(constant(all)).\n"
    posterior = exact(":- use(denison, []).\n" + box, line(4))
    assert posterior.tree_count() == 1
    assert posterior.log_evidence == pytest.approx(math.log(1 / 30))
    assert posterior.map_tree().n_leaves == 1


@pytest.mark.parametrize(
    ("failure", "split", "leaf"), [("restrict", 0.4, 0.6), ("condition", 0.2, 0.6)]
)
def test_restrict_and_condition_differ(failure: str, split: float, leaf: float) -> None:
    """The root splits with 0.4; `b` is forbidden; two rows that differ in both features.

    restrict: the split measure is taken over what is left, so `a` has all of 0.4.
    condition: `a` has half of it, the half of `b` fails, and the rest is renormalised.
    """
    table = pl.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0], "y": ["p", "q"]})
    rules = f"{constant_growth(0.4)}:- constraint(forbid(b)).\n:- failure({failure}).\n"
    have = exact(rules, table, likelihood=False)
    assert leaves(have) == pytest.approx({1: leaf / (leaf + split), 2: split / (leaf + split)})


def test_duplicate_columns_under_partition_and_each() -> None:
    """denison and bcart_pcfg, rows 0, 1, 2 in `a` and again in `b`; phi = 2.

    On one column there are trees of weight 1, 2 * 1/2 and 2 * 1/4 for one, two and three leaves.
    `partition` counts the splits of `b` no further. `each` doubles at every split.
    """
    table = line(3).with_columns(b=pl.col("a") * 10).select("a", "b", "y")
    have = exact(":- use(bcart_pcfg, [phi = 2]).", table, likelihood=False)
    assert leaves(have) == pytest.approx({1: 2 / 5, 2: 2 / 5, 3: 1 / 5})
    assert have.tree_count() == 5
    assert have.split_probabilities()["b"].probability == 0
    have = exact(":- use(denison, [phi = 2]).", table, likelihood=False)
    assert leaves(have) == pytest.approx({1: 1 / 5, 2: 2 / 5, 3: 2 / 5})
    assert have.tree_count() == 1 + 4 + 8


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("growtree", [1 / 4, 1 / 4, 1 / 2]),  # the feature 1/2, then each of its cuts alike
        ("growtree_all", [1 / 3, 1 / 3, 1 / 3]),
        ("growtree_gap", [1 / 8, 3 / 8, 1 / 2]),  # the feature 1/2, then gaps 1 and 3 of 4
        ("rjhmc", [1 / 8, 3 / 8, 1 / 2]),  # the same, as the box has all rows
    ],
)
def test_measures_of_a_stump(name: str, want: list[float]) -> None:
    """Trees of depth 1 at most, given that they split; `a` is 0, 1, 4, and `b` is 0, 0, 1."""
    table = pl.DataFrame({"a": [0.0, 1.0, 4.0], "b": [0.0, 0.0, 1.0], "y": ["p", "q", "q"]})
    prior = exact(
        f":- use({name}, [alpha = 0.5]).\n:- support(max_depth(1)).\n", table, likelihood=False
    )
    stumps = [stump("a", 0.5), stump("a", 2.5), stump("b", 0.5)]
    have = [math.exp(prior.log_posterior(s)) / 0.5 for s in stumps]
    assert have == pytest.approx(want)


def test_thresholds_that_part_no_rows_are_lost() -> None:
    """Rows 0, 1, 4 on a line, each node splits with 0.5, measure `range`.

    The root splits at 0.5 with 1/2 * 1/4 and at 2.5 with 1/2 * 3/4. Below, the interval is the
    same part of the whole range, so 2.5 has 3/4 under the root at 0.5, and the other 1/4 fails.
    """
    table = pl.DataFrame({"a": [0.0, 1.0, 4.0], "y": ["p", "q", "q"]})
    text = ":- start(t). 0.5 :: t --> leaf. 0.5 :: t --> split(F, V, range), t, t."
    have = exact(text, table, likelihood=False)
    two = 0.5 * 1 / 4 * 0.5 + 0.5 * 3 / 4 * 0.5
    three = 0.5 * 1 / 4 * 0.5 * 3 / 4 * 2
    total = 0.5 + two + three
    assert leaves(have) == pytest.approx({1: 0.5 / total, 2: two / total, 3: three / total})


def test_feature_weights() -> None:
    """`a` weighs 3 and `b` 1: of the stumps on two rows that differ in both, 3/4 are on `a`."""
    table = pl.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0], "y": ["p", "q"]})
    text = constant_growth(0.8) + ":- feature_weight(a, 3).\n"
    have = exact(text, table, likelihood=False).split_probabilities()
    assert have["a"].probability == pytest.approx(0.6)
    assert have["b"].probability == pytest.approx(0.2)


def test_max_leaves_conditions() -> None:
    """Three rows on a line, each node splits with p = 0.4, at most two leaves.

    The three-leaf trees (p^2 together) fail: (1 - p) and p (1 - p) over their sum, that is 1 and p
    over 1 + p. Were it a restriction, the second split would be impossible and the stump have p.
    """
    text = constant_growth(0.4) + ":- constraint(max_leaves(2)).\n"
    have = exact(text, line(3), likelihood=False)
    assert leaves(have) == pytest.approx({1: 1 / 1.4, 2: 0.4 / 1.4})


def test_repeated_rows_cannot_be_parted() -> None:
    """Four rows alike: one tree; with 3 of p and 1 of q the evidence is 3! 1! / 5! = 1/20."""
    table = pl.DataFrame({"a": [1.0] * 4, "y": list("ppqp")})
    posterior = exact(":- use(growtree, []).", table)
    assert posterior.tree_count() == 1
    assert posterior.log_evidence == pytest.approx(math.log(1 / 20))


def test_majority_forbids_a_leaf() -> None:
    """Rows 0 (p), 1 (q); in every leaf with a >= 0.75, p is to have a majority (ties allowed).

    The stump's right leaf (a >= 0.5, one row of q) meets the box and breaks it; the single leaf has
    a tie and stays. The split is not looked ahead of, so the stump's weight is lost: one tree.
    """
    text = constant_growth(0.4) + "box(top, a, 0.75, inf).\n:- constraint(majority(top, p)).\n"
    posterior = exact(text, line(2, "pq"))
    assert posterior.tree_count() == 1
    assert posterior.log_evidence == pytest.approx(math.log(1 / 6))


@pytest.mark.parametrize("failure", ["restrict", "condition"])
def test_no_tree_satisfies_the_program(failure: str) -> None:
    """Rows 0 and 1 are of q, and everywhere p is to have a majority: no leaf is left."""
    box = "box(all, a, -inf, inf).\n:- constraint(majority(all, p)).\n"
    table = pl.DataFrame({"a": [0.0, 1.0, 2.0], "y": ["q", "q", "p"]})
    with pytest.raises(SlpError):
        exact(f"{constant_growth(0.4)}{box}:- failure({failure}).\n", table)


def test_derivations_of_one_tree_add_up() -> None:
    """Two rules make the same split, with 0.2 and 0.3: the stump has 0.5 in two derivations."""
    text = """
    :- start(t).
    0.2 :: t --> split(F, V), leaf, leaf.
    0.3 :: t --> split(F, V, all), leaf, leaf.
    0.5 :: t --> leaf.
    """
    prior = exact(text, line(2), likelihood=False)
    assert prior.tree_count() == 3
    assert math.exp(prior.log_posterior(stump("a", 0.5))) == pytest.approx(0.5)
    # The leaf, and the stump twice, as each derivation is listed, with its tree's probability.
    assert [math.exp(t.log_posterior) for t in prior.k_best(9)] == pytest.approx([0.5] * 3)


def test_thresholds_among_declared_cuts() -> None:
    """Cuts at 1, 2, 3 are declared; rows 0 and 9 lie three cuts apart: the threshold is the middle
    one, 2. With rows 0, 2.5, 9 the cuts between bins 0 and 2 are 1, 2: the lower middle is 1.
    """
    declared = ":- feature(a, [cuts([1, 2, 3])]).\n" + constant_growth(0.5)
    have = exact(declared, pl.DataFrame({"a": [0.0, 9.0], "y": ["p", "q"]}))
    assert math.exp(have.log_posterior(stump("a", 2.0))) > 0
    assert have.k_best(1)[0].tree.root.threshold == 2.0  # type: ignore[union-attr]
    have = exact(declared, pl.DataFrame({"a": [0.0, 2.5, 9.0], "y": ["p", "q", "q"]}))
    thresholds = {t.tree.root.threshold for t in have.k_best(99) if t.tree.n_leaves == 2}  # type: ignore[union-attr]
    assert thresholds == {1.0, 3.0}


@pytest.mark.parametrize(
    ("bounds", "a", "b"),
    [
        ("0.5, inf", [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]),
        ("-inf, 0.5", [0.0, 0.0, 1.0], [0.0, 1.0, 1.0]),
    ],
)
def test_a_region_that_ends_where_the_box_does_lies_inside(
    bounds: str, a: list[float], b: list[float]
) -> None:
    """`b` is forbidden within a box of `a` that begins (or ends) at the one cut of `a`, p = 0.4.

    Leaf 0.6. Root on `a` (0.2): the side of two rows is the box itself, may not split on `b`, and
    cannot on `a`: two leaves. Root on `b` (0.2): the side of two rows splits on `a` with 0.4.
    """
    table = pl.DataFrame({"a": a, "b": b, "y": ["p", "q", "q"]})
    box = f"box(zone, a, {bounds}).\n:- constraint(forbid(b, within(zone))).\n"
    have = exact(constant_growth(0.4) + box, table, likelihood=False)
    assert leaves(have) == pytest.approx({1: 0.6, 2: 0.2 + 0.2 * 0.6, 3: 0.2 * 0.4})


@pytest.mark.parametrize(("t", "most"), [(0.49, 3), (0.5, 3), (0.51, 2)])
def test_a_cut_at_the_edge_of_a_constant_box_does_not_cut_it(t: float, most: int) -> None:
    """Rows 0, 1, 2; the box is 0 <= a < t, and the cuts of `a` are 0.5 and 1.5.

    Up to t = 0.5 neither cut is inside the box, and nothing is forbidden. With t = 0.51 the cut at
    0.5 is inside, at the root and left of 1.5, where the region still contains the box: two leaves.
    """
    box = f"box(low, a, 0, {t}).\n:- constraint(constant(low)).\n"
    have = exact(constant_growth(0.4) + box, line(3), likelihood=False)
    assert max(leaves(have)) == most
