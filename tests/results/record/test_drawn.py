"""Results of draws: against all trees of tiny tables under constraints on the finished tree, what
it leaves open, its errors and diagnostics against ArviZ and by hand."""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from arviz_stats.base import array_stats
from scipy.stats import t as student

import slp
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.engines.shared.records import RecordsOf
from slp.errors import SlpWarning, UnsupportedError, UsageError
from slp.reference.boxes import Geometry
from slp.reference.mh.chains import MetropolisHastings
from slp.results.trust.diagnostics import Convergence, diagnostics_of
from tests.reference.mh.matrices import Example, all_proofs
from tests.results.filled import filler_of

GROWTREE = ":- use(growtree, [beta = 0.5]). :- support(max_depth(2)). "
#: Few steps are enough for so few trees.
STEPS = {"warmup": 500, "thin": 20}
#: Names as classes have no order of their own.
ORDERED = ":- response(y, [ordinal([no, yes])]). "


def frame(n: int = 8) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 4, n), rng.integers(0, 3, n)
    c = rng.choice(["p", "q", "r"], n)
    y = np.where(a + rng.normal(size=n) > 1.5, "yes", "no")
    return pl.DataFrame({"a": a, "b": b, "c": c, "y": y})


def quietly(text: str, data: pl.DataFrame, *, engine: str = "mh", **options: Any) -> slp.Posterior:
    steps = STEPS if engine == "mh" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        found = slp.parse(text).posterior(data, engine=engine, **{**steps, "seed": 3, **options})
    return found


def example(posterior: slp.Posterior) -> Example:
    """All proofs of the sampler's grammar that hold, with their probabilities."""
    sampler = plain(posterior)
    return Example(sampler.target, all_proofs(sampler.process))


def plain(posterior: slp.Posterior) -> MetropolisHastings:
    """The specification behind the engine that ran."""
    sampler = filler_of(posterior).sampler
    while isinstance(sampler, RecordsOf):
        sampler = sampler.base
    return plain_of(sampler) if isinstance(sampler, CompiledMetropolisHastings) else sampler


@cache
def plain_of(sampler: CompiledMetropolisHastings) -> MetropolisHastings:
    """One for each sampler: cuts have their numbers as boxes ask for them."""
    geometry = Geometry(sampler.grammar, sampler.table)
    likelihood = sampler.power > 0
    return MetropolisHastings(sampler.grammar, geometry, sampler.constraints, likelihood=likelihood)


# --- agreement with all trees ---------------------------------------------------------------------

PROGRAMS = [
    ":- constraint(max_features(1)).",
    ORDERED + ":- constraint(monotone(a, up)).",
    ORDERED + ":- constraint(monotone(b, down)). :- constraint(max_features(2)).",
    ":- constraint(max_features(2)). :- constraint(max_leaves(4)). :- constraint(forbid(c)).",
]
#: Each run compares 5 numbers; that any of them fails by chance has probability 0.001.
LIMIT = float(student.ppf(1 - 0.001 / (5 * len(PROGRAMS)) / 2, 100))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("constraints", PROGRAMS)
def test_estimates_agree_with_all_trees_within_their_errors(constraints: str) -> None:
    data = frame()
    posterior = quietly(
        GROWTREE + constraints, data, draws=1200, thin=3, proposal="q_uc:0.7,q_ind:0.3"
    )
    assert posterior.reason == "asked for"
    true = example(posterior)
    p, sampler = true.probability, plain(posterior)
    trees = [sampler.tree(proof) for proof in true.proofs]

    def want(values: list[float]) -> float:
        return float(p @ np.array(values))

    pairs = [
        (
            posterior.expected_leaves(),
            posterior.expected_leaves_error(),
            want([float(tree.n_leaves) for tree in trees]),
        ),
        (
            posterior.expected_depth(),
            posterior.expected_depth_error(),
            want([float(tree.depth) for tree in trees]),
        ),
    ]
    use = posterior.split_probabilities()["a"]
    pairs.append(
        (use.probability, use.probability_error, want([float("a" in t.features) for t in trees]))
    )
    new = pl.DataFrame({"a": [0.0, 3.0], "b": [2, 1], "c": ["q", "nowhere"]})
    have, error = posterior.predict_proba(new), posterior.predict_error(new)
    for i, row in enumerate(new.iter_rows(named=True)):
        yes = [smoothed(tree, row) for tree in trees]
        pairs.append((have[i, 1], error[i, 1], want(yes)))
    for estimate, spread, truth in pairs:
        assert 0 <= spread < 0.1
        assert abs(estimate - truth) <= LIMIT * spread + 1e-12


