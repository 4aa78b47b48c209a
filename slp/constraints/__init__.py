"""Constraints: one file each, which holds the data, how it is read, its words, its automaton, and
what contradicts it.

`FORMS` lists them. Passes ask by `slp.ir.constraints.Constraint`, and do not tell one constraint
from another. `form` has what a file gives beside its class. The check of finished trees
(`slp.trees.check`) stands apart, as a second definition.
"""

from slp.constraints.before import FORM as BEFORE
from slp.constraints.before import Before
from slp.constraints.constant import FORM as CONSTANT
from slp.constraints.constant import Constant
from slp.constraints.exclusive import FORM as EXCLUSIVE
from slp.constraints.exclusive import Exclusive
from slp.constraints.first import FORM as FIRST
from slp.constraints.first import First
from slp.constraints.forbid import FORM as FORBID
from slp.constraints.forbid import Forbid
from slp.constraints.form import Form
from slp.constraints.interaction import FORM as INTERACTION
from slp.constraints.interaction import Interaction
from slp.constraints.majority import FORM as MAJORITY
from slp.constraints.majority import Majority
from slp.constraints.max_cost import FORM as MAX_COST
from slp.constraints.max_cost import MaxCost
from slp.constraints.max_features import FORM as MAX_FEATURES
from slp.constraints.max_features import MaxFeatures
from slp.constraints.max_leaves import FORM as MAX_LEAVES
from slp.constraints.max_leaves import MaxLeaves
from slp.constraints.monotone import FORM as MONOTONE
from slp.constraints.monotone import Monotone
from slp.constraints.once import FORM as ONCE
from slp.constraints.once import Once
from slp.constraints.predicate import PROLOG, PYTHON, Predicate

__all__ = [
    "AN_EXAMPLE",
    "FORMS",
    "Before",
    "Constant",
    "Exclusive",
    "First",
    "Forbid",
    "Form",
    "Interaction",
    "Majority",
    "MaxCost",
    "MaxFeatures",
    "MaxLeaves",
    "Monotone",
    "Once",
    "Predicate",
]

#: Every constraint that there is, in the order of docs/language.md.
FORMS = (
    CONSTANT,
    FORBID,
    FIRST,
    BEFORE,
    ONCE,
    EXCLUSIVE,
    INTERACTION,
    MAJORITY,
    MAX_COST,
    MAX_LEAVES,
    MAX_FEATURES,
    MONOTONE,
    PYTHON,
    PROLOG,
)

#: A constraint as it is written.
AN_EXAMPLE = "first(age)"
