"""Parameters that have a prior, on random cases, against the enumeration of all derivations at the
nodes of a rule that shares nothing with the engines'.

As a program, `python -m tests.spec.parameters` compares 2,000 cases, or as many as
SLP_PARAMETER_CASES says, from the seed SLP_PARAMETER_FIRST on (0).
"""

from __future__ import annotations

import math
import os
import random
import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import beta as beta_distribution
from scipy.stats import gamma as gamma_distribution

from slp.engines import infer
from slp.errors import NoTreeError, SlpError, SlpWarning
from slp.ir.parameter_priors import ParameterPrior
from slp.ir.program import CheckedProgram
from slp.results.posterior import Posterior
from tests.spec.brute_force import BruteForce, log_sum
from tests.spec.cases import Case, random_case
from tests.spec.pipeline import tree_of

#: The most derivations of a case: each is enumerated at every node. Cases with more are left out;
#: if they lost rows for it, they would lose classes too.
LIMIT = 60
#: Nodes of the rules of both distributions; the evidence is a polynomial in what has a `beta`
#: prior, of a degree that the splits of small trees limit.
_NODES = {"beta": 12, "gamma": 28}
#: What a number may be off, beside ten times the error that is told with it.
_TOLERANCE = 2e-5
#: Values with less prior probability beyond them are left out.
_TAIL = 1e-9

#: A prior of each parameter of the library, by its name, with numbers from which one is drawn.
_PRIORS: dict[str, tuple[str, tuple[tuple[float, float], ...]]] = {
    "alpha": ("beta", ((2, 1), (2, 2), (3, 1))),
    "beta": ("gamma", ((2, 2), (3, 2))),
    "q": ("beta", ((2, 1), (2, 2), (3, 2))),
    "phi": ("gamma", ((4, 1), (3, 1))),
    "lambda": ("gamma", ((3, 1), (4, 2))),
}


def with_priors(case: Case, seed: int) -> CheckedProgram | None:
    """The program of a case with a prior of one or two parameters; None where it has none that
    may."""
    rng = random.Random(seed)
    program = case.model.program
    names = [name for name in program.parameters if name in _PRIORS]
    if not names or program.failure == "backtrack":
        return None
    chosen = rng.sample(names, 1 if rng.random() < 0.8 else len(names))
    unknown = {}
    for name in sorted(chosen)[:2]:
        kind, numbers = _PRIORS[name]
        unknown[name] = ParameterPrior(kind, *rng.choice(numbers))  # type: ignore[arg-type]
    return replace(program, unknown=unknown)


@dataclass(frozen=True)
class Want:
    """The answers by enumeration: log evidence, means of parameters, P(feature used), expected
    leaves, and the probability of each tree."""

    log_evidence: float
    means: dict[str, float]
    used: dict[str, float]
    leaves: float
    trees: dict[object, float]


def wanted(case: Case, program: CheckedProgram) -> Want | None:
    """The answers, or None where no tree satisfies the program."""
    nodes = _nodes(program)
    specs = [(values, w, _at(case, program, values)) for values, w in nodes]
    if not specs[0][2].derivations:
        return None
    joint: dict[object, float] = {}
    at_node = []
    for _, weight, spec in specs:
        scored = spec.log_scored()
        total = log_sum([d.log_weight for d, _ in scored])
        own = [(d.tree, weight * math.exp(log_joint - total)) for d, log_joint in scored]
        at_node.append(sum(x for _, x in own))
        for tree, x in own:
            joint[tree] = joint.get(tree, 0.0) + x
    evidence = sum(joint.values())
    shares = np.array(at_node) / evidence
    means = {
        name: float(shares @ np.array([values[name] for values, _, _ in specs]))
        for name in program.unknown
    }
    p = {tree: x / evidence for tree, x in joint.items()}
    trees = {tree: tree_of(tree) for tree in p}
    used = {
        name: sum(x for tree, x in p.items() if name in trees[tree].features)
        for name in case.model.table.feature_names
    }
    leaves = sum(x * trees[tree].n_leaves for tree, x in p.items())
    return Want(math.log(evidence), means, used, leaves, p)


