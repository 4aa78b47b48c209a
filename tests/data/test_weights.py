"""Weights of rows: from a column or given, absent rows, and what weights are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import slp

RNG = np.random.default_rng(2)
N = 14
FRAME = pl.DataFrame(
    {
        "a": RNG.integers(0, 2, N),
        "b": RNG.integers(0, 2, N),
        "c": RNG.integers(0, 3, N),
        "w": [0.5, 1.25, 0.0, 3.0, 0.1, 2.0, 1.0, 1.0, 0.7, 1.3, 40.0, 1.0, 0.0, 2.5],
        "y": [*RNG.integers(0, 2, N - 2), 1, 0],
    }
)
WEIGHTED = slp.parse(":- use(growtree).\n:- row_weight(w).")


@pytest.fixture(scope="module")
def posterior() -> slp.Posterior:
    return WEIGHTED.posterior(FRAME, "y", engine="exact", seed=1, draws=20)


def test_a_column_of_weights_is_no_feature(posterior: slp.Posterior) -> None:
    assert posterior.table.feature_names == ("a", "b", "c")
    given = slp.load("growtree").posterior(
        FRAME.drop("w"), "y", sample_weight=FRAME["w"], engine="exact"
    )
    assert given.log_evidence == posterior.log_evidence
    assert posterior.table.n_rows == N - 2
    assert posterior.predict_proba(FRAME.drop("w", "y")).shape == (N, 2)
    assert (
        "w"
        not in slp.parse(":- use(growtree).\n:- row_weight(y).\n")
        .posterior(FRAME.drop("w").with_columns(z=pl.lit(1) + FRAME["a"]), engine="modal")
        .table.feature_names
    )


def test_the_evidence_of_real_weights_is_marked(posterior: slp.Posterior) -> None:
    assert "weighted likelihood" in str(posterior.evidence_note)
    whole = WEIGHTED.posterior(FRAME.with_columns(w=2 * pl.col("a") + 1), "y", engine="exact")
    assert whole.evidence_note is None
    assert any(note.startswith("rows have weights from 1 to 3") for note in whole.table.notes)


def test_equal_real_weights_scale_the_likelihood(posterior: slp.Posterior) -> None:
    """One leaf of weights that are all 0.5 has half the statistics."""
    half = WEIGHTED.posterior(FRAME.with_columns(w=pl.lit(0.5)), "y", engine="exact")
    n = np.bincount(FRAME["y"]).astype(np.float64) / 2
    leaf = slp.Tree.from_dict({})
    have = half.log_likelihood(leaf)
    assert have == pytest.approx(float(half.table.leaf.log_marginal(n)), rel=1e-12)


def test_absent_rows_give_no_splits() -> None:
    """A value that rows of weight 0 alone have makes no threshold, and a class no class."""
    frame = pl.DataFrame({"x": [1, 2, 3, 9], "w": [1, 1, 1, 0], "y": ["a", "b", "a", "z"]})
    found = WEIGHTED.posterior(frame, "y")
    assert found.table.features[0].kind.values is not None
    assert found.table.features[0].kind.values.tolist() == [1, 2, 3]
    assert found.table.leaf.classes == ("a", "b")


@pytest.mark.parametrize("engine", ["exact", "modal", "search", "mh", "smc"])
def test_leaves_show_weights(engine: str) -> None:
    few = {"warmup": 50, "thin": 5} if engine == "mh" else {}
    found = WEIGHTED.posterior(FRAME, "y", engine=engine, seed=1, draws=10, threads=1, **few)
    counts = [c for leaf in found.map_tree().leaves() for c in leaf.summary["counts"].values()]
    assert sum(counts) == pytest.approx(FRAME["w"].sum())


def test_majority_compares_weights() -> None:
    frame = pl.DataFrame({"x": [1, 1, 1], "w": [0.5, 0.4, 2.0], "y": ["a", "a", "b"]})
    text = ":- use(growtree).\n:- row_weight(w).\nbox(all, x, 0, 9).\n"
    assert slp.parse(f"{text}:- constraint(majority(all, b)).").posterior(frame, "y").tree_count()
    with pytest.raises(slp.SlpError):
        slp.parse(f"{text}:- constraint(majority(all, a)).").posterior(frame, "y")


def test_min_leaf_counts_rows_in_checks() -> None:
    """Two rows of weight 0.5 on each side: enough rows, whatever their weights."""
    program = slp.parse(":- use(growtree).\n:- row_weight(w).\n:- support(min_leaf(2)).")
    frame = pl.DataFrame({"x": [1, 1, 2, 2], "w": [0.5] * 4, "y": ["a", "a", "b", "b"]})
    found = program.posterior(frame, "y")
    assert found.tree_count() == 2
    tree = next(t for t in (s.tree for s in found.k_best(2)) if t.n_leaves == 2)
    assert all(result.holds for result in tree.check(program, frame, "y"))
    assert [result.holds for result in tree.check(program)] == [None]
    one = frame.with_columns(x=pl.Series([1, 2, 2, 2]), w=pl.lit(7.0))
    assert not all(r.holds for r in tree.check(program, one, "y"))


def test_saved_runs_with_weights(posterior: slp.Posterior, tmp_path: Path) -> None:
    posterior.save(tmp_path / "run.slpz", table=True)
    loaded = slp.load_posterior(tmp_path / "run.slpz")
    assert loaded.evidence_note == posterior.evidence_note
    np.testing.assert_array_equal(loaded.table.statistics, posterior.table.statistics)


def test_scikit_learn_keeps_weights(posterior: slp.Posterior) -> None:
    pytest.importorskip("sklearn")
    fitted = posterior.map_tree().to_sklearn()
    assert fitted.tree_.weighted_n_node_samples[0] == pytest.approx(FRAME["w"].sum())


def test_weights_given_twice_or_of_no_column() -> None:
    with pytest.raises(slp.DataError, match=r"E437.*in the column `w`"):
        WEIGHTED.posterior(FRAME, "y", sample_weight=FRAME["w"])
    with pytest.raises(slp.DataError, match=r"E425.*`w` for the weight of rows"):
        WEIGHTED.posterior(FRAME.drop("w"), "y")
    with pytest.raises(slp.DataError, match=r"E437.*row 3 is -2"):
        WEIGHTED.posterior(FRAME.with_columns(w=pl.Series([1.0, 1.0, -2.0] + [1.0] * 11)), "y")
    with pytest.raises(slp.ProgramError, match="the weight of rows"):
        slp.parse(":- use(growtree).\n:- row_weight(w).\n:- constraint(first(w)).")


def test_quantiles_of_real_weights() -> None:
    """Half of the weight lies at 3 or below: the cut is at 3, which lies above it."""
    program = slp.parse(":- use(growtree).\n:- row_weight(w).\n:- feature(x, [bins(quantile, 2)]).")
    frame = pl.DataFrame({"x": [1, 2, 3, 4], "w": [0.2, 0.2, 1.5, 1.0], "y": [0, 1, 0, 1]})
    cuts = program.posterior(frame, "y").table.features[0].kind.numbers
    assert cuts is not None
    assert cuts.tolist() == [3.0]


# --- the least weight of a leaf -----------------------------------------------------------------

LEAST = ":- use(growtree).\n:- row_weight(w).\n:- support(min_weight({})).\n"


def tree_count(least: float, weights: list[float]) -> float:
    n = len(weights)
    frame = pl.DataFrame({"x": range(n), "w": weights, "y": [0, 1] * (n // 2) + [1] * (n % 2)})
    return slp.parse(LEAST.format(least)).posterior(frame, "y", engine="exact").tree_count()


@pytest.mark.parametrize(
    ("least", "weights", "want"),
    [
        (0.3, [0.1, 0.2, 0.3], 2),  # the sum 0.1 + 0.2 is above 0.3 as floats, and equal to it
        (0.3, [0.2, 0.1, 0.1, 0.1, 0.1], 2),
        (0.30001, [0.1, 0.2, 0.3], 1),
        (1, [1 / 3, 1 / 3, 1 / 3, 4], 2),
        (2, [1, 1, 1, 1], 2),
        (5e9, [1e9] * 9, 1),
        (4e9, [1e9] * 8, 2),
        (1e300, [1, 1], 1),
    ],
)
def test_sums_of_weights_are_compared(least: float, weights: list[float], want: int) -> None:
    assert tree_count(least, weights) == want


def test_weights_stand_for_rows_without_weights() -> None:
    frame = pl.DataFrame({"x": [1, 2, 3, 4], "y": [0, 1, 0, 1]})
    by_weight = slp.parse(":- use(growtree).\n:- support(min_weight(1.5)).").posterior(frame)
    by_rows = slp.parse(":- use(growtree).\n:- support(min_leaf(2)).").posterior(frame)
    assert by_weight.log_evidence == pytest.approx(by_rows.log_evidence, rel=1e-14)


def test_trees_are_checked_for_the_weight_of_leaves(tmp_path: Path) -> None:
    program = slp.parse(LEAST.format(1))
    frame = pl.DataFrame({"x": [1, 2, 3], "w": [0.5, 0.6, 1.0], "y": ["a", "b", "a"]})
    found = program.posterior(frame, "y", engine="exact")
    tree = found.k_best(2)[1].tree
    two = tree if tree.n_leaves == 2 else found.map_tree()
    assert [r.holds for r in two.check(program)] == [True]
    assert [r.constraint for r in two.check(program)][0] is not None
    light = slp.Tree.from_dict({"feature": "x", "threshold": 1.5, "left": {}, "right": {}})
    (result,) = light.check(program, frame, "y")
    assert result.holds is False
    assert "weigh at least 1 together" in str(result)
    assert found.log_posterior(light) == -np.inf
    found.save(tmp_path / "run.slpz", table=True)
    loaded = slp.load_posterior(tmp_path / "run.slpz")
    assert loaded.log_posterior(two) == found.log_posterior(two)
    assert loaded.log_posterior(light) == -np.inf


def test_the_least_weight_goes_with_no_count_of_rows() -> None:
    with pytest.raises(slp.ProgramError, match=r"E102.*limit the same thing"):
        slp.parse(":- use(growtree).\n:- support([min_leaf(2), min_weight(2)]).")
    with pytest.raises(slp.ProgramError, match=r"E102.*does not go with guards"):
        slp.parse(":- start(t).\n:- support(min_weight(2)).\n1 :: t --> { rows(N), N < 9 }, leaf.")
    with pytest.raises(slp.ProgramError, match=r"E109.*`min_weight` is 0"):
        slp.parse(":- use(growtree).\n:- support(min_weight(0)).")


def test_a_weight_that_no_two_sides_have_is_told() -> None:
    frame = pl.DataFrame({"x": [1, 2], "w": [1, 1], "y": [0, 1]})
    with pytest.warns(slp.SlpWarning, match=r"W151.*`min_weight\(3\)` leaves one tree"):
        slp.parse(LEAST.format(3)).posterior(frame, "y")


@pytest.mark.parametrize(
    "leaf",
    [
        "normal_inverse_gamma(0.5, 0.1, 3, 0.02)",
        "normal_linear([a], 0.5, 0.1, 0.1, 3, 0.02)",
        "gamma_poisson(1, 1)",
    ],
)
def test_rounded_squares_of_heavy_rows_are_told_of(leaf: str) -> None:
    """W409 at weight 1e9, where the log evidence of the first model is off by 58 of -1.3e10. At 1e4
    it is off by 4e-9. Other models sum no squares."""
    program = slp.parse(f":- use(growtree). :- row_weight(w). :- leaf({leaf}).")
    for weight in (1e9, 1e4):
        columns = {"a": [0, 0, 1], "w": [weight, 1.0, weight / 3], "y": [0, 0, 6]}
        posterior = program.posterior(pl.DataFrame(columns), draws=0)
        told = [w.message for w in posterior.table.warnings if w.code == "W409"]
        assert bool(told) == (weight == 1e9 and leaf.startswith("normal"))
        assert all("response 6 weigh 3.33e+08 in all" in message for message in told)
