"""Chains that move feature weights which have a prior: their Gibbs step and the weights of trees by
quadrature, and their answers beside sums at fixed weights. `tests.spec.feature_weights` compares
random programs."""

from __future__ import annotations

import math
import pickle
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import slp
from slp.engines import infer
from slp.engines.mcmc.over_weights import ChainsOverWeights
from slp.engines.mcmc.weight_steps import Splits, shares
from slp.engines.shared.core_chains import seeds
from slp.ir.weights_prior import LOG_LEAST, WeightsPrior
from slp.problem.tree_on_table import log_likelihood_of_tree
from slp.results import Posterior
from slp.runner import Phase
from tests.spec.cases import random_case
from tests.spec.feature_weights import compare, rule_of

ROWS = pl.DataFrame(
    {
        "x": [1, 2, 3, 4, 1, 2, 3, 4],
        "z": [1, 1, 1, 2, 2, 2, 2, 1],
        "y": ["a", "a", "b", "b", "a", "b", "b", "a"],
    }
)
GROWN = ":- use(growtree, [beta = 2]).\n:- leaf(dirichlet(1)).\n"
LEARNED = GROWN + ":- feature_weights(dirichlet(1)).\n"
GAP = """
:- start(tree(0)).
:- leaf(dirichlet(1)).
:- feature_weights(dirichlet(1/d)).
0.8 / (1 + D)     :: tree(D) --> split(_, _, gap), tree(D+1), tree(D+1).
1 - 0.8 / (1 + D) :: tree(D) --> leaf.
"""
#: Errors that a number may be off: one in 4e5 for each number of a sound sampler.
MOST_ERRORS = 4.6
N_CASES = 900


def drawn(text: str, **how: object) -> Posterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found: Posterior = slp.parse(text).posterior(ROWS, engine="mh", **how)
    return found


class Summed:
    """Exact sums at the nodes of a rule for the share of `x`, under `LEARNED` or `GAP`."""

    def __init__(self, text: str, n: int = 24) -> None:
        problem = slp.parse(text).compile(ROWS)
        prior = problem.program.weights_prior
        assert prior is not None
        self.nodes, self.weights = rule_of(prior.concentration(2), 2, n)
        self.found = []
        for x, z in self.nodes.tolist():
            own = replace(problem.program, weights_prior=None, feature_weights={"x": x, "z": z})
            self.found.append(infer(problem.varied(own), engine="exact", draws=0))
        joint = self.weights * np.exp([own.log_evidence for own in self.found])
        self.log_evidence = math.log(joint.sum())
        self.posterior = joint / joint.sum()

    def mean(self, of: NDArray[np.float64]) -> float:
        return float(self.posterior @ of)

    def used(self, name: str) -> float:
        every = [own.split_probabilities()[name].probability for own in self.found]
        return self.mean(np.array(every))

    def log_joint(self, tree: slp.Tree) -> float:
        logs = [own.log_posterior(tree) + own.log_evidence for own in self.found]
        return float(np.logaddexp.reduce(np.array(logs) + np.log(self.weights)))


def splits_of(sets: list[str], drawn_features: str, a: float) -> Splits:
    """Splits on features `xyz`, each with the features that can split its box."""
    can = np.array([[name in own for name in "xyz"] for own in sets])
    feature = np.array(["xyz".index(name) for name in drawn_features])
    return Splits.of(feature, can, np.zeros(3, np.int64), a)


SETS = ["xyz", "xyz", "xy", "yz", "xy", "z", "yz", "xz"]


