"""Decision trees, independent of engines: JSON, text and graph export, routing of rows, checks.

Entry points: `Tree` (`slp.trees.tree`, of the nodes in `slp.trees.parts`), whose methods lead to
everything here; `check_tree` and `CheckResult` (`slp.trees.check`), constraints on a finished tree
by their definitions; `Region` (`slp.trees.regions`), with these definitions; `Certifier`
(`slp.trees.certificates`), the same for an outsider; `slp.trees.encoding` (JSON),
`slp.trees.drawing` (text, Graphviz), `slp.trees.reading` (text read back), `slp.trees.route` (rows
to leaves), `slp.trees.predictions` (of rows), `slp.trees.exports` (SQL, Python, rule lists),
`slp.trees.from_sklearn`, `slp.trees.differences` (the edits from one tree to another), `fit_tree`
(`slp.trees.fit`), which fits a given tree to a table.
"""

from typing import TYPE_CHECKING

from slp.late import late_names
from slp.trees.parts import Asked, Leaf, Node, Place, Split
from slp.trees.tree import Tree

if TYPE_CHECKING:
    from slp.trees.certificates import CHECKER, Certifier
    from slp.trees.check import CheckResult, check_tree
    from slp.trees.differences import TreeEdit, edits_between
    from slp.trees.drawing import condition_text, count_text, leaf_text, tree_to_dot, tree_to_text
    from slp.trees.encoding import tree_from_dict, tree_to_dict
    from slp.trees.exports import tree_to_python, tree_to_rules, tree_to_sql
    from slp.trees.files import read_tree, text_of_file
    from slp.trees.fit import fit_tree
    from slp.trees.from_sklearn import tree_from_sklearn
    from slp.trees.in_sample import in_sample_fit
    from slp.trees.leaf_priors import with_priors_of
    from slp.trees.nodes import TreeNode
    from slp.trees.predicates import names_code, with_predicates
    from slp.trees.predictions import leaf_predictions, predict_rows
    from slp.trees.reading import TreeText, tree_from_text
    from slp.trees.regions import Region
    from slp.trees.route import route_rows, route_table
    from slp.trees.soft import SoftTree
    from slp.trees.sums import TreeSum

__all__ = [
    "CHECKER",
    "Asked",
    "Certifier",
    "CheckResult",
    "Leaf",
    "Node",
    "Place",
    "Region",
    "SoftTree",
    "TreeSum",
    "Split",
    "Tree",
    "TreeEdit",
    "TreeNode",
    "TreeText",
    "check_tree",
    "condition_text",
    "count_text",
    "edits_between",
    "fit_tree",
    "in_sample_fit",
    "leaf_predictions",
    "leaf_text",
    "names_code",
    "predict_rows",
    "read_tree",
    "route_rows",
    "route_table",
    "text_of_file",
    "tree_from_dict",
    "tree_from_sklearn",
    "tree_from_text",
    "tree_to_dict",
    "tree_to_dot",
    "tree_to_python",
    "tree_to_rules",
    "tree_to_sql",
    "tree_to_text",
    "with_predicates",
    "with_priors_of",
]

# Many programs need only `Tree`.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.trees.certificates": "CHECKER Certifier",
        "slp.trees.check": "CheckResult check_tree",
        "slp.trees.differences": "TreeEdit edits_between",
        "slp.trees.exports": "tree_to_python tree_to_rules tree_to_sql",
        "slp.trees.nodes": "TreeNode",
        "slp.trees.files": "read_tree text_of_file",
        "slp.trees.fit": "fit_tree",
        "slp.trees.in_sample": "in_sample_fit",
        "slp.trees.leaf_priors": "with_priors_of",
        "slp.trees.predictions": "leaf_predictions predict_rows",
        "slp.trees.route": "route_rows route_table",
        "slp.trees.encoding": "tree_from_dict tree_to_dict",
        "slp.trees.from_sklearn": "tree_from_sklearn",
        "slp.trees.drawing": "condition_text count_text leaf_text tree_to_dot tree_to_text",
        "slp.trees.predicates": "names_code with_predicates",
        "slp.trees.reading": "TreeText tree_from_text",
        "slp.trees.regions": "Region",
        "slp.trees.soft": "SoftTree",
        "slp.trees.sums": "TreeSum",
    },
)
