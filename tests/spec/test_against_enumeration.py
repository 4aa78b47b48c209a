"""The whole pipeline, from text to the exact posterior, against the specification by brute force.

Every case is a random program (`random_programs`) on a random table (`random_tables`), made from
its seed alone. What docs/language.md defines is compared to a relative error of 1e-9; draws are
tried by chi-square, with a probability of 1e-6 in each case that a sound sampler fails.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from itertools import count

import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2

from slp.engines import infer
from slp.errors import DataError, SlpError, SlpWarning
from slp.kernels.compiled import compiled_core
from slp.leaves import SIGNATURES
from slp.leaves.signature import Signature
from slp.problem.core import core_for
from slp.results.posterior import Posterior
from slp.trees import check_tree
from tests.spec.brute_force import TreeKey, ValueMissingError
from tests.spec.cases import Case, random_case
from tests.spec.leaf_formulas import (
    ByTable,
    ExponentialFormula,
    ExposedFormula,
    TableFormula,
    WeightedFormula,
)
from tests.spec.pipeline import key_of, tree_of

N_CASES = 400
N_ORDERED = 100
N_WEIGHTED = 100
N_LEAST_WEIGHT = 60
N_MISSING_LEVEL = 60
N_MISSING_SIDE = 80
N_LINES = 60
N_EXPOSURES = 60
N_ZEROS = 80
N_SUBSETS = 100
N_IN_ORDER = 100
N_TABLES = 60
N_EXTREMES = 60
N_PARTITION = 30
N_GROUPS = 100
N_CONCEPTS = 100
N_DRAWN = 40
RELATIVE = 1e-9
LEAST = 1e-300  # smaller probabilities lose digits, as doubles; their logs do not
CHI_SQUARE_ERROR = 1e-6


def posterior_of(case: Case) -> Posterior:
    model = case.model
    return infer(model, engine="exact", seed=1, draws=0)


def near(want: float, case: Case) -> object:
    least = 1e-12 if case.rounding == RELATIVE else case.rounding
    return pytest.approx(want, rel=case.rounding, abs=least)


@pytest.mark.thinned(20)
@pytest.mark.parametrize("seed", range(N_CASES))
def test_posterior(seed: int) -> None:
    check(random_case(seed))


@pytest.mark.thinned(16)
@pytest.mark.parametrize("seed", range(N_ORDERED))
def test_ordinal_features(seed: int) -> None:
    check(random_case(seed, orders=True))


@pytest.mark.thinned(16)
@pytest.mark.parametrize("seed", range(N_WEIGHTED))
def test_weights_of_rows(seed: int) -> None:
    check(random_case(seed, weights=True))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(N_LEAST_WEIGHT))
def test_least_weight_of_leaves(seed: int) -> None:
    check(random_case(seed, least_weight=True))


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", range(N_MISSING_LEVEL))
def test_missing_values_as_a_level(seed: int) -> None:
    check(random_case(seed, missing_level=True))


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", range(N_MISSING_SIDE))
def test_missing_values_that_take_a_side(seed: int) -> None:
    check(random_case(seed, missing_side=True))


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", range(1, N_LINES + 1))
def test_lines_in_leaves(seed: int) -> None:
    check(random_case(seed, lines=True))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(N_EXPOSURES))
def test_counts_with_exposures(seed: int) -> None:
    check(random_case(seed, exposures=True))


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", range(N_ZEROS))
def test_times_and_exposures_of_0(seed: int) -> None:
    check(random_case(seed, zeros=True))


@pytest.mark.thinned(18)  # seed 48 takes ten seconds
@pytest.mark.parametrize("seed", range(N_SUBSETS))
def test_splits_by_subsets_of_levels(seed: int) -> None:
    check(random_case(seed, subsets=True))


@pytest.mark.thinned(10)
@pytest.mark.parametrize("seed", range(N_GROUPS))
def test_groups_of_features(seed: int) -> None:
    """By the exact engine, and each tree's probability by the plain engines."""
    case = random_case(seed, 300, groups=True)
    check(case)
    if case.spec.derivations and seed % 4 == 0:
        compare_trees(case, infer(case.model, engine="chart", draws=0))
        compare_trees(case, infer(case.model, engine="enumerate", draws=0))


