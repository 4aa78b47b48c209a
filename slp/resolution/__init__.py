"""SLD resolution: unification, arithmetic, goals of programs, and proofs for tree rules.

Entry points: `evaluate` (arithmetic); `Database` and `solve` (answers to a goal); `StateRules` and
`labels_over_heads` (tree rules at a state); `threshold_outcomes` (guards behind a split);
`answers_of_query` (goals of a stochastic program).

Rooms, each standing on those before it: `machine` (goals, arithmetic, predicates), `boxes` (tree
rules at a state), `proofs` (spaces of proofs, sums, draws), `tables` (each variant of a call once),
`answers` (queries).
"""

from typing import TYPE_CHECKING

from slp.late import late_names
from slp.resolution.boxes.cells import threshold_outcomes
from slp.resolution.boxes.instances import RuleInstance, labels_over_heads
from slp.resolution.boxes.states import StateRules
from slp.resolution.machine.arithmetic import evaluate, evaluate_arguments
from slp.resolution.machine.database import Database, is_builtin
from slp.resolution.machine.loop import DEFAULT_LIMITS, STATE_LIMITS, Limits, Meter
from slp.resolution.machine.solve import solve

if TYPE_CHECKING:
    from slp.resolution.answers.drawn import Draws, ProofDraw
    from slp.resolution.answers.goals import (
        ENGINES,
        FAILURES,
        METHODS,
        WEIGHTED,
        run_draws,
        run_query,
    )
    from slp.resolution.answers.queries import answers_of_query
    from slp.resolution.answers.results import (
        Bound,
        FiredClause,
        Proof,
        QueryResult,
        Value,
        values_of,
    )
    from slp.resolution.proofs.masses import mass_text, power_of_ten
    from slp.resolution.proofs.query import Query, named_variables, read_goal

__all__ = [
    "ENGINES",
    "FAILURES",
    "METHODS",
    "Bound",
    "ProofDraw",
    "Draws",
    "FiredClause",
    "Proof",
    "QueryResult",
    "Value",
    "values_of",
    "read_goal",
    "run_draws",
    "run_query",
    "DEFAULT_LIMITS",
    "Database",
    "Limits",
    "Meter",
    "Query",
    "RuleInstance",
    "STATE_LIMITS",
    "StateRules",
    "WEIGHTED",
    "answers_of_query",
    "evaluate",
    "evaluate_arguments",
    "is_builtin",
    "labels_over_heads",
    "mass_text",
    "named_variables",
    "power_of_ten",
    "solve",
    "threshold_outcomes",
]

# Tree rules need no queries.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.resolution.answers.results": "Bound FiredClause Proof QueryResult Value values_of",
        "slp.resolution.answers.drawn": "ProofDraw Draws",
        "slp.resolution.answers.goals": "ENGINES FAILURES METHODS WEIGHTED run_draws run_query",
        "slp.resolution.proofs.masses": "mass_text power_of_ten",
        "slp.resolution.answers.queries": "answers_of_query",
        "slp.resolution.proofs.query": "Query named_variables read_goal",
    },
)
