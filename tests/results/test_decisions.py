"""Decisions of least expected loss, what predictions cost, and the mass of the prior."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import slp
from slp.errors import DataError, ProgramError, UsageError
from slp.estimators import SLPTreeClassifier
from slp.leaves.losses import decided, least_losses, loss_matrix

RNG = np.random.default_rng(5)
X = pd.DataFrame({"a": RNG.integers(0, 4, 40), "b": RNG.integers(0, 3, 40)})
Y = np.where(RNG.random(40) < 0.15 + 0.15 * X.a, "yes", np.where(X.b > 1, "maybe", "no"))
LOSSES = ":- loss(yes, no, 5). :- loss(yes, maybe, 0.5). :- loss(no, yes, 2)."
MATRIX = np.array([[0, 1, 1], [1, 0, 2], [0.5, 5, 0]])  # of maybe, no, yes
PROGRAM = slp.parse(f":- use(growtree). {LOSSES} :- cost(a, 10). :- cost(b, 3).")


@pytest.fixture(scope="module")
def posterior() -> slp.Posterior:
    return PROGRAM.posterior(X, Y, engine="exact")


def test_the_decision_has_the_least_expected_loss(posterior: slp.Posterior) -> None:
    found, p = posterior.decide(X), posterior.predict_proba(X)
    np.testing.assert_array_equal(found.loss, MATRIX)
    want = np.array(
        [[sum(p[i, t] * MATRIX[t, s] for t in range(3)) for s in range(3)] for i in range(40)]
    )
    np.testing.assert_allclose(found.expected_losses, want, 1e-12)
    np.testing.assert_array_equal(found.decision, found.classes[want.argmin(axis=1)])
    np.testing.assert_allclose(found.expected_loss, want.min(axis=1), 1e-12)
    np.testing.assert_allclose(found.margin, np.sort(want)[:, 1] - want.min(axis=1), 1e-9)
    assert not found.error.any()
    assert not found.margin_error.any()
    np.testing.assert_array_equal(posterior.predict(X), found.decision)
    assert (found.decision != found.classes[p.argmax(axis=1)]).any()


@pytest.fixture(scope="module")
def small() -> slp.Posterior:
    """Of few trees, so that all can be listed."""
    return PROGRAM.posterior(X[:9], Y[:9], engine="exact")


def test_losses_of_a_call_replace_those_declared(posterior: slp.Posterior) -> None:
    plain = posterior.decide(X, loss=1 - np.eye(3))
    p = posterior.predict_proba(X)
    np.testing.assert_array_equal(plain.decision, plain.classes[p.argmax(axis=1)])
    some = posterior.decide(X, loss={("yes", "no"): 5, ("yes", "maybe"): 0.5, ("no", "yes"): 2})
    np.testing.assert_array_equal(some.loss, MATRIX)
    assert (posterior.decide(X, loss={}).loss == 1 - np.eye(3)).all()


def test_ties_are_said_and_go_to_the_first_class() -> None:
    y = ["no", "yes"] * 6
    rows = pd.DataFrame({"a": [1, 1, 2, 2] * 3})
    found = slp.parse(":- use(growtree).").posterior(rows, y).decide(rows)
    assert found.tied.all()
    assert (found.decision == "no").all()
    np.testing.assert_allclose(found.margin, 0, atol=1e-12)
    expected, matrix = np.array([[0.3, 0.3 - 1e-13, 0.7]]), np.ones((3, 3))
    said, tied = least_losses(expected, matrix)
    assert (said[0], tied[0]) == (0, True)


def test_random_losses_against_brute_force() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        n = int(rng.integers(2, 5))
        p, loss = rng.dirichlet(np.ones(n)), rng.uniform(0, 9, (n, n)).round(1)
        want = min(range(n), key=lambda s: sum(p[t] * loss[t, s] for t in range(n)))
        assert decided(p, loss) == want
    assert decided(np.array([0.2, 0.8]), None) == 1
    assert loss_matrix((False, True), ()).tolist() == [[0, 1], [1, 0]]


def test_draws_decide_with_their_error(posterior: slp.Posterior) -> None:
    """Within 5 standard errors, which fails once in about 1e6 numbers."""
    drawn = PROGRAM.posterior(X, Y, engine="mh", seed=3, draws=600)
    a, b = drawn.decide(X), posterior.decide(X)
    of_decision = (b.expected_losses * (a.classes == a.decision[:, None])).sum(axis=1)
    assert (np.abs(a.expected_loss - of_decision) <= 5 * a.error).all()
    assert (a.error > 0).all()
    same = a.decision == b.decision
    assert same[b.margin > 5 * a.margin_error].all()


def test_leaves_show_the_decision(posterior: slp.Posterior) -> None:
    tree = posterior.map_tree()
    leaf = tree.leaves()[0]
    assert leaf.predictive is not None
    p = np.array(list(leaf.predictive()["probabilities"].values()))
    expected = p @ MATRIX
    assert leaf.predictive()["expected_loss"] == pytest.approx(expected.min())
    assert leaf.predictive()["decision"] == ("maybe", "no", "yes")[expected.argmin()]
    assert f"decide {leaf.predictive()['decision']} (expected loss {expected.min():.3g})" in str(
        tree
    )
    said = [own.predictive()["decision"] for own in tree.leaves() if own.predictive is not None]
    np.testing.assert_array_equal(tree.predict(X), np.array(said)[tree.apply(X)])
    losses = [own.predictive()["expected_loss"] for own in tree.leaves() if own.predictive]
    assert posterior.loss_of_tree(tree) == pytest.approx(np.array(losses)[tree.apply(X)].mean())


def test_estimators_predict_the_decision(posterior: slp.Posterior) -> None:
    fitted = SLPTreeClassifier(PROGRAM, engine="exact").fit(X, Y)
    np.testing.assert_array_equal(fitted.predict(X), posterior.decide(X).decision)
    np.testing.assert_allclose(fitted.predict_proba(X), posterior.predict_proba(X), 1e-12)
    # A class without rows is known to the estimator, not to the posterior.
    weights = (Y != "maybe").astype(float)
    told = slp.parse(":- use(growtree). :- loss(yes, no, 5).")
    fitted = SLPTreeClassifier(told, engine="exact").fit(X, Y, sample_weight=weights)
    want = fitted.posterior_.decide(X).decision
    np.testing.assert_array_equal(fitted.predict(X), want)


def test_costs_of_a_tree_count_each_feature_once(posterior: slp.Posterior) -> None:
    tree = next(t.tree for t in posterior.k_best(40) if t.tree.n_leaves > 3)
    prices = {"a": 10, "b": 3}
    want = [
        sum(prices[f] for f in place.above)
        for place in tree.places()
        if not hasattr(place.node, "test")
    ]
    cost = posterior.cost_of_tree(tree)
    assert cost.by_leaf == tuple(want)
    assert cost.mean == pytest.approx(np.array(want)[tree.apply(X)].mean())


def test_the_mean_cost_is_that_of_all_rows(small: slp.Posterior) -> None:
    by_row, mean = small.expected_cost(X[:9]), small.expected_cost()
    assert (by_row.kind, mean.kind, mean.error) == ("exact", "exact", 0.0)
    assert mean.value == pytest.approx(by_row.value.mean(), rel=1e-10)
    # by the trees themselves
    trees = small.k_best(100_000)
    p = np.exp([t.log_posterior for t in trees])
    assert p.sum() == pytest.approx(1)
    costs = np.array(
        [np.array(small.cost_of_tree(t.tree).by_leaf)[t.tree.apply(X[:5])] for t in trees]
    )
    np.testing.assert_allclose(p @ costs, by_row.value[:5], 1e-8)


def test_an_explanation_has_the_prior_beside_it(posterior: slp.Posterior) -> None:
    found = posterior.explain({"a": 1, "b": 2})
    prior = posterior.prior().explain({"a": 1, "b": 2})
    beside = {f.feature: f.prior_probability for f in found.features}
    assert beside == {f.feature: pytest.approx(f.probability) for f in prior.features}
    assert prior.prior_note == "this is the prior"
    assert found.cost == pytest.approx(
        sum({"a": 10, "b": 3}[f.feature] * f.probability for f in found.features)
    )
    assert found.tests == pytest.approx(sum(f.tests for f in found.features))
    assert "asked with probability" in str(found)
    assert found.to_dict()["features"][0]["feature"] == found.features[0].feature
    assert PROGRAM.posterior(X, Y, engine="modal").explain(X[:1]).kind == "found"


def test_a_saved_run_decides_alike(posterior: slp.Posterior, tmp_path: Path) -> None:
    drawn = PROGRAM.posterior(X, Y, engine="smc", seed=3, draws=400)
    for own in (posterior, drawn):
        own.save(tmp_path / "run.slpz")
        read = slp.load_posterior(tmp_path / "run.slpz")
        a, b = read.decide(X), own.decide(X)
        np.testing.assert_array_equal(a.decision, b.decision)
        np.testing.assert_allclose(a.expected_losses, b.expected_losses, 1e-12)
        assert read.expected_cost().value == pytest.approx(own.expected_cost().value)
        assert str(read.map_tree()) == str(own.map_tree())


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        ({("yes", "perhaps"): 3}, "no class `perhaps`"),
        ({("yes", "no"): -1}, "is given the loss -1"),
        ({("yes", "no"): "5"}, "is given the loss '5'"),
        ({"yes": 5}, "no pair"),
        ([[0, 1], [1, 0]], r"shape \(2, 2\), for 3 classes"),
        (np.full((3, 3), np.nan), "given the loss nan"),
        ("yes", "losses are str"),
    ],
)
def test_losses_that_do_not_fit_are_refused(
    posterior: slp.Posterior, loss: object, said: str
) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        posterior.decide(X, loss=loss)
    assert raised.value.diagnostics[0].code == "E564"


def test_faults_have_words(posterior: slp.Posterior) -> None:
    numbers = slp.parse(":- use(growtree).").posterior(X, np.arange(40) * 1.5)
    with pytest.raises(UsageError, match="E564"):
        numbers.decide(X)
    with pytest.raises(UsageError, match="E565"):
        numbers.expected_cost(X)
    with pytest.raises(UsageError, match="E567"):
        posterior.explain(X)
    with pytest.raises(UsageError, match="E567"):
        posterior.proximity(pd.concat([X, X]))
    with pytest.raises(DataError, match="E151"):
        PROGRAM.posterior(X, np.arange(40) * 1.5)
    with pytest.raises(ProgramError, match="E103"):
        slp.parse(":- use(growtree). :- loss(1, 0, 2). :- loss(1, 0, 3).")


def test_proximity_is_that_of_the_trees(small: slp.Posterior) -> None:
    found = small.proximity(X[:6])
    trees = small.k_best(100_000)
    p = np.exp([t.log_posterior for t in trees])
    leaves = np.array([t.tree.apply(X[:6]) for t in trees])
    same = leaves[:, :, None] == leaves[:, None, :]
    np.testing.assert_allclose(found.value, np.tensordot(p, same, 1), 1e-7)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("failure", ["restrict", "condition"])
@pytest.mark.parametrize(
    "constraint", ["max_leaves(3)", "first(a)", "once(a)", "forbid(b, below(1))"]
)
def test_constraints_hold_with_the_probability_of_their_trees(
    failure: str, constraint: str
) -> None:
    rows, y = X[:7], Y[:7]
    text = f":- use(growtree). :- failure({failure}). :- constraint({constraint})."
    posterior = slp.parse(text).posterior(rows, y, engine="exact")
    free = slp.parse(":- use(growtree).").posterior(rows, y, engine="exact").prior()
    trees = free.k_best(100_000)
    p = np.exp([t.log_posterior for t in trees])
    program = slp.parse(text)
    holds = [all(c.holds for c in t.tree.check(program, rows, y)) for t in trees]
    want = float(p @ holds)
    found = posterior.constraint_probability
    assert found is not None
    assert (found.kind, found.error) == ("exact", 0)
    assert found.value == pytest.approx(want, rel=1e-9)
    if failure == "condition":
        assert posterior.failing_mass == pytest.approx(1 - want, rel=1e-9)


def test_nothing_is_said_where_nothing_fails(posterior: slp.Posterior) -> None:
    assert posterior.failing_mass is None
    assert posterior.constraint_probability is None
    assert posterior.constraint_note == ""


def test_draws_tell_how_probable_constraints_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within 5 standard errors of the sums, of which none is short here."""
    text = ":- use(growtree). :- constraint(first(a)). :- constraint(max_leaves(4))."
    exact = slp.parse(text).posterior(X, Y, engine="exact").constraint_probability
    monkeypatch.setattr("slp.engines.prior_mass._MOST_SECONDS", -1.0)
    for engine in ("exact", "mh"):
        options = {"draws": 50, "seed": 1} if engine == "mh" else {}
        drawn = slp.parse(text).posterior(X, Y, engine=engine, **options).constraint_probability
        assert drawn is not None
        assert exact is not None
        assert drawn.kind == "estimate"
        assert abs(drawn.value - exact.value) <= 5 * drawn.error


def test_every_pair_may_be_declared() -> None:
    pairs = [f":- loss({t}, {s}, {1 + i})." for i, (t, s) in enumerate(product((0, 1), (0, 1)))]
    rows = pd.DataFrame({"a": [1, 2, 3, 4]})
    table = slp.parse(":- use(growtree). " + " ".join(pairs)).posterior(rows, [0, 1, 1, 0]).table
    assert table.leaf.loss.tolist() == [[1, 2], [3, 4]]


def test_a_saved_run_tells_how_probable_its_constraints_are(tmp_path: Path) -> None:
    text = ":- use(growtree). :- constraint(first(a)). :- failure(condition)."
    for engine in ("exact", "smc"):
        options = {"draws": 50, "seed": 1} if engine == "smc" else {}
        own = slp.parse(text).posterior(X, Y, engine=engine, **options)
        own.save(tmp_path / "run.slpz")
        read = slp.load_posterior(tmp_path / "run.slpz")
        assert read.constraint_probability == own.constraint_probability is not None
        assert read.failing_mass == own.failing_mass