def _at(case: Case, program: CheckedProgram, values: dict[str, float]) -> BruteForce:
    return BruteForce(program.at(values), case.spec.example, case.spec.leaf)


def _nodes(program: CheckedProgram) -> list[tuple[dict[str, float], float]]:
    """Values with their weights: Gauss-Legendre rules times the prior density."""
    nodes: list[tuple[dict[str, float], float]] = [({}, 1.0)]
    for name, prior in program.unknown.items():
        at, weights = _legendre(prior)
        nodes = [
            ({**values, name: x}, weight * own)
            for values, weight in nodes
            for x, own in zip(at.tolist(), weights.tolist(), strict=True)
        ]
    return nodes


def _legendre(prior: ParameterPrior) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if prior.distribution == "beta":
        known, low, high = beta_distribution(prior.a, prior.b), 0.0, 1.0
    else:
        known = gamma_distribution(prior.a, scale=1 / prior.b)
        low, high = 0.0, float(known.isf(_TAIL))
    at, weights = np.polynomial.legendre.leggauss(_NODES[prior.distribution])
    at = (at + 1) / 2 * (high - low) + low
    weights = weights * known.pdf(at)
    return at, weights / weights.sum()


def compare(case: Case, seed: int) -> bool:
    """Compare the answers of an engine with those wanted; whether there was something to
    compare."""
    program = with_priors(case, seed)
    if program is None or not 0 < len(case.spec.derivations) <= LIMIT:
        return False
    want = wanted(case, program)
    problem = case.model.varied(program)
    engine = ("exact", "exact", "chart", "enumerate")[seed % 4]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        try:
            found = infer(problem, engine=engine, seed=1, draws=0)
        except NoTreeError:
            assert want is None, case
            return True
        assert want is not None, case
        _compare(case, found, want)
    return True


def _compare(case: Case, found: Posterior, want: Want) -> None:
    def near(have: float, wanted: float, error: float, scale: float = 1.0) -> None:
        assert abs(have - wanted) <= _TOLERANCE * scale + 10 * error, (have, wanted, error, case)

    assert found.log_evidence is not None and found.log_evidence_kind == "estimate", case
    error = found.log_evidence_error or 0.0
    near(found.log_evidence, want.log_evidence, error, max(1.0, abs(want.log_evidence)))
    assert found.parameters is not None
    for own in found.parameters.beliefs:
        near(own.mean, want.means[own.name], own.mean_error, max(1.0, own.mean))
        assert own.low <= own.mean <= own.high or own.high - own.low < 1e-3, case
    leaves, error = found.expected_leaves(), found.expected_leaves_error()
    near(leaves, want.leaves, error, leaves)
    for name, use in found.split_probabilities().items():
        near(use.probability, want.used[name], use.probability_error)
    if not found.derivations_are_trees:
        return
    best = found.map()
    assert best.log_posterior is not None
    assert math.exp(best.log_posterior) == pytest.approx(max(want.trees.values()), abs=1e-3), case


def main() -> None:
    """Compare many cases."""
    first = int(os.environ.get("SLP_PARAMETER_FIRST", "0"))
    n = int(os.environ.get("SLP_PARAMETER_CASES", "2000"))
    compared, seed = 0, first
    while compared < n:
        try:
            compared += compare(random_case(seed), seed)
        except SlpError as error:
            raise AssertionError(f"seed {seed}") from error
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error
        random_case.cache_clear()
        seed += 1
        if compared and compared % 50 == 0:
            print(f"{compared} cases, up to seed {seed}", flush=True)
    print(f"{compared} cases agree, of {seed - first} seeds from {first}")


if __name__ == "__main__":
    main()
