"""`slp.compare`: its numbers against enumeration by hand on a tiny table, and what it refuses."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import nbinom

import slp
from slp.errors import BudgetError, SlpWarning, UsageError
from slp.results.comparison import Comparison
from slp.results.estimate import Estimate

GROW = ":- use(growtree, [alpha = 0.5, beta = 0])."
#: A leaf, or one split with two leaves.
STUMP = ":- start(t). 0.4 :: t --> leaf. 0.6 :: t --> split(F, V), l, l. 1 :: l --> leaf."
A, N_ROWS = 1.0, 8


def frame() -> pl.DataFrame:
    return pl.DataFrame({"a": [1, 2, 3, 4, 5, 6, 7, 8], "y": list("ppqppqqq")})


def compare(programs: Any, X: Any, y: Any = None, **options: Any) -> Comparison:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return slp.compare(programs, X, y, **{"seed": 1, **options})


def marginal(labels: list[str]) -> float:
    """P(labels) of a leaf under dirichlet(1), two classes, row after row."""
    out, counts = 1.0, {"p": 0, "q": 0}
    for n, label in enumerate(labels):
        out *= (counts[label] + A) / (n + 2 * A)
        counts[label] += 1
    return out


def stump_weights(a: list[int], y: list[str]) -> dict[float | None, float]:
    """Prior times likelihood of the trees of `STUMP`, by their threshold."""
    out: dict[float | None, float] = {None: 0.4 * marginal(y)}
    values = sorted(set(a))
    cuts = [(one + other) / 2 for one, other in itertools.pairwise(values)]
    for cut in cuts:
        left = [label for x, label in zip(a, y, strict=True) if x < cut]
        right = [label for x, label in zip(a, y, strict=True) if x >= cut]
        out[cut] = 0.6 / len(cuts) * marginal(left) * marginal(right)
    return out


def stump_probability(a: list[int], y: list[str], x: int, label: str) -> float:
    """P(the label of a row with value x | the other rows) under `STUMP`."""
    weights = stump_weights(a, y)
    total = 0.0
    for cut, weight in weights.items():
        beside = [cut is None or (value < cut) == (x < cut) for value in a]
        leaf = [own for own, there in zip(y, beside, strict=True) if there]
        total += weight * (leaf.count(label) + A) / (len(leaf) + 2 * A)
    return total / sum(weights.values())


def test_evidence_and_leaves_are_those_of_all_trees() -> None:
    data = frame()
    found = compare({"stump": slp.parse(STUMP), "grow": slp.parse(GROW)}, data, folds=0)
    weights = stump_weights(data["a"].to_list(), data["y"].to_list())
    total = sum(weights.values())
    stump, grow = found["stump"], found["grow"]
    assert stump.log_evidence == Estimate.exact(pytest.approx(math.log(total), rel=1e-12))
    assert stump.expected_leaves.value == pytest.approx(2 - weights[None] / total, rel=1e-12)
    plain = slp.parse(GROW).posterior(data, engine="enumerate")
    assert grow.log_evidence is not None and grow.log_bayes_factor is not None
    assert grow.log_evidence.value == pytest.approx(plain.log_evidence, rel=1e-12)
    assert found.reference == ("stump" if math.log(total) > grow.log_evidence.value else "grow")
    first = compare([slp.parse(GROW), slp.parse(STUMP)], data, folds=0, against="first")
    assert [p.name for p in first.programs] == ["<text>", "<text> (2)"]
    factor = first["<text> (2)"].log_bayes_factor
    assert factor is not None and factor.kind == "exact" and factor.error == 0
    assert factor.value == pytest.approx(math.log(total) - grow.log_evidence.value, rel=1e-9)


def test_each_row_left_out_by_hand() -> None:
    """With as many folds as rows, a fold is a row, so the order of rows does not matter."""
    data = frame()
    a, y = data["a"].to_list(), data["y"].to_list()
    score = compare([slp.parse(STUMP)], data, folds=N_ROWS)["<text>"].held_out
    assert score is not None
    others = [([*a[:i], *a[i + 1 :]], [*y[:i], *y[i + 1 :]]) for i in range(N_ROWS)]
    told = [stump_probability(*others[i], a[i], y[i]) for i in range(N_ROWS)]
    logs = np.log(told)
    assert score.log_predictive == pytest.approx(logs.mean(), rel=1e-12)
    assert score.log_predictive_error == pytest.approx(logs.std(ddof=1) / 8**0.5, rel=1e-12)
    assert sorted(score.by_fold) == pytest.approx(sorted(logs), rel=1e-12)
    assert score.accuracy == np.mean(np.array(told) > 0.5)
    assert score.rmse is None


def test_paired_differences_by_hand() -> None:
    """Of the log probabilities of rows, each left out, and in folds of one row: the same numbers,
    as sums and as means."""
    data = frame()
    a, y = data["a"].to_list(), data["y"].to_list()
    programs = {"stump": slp.parse(STUMP), "leaf": slp.parse(":- start(t). 1 :: t --> leaf.")}
    found = compare(programs, data, folds=N_ROWS, loo=True)
    others = [([*a[:i], *a[i + 1 :]], [*y[:i], *y[i + 1 :]]) for i in range(N_ROWS)]
    leaf = [math.log((y.count(label) - 1 + A) / (N_ROWS - 1 + 2 * A)) for label in y]
    have = found["stump"].loo
    assert have is not None and have.kind == "exact"
    apart = np.array(leaf) - have.pointwise
    best, worse = ("leaf", "stump") if apart.sum() > 0 else ("stump", "leaf")
    one = found[worse].loo_difference
    assert one is not None and one.against == best and one.monte_carlo_error == 0
    assert one.value == pytest.approx(-abs(apart.sum()), rel=1e-9)
    assert one.standard_error == pytest.approx(8**0.5 * apart.std(ddof=1), rel=1e-9)
    top = found[best].loo_difference
    assert top is not None and (top.value, top.standard_error) == (0, 0)
    # A fold of one row leaves its features out too, so splits differ: by the scores of the rows.
    rows = {name: found[name].held_out.by_row for name in programs}  # type: ignore[union-attr]
    told = [stump_probability(*others[i], a[i], y[i]) for i in range(N_ROWS)]
    np.testing.assert_allclose(rows["stump"], np.log(told), rtol=1e-9)
    np.testing.assert_allclose(rows["leaf"], leaf, rtol=1e-9)
    apart = rows["leaf"] - rows["stump"]
    other = found["stump" if apart.sum() > 0 else "leaf"].held_out_difference
    assert other is not None and other.monte_carlo_error is None
    assert other.value == pytest.approx(-abs(apart.mean()), rel=1e-9)
    assert other.standard_error == pytest.approx(apart.std(ddof=1) / 8**0.5, rel=1e-9)


def test_differences_from_the_first_program() -> None:
    programs = {"stump": slp.parse(STUMP), "grow": slp.parse(GROW)}
    found = compare(programs, frame(), folds=2, loo=True)
    first = compare(programs, frame(), folds=2, loo=True, against="first")
    apart = first["grow"].loo_difference
    assert apart is not None and apart.against == "stump"
    ways = {p.loo_difference.against for p in found.programs}  # type: ignore[union-attr]
    assert len(ways) == 1
    looks = slp.parse(GROW + " box(b, a, 1, inf). :- constraint(majority(b, q)).")
    found = compare({"looks": looks, "grow": slp.parse(GROW)}, frame(), folds=0, loo=True)
    assert found["looks"].loo is None and found["looks"].loo_difference is None
    assert "majority looks at the response" in found["looks"].no_loo
    assert found["grow"].loo_difference.against == "grow" and found["grow"].no_loo is None


def test_numbers_are_scored_by_their_density() -> None:
    """One leaf alone: Student's t of the other rows (Murphy 2007, section 3.3)."""
    from scipy.stats import t as student

    y = np.array([0.1, 0.4, -0.3, 2.0, 1.1, 0.7])
    text = ":- start(t). 1 :: t --> leaf. :- leaf(normal_inverse_gamma(0, 1, 2, 1))."
    score = compare([slp.parse(text)], np.arange(6.0)[:, None], y, folds=6)["<text>"].held_out
    assert score is not None and score.accuracy is None
    logs, squared = [], []
    for i in range(6):
        rest = np.delete(y, i)
        n, mean = len(rest), rest.mean()
        kappa, mu, alpha = 1 + n, rest.sum() / (1 + n), 2 + n / 2
        beta = 1 + ((rest - mean) ** 2).sum() / 2 + n * mean**2 / (2 * kappa)
        scale = (beta * (kappa + 1) / (alpha * kappa)) ** 0.5
        logs.append(student.logpdf(y[i], 2 * alpha, mu, scale))
        squared.append((y[i] - mu) ** 2)
    assert score.log_predictive == pytest.approx(np.mean(logs), rel=1e-10)
    assert score.rmse == pytest.approx(np.mean(squared) ** 0.5, rel=1e-10)


