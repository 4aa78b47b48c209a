"""Prices of statements against the enumeration of all derivations.

`python -m tests.spec.prices` does so for 2,000 cases.
"""

from __future__ import annotations

import math
from dataclasses import replace

import polars as pl
import pytest

import slp
from slp.results.prices import Chance
from tests.spec.cases import random_case
from tests.spec.prices import compare, price_of, wanted

N_CASES = 200
#: Of each kind of statement one that some trees break and some satisfy, under `restrict` and, of
#: most, under `condition`.
CHOSEN = (9, 12, 14, 18, 29, 47, 53, 65, 80, 87, 90, 92, 206, 213, 266)


@pytest.mark.parametrize("seed", CHOSEN)
def test_prices_of_chosen_programs(seed: int) -> None:
    """Sums tell every number of these."""
    case = random_case(seed, 300)
    assert compare(case) > 0
    chances = [c for p in price_of(case).statements for c in (p.prior, p.posterior)]
    assert {c.kind for c in chances if c is not None} <= {"exact"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(N_CASES))
def test_prices_of_random_programs(seed: int) -> None:
    compare(random_case(seed, 300))


#: Tables and rules beyond those of `N_CASES`, by the options of `random_case`.
KINDS = ("rows", "weights", "least_weight", "ranges", "lines", "exposures", "zeros", "subsets")
KINDS += ("ordered", "extremes", "partition")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_prices_on_other_tables(kind: str) -> None:
    assert sum(compare(random_case(seed, 200, **{kind: True})) for seed in (1001, 1002, 1003)) > 0


ROWS = pl.DataFrame(
    {
        "a": [0, 1, 4, 2, 7, 3, 5, 6, 9, 8],
        "b": [0, 0, 1, 1, 0, 1, 1, 0, 1, 0],
        "y": ["p", "q", "q", "p", "q", "q", "q", "p", "q", "q"],
    }
)
TEXT = """
:- use(growtree, [alpha = 0.9]).
box(low, a, 0, 2.5).
:- support(min_leaf(2)).
:- support(max_depth(3)).
:- constraint(first(a)).
:- constraint(forbid([b], below(2))).
:- constraint(constant(low)).
:- constraint(max_leaves(4)).
:- feature_weight(a, 3).
"""
CONDITION = f"{TEXT}:- failure(condition).\n"


def test_statements_are_named_as_they_are_written() -> None:
    found = slp.parse(TEXT).price(ROWS, seed=1)
    assert [(p.statement, p.kind) for p in found.statements] == [
        ("first(a)", "constraint"),
        ("forbid(b, below(2))", "constraint"),
        ("constant(low)", "constraint"),
        ("max_leaves(4)", "constraint"),
        ("min_leaf(2)", "support"),
        ("max_depth(3)", "support"),
        ("feature_weight(a, 3)", "feature_weight"),
    ]
    assert found["first(a)"].words == "If the tree splits at all, the root splits on a."
    assert found["feature_weight(a, 3)"].prior is None


def test_under_condition_the_evidence_is_posterior_less_prior() -> None:
    for price in slp.parse(CONDITION).price(ROWS, seed=1).statements:
        assert price.conditions == (price.kind == "constraint")
        if price.conditions:
            want = math.log(price.posterior.value) - math.log(price.prior.value)
            assert price.log_evidence_removed.value == pytest.approx(want, abs=1e-10)


def test_under_restrict_it_need_not_be() -> None:
    found = slp.parse(TEXT).price(ROWS, seed=1)
    assert [p.statement for p in found.statements if p.conditions] == ["max_leaves(4)"]
    price = found["constant(low)"]
    told = math.log(price.posterior.value) - math.log(price.prior.value)
    assert abs(price.log_evidence_removed.value - told) > 1e-3


