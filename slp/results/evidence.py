"""Notes on an evidence."""

from __future__ import annotations

from collections.abc import Iterable

from slp.ir.program import Constraint, Monotone
from slp.ir.tree_grammar import LeafRule, TreeGrammar
from slp.messages.names import joined


def evidence_note(grammar: TreeGrammar, constraints: Iterable[Constraint] = ()) -> str | None:
    """A note if the prior depends on the response: by `majority`, `monotone`, or labels and guards
    that count the rows of a class."""
    looking = []
    if any(isinstance(rule, LeafRule) and rule.majority for _, rule in grammar.rules()):
        looking.append("majority")
    if any(isinstance(c, Monotone) for c in constraints):
        looking.append("monotone")
    if any(rule.rows is not None and rule.rows.classes for _, rule in grammar.rules()):
        looking.append("rows(Class, N)")
    if not looking:
        return None
    verb = "looks" if len(looking) == 1 else "look"
    return (
        f"{joined(looking)} {verb} at the response, so the prior is normalised with it in "
        "view; do not compare this evidence with that of another program"
    )
