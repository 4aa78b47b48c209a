"""SLD resolution: unification, arithmetic, goals of programs, and proofs for tree rules.

Entry points: `evaluate` (arithmetic); `Database` and `solve` (answers to a goal); `StateRules` and
`labels_over_heads` (tree rules at a state); `threshold_outcomes` (guards behind a split);
`answers_of_query` and `draw_answers` (goals of a stochastic program).

Inside: `store` (bindings and unification; `order` of terms), `machine` (the loop), `clauses`,
`control`, `builtins` and `library` (the predicates that can be called; `left_out` has those that
cannot), `templates` (clauses prepared for use), `first_argument` (an index on goals), `database`
(all definitions of a program), `arithmetic` and `functions`, `affine` (numbers that depend on a
threshold), `faults` (errors).

For tree rules: `rules` (prepared), `instances` (at a state), `states` (of a program), `row_goals`
(guards that use the rows of the box), `cells` (guards behind a split).

For queries: `choices` (clauses at a stochastic goal), `tails` (goals behind one), `answers` (what
was bound of an answer), `best_first` and `search` (all proofs), `graph` and `flow` (all proofs as a
stored graph), `draws`, `runs` and `derivations` (proofs for chains), `failures` (why a goal fails),
`queries` (answers with their `masses`), `goals` (the same in text and values, `query_results`),
`notes` (remarks on masses).
"""

from typing import TYPE_CHECKING

from slp.late import late_names
from slp.resolution.arithmetic import evaluate, evaluate_arguments
from slp.resolution.cells import ThresholdOutcomes, threshold_outcomes
from slp.resolution.database import Database, is_builtin
from slp.resolution.instances import RuleInstance, labels_over_heads, rule_instances
from slp.resolution.machine import DEFAULT_LIMITS, STATE_LIMITS, Limits, Meter
from slp.resolution.solve import solve
from slp.resolution.states import StateRules

if TYPE_CHECKING:
    from slp.resolution.draws import Failure
    from slp.resolution.goals import ENGINES, FAILURES, run_draws, run_query
    from slp.resolution.masses import mass_text, power_of_ten
    from slp.resolution.queries import (
        ProofSearchResult,
        Query,
        answers_of_query,
        draw_answers,
        named_variables,
    )
    from slp.resolution.query_results import Draws, FiredClause, Proof, QueryResult, Value

__all__ = [
    "ENGINES",
    "FAILURES",
    "Draws",
    "FiredClause",
    "Proof",
    "QueryResult",
    "Value",
    "run_draws",
    "run_query",
    "DEFAULT_LIMITS",
    "Database",
    "Failure",
    "Limits",
    "Meter",
    "Query",
    "RuleInstance",
    "ProofSearchResult",
    "STATE_LIMITS",
    "StateRules",
    "ThresholdOutcomes",
    "answers_of_query",
    "draw_answers",
    "evaluate",
    "evaluate_arguments",
    "is_builtin",
    "labels_over_heads",
    "mass_text",
    "named_variables",
    "power_of_ten",
    "rule_instances",
    "solve",
    "threshold_outcomes",
]

# Tree rules need no queries.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.resolution.draws": "Failure",
        "slp.resolution.query_results": "Draws FiredClause Proof QueryResult Value",
        "slp.resolution.goals": "ENGINES FAILURES run_draws run_query",
        "slp.resolution.masses": "mass_text power_of_ten",
        "slp.resolution.queries": (
            "ProofSearchResult Query answers_of_query draw_answers named_variables"
        ),
    },
)
