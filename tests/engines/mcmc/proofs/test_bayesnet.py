"""The example over Bayesian networks against brute force over all that its variables allow."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterator
from itertools import combinations, permutations
from pathlib import Path
from types import ModuleType

import numpy as np
import polars as pl
import pytest
from scipy.special import gammaln

import slp

FOLDER = Path(__file__).resolve().parents[4] / "examples" / "bayesnet"
NAMES = ("cloudy", "sprinkler", "rain", "wet")
Network = frozenset[tuple[str, str]]


@pytest.fixture(scope="module")
def bdeu() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bdeu", FOLDER / "bdeu.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def all_networks(names: tuple[str, ...]) -> Iterator[Network]:
    """Every set of arcs without a cycle: some order of the names has no arc backwards."""
    arcs = list(permutations(names, 2))
    for n in range(len(arcs) + 1):
        for chosen in combinations(arcs, n):
            orders = (dict(zip(o, range(len(o)), strict=True)) for o in permutations(names))
            if any(all(place[x] < place[y] for x, y in chosen) for place in orders):
                yield frozenset(chosen)


def log_score(network: Network) -> float:
    """BDeu with one equivalent row, on arrays of counts over all variables' levels."""
    frame = pl.read_csv(FOLDER / "sprinkler.csv")
    codes = np.array([(frame[name] == "yes").cast(pl.Int64).to_list() for name in NAMES])
    total = 0.0
    for child, name in enumerate(NAMES):
        parents = [i for i, other in enumerate(NAMES) if (other, name) in network]
        counts = np.zeros((2,) * (len(parents) + 1))
        np.add.at(counts, tuple(codes[[*parents, child]]), 1)
        counts = counts.reshape(-1, 2)
        q = len(counts)
        total += (gammaln(1 / q) - gammaln(1 / q + counts.sum(axis=1))).sum()
        total += (gammaln(0.5 / q + counts) - gammaln(0.5 / q)).sum()
    return float(total)


def posterior_of_all(power: float = 1.0) -> dict[Network, float]:
    """Probability of every network, where nothing makes clouds, with a power of the likelihood."""
    allowed = [g for g in all_networks(NAMES) if not any(effect == "cloudy" for _, effect in g)]
    log = np.array([len(g) * math.log(0.25) + (6 - len(g)) * math.log(0.5) for g in allowed])
    log += power * np.array([log_score(g) for g in allowed])
    probability = np.exp(log - np.logaddexp.reduce(log))
    return dict(zip(allowed, probability.tolist(), strict=True))


def network_of(arcs: str) -> Network:
    """The network of Prolog's text for a list of arcs."""
    pairs = [pair.split(", ") for pair in arcs.strip("[]").split("], [")] if arcs != "[]" else []
    return frozenset((x, y) for x, y in pairs)


def test_there_are_as_many_networks_as_is_known() -> None:
    """Robinson (1973): 25 of three labelled nodes, 543 of four."""
    assert [len(set(all_networks(NAMES[:n]))) for n in (1, 2, 3, 4)] == [1, 3, 25, 543]


def test_the_program_derives_each_network_once_and_scores_it_right(
    bdeu: ModuleType,
) -> None:
    posterior = posterior_of_all()
    found = slp.load(FOLDER / "network.slp").query("network(Arcs)").answers
    networks = [network_of(str(a["Arcs"])) for a in found]
    assert len(set(networks)) == len(networks) and set(networks) == set(posterior)
    scores = [bdeu.log_likelihood({"Arcs": [list(arc) for arc in g]}) for g in networks]
    log = np.log([a.mass for a in found]) + scores
    have = np.exp(log - np.logaddexp.reduce(log))
    assert np.allclose(have, [posterior[g] for g in networks], rtol=1e-9, atol=0)


@pytest.mark.slow
def test_draws(bdeu: ModuleType) -> None:
    """Probabilities of arcs, each within 4.5 standard errors (six in a million, were they normal),
    with the seed fixed. A tenth of the data's weight, so that the chains move well."""
    posterior = posterior_of_all(0.1)
    program = slp.load(FOLDER / "network.slp")
    found = program.sample_proofs(
        "network(Arcs)",
        lambda answer: 0.1 * bdeu.log_likelihood(answer),
        draws=1000,
        thin=10,
        warmup=100,
        seed=2,
    )
    networks = [network_of(str(d["Arcs"])) for d in found.draws]
    effective = found.diagnostics.convergence["answers"].ess_bulk
    assert effective is not None and effective > 200
    for arc in permutations(NAMES, 2):
        want = sum(p for g, p in posterior.items() if arc in g)
        have = sum(arc in g for g in networks) / len(networks)
        assert abs(have - want) <= 4.5 * math.sqrt(want * (1 - want) / effective)
