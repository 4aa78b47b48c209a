"""Simulation-based calibration: ranks of the truth among draws of each engine that draws.

    python -m tests.statistics.calibration [--repeats 100] [--from 0] [CASE ...]

A tree is drawn from the prior, and a response from its leaves. An engine that draws from the
posterior given this response then makes the tree one more draw: among its draws, the rank of any
quantity of the tree is uniform. The quantities are computed here, from the rows of the leaves.

Of n draws of the total weight 1, let b be the weight of those below the truth and e of those equal
to it. The rank is (n b + V (n e + 1)) / (n + 1) with V uniform. It is uniform on (0, 1) where draws
are independent. It is tested by Kolmogorov and Smirnov, as is its distance from the middle, which
shows draws that are spread too little or too much. One line of a Markdown table for each case: the
smallest p-value of all quantities.

Reference: Talts, Betancourt, Simpson, Vehtari & Gelman (2018), Validating Bayesian inference
algorithms with simulation-based calibration, arXiv 1804.06788.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
from scipy.special import gammaln
from scipy.stats import kstest

import slp
from slp.engines.shared import proposal_names

ROWS, DRAWS = 14, 63
KAPPA, ALPHA, BETA = 0.5, 3.0, 2.0

_TREES = ":- use(growtree, [alpha = 0.9, beta = 0.7])."
PROGRAMS = {
    "growtree": f"{_TREES} :- leaf(dirichlet(1)).",
    "few leaves": ":- use(denison, [phi=2]). :- leaf(dirichlet(1)). :- constraint(max_leaves(4)).",
    "numbers": f"{_TREES} :- leaf(normal_inverse_gamma(0, {KAPPA}, {ALPHA}, {BETA})).",
    "edits": ":- use(edittree, [tree = 'tree.json', p = 0.4]). :- leaf(dirichlet(1)).",
}
_GIVEN = {"feature": "a", "threshold": 1.5, "left": {"counts": {}}, "right": {"counts": {}}}


@dataclass(frozen=True)
class Case:
    """An engine with its options on a program."""

    program: str = "growtree"
    options: dict[str, Any] = field(default_factory=dict)


_CHAIN = {"engine": "mh", "chains": 1, "rungs": 1, "warmup": 500, "thin": 100}
_LADDER = {**_CHAIN, "rungs": 4, "rounds": 1}
_ISLANDS = {"engine": "smc", "islands": 64, "particles": 300, "draws": 256}
#: Proposals that need a number, and those that cannot reach every tree alone.
_PROPOSALS = {"q_n": "q_n(4)", **{name: f"{name}:2,q_uc:1" for name in ("wu", "rotate", "perturb")}}

CASES = {
    **{name: Case(options={"engine": name}) for name in ("exact", "chart", "enumerate")},
    **{
        f"mh {name}": Case(options={**_CHAIN, "proposal": _PROPOSALS.get(name, name)})
        for name in proposal_names._NAMES
    },
    "mh tempered": Case(options=_LADDER),
    **{
        f"smc {name}": Case(options={**_ISLANDS, "proposal": name})
        for name in ("prior", "empirical", "optimal")
    },
    "prolog": Case(options={"engine": "prolog", "chains": 1, "warmup": 50, "thin": 5}),
    "forward": Case(options={"engine": "forward"}),
    **{
        f"{name}, {program}": Case(program, options)
        for program in ("few leaves", "numbers")
        for name, options in (
            ("exact", {"engine": "exact"}),
            ("mh", _CHAIN),
            ("mh tempered", _LADDER),
            ("smc", _ISLANDS),
        )
    },
    **{f"edits {name}": Case("edits", {**_CHAIN, "proposal": name}) for name in ("q_uc", "q_ind")},
    "edits tempered": Case("edits", _LADDER),
    "proofs": Case("proofs"),
}


# --- trees ----------------------------------------------------------------------------------------


@cache
def features() -> pl.DataFrame:
    """The table without its response."""
    rng = np.random.default_rng(3)
    return pl.DataFrame({"a": rng.integers(0, 5, ROWS), "b": rng.integers(0, 3, ROWS)})


@cache
def program_of(name: str) -> slp.Program:
    """A tree program."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "tree.json").write_text(json.dumps(_GIVEN))
        return slp.parse(PROGRAMS[name], include=[folder])


