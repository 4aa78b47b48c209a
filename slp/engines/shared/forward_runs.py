"""Whether the prior can be drawn from independently, by running the program forward."""

from __future__ import annotations

import math

from slp.ir.program import COUNTING_MEASURES
from slp.ir.tree_grammar import OpenStates, SplitRule, TreeGrammar


def can_run_forward(grammar: TreeGrammar) -> bool:
    """Whether no choice of the program has weights that sum to more than 1: those of the labels in
    a state, and the probabilities of the splits of a rule.

    Of open states that is known where labels are renormalised in every state, so that they sum to
    1, and no rule of the program, whatever state it is used in, has another measure.
    """
    if isinstance(grammar.states, OpenStates):
        return grammar.normalise and grammar.states.measures.isdisjoint(COUNTING_MEASURES)
    for state in grammar.all_states():
        if any(isinstance(r, SplitRule) and r.measure in COUNTING_MEASURES for r in state.rules):
            return False
        total = math.fsum(math.exp(rule.log_weight) for rule in state.rules)
        if not grammar.normalise and total > 1 + 1e-9:
            return False
    return True
