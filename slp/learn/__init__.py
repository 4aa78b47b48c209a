"""Learning: labels from observed goals, and parameters of tree programs from tables.

Entry points: `learn_labels` (failure-adjusted maximisation), `learn_parameters` (maximum marginal
likelihood), `ProgramText` (the text in which numbers are replaced), `observations_of_file` and
`observations_of_text` (observed goals), `Learned` and `Change` (the result).

Inside: `ascent` (maximisation of a function of a few parameters), `iterations` (one start after the
other), `label_values` (labels during learning), `expected_counts` (of their clauses),
`label_priors`, `standard_errors`, `label_tables` (labels that compete), `not_learned` (labels that
stay, and why), `sample` (the observations), `sums`, `tabled` and `searched` (their proofs),
`free_calls` and `pure_goals` (goals that tell bound arguments from free ones), `unknowns` and
`evidence` (parameters during learning, and the evidence of a table), `goals`, `text`, `faults`
(messages that need some computation).
"""

from slp.learn.goals import Observation, observations_of_file, observations_of_text
from slp.learn.labels import learn_labels
from slp.learn.result import Learned
from slp.learn.text import ProgramText
from slp.learn.trees import learn_parameters

__all__ = [
    "Learned",
    "Observation",
    "ProgramText",
    "learn_labels",
    "learn_parameters",
    "observations_of_file",
    "observations_of_text",
]