@pytest.mark.parametrize("a", [0.5, 1.0, 3.0])
def test_a_draw_of_the_weights_given_splits(a: float) -> None:
    """Means and squares of shares under Dirichlet(a) x product of g_f / (sum over S of g), by
    quadrature. Without the sums over S a mean is 0.02 off."""
    own, rng = splits_of(SETS, "xyxyyzzx", a), np.random.default_rng(1)
    nodes, weights = rule_of(a, 3, 60)
    can = np.array([[name in s for name in "xyz"] for s in SETS])
    chosen = ["xyz".index(name) for name in "xyxyyzzx"]
    terms = [nodes[:, f] / (nodes @ s) for f, s in zip(chosen, can, strict=True)]
    density = weights * np.prod(terms, axis=0)
    want = density @ np.hstack([nodes, nodes**2]) / density.sum()
    log_g = np.zeros(3)
    found = []
    for _ in range(6000):
        log_g = own.drawn(rng, log_g)
        found.append(shares(log_g, np.zeros(3, np.int64)))
    every = np.hstack([np.array(found), np.array(found) ** 2])
    batches = every.reshape(40, 150, -1).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / math.sqrt(40)
    assert (np.abs(every.mean(axis=0) - want) < MOST_ERRORS * error + 1e-3).all()
    assert error.max() < 0.01
    log_want = math.log(density.sum()) + sum(math.log(len(s)) for s in SETS)
    assert own.log_ratio() == pytest.approx(log_want, abs=0.06)


def test_splits_that_may_take_any_feature() -> None:
    """Then the weights are Dirichlet(a + counts) given them, and the probability is known:
    B(a + counts) / B(a), of the draws x, x, y with a = 1: 1/3 2/4 1/5."""
    own = splits_of(["xyz", "xyz", "xyz", "y"], "xxyy", 1.0)
    assert own.log_ratio() - 3 * math.log(3) == pytest.approx(math.log(1 / 30), abs=1e-12)
    rng = np.random.default_rng(1)
    found = shares(np.array([own.drawn(rng, np.zeros(3)) for _ in range(4000)]), np.zeros(3, int))
    assert found.mean(axis=0) == pytest.approx([3 / 6, 2 / 6, 1 / 6], abs=0.015)


def test_weights_of_a_small_concentration() -> None:
    """Half of the logs of Gamma(a) are below (log Gamma(a + 1) + log 1/2) / a."""
    found = WeightsPrior(0.01).draw(np.random.default_rng(1), 4000)
    assert found.min() >= LOG_LEAST
    middle = (math.lgamma(1.01) + math.log(0.5)) / 0.01
    assert np.mean(found < middle) == pytest.approx(0.5, abs=0.04)
    assert (np.exp(found) > 0).all() and WeightsPrior(2, True).concentration(8) == 0.25


