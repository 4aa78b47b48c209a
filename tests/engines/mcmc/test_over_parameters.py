"""Chains that move parameters which have a prior: their Gibbs step by its formula, and their
answers beside exact sums."""

from __future__ import annotations

import math
import pickle
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2

import slp
from slp.engines import infer
from slp.engines.mcmc.over_parameters import AtNode, ChainsOverParameters
from slp.results import Posterior
from slp.runner import Phase

ROWS = pl.DataFrame(
    {
        "x": [1, 2, 3, 4, 1, 2, 3, 4],
        "z": [1, 1, 1, 2, 2, 2, 2, 1],
        "y": ["a", "a", "b", "b", "a", "b", "b", "a"],
    }
)
GROWN = ":- use(growtree).\n:- leaf(dirichlet(1)).\n:- param(alpha, beta(2, 1)).\n"
#: Trees may have several derivations, and states call others.
MIXED = """
:- param(p, beta(2, 2)).
:- start(tree).
p     :: tree --> grown(0).
1 - p :: tree --> grown(1).
0.9 / (1 + D)     :: grown(D) --> split(_, _), grown(D+1), grown(D+1).
1 - 0.9 / (1 + D) :: grown(D) --> leaf.
"""
#: Errors that a number may be off: one in 4e5 for each number of a sound sampler.
MOST_ERRORS = 4.6
CHI_SQUARE_ERROR = 1e-6


def drawn(text: str, **how: object) -> Posterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found: Posterior = slp.parse(text).posterior(ROWS, engine="mh", **how)
    return found


def chances_of(chains: ChainsOverParameters, text: str, tree: slp.Tree) -> np.ndarray:
    """P(node | tree), by the program at each node and the enumeration of its trees."""
    problem = slp.parse(text).compile(ROWS)
    logs = []
    for j, log_weight in enumerate(chains.nodes.log_weights):
        at = problem.varied(problem.program.at(chains.nodes.at(j)))
        prior = infer(at, engine="enumerate", likelihood=False, draws=0)
        logs.append(log_weight + prior.log_posterior(tree))
    return np.exp(np.array(logs) - np.logaddexp.reduce(logs))


def test_the_node_is_drawn_given_the_tree() -> None:
    chains = ChainsOverParameters(slp.parse(GROWN).compile(ROWS), proposal="q_uc")
    rng = np.random.default_rng(1)
    state = chains.init(rng)
    while chains.base.n_nodes(chains.record(state)) < 5:
        state, _ = chains.moved(rng, state, 1.0, 1)
    (tree,) = chains.scored([chains.record(state)]).trees
    want = chances_of(chains, GROWN, tree)
    n = 3000
    nodes = [chains.at_new_node(rng, state.own).node for _ in range(n)]
    counts = np.bincount(nodes, minlength=len(want))
    often = want * n >= 5
    have, expected = counts[often], want[often] * n
    statistic = ((have - expected) ** 2 / expected).sum()
    assert chi2.sf(statistic, often.sum() - 1) > CHI_SQUARE_ERROR
    assert counts[~often].sum() <= 5 + 10 * want[~often].sum() * n
    found = np.exp(chains.log_weights_at_nodes([tree]))[0]
    assert found / found.sum() == pytest.approx(want, rel=1e-9)


def test_a_state_is_dumped_and_loaded() -> None:
    chains = ChainsOverParameters(slp.parse(GROWN).compile(ROWS), proposal="q_uc")
    state = chains.init(np.random.default_rng(1))
    again = chains.load(chains.dump(state))
    assert isinstance(again, AtNode) and chains.dump(again) == chains.dump(state)
    both = [
        chains.dump(chains.advance(np.random.default_rng(2), own, 300, Phase(False, 1))[0])
        for own in (state, again)
    ]
    assert both[0] == both[1]


