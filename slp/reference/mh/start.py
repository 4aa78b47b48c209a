"""The heaviest proof of a given tree, which chains begin at."""

from __future__ import annotations

from collections.abc import Iterable

from slp.data.table import Table
from slp.engines.shared.core_chains import CALL, LEAF
from slp.errors import UsageError
from slp.ir.constraints import Constraint
from slp.ir.tree_grammar import CallRule, TreeGrammar
from slp.messages.chains import START_OFF_SUPPORT
from slp.reference.boxes import Geometry
from slp.reference.derivations import TreeProof, proof_of
from slp.reference.local_process import LocalProcess
from slp.reference.mh.target import Target
from slp.reference.tree_tests import predicate_tests, tree_tests
from slp.reference.tree_weights import weight_of_tree
from slp.trees import Tree


def proof_to_start(target: Target, tree: Tree) -> TreeProof:
    """The proof of the largest weight that parts the table's rows as a tree does.

    Raises
    ------
    UsageError
        E549: the tree has no prior probability.
    """
    choices = weight_of_tree(target.process, tree).example
    proof = proof_of(target.process, choices) if choices else None
    if proof is None or not target.holds(proof):
        raise UsageError(START_OFF_SUPPORT())
    return proof


def heaviest_proof(
    grammar: TreeGrammar, table: Table, constraints: Iterable[Constraint], tree: Tree
) -> tuple[list[int], str]:
    """The proof of `proof_to_start` as the core's chains record it: of each goal in preorder the
    rule, and of a split the feature and the two codes that are neighbours; and its name. Raises as
    there."""
    geometry = Geometry(grammar, table)
    tests = tree_tests(grammar, constraints, geometry)
    predicates = predicate_tests(constraints, geometry)
    proof = proof_to_start(Target(LocalProcess(grammar, geometry), 1.0, tests, predicates), tree)
    record: list[int] = []
    for node in proof.preorder():
        taken = node.goal.rules[node.rule]
        if node.cut is None:
            called = isinstance(taken.rule, CallRule)
            record += [taken.position, CALL if called else LEAF, 0, 0]
        else:
            cut = geometry.cuts[node.cut]
            record += [taken.position, cut.feature, cut.low, cut.high]
    return record, repr(proof.key())