@pytest.mark.parametrize("text", [LEARNED, GAP], ids=["feature_then_cut", "gap"])
def test_the_weight_of_every_tree(text: str) -> None:
    """The integral over the weights, for each of the best trees."""
    summed = Summed(text)
    problem = slp.parse(text).compile(ROWS)
    chains = ChainsOverWeights(problem, proposal="q_uc")
    best = summed.found[len(summed.found) // 2].k_best(25)
    for own in best:
        have = chains.log_weight(own.tree) + log_likelihood_of_tree(problem.table, own.tree)
        assert have == pytest.approx(summed.log_joint(own.tree), abs=0.1)


def test_a_state_is_dumped_and_loaded() -> None:
    chains = ChainsOverWeights(slp.parse(LEARNED).compile(ROWS), proposal="q_uc")
    state = chains.init(np.random.default_rng(1))
    again = chains.load(chains.dump(state))
    assert chains.dump(again) == chains.dump(state)
    both = [
        chains.dump(chains.advance(np.random.default_rng(2), own, 300, Phase(False, 1))[0])
        for own in (state, again)
    ]
    assert both[0] == both[1] and both[0]["log_weights"] != chains.dump(state)["log_weights"]


def test_steps_are_those_of_the_weights_given() -> None:
    """Whatever weights the steps before had, and what they kept: the states and their sums."""
    x, z = np.random.default_rng(1).integers(0, 30, (2, 60))
    table = pl.DataFrame({"x": x, "z": z, "y": (x > 12) ^ (z > 15)})
    problem = slp.parse(LEARNED).compile(table)
    how = {"proposal": "informed"}  # which keeps what splits weigh
    used, unused = ChainsOverWeights(problem, **how), ChainsOverWeights(problem, **how)
    weights = np.array([0.01, 0.99]), np.array([0.7, 0.3])
    own, _ = used.base.sampler.start(seeds(np.random.default_rng(1)), 1, None, weights[0])
    begun = used.base.sampler.restore(own.choices().ravel(), list(own.turns), weights[1])
    used.base.sampler.advance(own, seeds(np.random.default_rng(2)), 1.0, 60, None, weights[0])
    ends = [
        chains.base.sampler.advance(begun, seeds(np.random.default_rng(3)), 1.0, 60, None, at)
        for chains, at in ((used, weights[1]), (unused, weights[1]), (unused, weights[0]))
    ]
    same, want, other = [[*end.choices().ravel().tolist(), end.log_draw] for end, _ in ends]
    assert same == want != other
    state = used.drawn(np.random.default_rng(4))
    state, _ = used.moved(np.random.default_rng(5), state, 1.0, 500)
    again = used.load(used.dump(state))
    assert (again.own.log_draw, again.own.n_leaves) == (state.own.log_draw, state.own.n_leaves)


def test_the_prior_of_chains() -> None:
    """Without the data the weights follow their prior: a step of the weights that forgets which
    features could split a box, or steps of trees under other weights, move their mean square."""
    found = drawn(LEARNED, seed=3, draws=1200, rungs=1, thin=60, warmup=200).prior()
    x, z = found.parameters.beliefs
    assert (x.name, z.name) == ("feature_weight(x)", "feature_weight(z)")
    assert (x.prior, x.prior_mean) == ("dirichlet(1)", 0.5)
    assert (x.prior_low, x.prior_high) == pytest.approx((0.025, 0.975))
    assert abs(x.mean - 0.5) < MOST_ERRORS * x.mean_error < 0.1
    assert x.mean + z.mean == pytest.approx(1, abs=1e-5)
    assert (x.low, x.high) == pytest.approx((0.025, 0.975), abs=0.03)


@pytest.mark.filterwarnings("ignore::slp.SlpWarning")
def test_the_use_of_features_under_the_prior() -> None:
    """Independent draws of weights and trees, beside sums of the prior at fixed weights."""
    summed = Summed(LEARNED, 12)
    found = drawn(LEARNED, seed=1, draws=20, rungs=1, thin=20, warmup=50)
    for name, use in found.split_probabilities().items():
        every = [own.prior().split_probabilities()[name].probability for own in summed.found]
        have, error = use.prior_probability, use.prior_probability_error
        assert have is not None and error is not None
        assert abs(have - summed.weights @ np.array(every)) < MOST_ERRORS * error < 0.1


@pytest.mark.slow
@pytest.mark.parametrize(("text", "rungs"), [(LEARNED, None), (GAP, 1)], ids=["ladders", "gap"])
def test_as_sums_at_fixed_weights(text: str, rungs: int | None) -> None:
    summed = Summed(text)
    found = drawn(text, seed=3, draws=1000, rungs=rungs, effort="quick")
    x, _ = found.parameters.beliefs
    assert abs(x.mean - summed.mean(summed.nodes[:, 0])) < MOST_ERRORS * x.mean_error < 0.1
    for name, use in found.split_probabilities().items():
        assert abs(use.probability - summed.used(name)) < MOST_ERRORS * use.probability_error
    for own in found.k_best(5):
        assert own.log_joint == pytest.approx(summed.log_joint(own.tree), abs=0.1)
    if rungs is None:
        apart = abs(found.log_evidence - summed.log_evidence)
        assert apart < MOST_ERRORS * found.log_evidence_error < 0.5


@pytest.mark.thinned(150)
@pytest.mark.parametrize("seed", range(N_CASES))
def test_as_enumeration(seed: int) -> None:
    """Most seeds have no program whose weights chains move, and compare nothing."""
    compare(random_case(seed, groups=seed % 3 == 0), seed)


def test_some_cases_have_weights() -> None:
    assert compare(random_case(177, groups=True), 177)


@pytest.mark.filterwarnings("ignore::slp.SlpWarning")
def test_a_saved_run_a_copy_and_draws(tmp_path: Path) -> None:
    found = drawn(LEARNED, seed=1, draws=20, rungs=1, thin=20, warmup=50)
    found.save(tmp_path / "run.slpz")
    for again in (slp.load_posterior(tmp_path / "run.slpz"), pickle.loads(pickle.dumps(found))):
        assert again.parameters == found.parameters
        assert [d.tree for d in again.draws] == [d.tree for d in found.draws]
    program = slp.parse(LEARNED)
    assert program.feature_weights_prior == "dirichlet(1)"
    assert slp.parse(program.text).feature_weights_prior == "dirichlet(1)"
    assert slp.parse(GROWN).feature_weights_prior is None


def test_a_run_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    """As one run without an end between; and another prior is another run."""
    how = {"seed": 1, "rungs": 1, "thin": 20, "warmup": 50, "draws": 40}
    path = tmp_path / "run.json"
    whole = drawn(LEARNED, **how, checkpoint=str(path))
    again = drawn(LEARNED, **how, checkpoint=str(path), resume=True)
    assert again.parameters == whole.parameters
    with pytest.raises(slp.SlpError) as error:
        other = LEARNED.replace("dirichlet(1)).\n", "dirichlet(2)).\n", 2)
        drawn(
            other.replace("leaf(dirichlet(2))", "leaf(dirichlet(1))"),
            **how,
            checkpoint=str(path),
            resume=True,
        )
    assert error.value.diagnostics[0].code == "E515"


NOT_TAKEN = {
    "form": GROWN + ":- feature_weights(beta(1, 1)).",
    "number": GROWN + ":- feature_weights(dirichlet(2000)).",
    "weight": LEARNED + ":- feature_weight(x, 3).",
    "parameter": LEARNED + ":- param(alpha, beta(2, 1)).",
    "measure": ":- use(gmt).\n:- feature_weights(dirichlet(1)).",
    "weights": ":- use(denison).\n:- feature_weights(dirichlet(1)).",
    "backtrack": LEARNED + ":- failure(backtrack).",
    "sum": ":- use(growtree).\n:- trees(3).\n:- feature_weights(dirichlet(1)).",
    "clauses": ":- feature_weights(dirichlet(1)).\n1 :: coin(heads).",
}


@pytest.mark.parametrize("case", NOT_TAKEN)
def test_refused_programs(case: str) -> None:
    with pytest.raises(slp.SlpError) as error:
        slp.parse(NOT_TAKEN[case])
    assert "E149" in {found.code for found in error.value.diagnostics}


@pytest.mark.parametrize(
    "engine", ["exact", "chart", "enumerate", "smc", "modal", "search", "forward", "stacked"]
)
def test_refusing_engines(engine: str) -> None:
    with pytest.raises(slp.UnsupportedError) as error:
        slp.parse(LEARNED).posterior(ROWS, engine=engine, seed=1, draws=5)
    assert error.value.diagnostics[0].code == "E309"


@pytest.mark.parametrize(
    ("more", "how"),
    [
        (":- constraint(max_leaves(3)).", {}),
        (":- constraint(before(x, z)).\n:- failure(condition).", {}),
        (":- constraint(majority(b, a)).\nbox(b, x, 1, 3).", {}),
        ("", {"proposal": "q_uc, q_pg"}),
        ("", {"proposal": "q_exact"}),
    ],
)
@pytest.mark.filterwarnings("ignore::slp.SlpWarning")
def test_what_keeps_chains_from_moving_weights(more: str, how: dict[str, str]) -> None:
    with pytest.raises(slp.UnsupportedError) as error:
        slp.parse(LEARNED + more).posterior(ROWS, engine="mh", seed=1, draws=5, **how)
    assert error.value.diagnostics[0].code == "E310"


def test_a_concentration_that_is_too_small_on_a_table() -> None:
    text = GROWN + ":- feature_weights(dirichlet(0.015/d))."
    with pytest.raises(slp.UnsupportedError, match="of 2 features is the concentration 0.0075"):
        slp.parse(text).posterior(ROWS, seed=1, draws=5)


def test_refusing_questions() -> None:
    program = slp.parse(LEARNED)
    for ask in (
        lambda: program.sensitivity(ROWS),
        lambda: program.learn([ROWS]),
        lambda: program.expand(ROWS),
    ):
        with pytest.raises(slp.UnsupportedError) as error:
            ask()
        assert error.value.diagnostics[0].code == "E309"
