"""Trees, and averages of trees, in other languages: SQL, Python, rule lists.

Entry points: `parts_of_tree` and `parts_of_average` (`slp.trees.exports.parts`), what SQL and
Python need of trees: what each split asks of a row, and the share of it that goes left;
`tree_to_sql` and `parts_to_sql` (`sql`), `tree_to_python` and `parts_to_python` (`python`),
`tree_to_rules` and `trees_to_rules` (`rules`). Trees of scikit-learn, and through them ONNX, are in
`slp.estimators.export`.
"""

from slp.trees.exports.parts import Parts, Untold, parts_of_average, parts_of_tree
from slp.trees.exports.python import parts_to_python, tree_to_python
from slp.trees.exports.rules import tree_to_rules, trees_to_rules
from slp.trees.exports.sql import parts_to_sql, tree_to_sql

__all__ = [
    "Parts",
    "Untold",
    "parts_of_average",
    "parts_of_tree",
    "parts_to_python",
    "parts_to_sql",
    "tree_to_python",
    "tree_to_rules",
    "tree_to_sql",
    "trees_to_rules",
]
