"""What every engine is given: a tree grammar on a table.

`boxes` (which rows a box holds, and its distinct splits), `split_measures` (split probabilities),
`rule_weights` and `row_labels` (rules in a box), `local_process` (the choices at a box in a state,
with their probabilities), `tree_weights` (the weight of any tree), `node_tests` and `tree_tests`
(predicates and global constraints), `ambiguity` (whether derivations are trees), `cut_trees` (from
boxes and cuts to `Tree`, and back), `tree_on_table` and `tree_arrays` (given trees on the table),
`new_rows` (rows to predict), `core` (all of it for the C++ core).
"""
