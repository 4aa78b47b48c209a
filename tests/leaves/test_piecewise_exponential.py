"""Durations by pieces, against quadrature, enumeration and the model of one piece."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.integrate import quad

import slp
from slp.errors import ProgramError
from slp.ir.leaves import LeafDeclaration
from slp.leaves import GammaExponential, PiecewiseExponential, leaf_from_plain, leaf_to_plain
from slp.trees.formulas import rising_of

A, B, CUTS = 1.5, 4.0, (2.0, 5.0)
MODEL = PiecewiseExponential(A, B, CUTS)
Y = np.array([[0.5, 1], [1.9, 0], [2.0, 1], [4.5, 1], [5.0, 0], [8.0, 1], [12.0, 0]])
NAMES = ["exact", "mh", "smc", "search"]


def piece(y: float) -> int:
    return sum(y >= c for c in CUTS)


def spent(y: float) -> list[float]:
    ends = (*CUTS, math.inf)
    return [max(0.0, min(y, high) - low) for low, high in zip((0.0, *CUTS), ends, strict=True)]


def log_marginal(rows: np.ndarray) -> float:
    """One integral over the rate of each piece, as the pieces' likelihoods factorise."""
    total = 0.0
    for j in range(3):
        events = sum(int(seen) for y, seen in rows if piece(y) == j)
        time = sum(spent(y)[j] for y, _ in rows)

        def weight(r: float, events: int = events, time: float = time) -> float:
            prior = B**A / math.gamma(A) * r ** (A - 1) * math.exp(-B * r)
            return prior * r**events * math.exp(-r * time)

        total += math.log(quad(weight, 0, np.inf, epsabs=0, limit=200)[0])
    return total


def sums(rows: np.ndarray) -> np.ndarray:
    return np.asarray(MODEL.statistics(rows).sum(axis=0))


@pytest.mark.parametrize("rows", [Y, Y[:1], Y[2:5], Y[4:]], ids=len)
def test_marginal_likelihood_by_quadrature(rows: np.ndarray) -> None:
    assert float(MODEL.log_marginal(sums(rows))) == pytest.approx(log_marginal(rows), rel=1e-8)


def test_an_event_at_a_cut_is_in_the_piece_that_begins_there() -> None:
    assert MODEL.statistics(np.array([[2.0, 1]])).tolist() == [[1, 0, 1, 0, 2, 0, 0]]


def test_predictive_by_the_ratio_of_marginals() -> None:
    """P(Y > y) is the marginal of one more row censored at y, over that of the rows."""
    S = sums(Y)
    for y in (0.3, 2.0, 3.7, 5.0, 9.0, 40.0):
        more = S + MODEL.statistics(np.array([[y, 0.0]]))[0]
        want = 1 - math.exp(float(MODEL.log_marginal(more) - MODEL.log_marginal(S)))
        assert float(MODEL.cdf(S, np.array(y))) == pytest.approx(want, rel=1e-12)
    assert MODEL.cdf(np.stack([S, 0 * S]), np.array(-1.0)).tolist() == [0, 0]


@pytest.mark.parametrize("rows", [Y, Y[:2], Y[3:5], Y[:0]], ids=len)
def test_median_and_mean_of_the_predictive(rows: np.ndarray) -> None:
    S = sums(rows)
    assert float(MODEL.cdf(S, MODEL.median(S))) == pytest.approx(0.5, rel=1e-12)

    def survival(y: float) -> float:
        return 1 - float(MODEL.cdf(S, np.array(y)))

    A_last, B_last = A + S[3], B + S[6]
    head = quad(survival, 0, 5, points=CUTS)[0]
    tail = survival(5.0) * B_last / (A_last - 1)  # Lomax
    assert float(MODEL.mean(S)) == pytest.approx(head + tail, rel=1e-9)


def test_the_mean_needs_events_in_the_last_piece() -> None:
    small = PiecewiseExponential(0.5, 1.0, [2.0])
    S = small.statistics(np.array([1.0, 1.5, 1.7])).sum(axis=0)
    assert math.isinf(small.mean(S))
    assert small.predictive(S)["mean"] is None
    assert math.isfinite(small.mean(S + small.statistics(np.array([3.0]))[0]))


