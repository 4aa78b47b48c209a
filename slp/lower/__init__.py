"""Lowering: from a checked program to a finite weighted tree grammar.

Entry points: `program_to_tree_grammar`, and `tree_grammar_or_all` for engines that do not need one;
`schema_of_program` (a schema without a table); `explain_program` (what a program means and lowers
to, as text); `follows` (whether constraints follow from others).

Inside, from the bottom: `columns` (tables over cells under construction), `depth_limit` (beside the
automata of constraints), `product` (all of these as one automaton), `goals` (rules of a ground
nonterminal, by `slp.resolution`), `expansion` (the reachable states), `states` (finished states,
and their checks), `opened` (states made on demand), `lowering` (all steps in order). `following`
asks which constraints follow from others. Checks without listing states: `affine_terms`, `endings`
(calls that end), `least_leaves`. `any_tree` is the program of all trees. `explain` has the text of
`slp explain`, and `schema_without_table` the schema of a program alone.
"""

from slp.lower.explain import explain_program
from slp.lower.following import follows
from slp.lower.lowering import find_tests_on_trees, program_to_tree_grammar, tree_grammar_or_all
from slp.lower.schema_without_table import schema_of_program

__all__ = [
    "explain_program",
    "find_tests_on_trees",
    "follows",
    "program_to_tree_grammar",
    "schema_of_program",
    "tree_grammar_or_all",
]
