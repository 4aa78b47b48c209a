"""Makes certificates: a tree, the statements of a program as plain data, and for each a claim.

docs/certificates.md describes the JSON. What is claimed is what the check of finished trees finds
(`slp.trees.check`), but for predicates in code: nobody else can ask them, so they are not checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slp.ir.constraints import Constraint, Support
from slp.trees.check import TreeChecks, check_one, statement_words, statements
from slp.trees.definitions import Seen, counted_rows
from slp.trees.formulas import formula_of, rising_of
from slp.trees.monotone import levels_of_tests, open_leaves
from slp.trees.nodes import rows_of
from slp.trees.parts import Leaf
from slp.trees.tree import Tree

if TYPE_CHECKING:
    from slp.data.table import Table

#: The format of certificates.
FORMAT = 1

_CLAIMS = {True: "holds", False: "broken", None: "not checked"}


class Certifier:
    """Makes the certificates of trees under one program, with the rows of a table if it is given.

    Parameters and errors are those of `slp.trees.check.TreeChecks`.
    """

    def __init__(
        self, program: Any, X: Any = None, y: Any = None, *, coded: Table | None = None
    ) -> None:
        self._checks = TreeChecks(program, X, y, coded=coded)

    def certificate(self, tree: Tree) -> dict[str, Any]:
        """The certificate of a tree as plain data. Raises DataError as `Tree.apply`."""
        seen = self._checks.seen(tree)
        leaves = seen.tree.leaves()
        rows = [counted_rows(leaf, seen.program) for leaf in leaves]
        told = {} if rows == [rows_of(leaf.summary) for leaf in leaves] else {"rows": rows}
        claims = [_claim(asked, seen) for asked in statements(self._checks.program)]
        return {"format": FORMAT, "tree": seen.tree.to_dict(), **told, "claims": claims}


def _claim(asked: Constraint | Support, seen: Seen) -> dict[str, Any]:
    """The claim on one statement."""
    claim: dict[str, Any] = {"statement": asked.to_plain(), "words": statement_words(asked)}
    if isinstance(asked, Constraint):
        if asked.by_code:
            return {**claim, "claim": _CLAIMS[None], "reason": "code decides it"}
        if asked.by_predictions:
            claim["statement"] |= _predictions(seen)
    result = check_one(asked, seen)
    if isinstance(asked, Constraint) and asked.is_preference:
        told = {} if result.against is None else {"against": result.against}
        return {**claim, "claim": _CLAIMS[None], **told, "reason": "trees may break a preference"}
    leaves = {place.path for place in seen.places if isinstance(place.node, Leaf)}
    if isinstance(asked, Constraint) and asked.leaf_in_box and result.path in leaves:
        # What certificates state is that no split cuts the box.
        return {**claim, "claim": _CLAIMS[None], "reason": result.counterexample}
    claim["claim"] = _CLAIMS[result.holds]
    if result.witness is not None:
        claim["witness"] = dict(result.witness)
    if result.counterexample is not None:
        claim["reason"] = result.counterexample
    return claim


def _predictions(seen: Seen) -> dict[str, Any]:
    """What a statement about predictions takes from the program and the table: how leaves predict,
    null if it is not known; the levels of features, those that tests name where there is no table,
    and whether these are all."""
    leaves, summaries = open_leaves(seen.places)
    formula = formula_of(summaries, seen.program.leaf, seen.program.class_order)
    if formula is not None and rising_of(formula, summaries) is None:
        formula = None
    levels = {**levels_of_tests(leaves), **(seen.levels or {})}
    return {
        "predicts": formula,
        "levels": {feature: sorted(names) for feature, names in levels.items()},
        "all_levels": seen.levels is not None,
    }
