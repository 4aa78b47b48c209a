"""Proofs: terms, unification, arithmetic, SLD resolution, and what tree rules need of them.

Entry points: `evaluate` (arithmetic); `Database` and `solve` (answers to a goal);
`evaluate_arguments`, `rule_instances` and `label_sum_over_heads` (tree rules at a state);
`threshold_outcomes` (guards behind a split).

Inside: `terms`, `store` (bindings and unification), `machine` (the loop), `clauses`, `control`,
`builtins` and `library` (what can be called), `affine` (numbers that depend on a threshold),
`faults` (every message).
"""

from slp.proofs.arithmetic import evaluate, evaluate_arguments
from slp.proofs.cells import ThresholdOutcomes, threshold_outcomes
from slp.proofs.database import Database, is_builtin
from slp.proofs.instances import RuleInstance, label_sum_over_heads, rule_instances
from slp.proofs.machine import Limits, Meter
from slp.proofs.solve import Bindings, solve

__all__ = [
    "Bindings",
    "Database",
    "Limits",
    "Meter",
    "RuleInstance",
    "ThresholdOutcomes",
    "evaluate",
    "evaluate_arguments",
    "is_builtin",
    "label_sum_over_heads",
    "rule_instances",
    "solve",
    "threshold_outcomes",
]
