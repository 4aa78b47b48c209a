"""The compiled engine equals the plain chart on random tables of 60 rows and 4 features, with 1 and
with 8 threads: for every prior, split measure, constraint, failure semantics and leaf model that
exact inference takes. The lists are held against those of the language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import get_args

import numpy as np
import polars as pl
import pytest

import slp
from slp import constraints as every
from slp.constraints import MaxFeatures, Monotone, Predicate
from slp.ir.constraints import Constraint
from slp.ir.program import MEASURES, Failure, SplitBody
from slp.leaves import SIGNATURES
from slp.problem.problem import Problem
from slp.resources import prior_names
from tests.engines.engines import compiled, plain

pytestmark = pytest.mark.usefixtures("compiled_kernels")

#: A measure and a prior on numbers alone, without bins: two columns are left out.
_TWO_COLUMNS = "\n:- ignore(kind).\n:- ignore(x2)."
ON_NUMBERS = {"range": _TWO_COLUMNS, "rjhmc": _TWO_COLUMNS}
#: Of all other programs.
BINS = ":- feature(x1, [bins(quantile, 3)]).\n:- feature(x2, [cuts([0.3, 0.7])])."
PRIORS = [f":- use({n}).{ON_NUMBERS.get(n, '')}" for n in prior_names() if n != "pinball"]
PRIORS.append(":- use(pinball).\n:- support(min_leaf(8)).")  # its states count leaves

MEASURED = [
    f"0.9 / (1 + D) :: t(D) --> split(F, V, {measure}), t(D + 1), t(D + 1).\n"
    f"1 - 0.9 / (1 + D) :: t(D) --> leaf.\n:- start(t(0)).{ON_NUMBERS.get(measure, '')}"
    for measure in MEASURES
] + [
    ":- use(growtree).\n:- feature_weight(x0, 3).",
    ":- use(growtree_gap).\n:- feature_weight(kind, 0.5).",
]

BOXES = "box(b, x0, 0.2, 0.6).\nbox(b, x1, 0.1, inf).\n"
AT_SPLITS = [
    "forbid(x1)",
    "forbid(x1, below(2))",
    "forbid(kind, within(b))",
    "first(x2)",
    "before(x0, x2)",
    "once(x1)",
]
CONSTRAINED = [
    f":- use({prior}).\n{BOXES}{failure}:- constraint({constraint})."
    for prior, failure in [("growtree", ""), ("growtree_all", ":- failure(condition).\n")]
    for constraint in [
        "constant(b)",
        *AT_SPLITS,
        "exclusive([x0, kind])",
        "interaction([[x0, x1], [x2, kind]])",
        "majority(b, p)",
        "max_leaves(9)",
    ]
]
SUPPORTED = [
    ":- use(growtree).\n:- support(min_leaf(4)).",
    ":- use(denison).\n:- support([min_leaf(2), max_depth(3)]).",
]

LEAVES = {
    "dirichlet(0.5)": "y",
    "dirichlet([0.5, 1, 2])": "y",
    "normal_inverse_gamma(0, 0.1, 2, 1)": "number",
    "normal_linear([x0, x2], 0, 0.1, 1, 2, 1)": "number",
    "gamma_poisson(1.5, 0.5)": "count",
    "gamma_poisson(1.5, 0.25)": "count, exposure(years)",
    "jeffreys": "y",
    "gamma_exponential(1.5, 2)": "time",
    "gamma_exponential(2, 1)": "time, event(status)",
    "piecewise_exponential(2, 1, [0.5, 2])": "time, event(status)",
}
LIKELIHOODS = [
    f":- use({prior}).\n:- response({response}).\n:- leaf({leaf})."
    for prior in ("growtree", "denison")
    for leaf, response in LEAVES.items()
]

PARTITIONED = [
    ":- use(bcart_pcfg).\n:- support(min_leaf(4)).",
    f":- use(bcart_pcfg).\n{BOXES}:- constraint(majority(b, p)).",
    ":- use(bcart_pcfg).\n:- constraint(max_leaves(5)).",
] + [
    f":- use(bcart_pcfg).\n{BOXES}{failure}:- constraint({constraint})."
    for failure in ("", ":- failure(condition).\n")
    for constraint in AT_SPLITS
]
# What is forbidden depends on the threshold, too: on that of the inner feature, x0, and of others.
PARTITIONED += [
    f":- use(bcart_pcfg).\n{BOXES}:- constraint(constant(b)).",
    """:- start(t). 0.4 :: t --> leaf. 0.6 :: t --> split(_, V, partition), { low(V) }, t, t.