@cache
def trees_of_prior(name: str, n: int, seed: int) -> list[slp.Tree]:
    """Independent draws of the prior, which does not look at the response."""
    y = np.arange(ROWS) % 2
    if name == "edits":
        how = {"engine": "mh", "proposal": "q_ind", "chains": 1, "warmup": 0, "thin": 1}
        return [
            d.tree for d in program_of(name).prior(features(), y, draws=n, seed=seed, **how).draws
        ]
    return program_of(name).prior(features(), y, engine="exact", draws=0).sample(n, seed=seed)


def response_of(rng: np.random.Generator, tree: slp.Tree, program: str) -> np.ndarray:
    """Outcomes of the leaf model in each leaf, shape (n,)."""
    leaf = tree.apply(features())
    if program == "numbers":
        variance = BETA / rng.gamma(ALPHA, size=tree.n_leaves)
        mean = rng.normal(0.0, np.sqrt(variance / KAPPA))
        return rng.normal(mean[leaf], np.sqrt(variance)[leaf])
    return (rng.random(ROWS) < rng.random(tree.n_leaves)[leaf]).astype(np.int64)


def quantities(tree: slp.Tree, y: np.ndarray, program: str) -> tuple[float, ...]:
    """Log likelihood, leaves, depth, predictions for the first and the last row."""
    leaf = tree.apply(features())
    n = np.bincount(leaf, minlength=tree.n_leaves)
    total = np.bincount(leaf, y, tree.n_leaves)
    if program == "numbers":
        mean = total / (KAPPA + n)
        beta = BETA + (np.bincount(leaf, y**2, tree.n_leaves) - (KAPPA + n) * mean**2) / 2
        of_leaves = gammaln(ALPHA + n / 2) - (ALPHA + n / 2) * np.log(beta) - np.log(KAPPA + n) / 2
        own = math.lgamma(ALPHA) - ALPHA * math.log(BETA) - math.log(KAPPA) / 2
        fit = (of_leaves - own).sum() - len(y) * math.log(2 * math.pi) / 2
    else:
        fit = (gammaln(total + 1) + gammaln(n - total + 1) - gammaln(n + 2)).sum()
        mean = (total + 1) / (n + 2)
    # Equal up to rounding is equal.
    return (round(float(fit), 9), tree.n_leaves, tree.depth, *mean[leaf[[0, -1]]].round(9).tolist())


def ranks_of_trees(case: Case, seed: int, prior: list[slp.Tree]) -> list[float]:
    """Of each quantity, for one tree of the prior."""
    rng = np.random.default_rng([seed, 1])
    truth, engine = prior[seed], case.options["engine"]
    y = response_of(rng, truth, case.program)
    program, how = program_of(case.program), {"seed": seed, "threads": 1, **case.options}
    if engine == "forward":
        found = program.prior(features(), y, draws=DRAWS, **how)
    elif engine in ("exact", "chart", "enumerate"):
        found = program.posterior(features(), y, draws=0, **how)
    else:
        found = program.posterior(features(), y, **{"draws": DRAWS, **how})
    if found.diagnostics is None:
        trees, weights = found.sample(DRAWS, seed=seed), np.ones(DRAWS)
    else:
        trees = [d.tree for d in found.draws]
        weights = np.array([d.weight for d in found.draws])
    known: dict[slp.Tree, tuple[float, ...]] = {}
    for tree in trees:
        if tree not in known:
            known[tree] = quantities(tree, y, case.program)
    drawn = np.array([known[tree] for tree in trees])
    return ranks(rng, np.array(quantities(truth, y, case.program)), drawn, weights)