@pytest.mark.thinned(10)
@pytest.mark.parametrize("seed", range(N_CONCEPTS))
def test_concepts_of_levels(seed: int) -> None:
    """By the exact engine, and each tree's probability by the plain engines."""
    case = random_case(seed, 300, concepts=True)
    assert case.spec.example.above
    check(case)
    if case.spec.derivations and seed % 4 == 0:
        compare_trees(case, infer(case.model, engine="chart", draws=0))
        compare_trees(case, infer(case.model, engine="enumerate", draws=0))


@pytest.mark.thinned(16)
@pytest.mark.parametrize("seed", range(N_IN_ORDER))
def test_splits_in_the_order_of_the_response(seed: int) -> None:
    case = random_case(seed, ordered=True)
    assert core_for(case.model.table) is compiled_core()
    check(case)
    if case.spec.derivations and seed % 4 == 0:
        compare_trees(case, infer(case.model, engine="chart", draws=0))


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", range(N_TABLES))
def test_leaf_models_that_are_tables(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    signature = Signature("by_table(seed)", ("seed",), real=("seed",), make=ByTable)
    monkeypatch.setitem(SIGNATURES, "by_table", signature)
    case = random_case(seed, tables=True)
    assert core_for(case.model.table) is compiled_core()
    check(case)


#: Sums without a feature that are too small for doubles, and too large.
WIDE = (10093, 10265)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", [*range(N_EXTREMES), *WIDE])
def test_extreme_gaps_and_weights(seed: int) -> None:
    check(random_case(seed, extremes=True))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", range(N_PARTITION))
def test_partition_beside_other_measures(seed: int) -> None:
    """By the exact engine, and each tree's probability by the plain engines."""
    case = random_case(seed, 300, partition=True)
    check(case)
    if case.spec.derivations:
        compare_trees(case, infer(case.model, engine="chart", draws=0))
        compare_trees(case, infer(case.model, engine="enumerate", draws=0))


def check(case: Case) -> None:
    """Every exact answer to a case."""
    if not case.spec.derivations:
        with pytest.raises(SlpError):
            posterior_of(case)
        return
    posterior = posterior_of(case)
    compare_totals(case, posterior)
    compare_trees(case, posterior)
    compare_list(case, posterior)
    compare_best(case, posterior)
    compare_predictions(case, posterior)
    compare_paths(case, posterior)
    compare_features(case, posterior)
    compare_left_out(case, posterior)


def compare_totals(case: Case, posterior: Posterior) -> None:
    """Evidence and number of derivations."""
    want = case.spec.log_evidence()
    assert posterior.log_evidence is not None
    # A relative error of the evidence is an absolute one of its logarithm.
    assert abs(posterior.log_evidence - want) < case.rounding, case
    assert posterior.tree_count() == len(case.spec.derivations), case


def compare_left_out(case: Case, posterior: Posterior) -> None:
    """What some rows are worth given the others, as a ratio of evidences."""
    if posterior.no_loo is not None:
        assert posterior.no_bayes_factor is not None
        with pytest.raises(SlpError):
            posterior.loo()
        return
    found = posterior.loo()
    assert found.kind == "exact" and len(found.pointwise) == len(case.spec.example.rows)
    for row in sorted({0, len(found.pointwise) // 2, len(found.pointwise) - 1}):
        want = case.spec.log_given_others(row)
        assert found.pointwise[row] == pytest.approx(want, rel=1e-9, abs=4 * case.rounding), case


def compare_trees(case: Case, posterior: Posterior) -> None:
    """Each tree's probability, before and after the data."""
    prior, after = case.spec.tree_prior(), case.spec.tree_posterior()
    several = case.spec.by_partition  # splits on different features may be the same split
    for key in list(after)[:40] if several else after:
        if several or min(prior[key], after[key]) < LEAST:
            want = case.spec.log_probabilities(key)
        else:
            want = math.log(prior[key]), math.log(after[key])
        compare_tree(case, posterior, key, want)
    for key in case.other_trees:
        compare_tree(case, posterior, key, case.spec.log_probabilities(key))


def compare_tree(case: Case, posterior: Posterior, key: TreeKey, want: tuple[float, float]) -> None:
    tree = tree_of(key)
    have = posterior.log_prior(tree), posterior.log_posterior(tree)
    # -inf is equal to itself, and near to nothing.
    assert have == pytest.approx(want, rel=0, abs=case.rounding), (case, key)


def compare_list(case: Case, posterior: Posterior) -> None:
    """The trees of all derivations, by falling probability of the derivation."""
    listed = posterior.k_best(len(case.spec.derivations) + 1)
    assert len(listed) == len(case.spec.derivations), case
    want = case.spec.tree_posterior()
    several = case.spec.by_partition
    left: dict[TreeKey, list[float]] = {key: [] for key in want}
    for derivation, probability in sorted(case.spec.posterior(), key=lambda scored: scored[1]):
        left[derivation.tree].append(probability)
    falling = sorted((p for _, p in case.spec.posterior()), reverse=True)
    for scored, probability in zip(listed, falling, strict=True):
        key = key_of(scored.tree)
        assert left[key].pop() == near(probability, case), case
        if not several and want[key] > LEAST:
            assert abs(scored.log_posterior - math.log(want[key])) < case.rounding, case


def compare_best(case: Case, posterior: Posterior) -> None:
    """The MAP derivation (one of several, where they tie), which satisfies every constraint."""
    best = posterior.map()
    scored = case.spec.log_scored()
    top = max(w for _, w in scored)
    ties = {d.tree for d, w in scored if w >= top - case.rounding}
    assert key_of(best.tree) in ties, case
    log_posterior = case.spec.log_probabilities(key_of(best.tree))[1]
    assert abs(best.log_posterior - log_posterior) < case.rounding, case
    log_total = case.spec.log_evidence() + case.spec.log_prior_total()
    assert abs(best.log_joint - log_posterior - log_total) < case.rounding, case
    results = [
        *check_tree(best.tree, case.model.program),
        *check_tree(best.tree, case.model.program, case.table.frame(), "y"),
    ]
    unknown = () if case.spec.example.weights is None else (None,)  # rows, from their weights
    assert [r for r in results if not r.holds and r.holds not in unknown] == [], case


def compare_predictions(case: Case, posterior: Posterior) -> None:
    """Averages over all trees for new rows."""
    columns = {
        f: [case.table.shown(f, x) for x in column]
        for f, column in zip(case.table.features, zip(*case.new_rows, strict=True), strict=True)
    }
    frame = pl.DataFrame(columns)
    try:
        want = np.array([case.spec.predictive(row) for row in case.new_rows])
    except ValueMissingError:
        with pytest.raises(DataError, match="E44[25]"):
            posterior.predict(frame)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)  # of levels that the table lacks
        if case.model.table.leaf.classes:
            have = posterior.predict_proba(frame)
        else:
            have = posterior.predict(frame)[:, None]
        compare_densities(case, posterior, frame)
    np.testing.assert_allclose(
        have, want, rtol=case.rounding, atol=case.rounding, err_msg=repr(case)
    )


def compare_densities(case: Case, posterior: Posterior, frame: pl.DataFrame) -> None:
    """The predictive density of an outcome of each new row; of classes of every class."""
    spec, leaf = case.spec, case.model.table.leaf
    formula = spec.leaf.leaf if isinstance(spec.leaf, WeightedFormula) else spec.leaf
    given = spec.example.y[0]
    match formula:
        case TableFormula():  # no density is known
            return
        case ExponentialFormula() | ExposedFormula():
            asked = {given[0]: (given[0], 1)}
        case _:
            asked = {y: y for y in leaf.classes or (given,)}
    for y, outcome in asked.items():
        want = [spec.density(row, outcome) for row in case.new_rows]
        have = posterior.density(frame, y)
        # The last is the probability of a leaf that sums may lose beside 1.
        np.testing.assert_allclose(have, want, 10 * case.rounding, 1e-15, err_msg=repr(case))


def compare_paths(case: Case, posterior: Posterior) -> None:
    """What new rows are asked on their way."""
    columns = {
        f: [case.table.shown(f, x) for x in column]
        for f, column in zip(case.table.features, zip(*case.new_rows, strict=True), strict=True)
    }
    for i, row in enumerate(case.new_rows[:2]):
        frame = pl.DataFrame({name: own[i : i + 1] for name, own in columns.items()})
        try:
            want = case.spec.asked(row)
        except ValueMissingError:
            with pytest.raises(DataError, match="E44[25]"):
                posterior.explain(frame)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SlpWarning)  # of levels that the table lacks
            have = posterior.explain(frame)
        assert have.kind == "exact"
        for f in have.features:
            assert (f.probability, f.tests) == near(want[f.feature], case), (case, f)
        assert have.tests == near(math.fsum(tests for _, tests in want.values()), case), case
    compare_pairs(case, posterior, pl.DataFrame(columns))


def compare_pairs(case: Case, posterior: Posterior, frame: pl.DataFrame) -> None:
    """How probable it is that new rows end in one leaf."""
    rows = case.new_rows
    try:
        want = [[case.spec.share_a_leaf(a, b) for b in rows] for a in rows]
    except ValueMissingError:
        with pytest.raises(DataError, match="E44[25]"):
            posterior.proximity(frame)
        return
    np.fill_diagonal(want := np.array(want), 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)  # of levels that the table lacks
        have = posterior.proximity(frame)
    if have.kind == "exact":
        near_by = max(1e-9, case.rounding)
        np.testing.assert_allclose(have.value, want, near_by, near_by, err_msg=repr(case))
    else:  # a row goes to both sides of a split
        assert any(case.spec.is_parted(row) for row in rows), case
        assert (np.abs(have.value - want) <= 7 * have.error + 0.02).all(), case


def compare_features(case: Case, posterior: Posterior) -> None:
    """Use of features, numbers of leaves, depth."""
    for feature, use in posterior.split_probabilities().items():
        assert use.probability == near(case.spec.feature_probability(feature), case), (
            case,
            feature,
        )
        assert use.expected_splits == near(case.spec.expected_splits(feature), case), (
            case,
            feature,
        )
    want = case.spec.leaf_distribution()
    have = dict(enumerate(posterior.leaf_distribution().tolist()))
    sizes = {k for k, p in have.items() if p > 0} | set(want)
    assert {k: have.get(k, 0.0) for k in sizes} == near(want, case), case
    assert posterior.expected_leaves() == near(sum(k * p for k, p in want.items()), case), case
    assert posterior.expected_depth() == near(case.spec.expected_depth(), case), case


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", range(N_DRAWN))
def test_draws(seed: int) -> None:
    """2000 draws against the posterior of every tree; each draw satisfies the program."""
    cases = (random_case(s) for s in count(seed, N_CASES))
    case = next(case for case in cases if case.spec.derivations)
    drawn = posterior_of(case).sample(2000, seed=seed)
    have = Counter(key_of(tree) for tree in drawn)
    want = case.spec.tree_posterior()
    assert set(have) <= set(want), case
    for tree in {key_of(t): t for t in drawn}.values():
        assert all(r.holds for r in check_tree(tree, case.model.program)), (case, tree.to_text())
    assert chi_square_p_value(have, want, len(drawn)) > CHI_SQUARE_ERROR, case


def chi_square_p_value(have: Counter[TreeKey], want: dict[TreeKey, float], n: int) -> float:
    """Pearson's test; trees that are expected fewer than five times are one cell."""
    common = [key for key in want if want[key] * n >= 5]
    cells = [(have[key], want[key] * n) for key in common]
    rare = n - sum(expected for _, expected in cells)
    if rare > 1e-6:
        cells.append((n - sum(seen for seen, _ in cells), rare))
    statistic = sum((seen - expected) ** 2 / expected for seen, expected in cells)
    return float(chi2.sf(statistic, len(cells) - 1)) if len(cells) > 1 else 1.0


@pytest.mark.slow
def test_the_cases_are_varied() -> None:
    """The generator reaches every measure, constraint and kind of table, and few dead ends."""
    cases = [random_case(seed) for seed in range(N_CASES)]
    text = "\n".join(case.text for case in cases)
    words = [
        *("growtree,", "growtree_all", "growtree_gap", "denison", "bcart_pcfg", "gmt", "pinball"),
        *("rjhmc", "range)"),
        *("all)", "gap)", "each)", "partition)", "per_feature)", "feature_then_cut)"),
        *("constant(", "below(", "within(", "first(", "before(", "once(", "exclusive("),
        *("interaction(", "majority(", "max_leaves(", "failure(condition)", ":- weights"),
        *("feature_weight", "min_leaf", "max_depth", "cuts(", "quantile", "width", "categorical"),
        *("normal_inverse_gamma", "gamma_poisson", "gamma_exponential", "dirichlet(", "ignore("),
    ]
    assert [word for word in words if text.count(word) < 3] == []
    satisfiable = sum(bool(case.spec.derivations) for case in cases)
    assert 0.8 * N_CASES < satisfiable < N_CASES
    several = sum(len(case.spec.derivations) > 1 for case in cases)
    assert several > N_CASES / 2