def smoothed(tree: slp.Tree, row: dict[str, Any]) -> float:
    """P(yes) of a row under a tree, with one row of each class added."""
    node: Any = tree.root
    while hasattr(node, "feature"):
        value = row[node.feature]
        left = value == node.level if node.threshold is None else value < node.threshold
        node = node.left if left else node.right
    counts = node.summary["counts"]
    return (counts.get("yes", 0) + 1) / (sum(counts.values()) + 2)


def test_it_agrees_with_the_exact_engine() -> None:
    """Estimates within 4.5 errors: 7 of them, each off by chance with probability 1e-5. What has a
    probability below 1/500 may not be seen at all."""
    data, text = frame(20), ":- use(growtree, [beta = 1.5])."
    exact = slp.parse(text).posterior(data)
    posterior = quietly(text, data, draws=2000, thin=4, proposal="q_uc:0.9,q_ind:0.1")
    assert posterior.diagnostics.convergence["predictions"].r_hat < 1.05
    error = posterior.expected_leaves_error()
    gaps = [(posterior.expected_leaves(), error, exact.expected_leaves())]
    for name, use in posterior.split_probabilities().items():
        true = exact.split_probabilities()[name]
        gaps.append((use.probability, use.probability_error, true.probability))
    have, want = posterior.predict_proba(data[:3]), exact.predict_proba(data[:3])
    gaps += zip(have[:, 0], posterior.predict_error(data[:3])[:, 0], want[:, 0], strict=True)
    for estimate, error, true_value in gaps:
        assert abs(estimate - true_value) < 4.5 * error + 0.002 < 0.3
    best = exact.map()
    assert posterior.map().log_joint <= best.log_joint + 1e-9


def test_numbers_are_predicted_with_intervals() -> None:
    rng = np.random.default_rng(1)
    x = np.arange(14.0)
    data = pl.DataFrame({"x": x, "y": np.where(x < 7, 0.0, 5.0) + rng.normal(size=14)})
    text = ":- use(growtree). :- support(max_depth(2)). :- leaf(normal_inverse_gamma(2, 1, 2, 2))."
    exact = slp.parse(text).posterior(data)
    posterior = quietly(text, data, draws=2000)
    new = pl.DataFrame({"x": [1.0, 12.0]})
    gap = np.abs(posterior.predict(new) - exact.predict(new))
    assert (gap < 4.5 * posterior.predict_error(new)).all()
    assert posterior.predict_error(new).shape == (2,)
    interval = posterior.predict_interval(new, 0.8)
    assert np.abs(interval - exact.predict_interval(new, 0.8)).max() < 0.3


# --- weights of trees -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        GROWTREE,
        ":- use(pinball). :- support(max_depth(3)).",
        ":- use(bcart_pcfg). :- support(max_depth(2)).",
        ":- use(denison). :- constraint(max_leaves(3)).",
    ],
)
def test_weights_of_trees_are_those_of_the_exact_engine(text: str) -> None:
    """Up to one constant; also where trees have several derivations."""
    data = frame(7)
    exact, posterior = slp.parse(text).posterior(data), quietly(text, data, draws=200)
    draws = {draw.tree: draw for draw in posterior.draws}
    shifts = [exact.log_prior(tree) - draw.log_weight for tree, draw in draws.items()]
    assert len(shifts) > 3
    assert np.ptp(shifts) < 1e-9
    for tree, draw in draws.items():
        assert posterior._result.log_weight(tree) == pytest.approx(draw.log_weight, rel=1e-12)
        assert draw.log_likelihood == pytest.approx(exact.log_likelihood(tree), rel=1e-9)
        assert draw.log_prior == (draw.log_weight if posterior.normalised else None)
        assert posterior.log_posterior(tree) is None
        assert (posterior.log_prior(tree) is None) == (draw.log_prior is None)


