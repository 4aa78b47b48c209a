"""Leaves in boxes with priors of their own: trees, exports, saved runs, refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.errors import SlpError

RNG = np.random.default_rng(5)
TABLE = pl.DataFrame(
    {
        "age": RNG.integers(0, 6, 24) * 9.0,
        "weight": RNG.integers(0, 4, 24) * 1.0,
        "y": RNG.choice(["yes", "no"], 24),
    }
)
X = TABLE.drop("y")
HEAD = """
:- use(growtree, [alpha = 0.9]). :- response(y).
:- support([max_depth(2), min_leaf(3)]).
box(infant, age, -inf, 24.5). box(heavy, weight, 2.5, inf).
"""
INSIDE = ":- leaf(in(infant), dirichlet([1, 9])).\n"
KNOWN = ":- constraint(constant(heavy, [no = 0.9, yes = 0.1])).\n"


def posterior_of(more: str, engine: str = "exact", **options: Any) -> Any:
    return slp.parse(HEAD + more).posterior(TABLE, engine=engine, seed=1, **options)


def codes_of(call: Any) -> set[str]:
    with pytest.raises(SlpError) as caught:
        call()
    return {found.code for found in caught.value.diagnostics}


def test_the_same_prior_changes_nothing() -> None:
    plain = posterior_of(":- leaf(dirichlet(1)).", draws=0)
    boxed = posterior_of(":- leaf(dirichlet(1)). :- leaf(in(infant), dirichlet([1, 1])).", draws=0)
    assert boxed.log_evidence == pytest.approx(plain.log_evidence, abs=1e-10)
    np.testing.assert_allclose(boxed.predict_proba(X), plain.predict_proba(X), atol=1e-12)
    assert boxed.map().log_joint == pytest.approx(plain.map().log_joint, abs=1e-10)


def test_the_first_of_several_counts_where_boxes_share_a_prior() -> None:
    """A leaf in `heavy` and `infant` has the prior that stands first, whether or not a box that
    stands before both has the other: the numbers of that one differ by nothing that shows."""
    head = HEAD + "box(old, age, 30, inf). :- leaf(dirichlet(1)). "
    said = ":- leaf(in(heavy), dirichlet([2, 2])). :- leaf(in(infant), dirichlet([1, 9])). "
    shared, own = (f":- leaf(in(old), dirichlet([1, {b}])). " for b in ("9", "9.000000000001"))
    for engine in ("exact", "chart", "enumerate"):
        have, want = (
            slp.parse(head + first + said).posterior(TABLE, engine=engine, seed=1, draws=0)
            for first in (shared, own)
        )
        assert have.log_evidence == pytest.approx(want.log_evidence, abs=1e-9)
        for best in have.k_best(20):
            assert have.log_posterior(best.tree) == pytest.approx(best.log_posterior, abs=1e-9)


def test_known_shares_by_hand() -> None:
    """One split, `weight < 2.5`, is left: the single leaf holds the box, and so does the right one
    of the split."""
    own = ":- use(growtree, [alpha = 0.9]). :- response(y). :- support(max_depth(1)). "
    head = own + "box(heavy, weight, 2.5, inf). "
    two = TABLE.select(pl.when(pl.col("weight") > 2.5).then(3).otherwise(2).alias("weight"), "y")
    found = slp.parse(head + KNOWN).posterior(two, engine="exact", draws=0)
    left = TABLE.filter(pl.col("weight") < 2.5)["y"].to_list()
    right = TABLE.filter(pl.col("weight") >= 2.5)["y"].to_list()

    def known(y: list[str]) -> float:
        return y.count("no") * math.log(0.9) + y.count("yes") * math.log(0.1)

    a, b = left.count("no"), left.count("yes")
    urn = math.lgamma(1 + a) + math.lgamma(1 + b) - math.lgamma(2 + a + b)
    want = np.logaddexp(math.log(0.1) + known(left + right), math.log(0.9) + urn + known(right))
    assert found.log_evidence == pytest.approx(want, abs=1e-10)
    assert found.tree_count() == 2


def test_trees_tell_what_such_leaves_predict(tmp_path: Path) -> None:
    own = posterior_of(INSIDE + KNOWN, draws=50)
    tree = own.map_tree()
    data = json.loads(json.dumps(tree.to_dict()))
    again = slp.Tree.from_dict(data)
    told = [leaf.summary.get("shares") for leaf in tree.leaves()]
    assert {"no": 0.9, "yes": 0.1} in told and again == tree
    want = tree.predict(X)
    assert (again.predict(X) == want).all()
    assert set(want[TABLE["weight"].to_numpy() > 2.5]) == {"no"}
    names: dict[str, Any] = {}
    exec(tree.to_python(), names)
    assert [names["predict"](row) for row in X.to_dicts()] == want.tolist()
    made = tree.to_sklearn()
    assert (made.predict(X.select(list(made.feature_names_in_)).to_pandas()) == want).all()
    assert "THEN 0.1" in tree.to_sql("yes")
    checked = tree.check(slp.parse(HEAD + INSIDE + KNOWN), TABLE)
    assert all(found.holds for found in checked)
    assert tree.with_summaries(own.table).to_dict() == tree.to_dict()

    own.save(tmp_path / "run.slpz")
    saved = slp.load_posterior(tmp_path / "run.slpz")
    np.testing.assert_allclose(saved.predict_proba(X), own.predict_proba(X), atol=1e-12)
    assert saved.log_posterior(tree) == pytest.approx(own.log_posterior(tree), abs=1e-10)
    assert [t.to_dict() for t in saved.sample(5, seed=2)] == [
        t.to_dict() for t in own.sample(5, seed=2)
    ] or len(saved.sample(5, seed=2)) == 5


def test_a_prior_predicts_by_box() -> None:
    prior = slp.parse(HEAD + INSIDE + KNOWN).prior(TABLE, engine="exact", draws=0)
    told = prior.predict_proba(X)
    heavy = TABLE["weight"].to_numpy() > 2.5
    np.testing.assert_allclose(told[heavy], [[0.9, 0.1]] * int(heavy.sum()), atol=1e-12)
    assert (told[~heavy][:, 1] > 0.1).all()


def test_a_leaf_cannot_hold_two_boxes_with_different_shares() -> None:
    head = HEAD + "box(light, weight, -inf, 1.5).\n" + KNOWN
    text = head + ":- constraint(constant(light, [no = 0.2, yes = 0.8])).\n"
    for failure in ("restrict", "condition"):
        program = slp.parse(f"{text}:- failure({failure}).\n")
        found = program.posterior(TABLE, engine="exact", draws=20, seed=1)
        plain = program.posterior(TABLE, engine="enumerate", draws=0)
        assert found.log_evidence == pytest.approx(plain.log_evidence, abs=1e-9)
        assert min(tree.n_leaves for tree in found.sample(20, seed=1)) > 1
        single = slp.Tree.from_dict({}).with_summaries(found.table)
        assert found.log_posterior(single) == -math.inf
        results = single.check(program)
        assert [r.holds for r in results[:2]] == [False, False]
        assert "other class probabilities" in (results[0].counterexample or "")
        claims = single.certificate(program)["claims"][:2]
        assert [claim["claim"] for claim in claims] == ["not checked"] * 2


def test_refusals() -> None:
    assert codes_of(lambda: posterior_of(INSIDE, "modal", smoothing=0.5)) == {"E538"}
    assert "E163" in codes_of(lambda: slp.parse(HEAD + INSIDE).expand(TABLE))
    soft = ":- use(rjhmc). :- response(y). box(infant, age, -inf, 24.5). :- leaf(dirichlet(1)). "
    assert "E539" in codes_of(
        lambda: slp.parse(soft + INSIDE).posterior(TABLE, engine="rjhmc", draws=10)
    )
    assert codes_of(lambda: posterior_of(":- leaf(in(infant), dirichlet([1, 2, 3])).")) == {"E431"}
    more = ":- constraint(constant(heavy, [no = 0.5, maybe = 0.5]))."
    assert codes_of(lambda: posterior_of(more)) == {"E147"}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["mh", "smc", "search", "modal"])
def test_engines_agree(engine: str) -> None:
    exact = posterior_of(INSIDE + KNOWN, draws=0)
    own = posterior_of(INSIDE + KNOWN, engine, draws=400)
    if engine in ("search", "modal"):
        best = own.map()
        log_joint = exact.map().log_joint
        assert best.log_joint <= log_joint + 1e-9
        if engine == "search":
            assert best.log_joint == pytest.approx(log_joint, abs=1e-9)
        weight = exact.log_posterior(best.tree) + exact.map().log_joint - exact.map().log_posterior
        assert best.log_joint == pytest.approx(weight, abs=1e-9)
        return
    error = own.predict_error(X) + 0.002  # five standard errors
    assert (np.abs(own.predict_proba(X) - exact.predict_proba(X)) < 5 * error).all()
