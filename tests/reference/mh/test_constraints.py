"""Tests on finished trees against their definitions on a grid of points."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from slp.columns import Nominal, Numeric
from slp.constraints import MaxFeatures, Monotone, Once
from slp.data.feature_kind import Feature
from slp.data.table import Table
from slp.leaves import Dirichlet, GammaPoisson, LeafModel, NormalInverseGamma
from slp.reference.boxes import Geometry
from slp.reference.derivations import TreeProof
from slp.reference.local_process import LocalProcess
from slp.reference.tree_tests import (
    AtMostFeatures,
    AtMostLeaves,
    MonotonePredictions,
    tree_tests,
)
from tests.engines.cases import denison, make_table
from tests.operands import operand
from tests.reference.mh.matrices import all_proofs

MODELS: list[LeafModel] = [
    Dirichlet(("a", "b", "c"), 0.5),
    NormalInverseGamma(0.5, 0.3, 2.0, 1.5),
    GammaPoisson(1.5, 0.5),
]


def small_table(leaf: LeafModel, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    features = [
        Feature("x", Numeric(np.array([0.0, 1.0, 3.0]))),
        Feature("z", Numeric(np.array([0.0, 2.0]))),
        Feature("c", Nominal(("p", "q", "r"))),
    ]
    codes = rng.choice(18, 5, replace=False)
    rows = [[int(k) % 3, int(k) // 3 % 2, int(k) // 6] for k in codes]
    y = rng.integers(3, size=5) if leaf.classes else rng.integers(6, size=5)
    return make_table(features, rows, y.tolist(), leaf)


def proofs_on(table: Table) -> tuple[Geometry, list[TreeProof]]:
    grammar = denison(table, 2.0)
    geometry = Geometry(grammar, table)
    return geometry, all_proofs(LocalProcess(grammar, geometry))


def predictions(geometry: Geometry, proof: TreeProof) -> dict[tuple[float, float, str], np.ndarray]:
    """Prediction at every point of a grid that has points between all thresholds and beyond."""
    table, out = geometry.table, {}
    for point in product((-1.0, 0.7, 2.9, 9.0), (-1.0, 5.0), "pqr"):
        node = proof
        while node.parts:
            taken = node.alternative
            assert taken is not None
            cut = geometry.cuts[taken.split.cut]
            value = point[cut.feature]
            at = operand(cut.test)
            left = value == at if isinstance(at, str) else value < at
            node = node.parts[0 if left else 1]
        statistics = geometry.statistics([node.goal.box])[0]
        if table.leaf.classes:
            out[point] = -table.leaf.predict_proba(statistics).cumsum()[:-1]
        else:
            out[point] = np.array([table.leaf.mean(statistics)])
    return out


@pytest.mark.parametrize("leaf", MODELS, ids=lambda m: m.name)
@pytest.mark.parametrize("feature", [0, 1])
def test_monotone_on_a_grid(leaf: LeafModel, feature: int) -> None:
    verdicts = []
    for seed in range(2):
        geometry, proofs = proofs_on(small_table(leaf, seed))
        up = MonotonePredictions(feature, True, geometry)
        down = MonotonePredictions(feature, False, geometry)
        for proof in proofs[:: max(1, len(proofs) // 150)]:
            at = predictions(geometry, proof)
            pairs = [
                (at[a], at[b])
                for a, b in product(at, at)
                if a[feature] < b[feature] and all(a[f] == b[f] for f in range(3) if f != feature)
            ]
            rises = all((a <= b + 1e-9).all() for a, b in pairs)
            falls = all((a >= b - 1e-9).all() for a, b in pairs)
            assert (up.holds(proof), down.holds(proof)) == (rises, falls)
            verdicts.append((rises, falls))
    assert len(set(verdicts)) >= 3


def test_max_features_counts_distinct_features() -> None:
    geometry, proofs = proofs_on(small_table(MODELS[0], 0))
    seen = set()
    for proof in proofs:
        used = {
            geometry.cuts[node.alternative.split.cut].feature
            for node in proof.preorder()
            if node.alternative is not None
        }
        seen.add(len(used))
        for count in range(4):
            assert AtMostFeatures(count, geometry).holds(proof) == (len(used) <= count)
        assert AtMostLeaves(3).holds(proof) == (proof.n_leaves <= 3)
    assert seen == {0, 1, 2, 3}


def test_tests_of_a_program() -> None:
    table = small_table(MODELS[0], 0)
    grammar = denison(table, 2.0)
    geometry = Geometry(grammar, table)
    constraints = (Once("x"), MaxFeatures(2), Monotone("z", "down"))
    features, monotone = tree_tests(grammar, constraints, geometry)
    assert isinstance(features, AtMostFeatures)
    assert features.count == 2
    assert isinstance(monotone, MonotonePredictions)
    assert (monotone.feature, monotone.up) == (1, False)
