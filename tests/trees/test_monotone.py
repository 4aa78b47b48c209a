"""Monotone predictions of finished trees against the sampler's test of them. The sampler's test is
compared with a grid of points. The two have no code in common."""

from __future__ import annotations

from collections import Counter

import pytest

from slp.ir.leaves import LeafDeclaration
from slp.leaves import Dirichlet, LeafModel, label_text
from slp.reference.cut_trees import Renderer
from slp.reference.tree_tests import MonotonePredictions, preorder
from slp.trees.monotone import falls
from tests.reference.mh.test_constraints import MODELS, proofs_on, small_table

LEVELS = {"c": frozenset("pqr")}
#: Seeds of tables in which every class has rows.
SEEDS = {"dirichlet": (1, 2, 4), "normal_inverse_gamma": (0, 1), "gamma_poisson": (0, 1)}


def declaration(leaf: LeafModel) -> LeafDeclaration:
    if isinstance(leaf, Dirichlet):
        return LeafDeclaration("dirichlet", (0.5,))
    numbers = {"normal_inverse_gamma": (0.5, 0.3, 2.0, 1.5), "gamma_poisson": (1.5, 0.5)}
    return LeafDeclaration(leaf.name, numbers[leaf.name])


@pytest.mark.parametrize("leaf", MODELS, ids=lambda m: m.name)
def test_both_say_the_same(leaf: LeafModel) -> None:
    verdicts: Counter[bool] = Counter()
    order = [*map(label_text, leaf.classes)]
    for seed in SEEDS[leaf.name]:
        geometry, proofs = proofs_on(small_table(leaf, seed))
        if leaf.classes:
            assert (geometry.table.statistics.sum(axis=0) > 0).all()
        renderer = Renderer(geometry)
        for proof in proofs[:: max(1, len(proofs) // 100)]:
            places = list(renderer.tree(preorder(proof)).places())
            for f, name in enumerate("xz"):
                for direction in ("up", "down"):
                    up = direction == "up"
                    want = MonotonePredictions(f, up, geometry).holds(proof)
                    found = list(falls(name, up, places, declaration(leaf), LEVELS, order))
                    assert not any(fall.unknown for fall in found)
                    assert (not found) == want
                    verdicts[want] += 1
    assert min(verdicts[True], verdicts[False]) > 50