@pytest.mark.parametrize(
    ("leaf", "y"),
    [("gamma_poisson(1, 1)", [0, 3, 1, 4, 2, 2]), ("gamma_exponential(1, 1)", [1, 2, 3, 1, 2, 5])],
)
def test_rows_of_one_leaf_have_the_ratio_of_marginals(leaf: str, y: list[int]) -> None:
    text = f":- start(t). 1 :: t --> leaf. :- leaf({leaf})."
    program, X, own = slp.parse(text), np.arange(6.0)[:, None], np.array(y, float)
    score = compare([program], X, own, folds=6)["<text>"].held_out
    every = program.posterior(X, own).log_evidence or math.nan
    rest = [program.posterior(np.delete(X, i, 0), np.delete(own, i)).log_evidence for i in range(6)]
    assert score is not None
    want = np.mean([every - (one or math.nan) for one in rest])
    assert score.log_predictive == pytest.approx(want, rel=1e-10)


def test_counts_are_held_out_with_their_exposures() -> None:
    """Of one leaf the next count is negative binomial; its mean is the rate times the exposure.
    A program without the exposures is held against it: it predicts the same counts."""
    y, e = np.array([0.0, 3, 1, 4, 2, 2]), np.array([0.5, 1, 2, 4, 1, 0.25])
    table = pl.DataFrame({"x": np.arange(6.0), "e": e, "y": y})
    one = ":- start(t). 1 :: t --> leaf. :- leaf(gamma_poisson(1, 1))."
    programs = {
        "with": slp.parse(f"{one} :- response(y, exposure(e))."),
        "without": slp.parse(f"{one} :- response(y). :- ignore(e)."),
    }
    found = compare(programs, table, folds=6)
    shape, rate = 1 + y.sum() - y, 1 + e.sum() - e
    score = found["with"].held_out
    assert score is not None
    want = nbinom.logpmf(y, shape, rate / (rate + e)).mean()
    assert score.log_predictive == pytest.approx(want, rel=1e-9)
    want = np.mean((y - e * shape / rate) ** 2) ** 0.5
    assert score.rmse == pytest.approx(want, rel=1e-10)
    other = found["without"].held_out
    assert other is not None
    want = nbinom.logpmf(y, shape, 6 / 7).mean()
    assert other.log_predictive == pytest.approx(want, rel=1e-9)