def ranks(
    rng: np.random.Generator, truth: np.ndarray, drawn: np.ndarray, weights: np.ndarray
) -> list[float]:
    """See the module: of quantities, shape (q,), and n draws of them, shape (n, q)."""
    n = len(drawn)
    below = n * (weights @ (drawn < truth)) / weights.sum()
    equal = n * (weights @ (drawn == truth)) / weights.sum()
    return list((below + rng.random(len(truth)) * (equal + 1)) / (n + 1))


# --- proofs ---------------------------------------------------------------------------------------

_PROOFS = """
0.5 :: rate(0.5).  0.3 :: rate(1.5).  0.2 :: rate(4.0).
0.6 :: s([a | T], T).
0.4 :: s(A, C) :- s(A, B), s(B, C).
model(R, L) :- rate(R), s(L, []).
"""


def ranks_of_proofs(case: Case, seed: int, prior: object) -> list[float]:
    """A rate, and a string of a grammar whose length multiplies it; the outcome is a count."""
    rng = np.random.default_rng([seed, 1])
    rate, length = rng.choice([0.5, 1.5, 4.0], p=[0.5, 0.3, 0.2]), _length(rng)
    count = rng.poisson(rate * length)

    def quantities_of(rate: float, length: int) -> tuple[float, ...]:
        mean = rate * length
        fit = count * math.log(mean) - mean - math.lgamma(count + 1)
        return round(fit, 9), rate, length

    found = program_of_proofs().sample_proofs(
        "model(R, L)",
        lambda answer: quantities_of(float(answer["R"]), len(answer["L"]))[0],
        **{"seed": seed, "draws": DRAWS, "chains": 1, "warmup": 50, "thin": 10},
    )
    drawn = [quantities_of(float(d["R"]), str(d["L"]).count("a")) for d in found.draws]
    truth = np.array(quantities_of(float(rate), length))
    return ranks(rng, truth, np.array(drawn), np.ones(len(drawn)))


@cache
def program_of_proofs() -> slp.Program:
    """The program."""
    return slp.parse(_PROOFS)


def _length(rng: np.random.Generator) -> int:
    """The letters of a string of the grammar."""
    still_open = 1
    letters = 0
    while still_open:
        if rng.random() < 0.6:
            still_open, letters = still_open - 1, letters + 1
        else:
            still_open += 1
    return letters


# --- all ------------------------------------------------------------------------------------------

#: Quantities of any case, each tested twice.
MOST_TESTS = 10


def p_values(name: str, repeats: range) -> list[float]:
    """Of each quantity of a case: that ranks are uniform, and their distances from the middle."""
    case = CASES[name]
    make: Callable[[Case, int, Any], list[float]] = ranks_of_trees
    prior: list[slp.Tree] = []
    if case.program == "proofs":
        make = ranks_of_proofs
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        if case.program != "proofs":
            prior = trees_of_prior(case.program, repeats.stop, 7)
        found = np.array([make(case, seed, prior) for seed in repeats])
    tests = [*found.T, *np.abs(2 * found.T - 1)]
    return [float(kstest(values, "uniform").pvalue) for values in tests]


def main() -> None:
    """Read the arguments, run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--from", type=int, default=0, dest="first")
    given = parser.parse_args()
    print(f"ranks are not uniform below p = {0.001 / (MOST_TESTS * len(CASES)):.1g}\n")
    print("| case | repeats | smallest p | of | CPU s |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name in given.cases:
        began = time.process_time()
        found = p_values(name, range(given.first, given.first + given.repeats))
        seconds = time.process_time() - began
        line = f"| {name} | {given.repeats} | {min(found):.2g} | {len(found)} | {seconds:.0f} |"
        print(line, flush=True)


if __name__ == "__main__":
    main()
