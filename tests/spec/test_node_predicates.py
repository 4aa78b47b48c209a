"""Predicates on nodes against the specification, and the sampler under them."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from slp.constraints import Predicate
from slp.engines.mcmc.proposals import CutAtEach, CutAtRoot, CutUniformly
from slp.ir.tree_grammar import TreeGrammar
from slp.lower import program_to_tree_grammar
from slp.reference.boxes import Geometry
from slp.reference.cut_trees import Renderer
from slp.reference.enumeration.derivations import derivations
from slp.reference.mh.chains import MetropolisHastings
from slp.reference.mh.target import Target
from slp.reference.tree_tests import preorder
from slp.terms import Text
from slp.trees import Tree
from slp.trees.predicates import node_predicates, with_predicates
from tests.reference.mh.matrices import TOLERANCE, Example, all_proofs
from tests.spec.brute_force import BruteForce
from tests.spec.cases import Case, random_case
from tests.spec.pipeline import key_of


def picky(seed: int) -> Callable[[Any], bool]:
    """Refuses every seventh node or so, at random."""

    def agreed(node: Any) -> bool:
        at = None if node.threshold is None else round(node.threshold, 6)
        seen = (seed, node.depth, node.rows, node.feature, at, node.level)
        return zlib.crc32(repr(seen).encode()) % 7 != 0

    return agreed


class Constrained:
    """A random case with a local predicate as well."""

    def __init__(self, case: Case, seed: int) -> None:
        added = Predicate("python", Text("m:picky"), local=True, function=picky(seed))
        constraints = (*case.model.program.constraints, added)
        self.program = with_predicates(replace(case.model.program, constraints=constraints), False)
        self.table = case.model.table
        self.spec = BruteForce(
            self.program, case.table.example(self.table), case.table.leaf, limit=10_000
        )
        schema = self.table.schema(self.program.support.min_leaf)
        self.grammar: TreeGrammar = program_to_tree_grammar(
            self.program, schema, tests_on_trees=True
        )
        self.geometry = Geometry(self.grammar, self.table)


@cache
def constrained(place: int, least: int, most: int) -> Constrained:
    """The first of so many derivations, each place with seeds of its own."""
    found = (Constrained(random_case(seed), seed) for seed in itertools.count(place, 1000))
    return next(c for c in found if least <= len(c.spec.derivations) <= most)


def test_both_ways_of_failure_are_tried() -> None:
    for least, most in ((2, 300), (3, 10)):
        found = {constrained(i, least, most).program.failure for i in range(0, 20, 2)}
        assert found == {"restrict", "condition"}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("place", range(70))
def test_the_prior_of_every_tree(place: int) -> None:
    """By the list of all derivations and by the process that the sampler draws from."""
    made = constrained(place, 2, 300)
    want: dict[Any, float] = {}
    for d in made.spec.derivations:
        want[d.tree] = want.get(d.tree, 0.0) + d.weight
    renderer = Renderer(made.geometry)
    listed: dict[Any, float] = {}
    for d in derivations(made.grammar, made.geometry, node_predicates(made.program.constraints)):
        nodes = [(n.box, n.cut) for n in flat(d)]
        add(listed, renderer.tree(nodes), d.log_weight)
    assert listed.keys() == want.keys()
    assert listed == pytest.approx(want, rel=1e-9)

    sampler = MetropolisHastings(made.grammar, made.geometry, made.program.constraints)
    drawn: dict[Any, float] = {}
    for proof in all_proofs(sampler.process):
        if sampler.target.holds(proof):
            add(drawn, renderer.tree(preorder(proof)), proof.log_weight)
    assert drawn == pytest.approx(want, rel=1e-9)


def flat(derivation: Any) -> list[Any]:
    """Its nodes in preorder."""
    out, stack = [], [derivation]
    while stack:
        node = stack.pop()
        out.append(node)
        stack += [] if node.left is None else [node.right, node.left]
    return out


def add(weights: dict[Any, float], tree: Tree, log_weight: float) -> None:
    key = key_of(tree)
    weights[key] = weights.get(key, 0.0) + float(np.exp(log_weight))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("place", range(40))
def test_the_posterior_is_invariant(place: int) -> None:
    made = constrained(place, 3, 10)
    sampler = MetropolisHastings(made.grammar, made.geometry, made.program.constraints)
    target: Target = sampler.target
    example = Example(target, all_proofs(sampler.process))
    for proposal in (CutUniformly(), CutAtRoot(), CutAtEach(3)):
        for turn in range(proposal.period):
            assert example.drift(proposal, turn) < TOLERANCE