def test_trees_off_the_support_are_told() -> None:
    posterior = quietly(GROWTREE + ":- constraint(max_features(1)).", frame(), draws=50)
    two = slp.Tree.from_dict(
        {
            "feature": "a",
            "threshold": 1.5,
            "left": {},
            "right": {"feature": "b", "threshold": 0.5, "left": {}, "right": {}},
        }  # fmt: skip
    )
    nowhere = slp.Tree.from_dict({"feature": "a", "threshold": 99, "left": {}, "right": {}})
    for tree in (two, nowhere):
        assert posterior.log_posterior(tree) == posterior.log_prior(tree) == -math.inf
    one = slp.Tree.from_dict({"feature": "a", "threshold": 1.5, "left": {}, "right": {}})
    assert posterior.log_posterior(one) is None and posterior.log_prior(one) is None


# --- what it says and leaves open -----------------------------------------------------------------


def test_what_draws_cannot_tell_is_left_open() -> None:
    posterior = quietly(GROWTREE, frame(), draws=100, rungs=1)
    assert posterior.log_evidence is None and posterior.tree_count() is None
    assert posterior.normalised and not posterior.interrupted
    best, second = posterior.k_best(2)
    assert (best.certified, best.log_posterior) == (False, None)
    assert best == posterior.map() and best.tree == posterior.map_tree()
    assert best.log_joint >= second.log_joint
    joint = posterior.log_prior(best.tree) + posterior.log_likelihood(best.tree)
    assert best.log_joint == pytest.approx(joint, rel=1e-12)
    assert best.log_joint == max(d.log_prior + d.log_likelihood for d in posterior.draws)
    assert repr(posterior) == "<posterior over trees of y, engine mh>"


def test_draws_go_chain_by_chain_and_samples_come_from_them() -> None:
    posterior = quietly(GROWTREE, frame(), draws=50, chains=3)
    assert [d.chain for d in posterior.draws] == [0] * 17 + [1] * 17 + [2] * 16
    assert set(posterior.sample(20, seed=1)) <= {d.tree for d in posterior.draws}
    assert posterior.sample(5, seed=1) == posterior.sample(5, seed=1)
    counts = Counter(d.tree.n_leaves for d in posterior.draws)
    have = posterior.leaf_distribution()
    assert have.tolist() == pytest.approx([counts[k] / 50 for k in range(len(have))])
    assert posterior.depth_distribution().sum() == pytest.approx(1)


def test_the_prior_is_drawn_by_a_run_of_its_own() -> None:
    posterior = quietly(GROWTREE, frame(), draws=600)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        prior = posterior.prior()
    assert not prior.likelihood and prior.log_evidence is None
    tree = prior.map_tree()
    assert prior.map().log_posterior == prior.log_posterior(tree) == prior.log_prior(tree)
    exact = slp.parse(GROWTREE).prior(frame())
    gap = abs(prior.expected_leaves() - exact.expected_leaves())
    assert gap < 4.5 * prior.expected_leaves_error()


def test_without_draws_there_is_nothing_to_say() -> None:
    posterior = quietly(GROWTREE, frame(), draws=0)
    assert posterior.draws == []
    for ask in (posterior.map, posterior.expected_leaves, posterior.split_probabilities):
        with pytest.raises(UsageError) as caught:
            ask()
        assert str(caught.value) == (
            "error[E530]: nothing was drawn, so there is nothing to say of the trees\n"
            "  help: ask for draws, as with draws=1000"
        )
    with pytest.raises(UsageError, match=r"E530.*nothing was drawn to hand to ArviZ"):
        posterior.to_arviz()


def test_the_same_seed_gives_the_same_draws_for_any_number_of_threads() -> None:
    one = quietly(GROWTREE, frame(), draws=60, threads=1).draws
    assert one == quietly(GROWTREE, frame(), draws=60, threads=3).draws
    assert one != quietly(GROWTREE, frame(), draws=60, threads=1, seed=4).draws


def test_tempered_chains_sample_the_same_posterior() -> None:
    cold = quietly(GROWTREE, frame(), draws=800, thin=3)
    tempered = quietly(GROWTREE, frame(), draws=800, rungs=3, thin=3)
    gap = abs(cold.expected_leaves() - tempered.expected_leaves())
    error = math.hypot(cold.expected_leaves_error(), tempered.expected_leaves_error())
    assert gap < 4.5 * error
    assert set(tempered.diagnostics.acceptance) == {"q_uc", "cgm", "informed", "perturb", "rotate"}