def test_a_shape_of_1_in_a_piece_is_the_limit() -> None:
    one = PiecewiseExponential(1.0, 1.0, [2.0])
    near = PiecewiseExponential(1.0 + 1e-9, 1.0, [2.0])
    S = one.statistics(np.array([3.0, 4.0])).sum(axis=0)  # none in the first piece
    assert float(one.mean(S)) == pytest.approx(float(near.mean(S)), rel=1e-7)


def test_a_cut_behind_all_rows_leaves_one_piece() -> None:
    far, one = PiecewiseExponential(A, B, [100.0]), GammaExponential(A, B)
    S, T = far.statistics(Y).sum(axis=0), one.statistics(Y).sum(axis=0)
    assert float(far.log_marginal(S)) == pytest.approx(float(one.log_marginal(T)), rel=1e-14)
    assert float(far.median(S)) == pytest.approx(float(one.median(T)), rel=1e-14)
    assert float(far.cdf(S, np.array(7.0))) == pytest.approx(float(one.cdf(T, np.array(7.0))))


def test_the_bound_is_at_least_any_parting() -> None:
    rows = MODEL.statistics(Y[[0, 1, 3, 5, 6]])
    bound = MODEL.log_parted(rows)
    for code in range(3**5):
        leaf = np.array([code // 3**i % 3 for i in range(5)])
        parts = np.stack([rows[leaf == j].sum(axis=0) for j in range(3)])
        assert float(MODEL.log_marginal(parts).sum()) <= bound
    assert MODEL.log_parted(MODEL.statistics(Y)) == math.inf  # an event at a cut


def test_plain_and_back() -> None:
    again = leaf_from_plain(leaf_to_plain(MODEL))
    assert again.describe() == "piecewise_exponential(1.5, 4, [2, 5])"
    wrong: list[dict[str, Any]] = [{"cuts": []}, {"cuts": [5.0, 2.0]}, {"cuts": [-1.0]}]
    for change in wrong:
        with pytest.raises(ValueError):
            leaf_from_plain(leaf_to_plain(MODEL) | change)


def test_means_of_the_check_are_those_of_the_model() -> None:
    declared = LeafDeclaration("piecewise_exponential", (A, B), listed=CUTS)
    leaves = [sums(Y), sums(Y[:2]), sums(Y[5:])]
    formula = PiecewiseExponential.mean_formula(declared)
    have = rising_of(formula, [MODEL.summary(S) for S in leaves])
    assert have is not None
    want = [float(MODEL.mean(S)) for S in leaves]
    assert [value["the mean"] for value in have] == pytest.approx(want, rel=1e-12)
    assert rising_of(formula, [{"n": 3, "mean": 1.0}]) is None


# --- programs ----------------------------------------------------------------------------------


def program(leaf: str, more: str = "") -> slp.Program:
    return slp.parse(
        f":- use(growtree, [alpha = 0.6]).\n:- response(t, event(d)).\n:- leaf({leaf}).\n{more}"
    )


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    n = 14
    x, z = rng.integers(0, 3, n).astype(float), rng.integers(0, 3, n).astype(float)
    t = np.ceil(rng.exponential(3 + 3 * x)) / 2 + 0.25
    return pl.DataFrame({"x": x, "z": z, "t": t, "d": rng.integers(0, 2, n)})


LEAF = "piecewise_exponential(1.5, 4, [2, 5])"


@pytest.mark.parametrize("engine", ["mh", "smc", "search", "modal", "plain"])
def test_engines_agree_with_the_exact_sum(table: pl.DataFrame, engine: str) -> None:
    own = program(LEAF, ":- support([min_leaf(3), max_depth(2)]).")
    exact = own.posterior(table, engine="exact")
    if engine == "plain":  # the sum of the reference over every derivation
        have = own.posterior(table, engine="enumerate").log_evidence
        assert have == pytest.approx(exact.log_evidence, rel=1e-12)
        return
    if engine in ("search", "modal"):
        best = own.posterior(table, engine=engine, seed=1).map()
        want = exact.map()
        assert best.log_joint == pytest.approx(want.log_joint, rel=1e-12)
        return
    steps = {"warmup": 1000, "thin": 10} if engine == "mh" else {}
    found = own.posterior(table, engine=engine, seed=1, draws=2000, **steps)
    assert found.expected_leaves() == pytest.approx(exact.expected_leaves(), abs=0.25)


def test_a_run_is_saved_and_predicts(table: pl.DataFrame, tmp_path: Path) -> None:
    own = program(LEAF).posterior(table, engine="exact", seed=1)
    own.save(tmp_path / "run.slpz")
    read = slp.load_posterior(tmp_path / "run.slpz")
    X = table.select("x", "z")
    np.testing.assert_allclose(read.predict(X), own.predict(X), rtol=1e-12)
    ends = own.predict_interval(X)
    assert ((ends[:, 0] < own.predict(X)) & (own.predict(X) < ends[:, 1])).all()
    tree = own.map_tree()
    again = slp.Tree.from_dict(tree.to_dict())
    assert [leaf.summary["pieces"] for leaf in again.leaves()] == [
        leaf.summary["pieces"] for leaf in tree.leaves()
    ]
    assert "median" in tree.to_text()


def test_a_monotone_constraint_is_kept_and_checked(table: pl.DataFrame) -> None:
    own = program(LEAF, ":- constraint(monotone(x, up)).\n:- support(min_leaf(3)).")
    posterior = own.posterior(table, engine="mh", seed=1, draws=100, warmup=500, thin=20)
    for tree in posterior.sample(20, seed=2):
        assert all(result.holds for result in tree.check(own))


@pytest.mark.parametrize(
    ("leaf", "code", "message"),
    [
        ("piecewise_exponential(1, 4, [])", "E102", "without cuts is `gamma_exponential(a, b)`"),
        ("piecewise_exponential(1, 4)", "E102", "without cuts is `gamma_exponential(a, b)`"),
        ("piecewise_exponential(1, 4, 5)", "E102", "is a list of numbers"),
        ("piecewise_exponential(1)", "E102", "does not have 1 argument"),
        ("piecewise_exponential(1, 4, [5, 2])", "E109", "must rise from left to right"),
        ("piecewise_exponential(1, 4, [2, 2])", "E109", "must rise from left to right"),
        ("piecewise_exponential(1, 4, [0, 2])", "E109", "must be a number above 0"),
        ("piecewise_exponential(1, 4, [2, inf])", "E109", "must be a number above 0"),
        ("piecewise_exponential(0, 4, [2])", "E109", "must be a number above 0"),
        (f"piecewise_exponential(1, 4, {list(range(1, 32))})", "E102", "has 31 cuts"),
    ],
)
def test_cuts_that_are_none(leaf: str, code: str, message: str) -> None:
    with pytest.raises(ProgramError, match=re.escape(message)) as caught:
        program(leaf)
    assert caught.value.diagnostics[0].code == code


@pytest.mark.parametrize(
    ("cuts", "told"),
    [
        ("[2, 5]", None),
        ("[0.6, 12]", None),
        ("[2, 100]", "the cut 100 of"),
        ("[0.5, 2]", "the cut 0.5 of"),
        ("[1e-320, 12.5, 100]", "the cuts 1.0e-320, 12.5 and 100 of"),
    ],
)
def test_cuts_that_part_no_durations(cuts: str, told: str | None) -> None:
    """W410: as where the unit of the cuts is not that of the table, whose times are 0.5 to 12."""
    frame = pl.DataFrame({"x": Y[:, 0] ** 2, "t": Y[:, 0], "d": Y[:, 1].astype(int)})
    found = program(f"piecewise_exponential(1, 4, {cuts})").posterior(frame, draws=0).table.warnings
    warned = [d for d in found if d.code == "W410"]
    assert [told in d.message for d in warned if told] == ([] if told is None else [True])
    assert len(warned) == (told is not None)


def test_the_program_in_words() -> None:
    assert "Leaves follow piecewise_exponential(1.5, 4, [2, 5])." in program(LEAF).describe()


def test_no_duration_is_below_0(table: pl.DataFrame) -> None:
    with pytest.raises(slp.SlpError, match="`piecewise_exponential` needs durations from 0 up"):
        program(LEAF).posterior(table.with_columns(t=pl.lit(-1.0)))
