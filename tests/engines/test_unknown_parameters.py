"""Parameters that have a prior in place of a value, on tables whose trees are summed by hand."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import betaln
from scipy.stats import beta as beta_distribution
from scipy.stats import gamma as gamma_distribution

import slp
from slp.engines import infer
from slp.ir.parameter_priors import MOST_NODES, ParameterPrior
from slp.results import Posterior

SUMS = ("exact", "chart", "enumerate")
STUMP = ":- use(growtree).\n:- support(max_depth(1)).\n:- leaf(dirichlet(1)).\n"
TWO = pl.DataFrame({"x": [0, 0, 0, 1, 1, 1], "y": ["a", "a", "b", "b", "b", "b"]})
MORE = pl.DataFrame(
    {
        "x": [1, 2, 3, 4, 1, 2, 3, 4],
        "z": [1, 1, 1, 2, 2, 2, 2, 1],
        "y": ["a", "a", "b", "b", "a", "b", "b", "a"],
    }
)
GROWN = ":- use(growtree).\n:- support(max_depth(2)).\n:- leaf(dirichlet(1)).\n"


def log_leaf(a: int, b: int) -> float:
    """Of a rows of one class and b of another, under dirichlet(1)."""
    return float(betaln(1 + a, 1 + b))


def fitted(text: str, table: pl.DataFrame, **how: object) -> Posterior:
    found: Posterior = slp.parse(text).posterior(table, seed=1, **how)
    return found


@pytest.mark.parametrize("engine", SUMS)
def test_a_stump_by_hand(engine: str) -> None:
    """With one possible split, P(y | alpha) = alpha S + (1 - alpha) L, of alpha ~ Beta(2, 1)."""
    split, leaf = math.exp(log_leaf(2, 1) + log_leaf(0, 3)), math.exp(log_leaf(2, 4))
    found = fitted(STUMP + ":- param(alpha, beta(2, 1)).", TWO, engine=engine, draws=0)
    assert found.log_evidence == pytest.approx(math.log(2 / 3 * split + 1 / 3 * leaf), abs=1e-12)
    # E[alpha] = 2/3, E[alpha^2] = 1/2
    mean = (split / 2 + leaf * (2 / 3 - 1 / 2)) / (2 / 3 * split + 1 / 3 * leaf)
    (alpha,) = found.parameters.beliefs
    assert alpha.mean == pytest.approx(mean, abs=1e-12)
    assert (alpha.prior_mean, alpha.prior) == (pytest.approx(2 / 3), "beta(2, 1)")
    assert alpha.prior_low == pytest.approx(math.sqrt(0.025))
    assert found.log_evidence_kind == found.trust.kind == "estimate"
    used = found.split_probabilities()["x"]
    assert used.probability == pytest.approx(2 / 3 * split / (2 / 3 * split + 1 / 3 * leaf))
    assert used.probability_error < 1e-12 and not found.trust.by_clock


def test_the_interval_by_hand() -> None:
    """The posterior density is 2 a (a S + (1 - a) L), up to a factor."""
    split, leaf = math.exp(log_leaf(2, 1) + log_leaf(0, 3)), math.exp(log_leaf(2, 4))
    found = fitted(STUMP + ":- param(alpha, beta(2, 1)).", TWO, engine="exact", draws=0)
    (alpha,) = found.parameters.beliefs

    def below(x: float) -> float:
        return 2 * x**3 / 3 * split + (x**2 - 2 * x**3 / 3) * leaf

    assert below(alpha.low) / below(1) == pytest.approx(0.025, abs=3e-4)
    assert below(alpha.high) / below(1) == pytest.approx(0.975, abs=3e-4)


class Evidence:
    """P(y) at values of the parameters, by the enumeration of all trees."""

    def __init__(self, text: str, table: pl.DataFrame) -> None:
        self.problem = slp.parse(text).compile(table)

    def at(self, **values: float) -> float:
        one = self.problem.varied(self.problem.program.at(values))
        found = infer(one, engine="enumerate", draws=0).log_evidence
        assert found is not None
        return math.exp(found)


def legendre(low: float, high: float, n: int) -> tuple[list[float], np.ndarray]:
    """A rule that shares nothing with that of the engines."""
    at, weights = np.polynomial.legendre.leggauss(n)
    return ((at + 1) / 2 * (high - low) + low).tolist(), weights * (high - low) / 2


@pytest.mark.parametrize("engine", SUMS)
def test_weights_are_normalised_given_a_value(engine: str) -> None:
    """The evidence of `denison`, whose weights sum to another number at each value of phi."""
    text = ":- use(denison).\n:- param(phi, gamma(4, 1)).\n:- support(max_depth(2)).\n"
    small = TWO.with_columns(z=pl.Series([0, 1, 0, 1, 0, 1])).select("x", "z", "y")
    nodes, weights = legendre(1e-6, 30, 60)
    evidence = Evidence(text, small)
    joint = [evidence.at(phi=p) * gamma_distribution(4).pdf(p) for p in nodes] * weights
    found = fitted(text, small, engine=engine, draws=0)
    assert found.log_evidence == pytest.approx(math.log(joint.sum()), abs=1e-5)
    assert 0 < found.log_evidence_error < 1e-3
    (phi,) = found.parameters.beliefs
    assert phi.mean == pytest.approx(joint @ nodes / joint.sum(), abs=1e-4)
    prior = found.prior()
    assert prior.parameters.beliefs[0].mean == pytest.approx(4)
    every = [math.exp(tree.log_posterior) for tree in prior.k_best(1000)]
    assert sum(every) == pytest.approx(1, abs=1e-9)


def test_two_parameters() -> None:
    """The evidence and the means, by a double integral; the evidence is a polynomial in alpha."""
    text = GROWN + ":- param(alpha, beta(2, 2)).\n:- param(beta, gamma(2, 2)).\n"
    evidence = Evidence(text, MORE)
    alphas, of_alpha = legendre(0, 1, 4)
    betas, of_beta = legendre(0, 12, 24)
    of_alpha = of_alpha * beta_distribution(2, 2).pdf(alphas)
    of_beta = of_beta * gamma_distribution(2, scale=0.5).pdf(betas)
    joint = np.array([[evidence.at(alpha=a, beta=b) for b in betas] for a in alphas])
    joint *= of_alpha[:, None] * of_beta
    found = fitted(text, MORE, engine="exact", draws=0)
    assert found.log_evidence == pytest.approx(math.log(joint.sum()), abs=1e-6)
    alpha, beta = found.parameters.beliefs
    assert alpha.mean == pytest.approx(alphas @ joint.sum(axis=1) / joint.sum(), abs=1e-6)
    assert beta.mean == pytest.approx(joint.sum(axis=0) @ betas / joint.sum(), abs=1e-5)


def told_by(tree: slp.Tree, row: dict[str, int]) -> list[float]:
    """The class probabilities of a row in a tree, under dirichlet(1)."""
    node = tree.to_dict()
    while "feature" in node:
        node = node["left" if row[node["feature"]] < node["threshold"] else "right"]
    counts = [node["counts"].get(label, 0) + 1 for label in ("a", "b")]
    return [count / sum(counts) for count in counts]


@pytest.mark.parametrize("engine", SUMS)
def test_all_trees_by_hand(engine: str) -> None:
    """Every answer is the average over all trees by their averaged weights."""
    text = GROWN + ":- param(alpha, beta(2, 1)).\n"
    evidence = Evidence(text, MORE)
    alphas, weights = legendre(0, 1, 6)
    shares = weights * np.array(alphas) * 2
    joint: dict[str, float] = {}
    trees = {}
    for alpha, share in zip(alphas, shares, strict=True):
        one = evidence.problem.varied(evidence.problem.program.at({"alpha": alpha}))
        for found in infer(one, engine="enumerate", draws=0).k_best(10_000):
            key = str(found.tree.to_dict())
            joint[key] = joint.get(key, 0.0) + share * math.exp(found.log_joint)
            trees[key] = found.tree
    total = sum(joint.values())
    found = fitted(text, MORE, engine=engine, draws=300)
    assert found.log_evidence == pytest.approx(math.log(total), abs=1e-10)
    listed = found.k_best(len(joint) + 1)
    assert len(listed) == len(joint) == found.tree_count()
    ranks = [own.log_joint for own in listed]
    assert ranks == sorted(ranks, reverse=True) and listed[0].certified
    for own in listed:
        key = str(own.tree.to_dict())
        assert own.log_joint == pytest.approx(math.log(joint[key]), abs=1e-9)
        assert found.log_posterior(own.tree) == pytest.approx(math.log(joint[key] / total))
    p = {key: x / total for key, x in joint.items()}
    assert found.expected_leaves() == pytest.approx(sum(p[k] * trees[k].n_leaves for k in p))
    assert found.expected_depth() == pytest.approx(sum(p[k] * trees[k].depth for k in p))
    used = {f: sum(p[k] for k in p if f in trees[k].features) for f in ("x", "z")}
    for name, use in found.split_probabilities().items():
        assert use.probability == pytest.approx(used[name])
    new = MORE.select("x", "z")[:3]
    want = sum(p[k] * np.array([told_by(trees[k], row) for row in new.to_dicts()]) for k in p)
    assert found.predict_proba(new) == pytest.approx(want)
    near = found.rashomon_set(0.2)
    assert near.count == sum(x >= 0.2 * max(p.values()) - 1e-12 for x in p.values())
    rules = found.rule_probabilities()
    assert rules[1].expected_uses == pytest.approx(found.expected_leaves())
    drawn = [str(draw.tree.to_dict()) for draw in found.draws]
    top = max(p, key=lambda key: p[key])
    share = drawn.count(top) / len(drawn)  # 4.5 standard errors: one in 1e5 fails
    assert abs(share - p[top]) < 4.5 * math.sqrt(p[top] * (1 - p[top]) / len(drawn))


def test_a_value_in_place_of_the_prior() -> None:
    program = slp.parse(STUMP + ":- param(alpha, beta(2, 1)).")
    assert program.parameters == {"beta": 1.0}
    assert program.parameter_priors == {"alpha": "beta(2, 1)"}
    fixed = program.with_parameters(alpha=2 / 3)
    assert fixed.parameters == {"alpha": 2 / 3, "beta": 1.0} and not fixed.parameter_priors
    assert "param(alpha, 0.666" in fixed.text and "beta(2, 1)" not in fixed.text
    assert slp.parse(program.text).parameter_priors == program.parameter_priors
    found = fixed.posterior(TWO, draws=0)
    assert found.parameters is None and found.log_evidence_kind == "exact"


def test_a_saved_run_and_a_copy(tmp_path: Path) -> None:
    found = fitted(STUMP + ":- param(alpha, beta(2, 1)).", TWO, draws=5)
    found.save(tmp_path / "run.slpz")
    for again in (slp.load_posterior(tmp_path / "run.slpz"), pickle.loads(pickle.dumps(found))):
        assert again.log_evidence == found.log_evidence and again.trust == found.trust
        assert again.parameters == found.parameters
        assert again.prior().parameters == found.prior().parameters


@pytest.mark.parametrize(
    "prior",
    [
        ("beta", 2.0, 1.0),
        ("beta", 0.5, 30.0),
        ("beta", 1000.0, 0.01),
        ("gamma", 3.0, 0.5),
        ("gamma", 1000.0, 1000.0),
        ("gamma", 0.01, 1.0),
    ],
)
def test_nodes_of_a_prior(prior: tuple[str, float, float]) -> None:
    """The rules integrate powers: E[x^k] is the product of (a + i) / (a + b + i), or of (a + i) /
    b, for i < k."""
    own = ParameterPrior(*prior)  # type: ignore[arg-type]
    known = (
        beta_distribution(own.a, own.b)
        if own.distribution == "beta"
        else gamma_distribution(own.a, scale=1 / own.b)
    )
    for n in (4, MOST_NODES):
        at, log_weights = own.nodes(n)
        for power in range(6):
            below = [
                own.a + own.b + i if own.distribution == "beta" else own.b for i in range(power)
            ]
            want = math.prod((own.a + i) / x for i, x in enumerate(below))
            assert np.exp(log_weights) @ at**power == pytest.approx(want, rel=1e-10)
    assert own.quantiles(np.array([0.1, 0.7])) == pytest.approx(known.ppf([0.1, 0.7]))


ANY = ":- start(t).\n"
NOT_TAKEN = {
    "E146 label": ":- use(growtree).\n:- param(alpha, gamma(2, 4)).",
    "E146 numbers": ":- use(growtree).\n:- param(alpha, beta(0, 1)).",
    "E146 directive": STUMP + ":- param(alpha, beta(2, 1)).\n:- feature_weight(x, alpha).",
    "E146 guard": ":- param(p, beta(2, 1)).\n:- start(t).\np :: t --> { p > 0 }, split(_, _), t, t."
    "\n1 - p :: t --> leaf.",
    "E146 computed": ":- use(growtree).\n:- param(alpha, beta(2, 1)).\n:- param(beta, 2 * alpha).",
    "E146 three": ":- param(p, beta(2, 1)).\n:- param(q, beta(2, 1)).\n:- param(r, beta(2, 1)).\n"
    ":- start(t).\np*q*r :: t --> split(_, _), t, t.\n1 - p*q*r :: t --> leaf.",
    "E146 backtrack": ":- use(growtree).\n:- param(alpha, beta(2, 1)).\n:- failure(backtrack).",
    "E146 clause": ":- param(p, beta(2, 1)).\np :: coin(heads).\n1 - p :: coin(tails).",
}


@pytest.mark.parametrize("case", NOT_TAKEN)
def test_refused_programs(case: str) -> None:
    with pytest.raises(slp.SlpError) as error:
        slp.parse(NOT_TAKEN[case])
    assert error.value.diagnostics[0].code == case[:4]


@pytest.mark.parametrize("engine", ["smc", "modal", "search", "forward", "stacked"])
def test_refusing_engines(engine: str) -> None:
    with pytest.raises(slp.UnsupportedError) as error:
        fitted(STUMP + ":- param(alpha, beta(2, 1)).", TWO, engine=engine)
    assert error.value.diagnostics[0].code == "E308"


def test_refusing_questions() -> None:
    program = slp.parse(STUMP + ":- param(alpha, beta(2, 1)).")
    for ask in (
        lambda: program.sensitivity(TWO),
        lambda: program.learn([TWO]),
        lambda: program.expand(TWO),
    ):
        with pytest.raises(slp.UnsupportedError) as error:
            ask()
        assert error.value.diagnostics[0].code == "E308"