def test_folds_are_stratified_and_follow_from_the_seed() -> None:
    from slp.data import SharedTable

    y = np.repeat(["p", "q", "r"], [20, 10, 7])
    table = SharedTable.of({"a": slp.parse(GROW).ir}, np.arange(37.0)[:, None], y)
    parts = table.folds(5, seed=3)
    assert sorted(np.concatenate(parts).tolist()) == list(range(37))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    for label, n in (("p", 20), ("q", 10), ("r", 7)):
        counts = [(y[part] == label).sum() for part in parts]
        assert sum(counts) == n and max(counts) - min(counts) <= 1
    same, other = table.folds(5, seed=3), table.folds(5, seed=4)
    assert all((a == b).all() for a, b in zip(parts, same, strict=True))
    assert not all(len(a) == len(b) and (a == b).all() for a, b in zip(parts, other, strict=True))


def test_estimates_have_errors_and_the_seed_decides() -> None:
    """The estimated log Bayes factor is within 4 of its errors of the exact one (one seed, two
    independent estimates: a right error is passed by in less than 1 of 10,000 seeds)."""
    programs = {"stump": slp.parse(STUMP), "grow": slp.parse(GROW)}
    how = {"engine": "smc", "islands": 20, "particles": 100, "draws": 40, "against": "first"}
    drawn = compare(programs, frame(), folds=2, **how)
    exact = compare(programs, frame(), folds=2, against="first")
    have, want = drawn["grow"].log_bayes_factor, exact["grow"].log_bayes_factor
    assert have is not None and want is not None and have.kind == "estimate"
    errors = [p.log_evidence.error for p in drawn.programs if p.log_evidence is not None]
    assert have.error == pytest.approx(math.hypot(*errors))
    assert abs(have.value - want.value) < 4 * have.error
    assert compare(programs, frame(), folds=2, threads=1, **how).to_dict() == drawn.to_dict()