def test_auto_samples_what_cannot_be_summed_and_exact_refuses_it() -> None:
    program = slp.parse(GROWTREE + ":- constraint(max_features(1)).")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        posterior = program.posterior(frame(), draws=20, seed=1)
    why = "`max_features(1)` is decided at the finished tree, and trees cannot be summed exactly "
    assert (posterior.engine, posterior.reason) == ("mh", f"{why}under it")
    with pytest.raises(UnsupportedError) as caught:
        program.posterior(frame(), engine="exact")
    assert caught.value.diagnostics[0].code == "E301"
    assert slp.parse(GROWTREE).posterior(frame()).engine == "exact"


@pytest.mark.parametrize(
    ("constraint", "note"),
    [
        ("", None),
        (
            ORDERED + ":- constraint(monotone(a, up)).",
            "monotone looks at the response, so the prior is normalised with it in view; do not "
            "compare this evidence with that of another program",
        ),
        (
            ORDERED + "box(low, a, -inf, 2). :- constraint(majority(low, yes)). "
            ":- constraint(monotone(a, up)).",
            "majority and monotone look at the response, so the prior is normalised with it in "
            "view; do not compare this evidence with that of another program",
        ),
    ],
)
def test_what_looks_at_the_response_is_said(constraint: str, note: str | None) -> None:
    assert quietly(GROWTREE + constraint, frame(), draws=4).evidence_note == note


# --- diagnostics ----------------------------------------------------------------------------------


def test_statistics_are_those_of_arviz() -> None:
    posterior = quietly(GROWTREE, frame(), draws=400)
    leaves = np.array([d.tree.n_leaves for d in posterior.draws], float).reshape(4, 100)
    found = posterior.diagnostics.convergence["leaves"]
    assert found.r_hat == pytest.approx(array_stats.rhat(leaves))
    assert found.ess_bulk == pytest.approx(array_stats.ess(leaves, method="bulk"))
    tails = array_stats.ess(leaves, method="tail", prob=(0.05, 0.95))
    assert found.ess_tail == pytest.approx(tails)
    of_batches = leaves.reshape(20, 20).mean(axis=1).std(ddof=1) / math.sqrt(20)
    larger = max(array_stats.mcse(leaves), of_batches)
    assert posterior.expected_leaves_error() == pytest.approx(larger)
    halves = quietly(GROWTREE, frame(), draws=100, chains=1)
    leaves = np.array([d.tree.n_leaves for d in halves.draws], float).reshape(2, 50)
    assert halves.diagnostics.convergence["leaves"].r_hat == pytest.approx(array_stats.rhat(leaves))


@pytest.mark.parametrize("engine", ["exact", "chart", "enumerate", "mh"])
def test_no_rows_to_predict(engine: str) -> None:
    classes = quietly(GROWTREE, frame(), engine=engine, draws=40)
    numbers = frame().with_columns(y=pl.Series([0.5, 1, 2, 3, 4, 5, 6, 7]))
    means = quietly(GROWTREE, numbers, engine=engine, draws=40)
    for none in (frame().head(0), frame().head(0).to_pandas(), np.empty((0, 3))):
        assert classes.predict_proba(none).shape == classes.predict_error(none).shape == (0, 2)
        assert classes.predict(none).shape == means.predict(none).shape == (0,)
        assert means.predict_error(none).shape == (0,)
        assert means.predict_interval(none).shape == (0, 2)


@pytest.mark.parametrize("engine", ["exact", "chart", "enumerate", "mh"])
def test_a_prior_knows_no_outcomes(engine: str) -> None:
    posterior = quietly(GROWTREE, frame(), engine=engine, draws=40)
    prior = posterior.prior()
    trees = [prior.map_tree(), *prior.sample(5, seed=1), *(draw.tree for draw in prior.draws)]
    for tree in trees:
        assert all(set(leaf.summary) == {"n"} for leaf in tree.leaves())
        assert sum(leaf.rows for leaf in tree.leaves()) == 8
    assert all("counts" in leaf.summary for leaf in posterior.map_tree().leaves())