low(V) :- number(V), V < 0.5. low(V) :- atom(V).""",
]

COSTS = ":- cost(x0, 2).\n:- cost(x1, 1.5).\n:- cost(kind, 1).\n:- constraint(max_cost(3))."
PRICED = [
    f":- use({prior}).\n{failure}{COSTS}"
    for prior, failure in [("growtree", ""), ("bcart_pcfg", ":- failure(condition).\n")]
]

TEXTS = PRIORS + MEASURED + CONSTRAINED + SUPPORTED + LIKELIHOODS + PARTITIONED + PRICED

# Constraints under which the trees of these small tables reach few pairs of a box and a state.
ITEM_BY_ITEM = ("constant", "exclusive", "interaction", "max_cost")


@dataclass(frozen=True)
class Case:
    """A program compiled on a random table, and rows to predict."""

    model: Problem
    new_rows: np.ndarray


def random_frame(rng: np.random.Generator, n: int) -> pl.DataFrame:
    """Three columns of numbers with ties, one of three levels, and a response of every kind."""
    x = rng.integers(0, 20, (n, 3)) / 20
    x[:, 0] = rng.choice([0, 0.05, 0.2, 0.5, 0.65, 1], n)  # gaps that differ
    kind = rng.choice(["p", "q", "r"], n)
    signal = (x[:, 0] < 0.5) ^ (kind == "p")
    y = np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), signal)
    return pl.DataFrame(
        {f"x{j}": x[:, j] for j in range(3)}
        | {"kind": kind, "y": np.array(["p", "q", "r"])[y], "number": rng.normal(y)}
        | {"count": rng.poisson(1 + 2 * y), "time": rng.exponential(1 + y)}
        | {"status": rng.random(n) < 0.7, "years": rng.choice([0.25, 1, 7.5], n)}
    )


@cache
def case(index: int) -> Case:
    """The program of that number on a table of its own: the columns that it needs, and no other."""
    rng = np.random.default_rng(index)
    frame, text = random_frame(rng, 60), TEXTS[index]
    used = [c for c in frame.columns[4:] if f"({c})" in text or f"({c}, " in text]
    beside = [c for c in ("status", "years") if f"({c})" in text]
    response = [*used[:1], *beside] or ["y"]
    program = slp.parse(text if _TWO_COLUMNS in text else f"{text}\n{BINS}")
    model = program.compile(frame.select(*frame.columns[:4], *response))
    new = random_frame(rng, 5)
    return Case(model, model.table.new_rows(new))


def close(have: object, want: object) -> None:
    np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-12)


def padded(have: np.ndarray, want: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two distributions, which end where what is left is small, of the same length."""
    length = max(len(have), len(want))
    return np.pad(have, (0, length - len(have))), np.pad(want, (0, length - len(want)))


@pytest.mark.thinned(24)
@pytest.mark.parametrize("index", range(len(TEXTS)), ids=TEXTS)
def test_engines_agree_on_medium_tables(index: int) -> None:
    model, rows = case(index).model, case(index).new_rows
    want = plain(model.grammar, model.table)
    assert want.tree_count() > 100
    for threads in (1, 8):
        have = compiled(model.grammar, model.table, threads=threads)
        by_blocks = not any(word in TEXTS[index] for word in ITEM_BY_ITEM)
        assert have.passes.engine.uses_interval_blocks() or not by_blocks
        close(have.log_total, want.log_total)
        close(have.other(False).log_total, want.other(False).log_total)
        assert have.tree_count() == pytest.approx(want.tree_count(), rel=1e-9)
        close(have.usage(), want.usage())
        close(have.expected_splits(), want.expected_splits())
        close(*padded(have.leaf_distribution(), want.leaf_distribution()))
        close(*padded(have.depth_distribution(), want.depth_distribution()))
        close(have.predictions(rows), want.predictions(rows))
        best = [s.log_weight + s.log_likelihood for s in islice(have.best(), 3)]
        close(best, [s.log_weight + s.log_likelihood for s in islice(want.best(), 3)])


@pytest.mark.slow
def test_nothing_of_the_language_is_left_out() -> None:
    """But for what is decided at the finished tree, and backtracking: no exact engine takes it."""
    programs = [case(i).model.program for i in range(len(TEXTS))]
    assert all(not case(i).model.unsummable for i in range(len(TEXTS)))
    assert len(PRIORS) == len(prior_names())
    bodies = [rule.body for program in programs for rule in program.rules]
    assert {b.measure for b in bodies if isinstance(b, SplitBody)} == set(MEASURES)
    at_the_end = {MaxFeatures, Monotone, Predicate}
    constraints = {type(c) for program in programs for c in program.constraints}
    known = [getattr(every, name) for name in every.__all__]
    classes = {c for c in known if isinstance(c, type) and issubclass(c, Constraint)}
    assert constraints == classes - at_the_end
    assert {program.failure for program in programs} == set(get_args(Failure)) - {"backtrack"}
    leaves = {program.leaf.model for program in programs if program.leaf is not None}
    others = {name for name, model in SIGNATURES.items() if model.stands_for}
    others |= {"normal_shared", "sum_normal", "sum_probit"}  # of soft trees, and of sums
    assert leaves == set(SIGNATURES) - others
