"""Weights of given trees where tests look at the finished tree: the core's are those of the plain
engines, on trees in the support and off it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import slp
from slp.columns import Below
from slp.engines.mcmc.compiled_edits import CompiledEditMetropolisHastings
from slp.engines.shared.compiled_proofs import CompiledMetropolisHastings
from slp.reference.boxes import Geometry
from slp.reference.mh.chains import MetropolisHastings
from slp.reference.mh.edits.chains import EditMetropolisHastings
from slp.trees import Leaf, Split, Tree

pytestmark = [
    pytest.mark.usefixtures("compiled_kernels"),
    pytest.mark.filterwarnings("ignore::slp.SlpWarning"),
]

_RNG = np.random.default_rng(4)
FRAME = pl.DataFrame(
    {
        "x": _RNG.integers(0, 6, 30).astype(float),
        "z": _RNG.integers(0, 4, 30).astype(float),
        "colour": _RNG.choice(["red", "green", "blue"], 30),
        "y": _RNG.choice(["no", "yes"], 30),
    }
)
_LEVELS = ":- response(y, [ordinal([no, yes])])."
TESTS = [
    ":- constraint(max_leaves(4)).",
    ":- constraint(max_features(2)).",
    f"{_LEVELS} :- constraint(monotone(x, up)).",
    ":- constraint(max_features(2)). :- constraint(max_leaves(5)). :- constraint(first(x)).",
    ":- support(min_leaf(3)). :- support(max_depth(3)). :- constraint(max_features(2)).",
]
GIVEN = Tree(Split("x", Below(2.5), Leaf(), Leaf()))


def trees() -> list[Tree]:
    """Of many kinds: no constraint holds for all."""
    prior = slp.parse(":- use(growtree). :- response(y).").posterior(
        FRAME, engine="mh", seed=2, draws=150, warmup=20, thin=7
    )
    unknown = Tree(Split("age", Below(1.0), Leaf(), Leaf()))
    return [*{draw.tree for draw in prior.draws}, GIVEN, Tree(Leaf()), unknown]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("tests", TESTS)
def test_of_proofs(tests: str) -> None:
    program = slp.parse(f":- use(growtree). {tests}" + ("" if "response" in tests else ""))
    model = program.compile(FRAME, "y")
    geometry = Geometry(model.grammar, model.table)
    engine = CompiledMetropolisHastings(model.grammar, model.table, program.ir.constraints)
    plain = MetropolisHastings(model.grammar, geometry, program.ir.constraints)
    want = [plain.log_weight(tree) for tree in trees()]
    have = [engine.log_weight(tree) for tree in trees()]
    assert np.isneginf(want).any() and np.isfinite(want).sum() > 3
    np.testing.assert_allclose(have, want, rtol=1e-9)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("tests", ["", *TESTS])
def test_of_edits(tests: str) -> None:
    program = slp.parse(f":- use(edittree). {tests}", tree=GIVEN)
    model = program.compile(FRAME, "y")
    geometry = Geometry(model.grammar, model.table)
    assert program.ir.edits is not None
    what = program.ir.edits, program.ir.support, program.ir.constraints
    engine = CompiledEditMetropolisHastings(model.grammar, model.table, *what)
    plain = EditMetropolisHastings(model.grammar, geometry, *what)
    want = [plain.log_weight(tree) for tree in trees()]
    have = [engine.log_weight(tree) for tree in trees()]
    assert np.isneginf(want).any() and np.isnan(want).sum() > 3
    np.testing.assert_array_equal(have, want)
