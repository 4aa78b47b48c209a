"""Digests of programs and tables, by which a checkpoint knows its own."""

from __future__ import annotations

import hashlib

import numpy as np

from slp.data.table import Table
from slp.ir.constraints import Constraint
from slp.ir.tree_grammar import OpenStates, SplitRule, TreeGrammar


def digest_of_grammar(g: TreeGrammar, constraints: tuple[Constraint, ...]) -> str:
    """A digest of the grammar for checkpoints: equal for programs with the same meaning."""
    digest = hashlib.sha256()
    options = (g.features, g.levels, g.start, g.normalise, g.failure, g.min_leaf, g.max_leaves)
    least = () if g.min_weight is None else (g.min_weight,)  # programs without it keep their digest
    digest.update(repr((options, constraints, *least)).encode())
    for array in (*g.breakpoints, g.feature_weights, *([] if g.groups is None else [g.groups])):
        digest.update(array.tobytes() + b";")
    if isinstance(g.states, OpenStates):
        digest.update(g.states.identity.encode())
    for state in g.first_states().values():
        prior = f" {state.leaf_prior}" if state.leaf_prior else ""  # as those without it were
        digest.update(f"state {len(state.rules)}{prior}".encode())
        for rule in state.rules:
            digest.update(repr((type(rule).__name__, rule.log_weight)).encode())
            if rule.rows is not None:
                digest.update(repr(rule.rows).encode())
            if isinstance(rule, SplitRule):
                digest.update(rule.measure.encode())
                for step in rule.transitions:
                    digest.update(step.tobytes() + b";")
            else:
                digest.update(repr(rule).encode())
    return digest.hexdigest()


def digest_of_table(table: Table) -> str:
    """A digest of the table for checkpoints: equal for equal tables."""
    digest = hashlib.sha256(repr((table.response, table.leaf.describe(), table.n_rows)).encode())
    for array in (table.codes, table.counts, table.statistics, table.row_of):
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array).data)  # no copy: it may be most of the memory
    for feature in table.features:
        kind = feature.kind
        levels = kind.names if kind.categorical else None
        digest.update(repr((feature.name, levels)).encode())
        if feature.density is not None:
            digest.update(repr(feature.density).encode())
        digest.update(b"missing" * (kind.missing_code is not None))
        if kind.categorical:
            digest.update(kind.core_numbers.tobytes())
        for numbers in (kind.values, kind.numbers if kind.values is None else None):
            digest.update(b";" if numbers is None else numbers.tobytes() + b";")
    return digest.hexdigest()