def test_moves_are_counted_by_proposal() -> None:
    posterior = quietly(
        GROWTREE + ":- constraint(max_features(1)).",
        frame(),
        draws=200,
        chains=2,
        thin=3,
        rungs=1,
        proposal="q_uc:0.5,q_n(40):0.5",
    )
    found = posterior.diagnostics
    assert set(found.moves) == {"q_uc", "q_n(40)"}
    assert sum(sum(counts.values()) for counts in found.moves.values()) == 600
    assert found.moves["q_n(40)"]["stayed"] > 0 and found.moves["q_uc"]["failed"] > 0
    q_uc = found.moves["q_uc"]
    assert q_uc["stayed"] == 0
    assert found.acceptance["q_uc"] == q_uc["accepted"] / sum(q_uc.values())
    q_n = found.moves["q_n(40)"]
    assert found.acceptance["q_n(40)"] == q_n["accepted"] / (sum(q_n.values()) - q_n["stayed"])
    failed = sum(counts["failed"] for counts in found.moves.values())
    assert found.failure_rate == failed / 600
    assert found.draws == (100, 100)
    data = found.to_dict()
    assert data["draws_by_chain"] == [100, 100] and data["warnings"] == list(found.warnings)


def test_chains_that_disagree_are_warned_of() -> None:
    with pytest.warns(SlpWarning) as caught:
        slp.parse(GROWTREE).posterior(
            frame(), engine="mh", rungs=1, seed=1, draws=40, warmup=0, thin=1
        )
    found = [w.message.diagnostic for w in caught if isinstance(w.message, SlpWarning)]
    assert {d.code for d in found} == {"W530"}
    (words,) = (d.message for d in found)
    disagree = "the chains disagree: R-hat is .*, and should be at most 1.01"
    few = "there are few effective draws: .*; estimates need some 400"
    assert re.fullmatch(f"not converged, do not use the numbers: {disagree}; {few}", words)
    flags, keywords = "--warmup 10 --thin 10 --draws 2000", "warmup=10, thin=10, draws=2000"
    help = f"run again with {flags} (in Python: {keywords}), or with another proposal"
    assert {d.help for d in found} == {help}


def test_numbers_beside_a_limit_are_told_from_it() -> None:
    seen = {"leaves": Convergence(1.0100001, 99.7, 199.6), "depth": Convergence(1.0096, 200, 200)}
    apart, few = diagnostics_of(seen, [Counter()], [100, 100]).warnings
    want = "the chains disagree: R-hat is 1.0100001 for leaves, and should be at most 1.01"
    assert apart == want
    assert few == "there are few effective draws: 99 for leaves; estimates need some 200"


def test_chains_that_never_move_are_warned_of() -> None:
    """Every tree but the root alone is forbidden, and every proposal fails."""
    text = ":- use(growtree). :- constraint(max_leaves(1))."
    posterior = quietly(text, frame(), draws=20, proposal="q_n(1)")
    assert posterior.diagnostics.acceptance["q_n(1)"] < 1
    if not posterior.diagnostics.moves["q_n(1)"]["accepted"]:
        (words, *_) = posterior.diagnostics.warnings
        assert words == "no proposal was accepted: the chains are where they began"


def test_draws_that_are_all_equal_have_no_r_hat() -> None:
    posterior = quietly(":- use(growtree). :- support(max_depth(0)).", frame(), draws=400)
    found = posterior.diagnostics
    assert {c.r_hat for c in found.convergence.values()} == {None}
    assert found.warnings == () and posterior.expected_leaves_error() == 0.0
    few = quietly(GROWTREE, frame(), draws=8)
    assert few.diagnostics.convergence["leaves"].r_hat is None
    assert math.isnan(few.expected_leaves_error())


def test_draws_in_the_structure_of_arviz() -> None:
    posterior = quietly(GROWTREE, frame(), draws=41, chains=2)
    data = posterior.to_arviz()
    assert data.posterior["leaves"].shape == (2, 20)
    assert data.posterior["used"].coords["feature"].values.tolist() == ["a", "b", "c"]
    draws = [d for d in posterior.draws if d.chain == 1][:20]
    assert data.posterior["depth"].values[1].tolist() == [d.tree.depth for d in draws]
    want = [d.log_weight + d.log_likelihood for d in draws]
    assert data.sample_stats["lp"].values[1].tolist() == want
    splits = data.posterior["splits"].sum("feature").values[1]
    assert splits.tolist() == [d.tree.n_leaves - 1 for d in draws]
    exact = slp.parse(GROWTREE).posterior(frame(), draws=7, seed=1).to_arviz()
    assert exact.posterior["leaves"].shape == (1, 7)