def test_programs_that_look_at_the_response_have_no_bayes_factor() -> None:
    texts = {
        "plain": GROW,
        "majority": GROW + " box(b, a, 5, inf). :- constraint(majority(b, q)).",
        "rows": ":- start(t). 0.5 :: t --> leaf. "
        "0.5 :: t --> {rows(q, N), N > 2}, split(F, V), t, t.",
        "predicate": GROW,
    }
    programs = {name: slp.parse(text) for name, text in texts.items()}
    programs["predicate"] = programs["predicate"].require(lambda tree: tree.n_leaves < 4)
    how = {"engine": "mh", "draws": 40, "rounds": 1, "warmup": 10, "thin": 1}
    found = compare({"predicate": programs.pop("predicate")}, frame(), folds=0, **how)
    assert any("can look at the response" in note for note in found["predicate"].notes)
    found = compare(programs, frame(), folds=0)
    assert found.reference == "plain"
    for name in ("majority", "rows"):
        assert found[name].log_bayes_factor is None and found[name].log_evidence is not None
        assert "at the response" in (found[name].no_bayes_factor or "")
    drawn = compare(programs, frame(), folds=0, engine="smc", islands=8, particles=50)
    assert drawn["plain"].no_bayes_factor is None  # its note says what kind of estimate it is
    assert drawn["majority"].no_bayes_factor is not None
    none = compare([programs["majority"], programs["plain"]], frame(), folds=0, against="first")
    assert none.reference is None and none.programs[1].log_bayes_factor is None


@pytest.mark.parametrize(
    ("texts", "options", "code", "words"),
    [
        ([], {}, "E550", "no program"),
        ([GROW, GROW + " :- response(a)."], {}, "E550", "`y` for .* and `a` for"),
        (
            [
                ":- use(growtree). :- response(a).",
                GROW + " :- response(a). :- leaf(gamma_poisson(1, 1)).",
            ],
            {},
            "E550",
            "`a` is classes for .* and counts for",
        ),
        ([GROW], {"against": "last"}, "E550", "cannot be against 'last'"),
        ([GROW], {"folds": 1}, "E551", "1 folds"),
        ([GROW], {"folds": 9}, "E551", r"9 folds\n.*from 2 to 8"),
        ([GROW], {"folds": 2.0}, "E551", "2.0 folds"),
        ([GROW], {"resume": True}, "E552", "checkpoint"),
        ([GROW], {"no_such": 1}, "E544", "no_such"),
        ([GROW], {"seed": -1}, "E505", "seed"),
    ],
)
def test_what_is_refused(texts: list[str], options: dict[str, Any], code: str, words: str) -> None:
    with pytest.raises(UsageError, match=rf"{code}.*{words}"):
        compare([slp.parse(text) for text in texts], frame(), **options)