def test_without_other_statements_added_is_removed() -> None:
    text = ":- use(growtree).\n:- constraint(first(a)).\n"
    (price,) = slp.parse(text).price(ROWS, seed=1).statements
    assert price.log_evidence_added == price.log_evidence_removed
    with_it = slp.parse(text).posterior(ROWS).log_evidence
    without = slp.load("growtree").posterior(ROWS).log_evidence
    assert price.log_evidence_added.value == pytest.approx(with_it - without, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("text", [TEXT, CONDITION])
def test_draws_of_sums_agree_with_sums(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six standard errors: a sound sampler fails one time in 10 million, for each of 12 numbers."""
    want = slp.parse(text).price(ROWS, seed=1)
    for name in ("satisfying", "within_limit"):
        monkeypatch.setattr(f"slp.program.pricing.{name}", lambda *_: None)
    have = slp.parse(text).price(ROWS, seed=1, draws=300)
    for one, other in zip(want.statements, have.statements, strict=True):
        for p, q in ((one.prior, other.prior), (one.posterior, other.posterior)):
            if p is not None:
                assert p.kind == "exact" and q.draws == 300
                error = math.sqrt(p.value * (1 - p.value) / 300)
                if q.kind == "estimate":
                    assert abs(p.value - q.value) < 6 * error
                else:
                    assert abs(p.value - float(q.kind == "above")) < 6 * error + 0.01


def test_majority_restricts_and_its_probability_does_not() -> None:
    """Where the leaf is refused a node must split; where the statement is out, trees keep their
    weights."""
    box = "box(low, a, -inf, 2.5).\n"
    text = f":- use(growtree, [alpha = 0.6]).\n{box}:- constraint(majority(low, p)).\n"
    rows = ROWS.head(5)
    (price,) = slp.parse(text).price(rows, seed=1).statements
    free = slp.load("growtree", alpha=0.6)
    stated = slp.parse(text)
    for have, of in ((price.prior, free.prior), (price.posterior, free.posterior)):
        trees = of(rows, engine="enumerate").k_best(10_000)
        found = [c.tree.check(stated, rows) for c in trees]
        kept = [c.log_posterior for c, (one,) in zip(trees, found, strict=True) if one.holds]
        assert have.value == pytest.approx(math.fsum(map(math.exp, kept)), abs=1e-9)
    told = math.log(price.posterior.value) - math.log(price.prior.value)
    assert not price.conditions and abs(price.log_evidence_removed.value - told) > 0.03


@pytest.mark.slow
def test_chains_agree_with_sums() -> None:
    """`max_features` is tested on finished trees, by tempered chains: five errors of each number,
    which a sound run exceeds one time in a million."""
    rows = ROWS.head(5)
    text = ":- use(growtree).\n:- constraint(max_features(1)).\n"
    (price,) = slp.parse(text).price(rows, seed=1, effort="quick").statements
    assert price.engines == {"all": "mh", "without": "exact", "alone": "mh", "none": "exact"}
    free = slp.load("growtree").posterior(rows, engine="enumerate")
    holds = [len(c.tree.features) <= 1 for c in free.k_best(10_000)]
    logs = [c.log_posterior for c in free.k_best(10_000)]
    posterior = math.fsum(math.exp(x) for x, own in zip(logs, holds, strict=True) if own)
    assert price.posterior.value == pytest.approx(posterior, abs=5 * price.posterior.error)
    told = price.log_evidence_removed
    want = math.log(posterior) - math.log(price.prior.value)
    slack = math.hypot(told.error, price.prior.error / price.prior.value)
    assert told.kind == "estimate" and abs(told.value - want) < 5 * slack


def test_none_of_the_draws_is_a_bound() -> None:
    assert str(Chance.drawn(0.0, 0.0, 2000, "converged")) == "below 0.0015"
    assert str(Chance.drawn(1.0, 0.0, 2000, "converged")) == "above 0.9985"
    assert str(Chance.drawn(0.25, 0.01, 2000, "converged")) == "0.25 +- 0.01"
    assert str(Chance.drawn(0.25, 0.01, 2000, "not converged")) == "0.25?"
    text = ":- use(growtree).\n:- constraint(max_features(2)).\n"
    (price,) = slp.parse(text).price(ROWS, seed=1, effort="quick", draws=500).statements
    assert price.prior.kind == "above" and price.prior.value == 1 - 3 / 500
    assert price.to_dict()["prior_error"] is None and price.to_dict()["prior_draws"] == 500


def test_a_prior_that_looks_at_the_response_has_no_bayes_factor() -> None:
    text = ":- use(growtree).\nbox(low, a, -inf, 2.5).\n:- constraint(majority(low, p)).\n"
    text += ":- constraint(first(a)).\n"
    for price in slp.parse(text).price(ROWS, seed=1).statements:
        assert price.verdict == "no Bayes factor"
        assert "majority looks at the response" in price.no_bayes_factor
        assert price.prior.kind == "exact"


def test_a_program_that_cannot_be_run_without_it_is_told() -> None:
    rows = pl.DataFrame(
        {f"x{i}": [(k * 37 + i * k * k) % 97 for k in range(120)] for i in range(4)}
    )
    rows = rows.with_columns(y=pl.Series(["p", "q", "q"] * 40))
    text = ":- use(growtree).\n:- support(max_depth(1)).\n"
    (price,) = slp.parse(text).price(rows, seed=1, engine="exact", memory="30MB").statements
    assert price.log_evidence_removed is None and price.verdict == "not known"
    assert any("E501" in note for note in price.notes)
    assert price.engines == {"all": "exact", "alone": "exact"}


@pytest.mark.slow
def test_each_difference_tells_whether_its_own_runs_converged() -> None:
    """Beside the limit sums tell what `forbid` costs; alone chains do, which are too short."""
    rows = pl.DataFrame(
        {f"x{i}": [(k * 37 + i * k * k) % 97 for k in range(120)] for i in range(4)}
    )
    rows = rows.with_columns(y=pl.Series(["p", "q", "q"] * 40))
    text = ":- use(growtree).\n:- support(max_depth(1)).\n:- constraint(forbid(x0)).\n"
    own = {"memory": "30MB", "effort": "quick", "draws": 8}
    price = slp.parse(text).price(rows, seed=1, **own)["forbid(x0)"]
    assert price.engines == {"all": "exact", "without": "exact", "alone": "mh", "none": "mh"}
    assert (price.standing_added, price.standing_removed) == ("not known", "converged")
    assert price.verdict == "hardly anything"
    told = price.to_dict()
    assert (told["log_evidence_added_converged"], told["log_evidence_removed_converged"]) == (
        False,
        True,
    )


def test_draws_tell_where_sums_have_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """The evidence of the program without the limit stays known."""
    text = ":- use(growtree).\n:- support(min_leaf(2)).\n:- constraint(once(a)).\n"
    want = slp.parse(text).price(ROWS, seed=1, engine="exact")["min_leaf(2)"]
    monkeypatch.setattr("slp.lower.expansion.MOST_STATES", 28)
    have = slp.parse(text).price(ROWS, seed=1, engine="exact", draws=200)["min_leaf(2)"]
    assert have.notes == () and have.log_evidence_removed == want.log_evidence_removed
    assert want.prior.kind == "exact" and have.prior.kind == "estimate"
    assert abs(have.prior.value - want.prior.value) < 6 * have.prior.error


def test_what_changes_nothing_and_what_is_refused() -> None:
    text = ":- use(growtree).\n:- support(max_depth(9)).\n:- constraint(forbid(b)).\n"
    found = slp.parse(text).price(ROWS, seed=1)
    assert found["max_depth(9)"].verdict == "changes nothing here"
    assert found["max_depth(9)"].prior.value == pytest.approx(1)


def test_a_weight_that_leaves_the_evidence_alone_may_change_trees() -> None:
    """Of two copies of a feature, splits take the one with more weight."""
    rows = ROWS.with_columns(b=pl.col("a"))
    text = ":- use(growtree).\n:- feature_weight(a, 5).\n"
    (price,) = slp.parse(text).price(rows, seed=1).statements
    assert price.log_evidence_removed.value == pytest.approx(0, abs=1e-12)
    assert price.verdict == "hardly anything"


def test_no_draws_and_no_sums_tell_no_probability() -> None:
    text = ":- use(growtree).\n:- support(min_weight(2)).\n"
    (price,) = slp.parse(text).price(ROWS, seed=1, draws=0).statements
    assert price.prior is None and price.posterior is None and "no draws" in price.notes[0]
    assert price.log_evidence_removed.kind == "exact"


def test_a_program_without_statements_has_no_prices() -> None:
    found = slp.load("growtree").price(ROWS, seed=1)
    assert found.statements == () and found.log_evidence.kind == "exact"
    assert found.to_dict()["statements"] == []


def test_an_engine_that_finds_trees_tells_no_price() -> None:
    text = ":- use(growtree).\n:- constraint(first(a)).\n"
    (price,) = slp.parse(text).price(ROWS, seed=1, engine="modal").statements
    assert price.prior is None and price.log_evidence_removed is None
    assert price.verdict == "not known" and len(price.notes) == 2


def test_the_specification_finds_a_wrong_sign() -> None:
    case = random_case(4, 300)
    assert wanted(case), "it has statements"
    wrong = [replace(own, removed=-own.removed - 1) for own in wanted(case)]
    have = price_of(case).statements
    assert all(
        abs(p.log_evidence_removed.value - w.removed) > 1e-8
        for p, w in zip(have, wrong, strict=True)
    )
