"""The prior's use of features, beside that of a posterior."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.results.record.prior_uses import PRIOR_DRAWS_BESIDE, PriorUses

#: Standard errors of a shared 1,000 draws: about 40 comparisons have an error rate below 0.003.
_FAR = 4.0

GROWTREE = ":- use(growtree).\n"
PROGRAMS = {
    "growtree": GROWTREE,
    "first": GROWTREE + ":- constraint(first(b)).\n",
    "before": GROWTREE + ":- constraint(before(a, b)).\n:- failure(condition).\n",
    "constant": GROWTREE + "box(low, a, -inf, -0.5).\n:- constraint(constant(low)).\n",
    "majority": GROWTREE + "box(low, a, -inf, -0.5).\n:- constraint(majority(low, 0)).\n",
    "max_leaves": GROWTREE + ":- constraint(max_leaves(3)).\n",
    "denison": ":- use(denison).\n",
    "pinball": ":- use(pinball).\n",
}


def frame(n: int) -> pl.DataFrame:
    """Two features, of which one tells the response."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=n).round(1), rng.integers(0, 4, n)
    return pl.DataFrame({"a": a, "b": b, "y": ((a > 0) ^ (rng.random(n) < 0.2)).astype(int)})


def uses_of(posterior: slp.Posterior) -> dict[str, float | None]:
    return {k: use.prior_probability for k, use in posterior.split_probabilities().items()}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_sums_are_those_of_enumeration(name: str) -> None:
    """On six rows sums are short, under every engine."""
    program, rows = slp.parse(PROGRAMS[name]), frame(6)
    want = program.prior(rows, engine="enumerate").split_probabilities()
    for engine in ("exact", "modal", "search", "smc"):
        posterior = program.posterior(rows, engine=engine, seed=1, draws=20)
        assert posterior.prior_uses_kind == "exact" and posterior.prior_uses_note == "exact"
        for feature, use in posterior.split_probabilities().items():
            assert use.prior_probability == pytest.approx(want[feature].probability, abs=1e-12)
            assert use.prior_probability_error == 0


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_draws_agree_with_enumeration(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seed is fixed; see `_FAR`."""
    monkeypatch.setattr("slp.engines.prior_uses._MOST_SHARE", 0.0)
    program, rows = slp.parse(PROGRAMS[name]), frame(6)
    want = program.prior(rows, engine="enumerate").split_probabilities()
    posterior = program.posterior(rows, engine="exact")
    assert posterior.prior_uses_kind == "estimate"
    assert posterior.prior_uses_note == "estimates from 1,000 independent draws"
    for feature, use in posterior.split_probabilities().items():
        assert use.prior_probability is not None and use.prior_probability_error is not None
        far = abs(use.prior_probability - want[feature].probability)
        assert far < _FAR * use.prior_probability_error, (feature, use, want[feature])
    assert uses_of(pickle.loads(pickle.dumps(posterior))) == uses_of(posterior)


def test_backtracking_draws_its_own_prior() -> None:
    program = slp.parse(PROGRAMS["max_leaves"] + ":- failure(backtrack).\n")
    posterior = program.posterior(frame(6), seed=1, draws=40)
    assert posterior.prior_uses_kind == "estimate"
    want = program.prior(frame(6), seed=2, draws=500).split_probabilities()
    for feature, use in posterior.split_probabilities().items():
        assert use.prior_probability is not None and use.prior_probability_error is not None
        error = math.hypot(use.prior_probability_error, want[feature].probability_error)
        assert abs(use.prior_probability - want[feature].probability) < _FAR * error


def test_sums_of_a_larger_table_are_drawn_and_depend_on_no_seed() -> None:
    program, rows = slp.load("growtree"), frame(200)
    kinds = [program.posterior(rows, engine="modal", seed=seed) for seed in (1, 2)]
    assert [found.prior_uses_kind for found in kinds] == ["estimate"] * 2
    assert uses_of(kinds[0]) == uses_of(kinds[1])


def test_what_is_not_known_says_why() -> None:
    rows = frame(8)
    tree = slp.load("growtree").posterior(rows, engine="modal").map_tree()
    chains: dict[str, Any] = {"engine": "mh", "draws": 8, "warmup": 10, "thin": 1}
    asked = slp.load("growtree").require(lambda found: found.n_leaves < 4)
    program = slp.load("pinball")  # of its draws too many fail, and sums over 200 rows are long
    for posterior, why in (
        (slp.load("edittree", tree=tree).posterior(rows, **chains), "trees are edits"),
        (asked.posterior(rows, **chains), "predicates in code, which are not called"),
        (program.posterior(frame(200), engine="modal"), "independent draws of it are not possible"),
        (slp.load("growtree").prior(rows), "this is the prior"),
    ):
        assert posterior.prior_uses_kind is None
        assert posterior.prior_uses_note.startswith("not known: ")
        assert why in posterior.prior_uses_note
        assert set(uses_of(posterior).values()) == {None}


def test_errors_of_shares_are_never_zero() -> None:
    """The standard deviations of Beta(1, n + 1), Beta(k + 1, n - k + 1) and Beta(n + 1, 1)."""
    n = PRIOR_DRAWS_BESIDE
    found = PriorUses.drawn([0, n // 2, n], n)
    assert found.probabilities == (0.0, 0.5, 1.0)
    want = [math.sqrt((k + 1) * (n - k + 1) / (n + 2) ** 2 / (n + 3)) for k in (0, n // 2, n)]
    assert found.errors == pytest.approx(want, rel=1e-12) and min(found.errors) > 0


def test_a_limit_of_time_leaves_it_out(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = slp.load("growtree").posterior(frame(200), engine="modal", time="1h")
    monkeypatch.setattr("slp.budgets.seconds.Deadline.left", lambda _: 0.0)
    assert posterior.prior_uses_note == "not known: its time was over"


def test_a_saved_run_has_it(tmp_path: Any) -> None:
    program, path = slp.load("growtree"), tmp_path / "run.slpz"
    for engine in ("exact", "modal"):
        posterior = program.posterior(frame(12), engine=engine)
        posterior.save(path)
        again = slp.load_posterior(path)
        assert uses_of(again) == uses_of(posterior)
        assert again.prior_uses_note == posterior.prior_uses_note


def test_sums_count_against_the_steps_of_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what a summary takes beside its engine: the prior's sums are as long as those of the
    posterior, and far shorter than a run of chains."""
    monkeypatch.setattr("slp.engines.prior_uses._BESIDE_ENGINE", 0.0)
    program, rows = slp.load("growtree"), frame(6)
    chains: dict[str, Any] = {"seed": 1, "draws": 40, "warmup": 20, "thin": 100}
    kinds = {
        engine: program.posterior(rows, engine=engine, **options).prior_uses_kind
        for engine, options in (("exact", {}), ("modal", {}), ("mh", chains))
    }
    assert kinds == {"exact": "estimate", "modal": "estimate", "mh": "exact"}