def test_a_class_of_one_row_is_refused_where_there_are_folds() -> None:
    data = frame().with_columns(y=pl.Series(list("ppqppqqr")))
    with pytest.raises(UsageError, match="E551.*the class r has one row"):
        compare([slp.parse(GROW)], data, folds=2)
    assert compare([slp.parse(GROW)], data, folds=0)["<text>"].held_out is None


def test_warnings_have_the_name_of_their_program_and_come_once() -> None:
    programs = {"one": slp.parse(GROW), "other": slp.parse(STUMP)}
    how = {"engine": "smc", "islands": 4, "particles": 5, "draws": 16}
    with pytest.warns(SlpWarning) as caught:
        slp.compare(programs, frame(), seed=1, folds=4, **how)  # type: ignore[arg-type]
    found = [w.message.diagnostic.message for w in caught if isinstance(w.message, SlpWarning)]
    starts = [text.partition(": ")[0] for text in found]
    assert len(starts) == len(set(starts)) and "one" in starts
    assert any(start.startswith("one, ") and start.endswith("of 4 folds") for start in starts)


@pytest.mark.slow
def test_the_runs_share_the_time() -> None:
    """Chains that would take long, in the time of all runs; an answer by the clock says so."""
    how = {"engine": "mh", "draws": 10**6, "time": 3, "threads": 1}
    began = slp.budgets.Deadline()
    found = compare([slp.parse(GROW)], frame(), folds=2, **how)
    assert began.spent() < 15  # far from what 3 million draws take, on a machine that is busy
    assert found["<text>"].depends_on_clock


def test_other_forms_of_tables() -> None:
    data = frame()
    X, y = data["a"].to_numpy()[:, None].astype(float), data["y"]
    program = slp.parse(GROW)
    want = compare([program], data, folds=3)["<text>"]
    forms = [(data.to_pandas(), None), (X, y), (X, y.to_list()), (data.select("a"), y.to_numpy())]
    for form in forms:
        have = compare([program], *form, folds=3)["<text>"]
        assert have.held_out == want.held_out and have.log_evidence == want.log_evidence


@pytest.mark.slow
def test_progress_says_which_run_it_is() -> None:
    told: list[str] = []
    how = {"engine": "mh", "draws": 2000, "rounds": 1}
    compare(
        {"grow": slp.parse(GROW)}, frame(), folds=2, progress=lambda _, w: told.append(w), **how
    )
    assert any(", grow, fold 2 of 2" in text for text in told)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernels")
def test_runs_name_the_time_that_they_share() -> None:
    """The advice is for all runs: four times the share of one is less than what they had."""
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"a": rng.normal(size=400), "y": rng.integers(0, 2, 400).astype(str)})
    chains = {"engine": "mh", "seed": 1, "draws": 10**6}
    with pytest.raises(BudgetError, match="6 runs share 0.06 s") as found:
        slp.compare([slp.parse(GROW)], table, time=0.06, **chains)
    assert found.value.diagnostics[0].help.endswith("--time 1s (in Python: time=1)")
    with pytest.warns(SlpWarning, match=r"W541.*; 6 runs share 6 s(?s:.)*--time 24s"):
        slp.compare([slp.parse(GROW)], table, time=6, **chains)
    with pytest.warns(SlpWarning, match=r"W541(?!.*runs share)"):
        slp.compare([slp.parse(GROW)], table, time=1.5, folds=0, **chains)
