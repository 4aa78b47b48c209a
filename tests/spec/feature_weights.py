"""Feature weights that have a prior, on random cases, against the enumeration of all derivations at
the nodes of a rule on the simplex: the weight of each tree, and what chains say.

As a program, `python -m tests.spec.feature_weights` compares 500 cases, or as many as
SLP_WEIGHT_CASES says, from the seed SLP_WEIGHT_FIRST on (0).
"""

from __future__ import annotations

import math
import os
import random
import warnings
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import roots_jacobi

from slp.engines import infer
from slp.engines.mcmc.options import TreeChainOptions
from slp.engines.mcmc.over_weights import ChainsOverWeights
from slp.engines.mcmc.refusals import check_moved
from slp.errors import SlpError, SlpWarning
from slp.ir.program import CheckedProgram
from slp.ir.weights_prior import WeightsPrior
from slp.messages.names import atom
from slp.problem.problem import Problem
from tests.spec.brute_force import BruteForce
from tests.spec.cases import Case, random_case
from tests.spec.pipeline import tree_of

#: The most derivations of a case: each is enumerated at every node.
LIMIT = 60
#: Nodes of the rule for each of d - 1 shares.
_NODES = {2: 16, 3: 9}
#: What the log weight of a tree may be off: it is an estimate by 2,000 draws.
_TOLERANCE = 0.15
#: Errors that a mean of draws may be off: one in 4e5 for each number of a sound sampler; and what
#: it may be off beside, as few draws do not know their error well.
_ERRORS, _BESIDE = 4.6, 0.04
_MEASURES = {"feature_then_cut", "gap"}


@dataclass(frozen=True)
class Want:
    """The answers by enumeration: the prior probability of each tree, P(feature used) and the mean
    of each feature's share of its group under the posterior."""

    prior: dict[object, float]
    used: dict[str, float]
    means: list[float]


def with_prior(case: Case, seed: int) -> Problem | None:
    """The case with a prior of feature weights; None where chains do not move them."""
    rng = random.Random(seed)
    program = case.model.program
    taken = program.measures <= _MEASURES and not program.weights and program.edits is None
    if (
        not taken
        or program.failure == "backtrack"
        or len(case.model.grammar.features) not in _NODES
    ):
        return None
    prior = WeightsPrior(rng.choice((0.5, 1.0, 2.0, 4.0)), rng.random() < 0.5)
    problem = case.model.varied(replace(program, feature_weights={}, weights_prior=prior))
    try:
        check_moved(problem, TreeChainOptions())
    except SlpError:
        return None
    return problem


def rule_of(a: float, d: int, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes on the simplex, (J, d), and their weights under Dirichlet(a, ..., a): the first share
    is Beta(a, (d - 1) a), of the rest the second one Beta(a, (d - 2) a), ..."""
    rules = []
    for k in range(1, d):
        at, weights = roots_jacobi(n, (d - k) * a - 1, a - 1)
        rules.append(list(zip((at + 1) / 2, weights / weights.sum(), strict=True)))
    nodes, shares = [], []
    for parts in product(*rules):
        left, own = 1.0, []
        for x, _ in parts:
            own.append(left * x)
            left *= 1 - x
        nodes.append([*own, left])
        shares.append(math.prod(weight for _, weight in parts))
    return np.array(nodes), np.array(shares)


def wanted(problem: Problem, case: Case) -> Want:
    """The answers by enumeration at each node."""
    program, names = problem.program, problem.table.feature_names
    assert program.weights_prior is not None
    d = len(names)
    nodes, shares = rule_of(program.weights_prior.concentration(d), d, _NODES[d])
    prior: dict[object, float] = {}
    joint: dict[object, float] = {}
    at_node = []
    for values, share in zip(nodes.tolist(), shares.tolist(), strict=True):
        spec = _at(program, dict(zip(names, values, strict=True)), case)
        scored = spec.log_scored()
        for own, log_joint in scored:
            prior[own.tree] = prior.get(own.tree, 0.0) + share * math.exp(own.log_weight)
            joint[own.tree] = joint.get(own.tree, 0.0) + share * math.exp(log_joint)
        at_node.append(share * sum(math.exp(log_joint) for _, log_joint in scored))
    total = sum(joint.values())
    used = {
        name: sum(x for tree, x in joint.items() if name in tree_of(tree).features) / total
        for name in names
    }
    groups = problem.grammar.groups
    alike = np.ones((d, d)) if groups is None else (groups[:, None] == groups).astype(float)
    means = np.array(at_node) / total @ (nodes / (nodes @ alike))
    return Want(prior, used, means.tolist())


def _at(program: CheckedProgram, weights: dict[str, float], case: Case) -> BruteForce:
    fixed = replace(program, weights_prior=None, feature_weights=weights)
    return BruteForce(fixed, case.spec.example, case.spec.leaf)


def compare(case: Case, seed: int) -> bool:
    """Compare the answers with those wanted; whether there was something to compare."""
    problem = with_prior(case, seed)
    if problem is None or not 1 < len(case.spec.derivations) <= LIMIT:
        return False
    want = wanted(problem, case)
    assert math.isclose(sum(want.prior.values()), 1.0, abs_tol=1e-9), case
    chains = ChainsOverWeights(problem, proposal="q_uc", likelihood=True)
    for tree, probability in want.prior.items():
        have = chains.log_weight(tree_of(tree))
        assert abs(have - math.log(probability)) < _TOLERANCE, (have, math.log(probability), case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        how = {"chains": 2, "rungs": 1, "thin": 100}
        found = infer(problem, engine="mh", seed=seed, draws=400, options=how)
    for name, use in found.split_probabilities().items():
        most = _ERRORS * use.probability_error + _BESIDE
        assert abs(use.probability - want.used[name]) < most, (name, use, want.used, case)
    assert found.parameters is not None
    told = {own.name: own for own in found.parameters.beliefs}
    for name, mean in zip(problem.table.feature_names, want.means, strict=True):
        own = told.get(f"feature_weight({atom(name)})")
        if own is None:  # alone in its group
            assert math.isclose(mean, 1), (name, case)
        else:
            assert abs(own.mean - mean) < _ERRORS * own.mean_error + _BESIDE, (own, mean, case)
    return True


def main() -> None:
    """Compare many cases."""
    first = int(os.environ.get("SLP_WEIGHT_FIRST", "0"))
    n = int(os.environ.get("SLP_WEIGHT_CASES", "500"))
    compared, seed = 0, first
    while compared < n:
        try:
            compared += compare(random_case(seed, groups=seed % 3 == 0), seed)
        except (SlpError, AssertionError) as error:
            raise AssertionError(f"seed {seed}") from error
        random_case.cache_clear()
        seed += 1
        if compared and compared % 50 == 0:
            print(f"{compared} cases, up to seed {seed}", flush=True)
    print(f"{compared} cases agree, of {seed - first} seeds from {first}")


if __name__ == "__main__":
    main()