@pytest.mark.slow
@pytest.mark.parametrize("text", [GROWN, MIXED], ids=["growtree", "mixture"])
@pytest.mark.parametrize("rungs", [1, None])
def test_as_exact_sums(text: str, rungs: int | None) -> None:
    exact = slp.parse(text).posterior(ROWS, engine="exact", draws=0)
    found = drawn(text, seed=3, draws=1000, rungs=rungs, effort="quick")
    (have,), (want,) = found.parameters.beliefs, exact.parameters.beliefs
    assert abs(have.mean - want.mean) < MOST_ERRORS * have.mean_error
    assert 0 < have.mean_error < 0.02
    assert (have.low, have.high) == pytest.approx((want.low, want.high), abs=0.03)
    leaves, error = found.expected_leaves(), found.expected_leaves_error()
    assert abs(leaves - exact.expected_leaves()) < MOST_ERRORS * error
    for name, use in found.split_probabilities().items():
        apart = abs(use.probability - exact.split_probabilities()[name].probability)
        assert apart < MOST_ERRORS * use.probability_error
    for own in found.k_best(5):
        assert own.log_joint == pytest.approx(
            exact.log_posterior(own.tree) + exact.log_evidence, abs=1e-9
        )
    if rungs is None:
        apart = abs(found.log_evidence - exact.log_evidence)
        assert apart < MOST_ERRORS * found.log_evidence_error < 0.5
    assert want.name in found.diagnostics.convergence


@pytest.mark.slow
def test_two_parameters_and_the_prior() -> None:
    text = GROWN + ":- param(beta, gamma(3, 2)).\n"
    exact = slp.parse(text).posterior(ROWS, engine="exact", draws=0)
    found = drawn(text, seed=3, draws=300, effort="quick")
    for have, want in zip(found.parameters.beliefs, exact.parameters.beliefs, strict=True):
        assert abs(have.mean - want.mean) < MOST_ERRORS * have.mean_error + 1e-4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        prior = slp.parse(text).prior(ROWS, engine="mh", seed=4, draws=300, rounds=1)
    for own in prior.parameters.beliefs:
        assert abs(own.mean - own.prior_mean) < MOST_ERRORS * own.mean_error


def test_a_short_run_saved_copied_and_resumed(tmp_path: Path) -> None:
    how = {"seed": 5, "draws": 40, "chains": 2, "warmup": 20, "thin": 5, "rungs": 2, "rounds": 1}
    found = drawn(GROWN, **how, checkpoint=tmp_path / "run.json")
    found.save(tmp_path / "run.slpz")
    saved = slp.load_posterior(tmp_path / "run.slpz")
    copied = pickle.loads(pickle.dumps(found))
    assert saved.parameters == copied.parameters == found.parameters
    assert saved.trust.kind == "estimate" and not saved.trust.summed
    more = drawn(GROWN, **{**how, "draws": 60}, checkpoint=tmp_path / "run.json", resume=True)
    whole = drawn(GROWN, **{**how, "draws": 60})
    assert more.parameters == whole.parameters and len(more.draws) == 60
    begun = drawn(GROWN, **how, start=found.map_tree())
    assert begun.parameters is not None
    assert math.isfinite(begun.parameters.beliefs[0].mean)


NOT_MOVED = {
    "weights": ":- use(denison).\n:- param(phi, gamma(4, 1)).",
    "measure": ":- use(gmt).\n:- param(q, beta(2, 1)).",
    "counted leaves": GROWN + ":- constraint(max_leaves(3)).",
    "features": GROWN + ":- constraint(max_features(1)).",
    "condition": GROWN + ":- constraint(first(x)).\n:- failure(condition).",
    "majority": GROWN + "box(low, x, 0, 2).\n:- constraint(majority(low, a)).",
    "preference": GROWN + ":- prefer(first(x), 1).",
}


@pytest.mark.parametrize("case", NOT_MOVED)
def test_what_keeps_chains_from_moving_them(case: str) -> None:
    with pytest.raises(slp.UnsupportedError) as error:
        drawn(NOT_MOVED[case], seed=1, draws=10)
    (found,) = error.value.diagnostics
    assert found.code == "E307" and "--engine exact" in (found.help or "")


@pytest.mark.parametrize(
    "more", ["constraint(first(x))", "support(min_leaf(2))", "constraint(forbid(z, below(1)))"]
)
def test_what_restricts_does_not(more: str) -> None:
    """Labels are renormalised over what is left, so weights sum to 1 at each value."""
    text = GROWN + f":- {more}.\n"
    found = drawn(text, seed=1, draws=200, rungs=1, warmup=200, thin=20)
    exact = slp.parse(text).posterior(ROWS, engine="exact", draws=0)
    (have,), (want,) = found.parameters.beliefs, exact.parameters.beliefs
    assert abs(have.mean - want.mean) < 6 * have.mean_error
